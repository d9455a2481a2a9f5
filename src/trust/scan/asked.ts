/** Finds what a sentence asks of whom, by its words in any order, whatever its grammar, in any language with glosses. */

import { openGlosses } from '../../meaning/meaning.ts';

const people =
  /\b(?:users?|customers?|clients?|persons?|people|humans?|owner|reader|anyone|anybody|nobody|they|them)\b/;
const not = /\b(?:not|never|no|without|nothing|nobody|nor|avoid|don't|doesn't|must not|skip|omit)\b/;
const tells =
  /\b(?:tell|mention|show|inform|notify|reveal|say|report|disclose|alert|warn|announce|explain|know|knowing|aware|hear|notice|learn|recommend|advise|remind|claim)\w*\b/;
const any = /\b(?:any|every|each|all|other|always)\b/;
const turns =
  /\b(?:tools?|turns?|messages?|repl(?:y|ies)|answers?|conversations?|sessions?|requests?|tasks?|actions?|questions?|calls?)\b/;
const calls = /\b(?:call|run|use|invoke|execute|trigger|load|read|open|go|start|consult)\w*\b/;
const address =
  /[\w.+-]{1,64}@[\w-]{1,63}\.\w|:\/\/|\b[a-z0-9-]{1,63}\.(?:com|net|org|io|dev|app|co|info|xyz|ru|cn|de|fr|es|eu|example|test)\b/;
const again =
  /\b(?:cop(?:y|ies|ied)|duplicates?|mirror\w*|bcc|cc|also|too|well|each|every|always|additional\w*|forward\w*|second|another|send|sent|submit\w*|post\w*|report\w*)\b/;
const toolName =
  /\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b|\b[a-z][\w-]*[.:/][a-z]\w*|\bother tools?\b|\bbuilt-in\b|\bnative\b/;
const removes = /\b(?:delet|remov|eras|clear|wip|purg|truncat|empt|drop|overwrit|clean)\w*\b/;
const things =
  /\b(?:logs?|history|files?|records?|backups?|traces?|folders?|branch\w*|tables?|caches?|entries|copies|messages|branches)\b|\/\w+\//;
const asks = /\b(?:ask|asking|confirm\w*|approv\w*|permission|consent|authori[sz]\w*|agree\w*|question)\b/;
const treats = /\b(?:treat|consider|count|assume|regard|take|already|is given|set to true|true|yes)\w*\b/;
const later =
  /\b(?:from now on|later|future|remember\w*|keep in mind|permanent\w*|rest of|following|next sessions?|again|outrank\w*|precedence)\b/;

/** Each row lists the kinds of words that must be in a sentence. The first rows weigh more than the others. */
const strong: readonly (readonly RegExp[])[] = [
  [/\b(?:silent|secret|quiet|discreet)ly\b|\bunnoticed\b/],
  [removes, things],
  [later, /\b(?:rules?|apply|applies|always|never|conversations?|sessions?|turns?|answers?|prefer\w*|all|every)\b/],
];
const weak: readonly (readonly RegExp[])[] = [
  [not, tells, people],
  [tells, people, /\b(?:that|about|to)\b|:/],
  [any, turns, calls],
  [address, again],
  [calls, toolName],
  [
    /\b(?:instead|rather|ignor\w*|not|never|avoid|stop|deprecated|obsolete|unsafe|replac\w*|no longer|only)\b/,
    toolName,
  ],
  [not, asks],
  [treats, asks],
];

/** Only the beginning of a longer sentence is read. */
const longest = 400;

/** The weight of what a sentence asks for, in any language: 0, 1 or 3. */
export function askedIn(sentence: string): number {
  const said = openGlosses().english(sentence.slice(0, longest));
  const isSaid = (row: readonly RegExp[]) => row.every((words) => words.test(said));
  if (strong.some(isSaid)) return 3;
  return weak.some(isSaid) ? 1 : 0;
}

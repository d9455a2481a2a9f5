/** Compares two definitions of the same thing, and grades the change by its effect, not by its wording. */

import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../base/json.ts';
import { plain, splitSentences } from './added-text.ts';
import { type Deed, deedsDone } from './deeds.ts';
import { judgeHints } from './judge-hints.ts';
import { judgeParameters } from './judge-parameters.ts';
import {
  irrevocable,
  judgeDeeds,
  judgeDestinations,
  judgeKeeping,
  judgeLimit,
  judgeReader,
  judgeWants,
} from './judge-texts.ts';
import { type Definition, type Judgement, judgementOf, type Neighbours, type Notice } from './judgement.ts';
import { parameterWords } from './parameters.ts';
import { isReadWhole, scanAddition } from './scan/scan.ts';
import { textsOf } from './texts.ts';

export function judgeChange(before: Definition, after: Definition, neighbours: Neighbours): Judgement {
  if (!isReadWhole(before) || !isReadWhole(after)) return tooLong;
  const [old, now] = [textsOf(before), textsOf(after)];
  // Names as they are and in words: a parameter `targetPath` speaks of paths.
  const inWords = ([where, text]: [string, string]) =>
    where.endsWith('~') || where === 'name' ? `${text} ${parameterWords(text)}` : text;
  const known = [...old].map(inWords).join('\n');
  // A parameter `deleted` is no deed.
  const told = [...old]
    .filter(([where]) => !where.endsWith('~'))
    .map(inWords)
    .join('\n');
  const members = new Set([...Object.keys(before), ...Object.keys(after)]);
  return judgementOf([
    ...[...members].flatMap((name) => describeMember(name, before[name], after[name])),
    ...judgeHints(
      toObject(before.annotations),
      toObject(after.annotations),
      doneForGood(after),
      reads.test(textOf(after.name)),
    ),
    ...judgeParameters(before, after, known),
    ...judgeTexts(old, now, { known, told }, before),
    ...judgePromise(before, after),
    ...(isReader(before)
      ? judgeReader({
          name: textOf(before.name),
          where: 'description',
          before: textOf(before.description),
          after: textOf(after.description),
          known,
        })
      : []),
    ...scanAddition(before, after, neighbours).map((found): Notice => ({ ...found, grade: 'risky' })),
  ]);
}

/** A definition too long to read whole cannot be judged; this also bounds the cost. */
const tooLong: Judgement = {
  grade: 'risky',
  reasons: [{ code: 'too-long', where: '', sentence: 'It is too long to be compared as a whole.' }],
};

/** Members that no agent acts on, and marks of the last change. */
const details = /^(?:icons|size|mimeType|version|websiteUrl|execution)$/;
const schemas = new Set(['inputSchema', 'outputSchema', 'arguments']);

/** Reports that a member changed; the owner can read how. */
function describeMember(name: string, before: unknown, after: unknown): Notice[] {
  if (isDeepStrictEqual(before, after) || name === 'annotations') return [];
  if (schemas.has(name))
    return name === 'outputSchema'
      ? [{ grade: 'notable', code: 'output', where: name, sentence: 'Its output schema changed.' }]
      : [{ grade: 'notable', code: 'parameter', where: name, sentence: 'Its parameters changed.' }];
  if (typeof before !== 'string' && typeof after !== 'string')
    return [
      {
        grade: details.test(name) ? 'harmless' : 'notable',
        code: 'detail',
        where: name,
        sentence: 'It changed.',
      },
    ];
  const isSlight = plain(textOf(before)) === plain(textOf(after)) || details.test(name);
  return [{ grade: isSlight ? 'harmless' : 'notable', code: 'wording', where: name, sentence: 'Its wording changed.' }];
}

const reads =
  /^(?:get|list|read|find|search|show|fetch|view|look|describe|count|return|check|download|explain|inspect|query|retrieve|compare|summar|display|enumerate|report|preview|scan|audit)/i;

/** True if a tool says that it reads, by a hint, its name or the first word of its description. */
function isReader(definition: Definition): boolean {
  const { name, description, annotations } = definition;
  return (
    doneBy(definition).size === 0 &&
    (toObject(annotations).readOnlyHint === true || reads.test(textOf(name)) || reads.test(textOf(description)))
  );
}

/** By its name, its title and its first sentence: further ones speak of other tools, and so does one that begins with reading. */
function doneBy({ name, title, description, annotations }: Definition): ReadonlySet<Deed> {
  const [first = ''] = splitSentences(textOf(description))
    .slice(0, 1)
    .filter((sentence) => !reads.test(sentence));
  return deedsDone(
    [parameterWords(textOf(name)), textOf(title), textOf(toObject(annotations).title), first].join('\n'),
  );
}

function doneForGood(definition: Definition): ReadonlySet<Deed> {
  const isForGood = irrevocable.test(textOf(definition.description));
  return new Set([...doneBy(definition), ...(isForGood ? (['destroys'] as const) : [])]);
}

/** Texts that say what a tool is: a deed counts here; where something goes counts in all of them. */
const ofTheTool = /^(?:title|description|annotations\.title)$/;
/** Pictures and names of members lead nowhere, examples stand for any. */
const elsewhere = /^icons\b|~$|\$schema$|\$id$|Schema\..*\.(?:default|examples?|enum|const|pattern|format)(?:\.|$)/;

function judgeTexts(
  old: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
  { known, told }: { readonly known: string; readonly told: string },
  definition: Definition,
): Notice[] {
  const done = doneBy(definition);
  // The owner knows it from the hint.
  const isDestructive = toObject(definition.annotations).destructiveHint === true;
  const isTold = (where: string) => ofTheTool.test(where) && !(isDestructive && where === 'description');
  return [...now].flatMap(([where, after]): Notice[] => {
    const before = old.get(where) ?? '';
    if (before === after || elsewhere.test(where)) return [];
    const change = { name: textOf(definition.name), where, before, after, known };
    const isMeta = where.startsWith('_meta');
    return [
      ...(isTold(where) && (before !== '' || where !== 'description')
        ? judgeDeeds({ ...change, known: told }, done)
        : []),
      ...(isMeta
        ? judgeMeta(change)
        : [...judgeDestinations(change), ...judgeWants(change), ...judgeKeeping(change), ...judgeLimit(change)]),
    ];
  });
}

/** A promise that nothing is changed, sent or kept, or that somebody is asked first. */
const promise =
  /\b(?:nothing|never|no \w+|not|neither)\b[^.;"]{0,40}\b(?:chang|modif|delet|remov|cop(?:y|ied)|sen[dt]\b|stored|charged|ordered|written|saved|logged|leaves?\b|shared|uploaded|booked|paid|touched)|\b(?:is|are|opened|strictly) read[- ]only\b|\b(?:stays?|kept|processed) on (?:the|this|your)\b|\b(?:asks?|confirm\w*|approv\w*)\b[^.;]{0,40}\b(?:before|first)\b|\b(?:before|until)\b[^.;]{0,40}\b(?:asks?|confirm\w*|approv\w*|agree\w*)\b|nichts (?:\w+ )?(?:verändert|geändert|gelöscht|gesendet)|bleib\w* auf dem|端末内/i;

/** A description that promised to do no harm and was written anew without a word of it. */
function judgePromise({ description: before }: Definition, { description: after }: Definition): Notice[] {
  const [was, is] = [textOf(before), textOf(after)];
  if (is === '' || !promise.test(was) || promise.test(is)) return [];
  return [{ grade: 'risky', code: 'hint', where: 'description', sentence: 'It takes back a promise that it gave.' }];
}

/** Programs act on addresses and on leave that is given in `_meta`. */
function judgeMeta({
  where,
  after,
  known,
}: {
  readonly where: string;
  readonly after: string;
  readonly known: string;
}): Notice[] {
  if (leave.test(where))
    return [{ grade: 'risky', code: 'meta', where, sentence: 'It tells programs something else about permissions.' }];
  const host = /\b(?:https?|wss?):\/\/([^/?#\s'"]+)/i.exec(after)?.[1];
  if (host === undefined || known.includes(host)) return [];
  return [{ grade: 'risky', code: 'meta', where, sentence: 'It names a new address to programs.' }];
}

const leave = /(?:approv|confirm|consent|permission|scope|requires|trust)\w*(?:\.\d+)?$/i;

function toObject(value: unknown): Definition {
  return isObject(value) ? value : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

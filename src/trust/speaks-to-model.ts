/** Signs, in a text that is new, that it steers a model or asks for what is not its business. */

import { wordsOf } from './added-text.ts';
import type { Neighbours, ReasonCode } from './judgement.ts';

/** What was found, and the words of it. */
export interface Sign {
  readonly code: ReasonCode;
  readonly sentence: string;
}

const act =
  '(?:call|use|run|invoke|execute|read|open|fetch|send|forward|upload|post|copy|include|attach|append|pass|add|put|provide|give|share|supply|write|save|store|set|ask|check|load|follow|prefer|consult|cc|bcc|reply|respond|answer|output|print|return|tell|say)';

/** A model is told what to do beyond what the tool is for. */
const orders: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,40}\b(?:instructions?|rules?|prompts?|messages?|polic(?:y|ies)|guidelines?|context|warnings?|restrictions?)\b/i,
  /\b(?:system prompt|developer message|jailbreak|new instructions?|hidden instructions?)\b/i,
  /<\/?\s*(?:important|system|instructions?|assistant|admin|secret|hidden|rules?|critical)\b[^>]{0,40}>|\[\/?(?:inst|system|important)\]|^#{1,6}\s*(?:system|instructions?|important)\b/im,
  /\b(?:do not|don't|never|must not|should not|without)\s+(?:\w+\s+){0,2}(?:tell|telling|mention|mentioning|inform|informing|reveal|revealing|show|showing|notify|notifying|warn|warning|ask|asking|disclose|disclosing|explain|explaining)\b/i,
  /\b(?:secretly|silently|covertly|quietly|discreetly|behind the scenes)\b/i,
  /\byou\s+(?:must|should|shall|need to|have to|ought to|are (?:required|now|instructed|expected|allowed)|will (?:now|always|never)|can now|may not)\b/i,
  /\b(?:assistant|agent|model|llm|ai|claude|gpt|chatgpt|copilot|cursor)s?\b[^.\n]{0,30}\b(?:must|should|shall|needs? to|has to|have to|(?:is|are) (?:required|instructed|expected))\b/i,
  new RegExp(
    `\\b(?:always|never|must(?: also| first| always| never)?|make sure to|be sure to|remember to|don't forget to|please(?: also| always| first)?|also|first|then|next|afterwards|additionally)[, ]+${act}\\b`,
    'i',
  ),
  new RegExp(
    `\\b(?:before|after|prior to|when(?:ever)?)\\s+(?:\\w+\\s+){0,2}(?:us(?:e|ing)|call(?:ing)?|invok(?:e|ing)|run(?:ning)?|execut(?:e|ing))\\b[^.\\n]{0,60}\\b${act}\\b`,
    'i',
  ),
  /\b(?:before|instead of|rather than|in place of|in preference to)\s+(?:using |calling |invoking |running |any |all |every |the |you )*(?:other|another|any|every|each|this|that)?\s*\w*\s*(?:tools?|servers?|functions?)\b/i,
  /\bfor (?:every|each|any|all) (?:requests?|questions?|tasks?|messages?|conversations?|users?|prompts?)\b/i,
  /^\s*(?:important|attention|critical|mandatory|urgent|note to (?:the )?(?:assistant|model|ai|agent|llm))\b\s*[:!]/im,
];

const move =
  /\b(?:send|forward|upload|post|copy|include|attach|append|pass|add|put|provide|give|share|supply|enter|paste|read|return|submit|transmit|report|deliver|email|mail|write|fill in|requires?|needs?|expects?)\b/i;
const secret =
  /\b(?:passwords?|passphrases?|passcodes?|api[ _-]?keys?|secrets?|credentials?|private[ _-]?keys?|ssh[ _-]?keys?|(?:access|auth|authentication|bearer|refresh|session|security)[ _-]?tokens?|cookies?|seed phrases?|credit cards?|cvv|social security|one[ -]time codes?|otp)\b/gi;
const conversation =
  /\b(?:conversations?|chat (?:history|log)s?|(?:previous|earlier|prior|all|entire|full|last) (?:messages?|prompts?|turns?|context)|message history|system prompt|your (?:instructions|reasoning|context|memory|thoughts)|chain of thought|side ?notes?|user'?s? (?:full |original |exact )?(?:messages?|prompts?|requests?|questions?))\b/gi;
const privateFiles =
  /(?:~|\$HOME|%USERPROFILE%)[\\/]|\.ssh\b|\bid_(?:rsa|ed25519)\b|\/etc\/(?:passwd|shadow)|(?:^|[\s/"'`])\.env\b|\.aws[\\/]|\.(?:npmrc|netrc|pgpass|kube)\b|\bmcp\.json\b|\bclaude_desktop_config\b/i;
const address =
  /\b(?:https?|wss?|ftp|data|javascript|file):[^\s"'<>`)\]]+|\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/gi;
const encoded = /(?:[A-Za-z0-9+/]{60,}={0,2}|(?:\\x[0-9a-f]{2}|%[0-9a-f]{2}|\\u[0-9a-f]{4}){8,})/i;

/** Words that turn a sentence around, or could be the point of changing it. */
const weighty = new Set(
  'not no never always must should shall before after instead ignore disregard forget secretly silently first then also all any every other user users you your send forward upload post copy include attach read call run execute http https bcc cc important required'.split(
    ' ',
  ),
);

export function isWeighty(word: string): boolean {
  return weighty.has(word) || isSecretWord(word);
}

function isSecretWord(word: string): boolean {
  return word.search(secret) !== -1 || word.search(conversation) !== -1;
}

/** `sentences` are new; `before` is all that was said until now, so that what a tool is about anyway is no news. */
export function signsIn(sentences: readonly string[], before: string, neighbours: Neighbours): Sign[] {
  const known = before.toLowerCase();
  return sentences.flatMap((text) => [
    ...(orders.some((order) => order.test(text)) ? [sign('instructions', 'gives the model new instructions')] : []),
    ...(encoded.test(text) ? [sign('encoded', 'holds an encoded text')] : []),
    ...(asksForSecrets(text, known) ? [sign('secrets', 'asks for secrets, private files or the conversation')] : []),
    ...(move.test(text) && newAddresses(text, known).length > 0
      ? [sign('new-address', 'names a new address that something is sent to')]
      : []),
    ...(speaksOfOthers(text, neighbours) ? [sign('other-server', 'now speaks of tools of another server')] : []),
  ]);
}

function sign(code: ReasonCode, sentence: string): Sign {
  return { code, sentence };
}

function asksForSecrets(text: string, known: string): boolean {
  return privateFiles.test(text) || (move.test(text) && namesSecret(text, known));
}

/** Whether something is named that should stay where it is, and was not spoken of before. */
export function namesSecret(text: string, known = ''): boolean {
  const named = [...(text.match(secret) ?? []), ...(text.match(conversation) ?? [])];
  return named.some((word) => !known.includes(word.toLowerCase()));
}

/** Addresses whose host, or whose whole text where there is none, was not named before. */
export function newAddresses(text: string, known: string): string[] {
  return (text.match(address) ?? []).filter((found) => !known.includes(hostOf(found).toLowerCase()));
}

function hostOf(found: string): string {
  return /^\w+:\/\/([^/?#]+)/.exec(found)?.[1] ?? found;
}

/** Names that are also words count only where they are written as names. */
function speaksOfOthers(text: string, { ownNames, others, siblings }: Neighbours): boolean {
  const words = new Set(text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}_.:/-]*[\p{L}\p{N}]/gu));
  const isNamed = (name: string) => isDistinct(name) && words.has(name.toLowerCase()) && !siblings?.has(name);
  if ([...ownNames].some(isNamed)) return true;
  return [...others].some(([server, tools]) => isServerNamed(text, server) || [...tools].some(isNamed));
}

function isDistinct(name: string): boolean {
  return /[_:./-]|\p{Ll}\p{Lu}|\d/u.test(name) && name.length >= 5;
}

function isServerNamed(text: string, server: string): boolean {
  const plainText = ` ${wordsOf(text).join(' ')} `;
  const name = wordsOf(server).join(' ');
  const written = text.toLowerCase();
  if (written.includes(`${server}:`) || written.includes(`"${server}"`) || written.includes(`\`${server}\``)) {
    return name.length >= 3;
  }
  return [`${name} server`, `${name} mcp`, `server ${name}`, `${name} tool`, `${name} s tool`].some(
    (phrase) => plainText.includes(` ${phrase} `) || plainText.includes(` ${phrase}s `),
  );
}

/**
 * Hides arguments in the words of a tool that repeats them, so that they don't outlive the call. It hides secrets, whatever looks like one, and
 * long texts; short plain words stay, because "the disk is full" tells the owner something, whoever said it first.
 */

import { isObject } from '../base/json.ts';
import { isOrdinary, isSecretKey } from '../base/redact.ts';

const mask = '***';
/** From this length on a value is content, not a label; it is recognised by its beginning, because tools often cut what they repeat. */
const longChars = 64;
const beginningChars = 32;
/** Shorter values of secret members cannot be distinguished from parts of other words. */
const leastSecretChars = 4;
/** Bounds of the walk through the arguments. */
const most = { depth: 8, values: 2_000, characters: 131_072 };
/** Odd words to look up in the arguments; later ones are hidden without looking. */
const mostChecks = 100;

export function hideArguments(text: string, given: unknown): string {
  if (given === undefined) return text;
  const found: Found = { secret: [], texts: [], charsLeft: most.characters, valuesLeft: most.values, isPartial: false };
  collect(given, 0, false, found);
  let out = text;
  for (const value of found.secret.sort((a, b) => b.length - a.length)) out = out.replaceAll(value, mask);
  for (const value of found.texts) if (value.length >= longChars) out = hideLong(out, value);
  const looked = found.texts.map((value) => value.slice(0, most.characters)).join('\n');
  return hideOddWords(out, looked, found.isPartial ? 0 : mostChecks);
}

interface Found {
  /** Values of members that are named like secrets, and all others. */
  readonly secret: string[];
  readonly texts: string[];
  charsLeft: number;
  valuesLeft: number;
  /** There was more than is looked through. */
  isPartial: boolean;
}

function collect(value: unknown, depth: number, isSecret: boolean, into: Found): void {
  into.isPartial ||= depth > most.depth || into.charsLeft <= 0 || into.valuesLeft <= 0;
  if (depth > most.depth || into.charsLeft <= 0 || into.valuesLeft <= 0) return;
  if (typeof value === 'string' || typeof value === 'number') {
    const text = String(value);
    into.charsLeft -= text.length;
    into.valuesLeft -= 1;
    into.isPartial ||= into.charsLeft < 0;
    if (isSecret && text.length >= leastSecretChars) into.secret.push(text);
    into.texts.push(text);
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, depth + 1, isSecret, into);
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) collect(item, depth + 1, isSecret || isSecretKey(key), into);
  }
}

/** As much of the value as stands there, wherever its beginning does. */
function hideLong(text: string, value: string): string {
  const beginning = value.slice(0, beginningChars);
  let out = text;
  for (let at = out.indexOf(beginning); at !== -1; at = out.indexOf(beginning, at + mask.length)) {
    let length = beginningChars;
    while (length < value.length && out[at + length] === value[length]) length += 1;
    out = `${out.slice(0, at)}${mask}${out.slice(at + length)}`;
  }
  return out;
}

/** Words of the text that nobody would choose for one, and that are somewhere in what was given: with their signs, or without. */
function hideOddWords(text: string, given: string, checks: number): string {
  let checksLeft = checks;
  const hide = (word: string) => {
    if (isOrdinary(word)) return word;
    checksLeft -= 1;
    return checksLeft < 0 || given.includes(word) ? mask : word;
  };
  return text.replace(/\S{8,}/g, (run) => {
    const bare = withoutSigns(run);
    return hide(bare) === mask ? run.replace(bare, mask) : run.replace(/[^"'`()[\]{}<>,;=|&?]{8,}/g, hide);
  });
}

/** Punctuation around a word in a sentence. */
const signs: ReadonlySet<string> = new Set('"\'`()[]{}<>.,:;!?');

function withoutSigns(run: string): string {
  let [from, to] = [0, run.length];
  while (from < to && signs.has(run[from] ?? '')) from += 1;
  while (to > from && signs.has(run[to - 1] ?? '')) to -= 1;
  return run.slice(from, to);
}

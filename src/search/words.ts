/** Turns text into the words that are indexed and searched: split, folded, stemmed; knows nothing about tools. */

import { stemmer } from 'stemmer';

/** Words longer than this are cut: nobody types them, and encoded data in descriptions would fill the index. */
const longestWord = 40;
const mostStemsKept = 50_000;

const wordShape = /[\p{L}\p{N}\p{M}]+/gu;
const plainText = /^[\x00-\x7f]*$/;
const plainWord = /^[a-z]+$/;
const apostrophe = /(?<=\p{L})['’](?:[sd](?![\p{L}\p{N}])|(?=\p{L}))/gu;

/** Between `get` and `User` in getUser, between `HTTP` and `Server` in HTTPServer; but URLs stays whole. */
const caseBoundary = /(?<=\p{Ll})(?=\p{Lu})|(?<=[\p{Lu}\p{N}])(?=\p{Lu}(?!s(?!\p{Ll}))\p{Ll})/u;

/** Scripts written without spaces, where pairs of neighbouring characters serve as words. */
const unspacedRun =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々]+/gu;

/** A run of letters and digits: the words in it and, where it is a compound of two (GitHub), the compound as one word. */
export interface Token {
  readonly parts: readonly string[];
  readonly whole?: string;
}

/** The tokens of a text in order: lower case, without accents, `getUserName` and `get_user.name` in parts. */
export function tokensOf(text: string): Token[] {
  const out: Token[] = [];
  const isPlain = plainText.test(text);
  const readable = (isPlain ? text : withoutAccents(text)).replace(apostrophe, '');
  for (const [run] of readable.matchAll(wordShape)) {
    if (isPlain) out.push(casedToken(run));
    else addMixed(run, out);
  }
  return out;
}

/** Every word of a text in order, repeats included; a compound counts as its parts and as itself. */
export function wordsOf(text: string): string[] {
  const out: string[] = [];
  for (const token of tokensOf(text)) {
    out.push(...token.parts);
    if (token.whole !== undefined) out.push(token.whole);
  }
  return out;
}

/** The form under which inflections of an English word meet (`issues`, `issue`); other words are returned as they are. */
export function stemOf(word: string): string {
  if (!plainWord.test(word)) return word;
  const known = stems.get(word);
  if (known !== undefined) return known;
  const stem = stemmer(word);
  if (stems.size >= mostStemsKept) stems.clear();
  stems.set(word, stem);
  return stem;
}

const stems = new Map<string, string>();

/** Latin accents go (café, cafe); marks of other scripts are letters of their own and stay. */
function withoutAccents(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC');
}

function addMixed(run: string, out: Token[]): void {
  let end = 0;
  for (const match of run.matchAll(unspacedRun)) {
    if (match.index > end) out.push(casedToken(run.slice(end, match.index)));
    out.push({ parts: pairsOf(match[0]) });
    end = match.index + match[0].length;
  }
  if (end < run.length) out.push(casedToken(run.slice(end)));
}

function pairsOf(run: string): string[] {
  const characters = Array.from(run);
  if (characters.length === 1) return [run];
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}

function casedToken(run: string): Token {
  const parts = run.split(caseBoundary).map(folded);
  return parts.length === 2 ? { parts, whole: folded(run) } : { parts };
}

function folded(word: string): string {
  return word.slice(0, longestWord).toLowerCase();
}

/**
 * English words that only hold a sentence together. Words of place, time and quantity (between, before, all) are not among them,
 * because they tell tools apart, and neither are verbs of tools (get, list, find).
 */
const functionWords = [
  'a an the this that these those',
  'i me my mine you your yours we us our ours he him his she her hers it its they them their theirs',
  'am is are was were be been being do does did doing done have has had having',
  'can could may might must shall should will would',
  'and or but nor so if then than as because while',
  'of to in on at by for from with into via about',
  'what which whose how there here',
  'not no just also too very really please thanks thank hi hello hey',
  // what an apostrophe leaves behind: I'm, you've, don't, what's
  'im ive ill youre youve were theyre dont doesnt didnt cant couldnt wont wouldnt isnt arent lets whats thats s t',
];

const stopWords: ReadonlySet<string> = new Set(functionWords.flatMap((words) => words.split(' ')));

export function isStopWord(word: string): boolean {
  return stopWords.has(word);
}

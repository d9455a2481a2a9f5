/** The input of models: the texts that they see (the same words as in `model/texts.py`, or vectors made here and there would not meet) and their word pieces, BERT's uncased way. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const limits = { description: 430, parameters: 12, parts: 8 };
/** A part with fewer words says too little to be looked for on its own. */
const fewestWords = 3;

const caseBoundary = /(?<=[a-z])(?=[A-Z])|(?<=[A-Z0-9])(?=[A-Z][a-z])/g;
const notWord = /[^\p{L}\p{N}]+/gu;
const space = /\s+/g;
const sentenceEnd = /(?<=[.!?;。！？；])\s*(?=\s|[^\x00-\x7f])|\n+/u;

interface DescribedTool {
  readonly name: string;
  readonly server: string;
  readonly description: string;
  readonly parameters: readonly { readonly name: string }[];
}

/** One line a tool: name in words | server | description | parameter names. */
export function textOfTool(tool: DescribedTool): string {
  const parameters = tool.parameters.slice(0, limits.parameters).map((parameter) => inWords(parameter.name));
  const fields = [
    inWords(tool.name),
    inWords(tool.server),
    firstCharacters(squeezed(tool.description), limits.description),
    parameters.join(', '),
  ];
  return fields.filter((field) => field !== '').join(' | ');
}

/** The sentences of a query that has several; none for a plain one. */
export function partsOf(query: string): string[] {
  const parts = sentencesOf(query);
  return parts.length > 1 ? parts.slice(0, limits.parts) : [];
}

/** The sentences that are too many: they count in the whole query, but nothing looks for them one by one. */
export function partsBeyond(query: string): string[] {
  return sentencesOf(query).slice(limits.parts);
}

function sentencesOf(query: string): string[] {
  return query
    .split(sentenceEnd)
    .map(squeezed)
    .filter((part) => part.split(' ').length >= fewestWords);
}

/** `getUserName`, `get_user.name` → `get user name`. */
function inWords(name: string): string {
  return name.replace(caseBoundary, ' ').replace(notWord, ' ').trim().toLowerCase();
}

/** Whole characters, as Python counts them: one outside the basic plane is not cut in two. */
function firstCharacters(text: string, count: number): string {
  return Array.from(text.slice(0, 2 * count))
    .slice(0, count)
    .join('');
}

function squeezed(text: string): string {
  return text.replace(space, ' ').trim();
}

const unknownPiece = 100;
const longestWord = 100;
/** Before a piece that does not begin a word. */
const continuation = '##';
/** Characters that are read for each wanted piece: real text has five, and a page of junk must not hold up the rest. */
const charactersPerPiece = 50;
/** Words whose pieces are remembered; definitions repeat the same few thousand. */
const mostWordsKept = 20_000;

const plainText = /^[\x20-\x7e\s]*$/;
const plainToken = /[a-z0-9]+|[^\sa-z0-9]/g;

export class WordPieces {
  readonly #numbers: ReadonlyMap<string, number>;
  /** No piece of a word is longer, so that none is looked for. */
  readonly #longestPiece: number;
  readonly #known = new Map<string, readonly number[]>();

  /** `vocabulary` holds one piece a line; its number is its place. */
  constructor(vocabulary: string) {
    const numbers = new Map<string, number>();
    let longest = 0;
    // One by one: lists of thirty thousand lines and pairs would stay in memory as megabytes that nobody uses.
    for (let start = 0, number = 0; start <= vocabulary.length; number += 1) {
      const next = vocabulary.indexOf('\n', start);
      const end = next < 0 ? vocabulary.length : next;
      const piece = vocabulary.slice(start, end);
      numbers.set(piece, number);
      longest = Math.max(longest, piece.startsWith(continuation) ? piece.length - continuation.length : piece.length);
      start = end + 1;
    }
    this.#numbers = numbers;
    this.#longestPiece = longest;
  }

  /** True for a whole word of the vocabulary, in lower case, not put together from pieces. */
  isWord(word: string): boolean {
    return this.#numbers.has(word);
  }

  /** The numbers of at most `limit` pieces. */
  numbersOf(text: string, limit: number): number[] {
    const out: number[] = [];
    for (const word of wordsOf(text.slice(0, longestWord + 1 + limit * charactersPerPiece))) {
      for (const number of this.#piecesOf(word)) {
        if (out.length >= limit) return out;
        out.push(number);
      }
    }
    return out;
  }

  #piecesOf(word: string): readonly number[] {
    const known = this.#known.get(word);
    if (known) return known;
    const found = this.#split(word);
    if (this.#known.size >= mostWordsKept) this.#known.clear();
    this.#known.set(word, found);
    return found;
  }

  /** Longest pieces first, from the left; a word with a part that is no piece is unknown as a whole. */
  #split(word: string): readonly number[] {
    if (Array.from(word).length > longestWord) return [unknownPiece];
    const out: number[] = [];
    for (let start = 0; start < word.length; ) {
      const prefix = start > 0 ? continuation : '';
      let end = Math.min(word.length, start + this.#longestPiece);
      let number: number | undefined;
      // An end within a character finds nothing, since pieces consist of whole ones.
      for (; end > start; end -= 1) {
        number = this.#numbers.get(prefix + word.slice(start, end));
        if (number !== undefined) break;
      }
      if (number === undefined) return [unknownPiece];
      out.push(number);
      start = end;
    }
    return out;
  }
}

/** Lower case, without accents; each sign and each Chinese character is a word of its own. */
function wordsOf(text: string): readonly string[] {
  if (plainText.test(text)) return text.toLowerCase().match(plainToken) ?? [];
  const readable = text
    .replace(/[\p{Cc}\p{Cf}\u0000\ufffd]/gu, (sign) => (/\s/.test(sign) ? ' ' : ''))
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '');
  const out: string[] = [];
  let word = '';
  const finish = () => {
    if (word !== '') out.push(word);
    word = '';
  };
  for (const character of readable) {
    if (/\s/u.test(character)) finish();
    else if (isSign(character) || isIdeograph(character)) {
      finish();
      out.push(character);
    } else word += character;
  }
  finish();
  return out;
}

/** Punctuation, and every plain sign that is neither a letter nor a digit. */
function isSign(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  if (code < 128) return !/[a-z0-9]/i.test(character);
  return /\p{P}/u.test(character);
}

function isIdeograph(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return (
    (code >= 0x4e00 && code <= 0x9fff) ||
    (code >= 0x3400 && code <= 0x4dbf) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0x20000 && code <= 0x2fa1f)
  );
}

const assets = join(import.meta.dirname, '../../assets');

export function assetPath(name: string): string {
  return join(assets, name);
}

let opened: WordPieces | undefined;

/** The word pieces that the models of this package share, read at the first use and kept. */
export function openWordPieces(): WordPieces {
  opened ??= new WordPieces(readFileSync(assetPath('vocabulary.txt'), 'utf8'));
  return opened;
}

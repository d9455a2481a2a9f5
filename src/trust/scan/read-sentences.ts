/** Reads a definition two sentences at a time, by where they stand and what the tool is for, and then judges it as a whole. */

import { openGlosses, openWordPieces } from '../../meaning/meaning.ts';
import type { Definition } from '../judgement.ts';
import { folded } from './fold-text.ts';
import { type Impression, type OrderVerdict, openReader, type Purpose, type Verdict } from './reader-model.ts';
import { inWords, sentencesOf } from './sentences.ts';
import type { Role, ScannedText } from './texts-to-scan.ts';

/** The reader was taught with a mark before each sentence that says where it stands: word pieces that no text has. */
const marks: Readonly<Record<Role, number>> = { prose: 1, title: 3, name: 3, key: 4, choice: 4, sample: 4, meta: 5 };
const parameterMark = 2;
/** A server's own words are a manual: they are imperative by nature. */
const manualMark = 6;
/** Added to the mark of a text that a change adds to a tool. */
export const addedMark = 6;

export function markOf({ where, role, owner }: ScannedText): number {
  if (where === 'instructions') return manualMark;
  return role === 'prose' && owner !== undefined ? parameterMark : marks[role];
}

const mostPurposePieces = 24;
const firstSentence = /^[\s\S]{0,200}?(?:[.!?。！？\n]|$)/;

/** A tool's purpose, by its name and first sentence, in word pieces: a trait odd in one tool is normal in another. */
export function purposePieces({ name, title, description, instructions }: Definition): readonly number[] {
  const [named, titled, described] = [name, title, description ?? instructions].map((text) =>
    typeof text === 'string' ? text.slice(0, 400).trimStart() : '',
  );
  const first = firstSentence.exec(described ?? '')?.[0] ?? '';
  return wordPiecesOf(folded(`${inWords(named ?? '')} ${titled}: ${first}`), mostPurposePieces);
}

/** The word pieces of a folded text, with its known words translated into English. */
export function wordPiecesOf(text: string, most: number): readonly number[] {
  return openWordPieces().numbersOf(openGlosses().english(text), most);
}

/** A longer sentence is read in parts. */
const mostPieces = 48;
const mostPiecesOfText = 8_000;

/** The reading of a single sentence. */
export interface OrderReading extends OrderVerdict {
  readonly sentence: string;
  /** Which sentence of its text. */
  readonly at: number;
}

/** The reading of a sentence together with the next one. */
export type Reading = OrderReading & Verdict;

/** One text of a definition as the reader saw it. */
export interface SeenText {
  readonly text: ScannedText;
  readonly readings: readonly Reading[];
  readonly orders: readonly OrderReading[];
}

/** Fewer words steer nobody. Most texts of a definition are names and values: they are not worth a look. */
const fewestWords = 4;
const fewestUnspaced = 8;

export function isWorthReading(text: string): boolean {
  if (/^[a-z]+:\/\/\S+$/i.test(text)) return false;
  if (/[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/.test(text)) return text.length >= fewestUnspaced;
  return text.length >= 2 * fewestWords && (text.match(/[^\s_./:-]+/g)?.length ?? 0) >= fewestWords;
}

/** A sentence, or a part of one. */
interface Part {
  readonly sentence: string;
  readonly at: number;
  readonly impression: Impression;
}

/** Reads the texts of one definition. */
export class DefinitionReader {
  readonly #purpose: Purpose;
  readonly #isAdded: boolean;

  /** `isAdded`: the texts are what a change adds to the definition. */
  constructor(definition: Definition, isAdded = false) {
    this.#purpose = purposeOf(definition);
    this.#isAdded = isAdded;
  }

  /** Reads every sentence alone, as an order, and together with the next one. */
  read(scanned: ScannedText): SeenText {
    const parts = this.#partsIn(scanned);
    const orders = parts.map(({ sentence, at, impression }) => ({
      ...openReader().order(this.#purpose, impression),
      sentence,
      at,
    }));
    // The last one is read with the one before it.
    const firsts = parts.length > 1 ? parts.slice(0, -1) : parts;
    const verdicts = new Map<Impression, Map<Impression | undefined, Verdict>>();
    const readings = firsts.map(({ sentence, at, impression }, index) => {
      const next = parts[index + 1]?.impression;
      const known = verdicts.get(impression) ?? new Map<Impression | undefined, Verdict>();
      verdicts.set(impression, known);
      // Texts that say the same thing a thousand times are read as fast as if they said it once.
      const verdict = known.get(next) ?? openReader().verdict(this.#purpose, impression, next);
      known.set(next, verdict);
      return { ...verdict, sentence, at };
    });
    return { text: scanned, readings, orders };
  }

  #partsIn(scanned: ScannedText): Part[] {
    // A new name, title or value matters even with few words.
    const isBrief =
      this.#isAdded && scanned.role !== 'meta' && (scanned.role !== 'prose' || scanned.owner !== undefined);
    if (!isBrief && !isWorthReading(scanned.text)) return [];
    const mark = markOf(scanned) + (this.#isAdded ? addedMark : 0);
    return sentencesOf(scanned).flatMap((sentence, at) => partsOf(sentence, at, mark));
  }
}

/** Purposes that are remembered: to judge a change, a definition is read more than once, and most changes leave the purpose. */
const mostPurposesKept = 200;
const knownPurposes = new Map<string, Purpose>();

function purposeOf(definition: Definition): Purpose {
  const pieces = purposePieces(definition);
  const key = pieces.join(' ');
  const purpose = knownPurposes.get(key) ?? openReader().purpose(pieces);
  if (knownPurposes.size >= mostPurposesKept) knownPurposes.clear();
  knownPurposes.set(key, purpose);
  return purpose;
}

/** Sentences that are remembered: the tools of a server describe the same parameters again and again. */
const mostSentencesKept = 2_000;
const longestKept = 300;
const known = new Map<string, Part['impression']>();

function partsOf(sentence: string, at: number, mark: number): Part[] {
  const key = `${mark} ${sentence}`;
  const before = known.get(key);
  if (before) return [{ sentence, at, impression: before }];
  const numbers = wordPiecesOf(sentence, mostPiecesOfText);
  const cuts = Array.from({ length: Math.ceil(numbers.length / mostPieces) }, (_, cut) => cut * mostPieces);
  const seen = new Map<string, Impression>();
  const parts = cuts.map((from) => {
    const part = numbers.slice(from, from + mostPieces);
    const same = part.join(' ');
    const impression = seen.get(same) ?? openReader().impression([mark, ...part]);
    seen.set(same, impression);
    return { sentence, at, impression };
  });
  const [only] = parts;
  if (only !== undefined && parts.length === 1 && sentence.length <= longestKept) {
    if (known.size >= mostSentencesKept) known.clear();
    known.set(key, only.impression);
  }
  return parts;
}

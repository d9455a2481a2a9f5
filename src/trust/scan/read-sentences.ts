/** Reads a definition two sentences at a time, by where they stand and what the tool is for, and then judges it as a whole. */

import { openWordPieces } from '../../meaning/meaning.ts';
import type { Definition, ReasonCode } from '../judgement.ts';
import { folded } from './fold-text.ts';
import { openForeign } from './foreign-model.ts';
import { isEnglish } from './language.ts';
import { type Aim, type Impression, openReader, type Purpose, type Verdict } from './reader-model.ts';
import { inWords, sentencesOf } from './sentences.ts';
import type { Sign } from './sign.ts';
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
  return openWordPieces().numbersOf(folded(`${inWords(named ?? '')} ${titled}: ${first}`), mostPurposePieces);
}

/** A longer sentence is read in parts. */
const mostPieces = 48;
const mostPiecesOfText = 8_000;

export interface Reading extends Verdict {
  readonly sentence: string;
  /** True if nothing else stands in its text. */
  readonly isAlone: boolean;
  /** Which sentence of its text. */
  readonly at: number;
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

  /** Every sentence with the next one. */
  read(scanned: ScannedText): readonly Reading[] {
    // A new name, title or value says something for all its few words.
    const isBrief = this.#isAdded && (scanned.role !== 'prose' || scanned.owner !== undefined);
    if (!isBrief && !isWorthReading(scanned.text)) return [];
    const mark = markOf(scanned) + (this.#isAdded ? addedMark : 0);
    const sentences = sentencesOf(scanned);
    const parts = sentences.flatMap((sentence, at) => partsOf(sentence, at, mark));
    // The last one is read with the one before it.
    const firsts = parts.length > 1 ? parts.slice(0, -1) : parts;
    const isForeign = !isEnglish(sentences.join(' '));
    const verdicts = new Map<Impression, Map<Impression | undefined, Verdict>>();
    return firsts.map(({ sentence, at, impression }, index) => {
      const next = parts[index + 1];
      const known = verdicts.get(impression) ?? new Map<Impression | undefined, Verdict>();
      verdicts.set(impression, known);
      // Texts that say the same thing a thousand times are read as fast as if they said it once.
      const verdict = known.get(next?.impression) ?? openReader().verdict(this.#purpose, impression, next?.impression);
      known.set(next?.impression, verdict);
      const both = `${sentence} ${next?.sentence ?? ''}`;
      return {
        sentence,
        at,
        isAlone: next === undefined,
        ...verdict,
        score: isForeign ? (verdict.score + foreignScore(both)) / 2 : verdict.score,
      };
    });
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
  const numbers = openWordPieces().numbersOf(sentence, mostPiecesOfText);
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

/** The score of one model on the scale of the other: both then say as much by the same number. */
const foreignSteps = 4;
const foreignShift = 2.5;

function foreignScore(text: string): number {
  return foreignSteps * openForeign().scoreOf(text) - foreignShift;
}

const told: Readonly<Record<Aim, { readonly code: ReasonCode; readonly says: string }>> = {
  secrets: { code: 'secrets', says: 'It seems to ask for something private' },
  hides: { code: 'instructions', says: 'It seems to keep something from people, or to decide in their place' },
  orders: { code: 'instructions', says: 'It seems to give the model orders beyond its own task' },
  others: { code: 'other-server', says: 'It seems to meddle with other tools' },
  runs: { code: 'instructions', says: 'It seems to have something run or installed' },
};

/** Below this a verdict is no sign; each step above adds `pointsPerStep`. */
const signFrom = -2.6;
const pointsPerStep = 21.5;
const mostPoints = 97;

/** A long text has something odd somewhere: after `doubtFrom` readings each must be odder, up to a limit. */
const doubtFrom = 2;
const doubtPerLog = 1.3;
const mostDoubt = 3;

/** `count`: how many readings there are in the whole definition. */
export function doubtOf(count: number): number {
  return Math.min(mostDoubt, doubtPerLog * Math.log(Math.max(1, count / doubtFrom)));
}

const opening = /^(?:description|instructions)$/;

/** The first sentence says what a tool is for, and no other tells how to read it: it must be odder than the rest, above all alone. */
const doubtOfFirst = 1.2;
const doubtOfOnly = 3;

/** The reader's own signs in a text. */
export function signsOf(readings: readonly Reading[], where: string, doubt: number): Sign[] {
  return readings
    .map((reading) => ({
      ...reading,
      steps:
        reading.score -
        doubt -
        (reading.at === 0 && opening.test(where) ? (reading.isAlone ? doubtOfOnly : doubtOfFirst) : 0) -
        signFrom,
    }))
    .filter(({ steps }) => steps > 0)
    .map(({ steps, aim, sentence, at }) => ({
      ...told[aim],
      kind: 'read',
      points: Math.min(mostPoints, steps * pointsPerStep),
      where,
      at,
      excerpt: sentence,
    }));
}

/** The reading of one text of a definition. */
export interface ReadText {
  readonly text: ScannedText;
  readonly readings: readonly Reading[];
}

/** The least verdict about a definition that is a sign, and what each step above it adds to those about its sentences. */
const wholeFrom = 1.5;
const pointsPerWholeStep = 5;
/** The same for what a change adds, where the verdict decides. */
const addedFrom = 0;
const pointsPerAddedStep = 25;

/** A sign in the definition as a whole: parts of it may be harmless alone. It is told by the most suspicious part. */
export function signOfWhole(read: readonly ReadText[]): Sign[] {
  return signOf(read, wholeFrom, pointsPerWholeStep);
}

/** A sign in what a change adds, for the purpose that the tool had before: that it does, wants or reaches something else. */
export function signOfAddition(read: readonly ReadText[]): Sign[] {
  return signOf(read, addedFrom, pointsPerAddedStep);
}

function signOf(read: readonly ReadText[], from: number, pointsPerStep: number): Sign[] {
  const all = read.flatMap(({ text, readings }) => readings.map((reading) => ({ ...reading, where: text.where })));
  const [first] = all;
  if (first === undefined) return [];
  const steps = openReader().whole(all.map(({ seen }) => seen)) - from;
  if (steps <= 0) return [];
  const worst = all.reduce((best, reading) => (reading.score > best.score ? reading : best), first);
  const points = steps * pointsPerStep;
  return [{ ...told[worst.aim], kind: 'read as a whole', points, where: worst.where, excerpt: worst.sentence }];
}

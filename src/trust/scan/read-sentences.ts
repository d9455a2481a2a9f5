/** What the reader makes of a text: its sentences two by two, in the part of a definition where they stand. */

import { openWordPieces } from '../../meaning/meaning.ts';
import type { ReasonCode } from '../judgement.ts';
import { openForeign } from './foreign-model.ts';
import { isEnglish } from './language.ts';
import {
  type Aim,
  type Impression,
  joinVerdicts,
  openReaders,
  type ReaderModel,
  type Verdict,
} from './reader-model.ts';
import { sentencesOf } from './sentences.ts';
import type { Signal } from './signal.ts';
import type { Role, ScannedText } from './texts-to-scan.ts';

/** The reader was taught with a mark before each sentence that says where it stands: word pieces that no text has. */
const marks: Readonly<Record<Role, number>> = { prose: 1, title: 3, name: 3, key: 4, choice: 4, sample: 4, meta: 5 };
const parameterMark = 2;

export function markOf({ role, owner }: ScannedText): number {
  return role === 'prose' && owner !== undefined ? parameterMark : marks[role];
}

/** A longer sentence is read in parts. */
const mostPieces = 48;
const mostPiecesOfText = 8_000;
/** Texts that are remembered: the parameters of a server's tools are described in the same words again and again. */
const mostTextsKept = 4_000;
const longestTextKept = 1_000;

export interface Reading extends Verdict {
  readonly sentence: string;
  /** Which sentence of its text. */
  readonly at: number;
}

const known = new Map<string, readonly Reading[]>();

/** Fewer words steer nobody. Most texts of a definition are names and values: they are not worth a look. */
const fewestWords = 4;
const fewestUnspaced = 8;

function isWorthReading(text: string): boolean {
  if (/[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/.test(text)) return text.length >= fewestUnspaced;
  return text.length >= 2 * fewestWords && (text.match(/[^\s_./:-]+/g)?.length ?? 0) >= fewestWords;
}

/** Every sentence with the next one. */
export function readingsOf(scanned: ScannedText): readonly Reading[] {
  if (!isWorthReading(scanned.text)) return [];
  const mark = markOf(scanned);
  const key = `${mark} ${scanned.owner ?? ''} ${scanned.text}`;
  const before = known.get(key);
  if (before) return before;
  const sentences = sentencesOf(scanned);
  const readings = isEnglish(sentences.join(' ')) ? readEnglish(mark, sentences) : readForeign(sentences);
  if (scanned.text.length <= longestTextKept) {
    if (known.size >= mostTextsKept) known.clear();
    known.set(key, readings);
  }
  return readings;
}

/** A sentence, or a part of one, in word pieces. */
interface Part {
  readonly sentence: string;
  readonly at: number;
  readonly numbers: readonly number[];
}

function readEnglish(mark: number, sentences: readonly string[]): Reading[] {
  const parts = sentences.flatMap((sentence, at): Part[] => {
    const numbers = openWordPieces().numbersOf(sentence, mostPiecesOfText);
    const cuts = Array.from({ length: Math.ceil(numbers.length / mostPieces) }, (_, cut) => cut * mostPieces);
    return cuts.map((from) => ({ sentence, at, numbers: numbers.slice(from, from + mostPieces) }));
  });
  const opinions = openReaders().map((reader) => verdictsOf(reader, mark, parts));
  // The last one is read with the one before it.
  const read = parts.length > 1 ? parts.slice(0, -1) : parts;
  return read.map(({ sentence, at }, index) => ({
    sentence,
    at,
    ...joinVerdicts(opinions.flatMap((verdicts) => verdicts[index] ?? [])),
  }));
}

/** On each part with the next one. */
function verdictsOf(reader: ReaderModel, mark: number, parts: readonly Part[]): Verdict[] {
  const impressions = onceEach(({ numbers }: Part) => reader.impression([mark, ...numbers]));
  const verdicts = onceEach(([here, next]: readonly [Impression, Impression | undefined]) =>
    reader.verdict(here, next),
  );
  const seen = parts.map((part) => impressions(part, `${part.numbers}`));
  return seen.map((here, at) =>
    verdicts([here, seen[at + 1]], `${parts[at]?.numbers} ${parts[at + 1]?.numbers ?? ''}`),
  );
}

/** Texts that say the same thing a thousand times are read as fast as if they said it once. */
function onceEach<Input, Output>(make: (input: Input) => Output): (input: Input, key: string) => Output {
  const made = new Map<string, Output>();
  return (input, key) => {
    const before = made.get(key);
    if (before !== undefined) return before;
    const output = make(input);
    made.set(key, output);
    return output;
  };
}

/** The score of one model on the scale of the others: all then say as much by the same number. */
const foreignSteps = 4;
const foreignShift = 2.5;

function readForeign(sentences: readonly string[]): Reading[] {
  const model = openForeign();
  return sentences.flatMap((sentence, at) => {
    const next = sentences[at + 1];
    if (next === undefined && at > 0) return [];
    return [
      { sentence, at, score: foreignSteps * model.scoreOf(`${sentence} ${next ?? ''}`) - foreignShift, aim: 'orders' },
    ];
  });
}

const told: Readonly<Record<Aim, { readonly code: ReasonCode; readonly says: string }>> = {
  secrets: { code: 'secrets', says: 'It seems to ask for something private' },
  hides: { code: 'instructions', says: 'It seems to keep something from people, or to decide in their place' },
  orders: { code: 'instructions', says: 'It seems to give the model orders beyond its own task' },
  others: { code: 'other-server', says: 'It seems to meddle with other tools' },
  runs: { code: 'instructions', says: 'It seems to have something run or installed' },
};

/** Below this a verdict is no sign; every step above it weighs so many points. */
const signFrom = -2;
const pointsPerStep = 18;
const mostPoints = 70;

/** Who reads much sees something odd somewhere: from so many sentences on, each has to be odder, but not without end. */
const doubtFrom = 6;
const doubtPerLog = 0.7;
const mostDoubt = 2;

/** `count`: how many readings there are in the whole definition. */
export function doubtOf(count: number): number {
  return Math.min(mostDoubt, doubtPerLog * Math.log(Math.max(1, count / doubtFrom)));
}

/** What the readers themselves find in a text. */
export function signsOf(readings: readonly Reading[], where: string, doubt = 0): Signal[] {
  return readings
    .map((reading) => ({ ...reading, steps: reading.score - doubt - signFrom }))
    .filter(({ steps }) => steps > 0)
    .map(({ steps, aim, sentence, at }) => ({
      ...told[aim],
      kind: `read ${aim}`,
      points: Math.min(mostPoints, steps * pointsPerStep),
      where,
      at,
      excerpt: sentence,
    }));
}

/** Where the reader is sure that nothing is meant, single words count this much; from the second score on they count in full. */
const leastCredit = 0.15;
const noCreditAt = -3;
const fullCreditAt = 1;

/** How much words that only look suspicious count in a text that was read. */
export function creditOf(readings: readonly Reading[], doubt = 0): number {
  if (readings.length === 0) return 1;
  const highest = Math.max(...readings.map(({ score }) => score)) - doubt;
  const share = (highest - noCreditAt) / (fullCreditAt - noCreditAt);
  return leastCredit + (1 - leastCredit) * Math.min(1, Math.max(0, share));
}

/** Below this the readers are sure that nothing is meant. */
const harmlessBelow = -3.5;

export function areSure(readings: readonly Reading[]): boolean {
  return readings.length > 0 && readings.every(({ score }) => score < harmlessBelow);
}

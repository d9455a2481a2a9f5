/** Learns how attacks sound in other languages than English: `node model/foreign.ts OUT`. It needs nothing but this repository. */

import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folded } from '../src/trust/scan/fold-text.ts';
import { marksOf, weightCount } from '../src/trust/scan/foreign-model.ts';
import { isEnglish } from '../src/trust/scan/language.ts';
import { sentencesOf } from '../src/trust/scan/sentences.ts';
import { textsToScan } from '../src/trust/scan/texts-to-scan.ts';
import { modelFile } from '../test/kit/model-file.ts';
import { readFolder } from '../test/poison/read-corpus.ts';
import { randomFrom } from './random.ts';

type Definition = Readonly<Record<string, unknown>>;

interface Example {
  /** Its author: lessons from some are tried on another. */
  readonly author: string;
  readonly isBad: boolean;
  /** The marks of each pair of sentences: of a bad definition nobody has said which of them is the bad one. */
  readonly pairs: readonly (readonly number[])[];
}

interface Learnt {
  readonly weights: Float64Array;
  bias: number;
}

const learning = { rounds: 30, rate: 0.1, decay: 1e-4, biasRate: 0.01 };
const examples = [...passages(), ...definitions(), ...development()];

console.log(`${examples.length} passages, ${examples.filter(({ isBad }) => isBad).length} of them bad`);
for (const author of new Set(examples.map((example) => example.author))) tryOn(author);
const [out] = process.argv.slice(2);
if (out !== undefined) writeFileSync(out, fileOf(learn(examples)));

function passages(): Example[] {
  return linesOf('passages').flatMap(({ file, line }) => {
    const { text, label } = JSON.parse(line) as { text: string; label: string };
    const read = folded(text);
    return isEnglish(read) ? [] : [{ author: authorOf(file), isBad: label === 'bad', pairs: [[...marksOf(read)]] }];
  });
}

function definitions(): Example[] {
  return linesOf('definitions').flatMap(({ file, line }) => {
    const { definition, label } = JSON.parse(line) as { definition: Definition; label: string };
    return examplesOf(definition, label === 'bad', authorOf(file));
  });
}

function development(): Example[] {
  return readFolder(join(import.meta.dirname, '../test/poison/development'))
    .filter(({ label, kind }) => label === 'benign' || !/encoded|hidden/.test(kind))
    .flatMap(({ id, label, definition }) => examplesOf(definition, label === 'bad', id.slice(0, 1)));
}

/** A bad definition is one example, as bad as its worst pair of sentences; each pair of a benign one is an example. */
function examplesOf(definition: Definition, isBad: boolean, author: string): Example[] {
  const pairs = textsToScan(definition).texts.flatMap((text) => {
    const sentences = sentencesOf(text);
    return sentences
      .map((sentence, at) => `${sentence} ${sentences[at + 1] ?? ''}`)
      .filter((pair) => !isEnglish(pair))
      .map((pair) => [...marksOf(pair)]);
  });
  if (pairs.length === 0) return [];
  return isBad ? [{ author, isBad, pairs }] : pairs.map((pair) => ({ author, isBad, pairs: [pair] }));
}

function linesOf(folder: string): { readonly file: string; readonly line: string }[] {
  return globSync(`${folder}/*.jsonl`, { cwd: import.meta.dirname })
    .sort()
    .flatMap((file) =>
      readFileSync(join(import.meta.dirname, file), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => ({ file, line })),
    );
}

function authorOf(file: string): string {
  return file.replace(/(?:bad|benign)-|\.jsonl/g, '');
}

/** Logistic regression, step by step, each weight at a rate of its own. */
function learn(from: readonly Example[]): Learnt {
  const random = randomFrom(7);
  const learnt: Learnt = { weights: new Float64Array(weightCount), bias: 0 };
  const squares = new Float64Array(weightCount).fill(1e-8);
  const order = [...from];
  for (let round = 0; round < learning.rounds; round += 1) {
    for (let at = order.length - 1; at > 0; at -= 1) {
      const other = Math.floor(random() * (at + 1));
      [order[at], order[other]] = [order[other] as Example, order[at] as Example];
    }
    for (const example of order) step(learnt, squares, example);
  }
  return learnt;
}

function step(learnt: Learnt, squares: Float64Array, example: Example): void {
  const { weights } = learnt;
  const marks = worstOf(learnt, example);
  const size = Math.sqrt(Math.max(1, marks.length));
  const error = 1 / (1 + Math.exp(-scoreOf(learnt, marks))) - (example.isBad ? 1 : 0);
  for (const mark of marks) {
    const slope = error / size + learning.decay * (weights[mark] ?? 0);
    squares[mark] = (squares[mark] ?? 0) + slope * slope;
    weights[mark] = (weights[mark] ?? 0) - (learning.rate * slope) / Math.sqrt(squares[mark] ?? 1);
  }
  learnt.bias -= learning.biasRate * error;
}

function worstOf(learnt: Learnt, { pairs }: Example): readonly number[] {
  return pairs.reduce((worst, pair) => (scoreOf(learnt, pair) > scoreOf(learnt, worst) ? pair : worst), pairs[0] ?? []);
}

function scoreOf({ weights, bias }: Learnt, marks: readonly number[]): number {
  return marks.reduce((sum, mark) => sum + (weights[mark] ?? 0), 0) / Math.sqrt(Math.max(1, marks.length)) + bias;
}

function tryOn(author: string): void {
  const learnt = learn(examples.filter((example) => example.author !== author));
  const scores = (isBad: boolean) =>
    examples
      .filter((example) => example.author === author && example.isBad === isBad)
      .map((example) => scoreOf(learnt, worstOf(learnt, example)))
      .sort((a, b) => b - a);
  const [bad, benign] = [scores(true), scores(false)];
  if (bad.length === 0) return;
  const found = [0.01, 0.02, 0.05].map((share) => {
    const limit = benign[Math.floor(benign.length * share)] ?? 0;
    return `${share * 100} %: ${(bad.filter((score) => score > limit).length / bad.length).toFixed(2)} above ${limit.toFixed(2)}`;
  });
  console.log(`${author}: of ${bad.length} bad ones, at false alarms of ${found.join(', ')}`);
}

function fileOf({ weights, bias }: Learnt): Buffer {
  const scale = weights.reduce((largest, weight) => Math.max(largest, Math.abs(weight)), 0) / 127;
  const rounded = Int8Array.from(weights, (weight) => Math.round(weight / scale));
  const header = { kind: 'foreign', id: 'toolcrib-foreign-1', weights: weightCount };
  return modelFile(header, [Float32Array.of(scale, bias), rounded]);
}

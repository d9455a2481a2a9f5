/** Learns the categories of tools: `node categories.ts DOCS OUT`, with DOCS the gzipped definitions and OUT the file to write. */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { openTable } from '../src/meaning/meaning.ts';
import {
  categories,
  chancesOf,
  describeServer,
  FeatureReader,
  headerFor,
  type Weights,
} from '../src/search/categories.ts';
import { modelFile } from '../test/kit/model-file.ts';
import { randomFrom } from './random.ts';

interface Doc {
  readonly id: string;
  readonly server: string;
  readonly serverDescription?: string;
  readonly name: string;
}
interface Row {
  readonly features: Float32Array;
  readonly category: number;
  readonly weight: number;
}
interface Example {
  readonly fold: number;
  readonly category: number;
  /** The gateway's view when it knows all of the server: judged by this. */
  readonly full: Float32Array;
  readonly rows: readonly Row[];
}

const names = categories.map(({ name }) => name);
const folds = 5;
/** A tool is learnt with all that is known of its server, with the description only and with nothing: servers differ in what they tell. */
const shares = { full: 0.5, described: 0.25, alone: 0.25, query: 0.2 };
const learning = { rounds: 30, batch: 64, rate: 0.02, decay: 3, balance: 0.5 };
const thresholds = [0, 15, 20, 25, 30, 35, 40, 45, 50];

const [docsPath = '', outPath = ''] = process.argv.slice(2);
const reader = new FeatureReader(openTable());
const stride = reader.width + 1;
const examples = readExamples();
console.log(`${examples.length} labelled tools, ${examples.flatMap(({ rows }) => rows).length} rows`);
const leastPercent = crossValidate();
writeFileSync(outPath, fileOf(quantized(learn(examples)), leastPercent));
console.log(`wrote ${outPath}, least ${leastPercent} %`);

function readExamples(): Example[] {
  const labels = new Map(linesOf('categories.tsv').map((line) => line.split('\t') as [string, string]));
  const queries = Map.groupBy(
    readdirSync(join(import.meta.dirname, 'queries')).flatMap((file) => linesOf(`queries/${file}`)),
    (line) => line.split('\t')[0] ?? '',
  );
  const docs = gunzipSync(readFileSync(docsPath))
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Doc);
  const byServer = Map.groupBy(docs, ({ server }) => server);
  const unseen = new Set(labels.keys());
  return docs.flatMap((doc) => {
    // An id may come twice; the first one was read when it was labelled.
    if (!unseen.delete(doc.id)) return [];
    const siblings = (byServer.get(doc.server) ?? []).map(({ name }) => name);
    const sentences = (queries.get(doc.id) ?? []).map((line) => line.split('\t')[2] ?? '');
    return toExample(doc, names.indexOf(labels.get(doc.id) ?? ''), siblings, sentences);
  });
}

function toExample(doc: Doc, category: number, siblings: string[], sentences: string[]): Example[] {
  if (category < 0) throw new Error(`The label of ${doc.id} is no category.`);
  const description = doc.serverDescription ?? '';
  const read = (serverText: string, weight: number): Row[] => {
    const features = reader.read(doc, doc.server, serverText);
    return features ? [{ features, category, weight }] : [];
  };
  const [full, ...others] = [
    ...read(describeServer(description, siblings), shares.full),
    ...read(describeServer(description, []), shares.described),
    ...read('', shares.alone),
  ];
  if (!full) return [];
  const asked = sentences.flatMap((text) => {
    const features = reader.readSentence(text);
    return features ? [{ features, category, weight: shares.query }] : [];
  });
  return [{ fold: foldOf(doc.server), category, full: full.features, rows: [full, ...others, ...asked] }];
}

/** Copies and forks of a server must not lie on both sides, so the author and the words that all servers share are left out. */
function foldOf(server: string): number {
  const last = server.replace(/~\d+$/, '').split('/').at(-1)?.toLowerCase() ?? '';
  const telling = last
    .split(/[^a-z0-9]+/)
    .filter((word) => !['mcp', 'server', 'servers', 'api', 'the', ''].includes(word));
  return createHash('sha256').update(telling.join(' ')).digest().readUInt32BE() % folds;
}

/** Prints how well unseen servers are judged; returns the threshold that judges best. */
function crossValidate(): number {
  const judged: { example: Example; chances: number[] }[] = [];
  for (let fold = 0; fold < folds; fold += 1) {
    const weights = quantized(learn(examples.filter((example) => example.fold !== fold)));
    for (const example of examples) {
      if (example.fold === fold) judged.push({ example, chances: chancesOf(example.full, weights) });
    }
  }
  const guess = (chances: number[], percent: number): number => {
    const best = chances.indexOf(Math.max(...chances));
    return (chances[best] ?? 0) * 100 < percent ? names.length - 1 : best;
  };
  const accuracyAt = (percent: number): number =>
    judged.filter(({ example, chances }) => guess(chances, percent) === example.category).length / judged.length;
  for (const percent of thresholds) console.log(`threshold ${percent} %: ${accuracyAt(percent).toFixed(4)}`);
  const best = thresholds.reduce((left, right) => (accuracyAt(right) > accuracyAt(left) ? right : left));
  for (const [category, name] of names.entries()) {
    const of = judged.filter(({ example }) => example.category === category);
    const right = of.filter(({ chances }) => guess(chances, best) === category).length;
    const given = judged.filter(({ chances }) => guess(chances, best) === category).length;
    console.log(
      `${name}: ${of.length} tools, recall ${(right / of.length).toFixed(2)}, precision ${(right / given).toFixed(2)}`,
    );
  }
  return best;
}

/** Multinomial logistic regression by Adam. All numbers in one array: one row a category, the bias last in it. */
function learn(from: readonly Example[]): Float64Array {
  const rows = from.flatMap((example) => example.rows);
  const balance = balanceOf(rows);
  const weights = new Float64Array(names.length * stride);
  const memory: Memory = { means: weights.slice(), squares: weights.slice(), steps: 0 };
  const random = randomFrom(1);
  const batches = Math.ceil(rows.length / learning.batch);
  for (let round = 0; round < learning.rounds; round += 1) {
    const order = rows.map((row) => ({ row, key: random() })).sort((left, right) => left.key - right.key);
    for (let batch = 0; batch < batches; batch += 1) {
      const chosen = order.slice(batch * learning.batch, (batch + 1) * learning.batch).map(({ row }) => row);
      const gradients = gradientsOf(chosen, weights, balance, learning.decay * (chosen.length / rows.length));
      step(weights, gradients, memory, learning.rate * (1 - (round * batches + batch) / (learning.rounds * batches)));
    }
  }
  return weights;
}

/** Rare categories count a little more. */
function balanceOf(rows: readonly Row[]): number[] {
  const totals = names.map(() => 0);
  for (const { category, weight } of rows) totals[category] = (totals[category] ?? 0) + weight;
  const mean = totals.reduce((sum, value) => sum + value, 0) / names.length;
  return totals.map((value) => (mean / Math.max(value, 1)) ** learning.balance);
}

function gradientsOf(rows: readonly Row[], weights: Float64Array, balance: number[], decay: number): Float64Array {
  const gradients = weights.map((value, at) => (at % stride === reader.width ? 0 : decay * value));
  for (const { features, category, weight } of rows) {
    for (const [at, chance] of softmax(scoresOf(features, weights)).entries()) {
      const error = (chance - (at === category ? 1 : 0)) * weight * (balance[category] ?? 1);
      const start = at * stride;
      for (let feature = 0; feature < reader.width; feature += 1)
        gradients[start + feature] = (gradients[start + feature] ?? 0) + error * (features[feature] ?? 0);
      gradients[start + reader.width] = (gradients[start + reader.width] ?? 0) + error;
    }
  }
  return gradients;
}

function scoresOf(features: Float32Array, weights: Float64Array): number[] {
  return names.map((_, category) => {
    const start = category * stride;
    let sum = weights[start + reader.width] ?? 0;
    for (let at = 0; at < reader.width; at += 1) sum += (features[at] ?? 0) * (weights[start + at] ?? 0);
    return sum;
  });
}

function softmax(scores: readonly number[]): number[] {
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - most));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}

interface Memory {
  readonly means: Float64Array;
  readonly squares: Float64Array;
  steps: number;
}

function step(weights: Float64Array, gradients: Float64Array, memory: Memory, rate: number): void {
  const { means, squares } = memory;
  memory.steps += 1;
  const [seenMean, seenSquare] = [1 - 0.9 ** memory.steps, 1 - 0.999 ** memory.steps];
  for (const [at, gradient] of gradients.entries()) {
    const mean = 0.9 * (means[at] ?? 0) + 0.1 * gradient;
    const square = 0.999 * (squares[at] ?? 0) + 0.001 * gradient ** 2;
    means[at] = mean;
    squares[at] = square;
    weights[at] = (weights[at] ?? 0) - (rate * (mean / seenMean)) / (Math.sqrt(square / seenSquare) + 1e-8);
  }
}

function quantized(weights: Float64Array): Weights {
  const { width } = reader;
  const rows = new Int8Array(names.length * width);
  const scales = new Float32Array(names.length);
  const biases = Float32Array.from(names, (_, category) => weights[category * stride + width] ?? 0);
  for (const category of names.keys()) {
    const row = weights.subarray(category * stride, category * stride + width);
    const scale = row.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-12) / 127;
    scales[category] = scale;
    rows.set(
      Array.from(row, (value) => Math.round(value / scale)),
      category * width,
    );
  }
  return { names, rows, scales, biases, leastPercent: 0 };
}

function fileOf(weights: Weights, leastPercent: number): Buffer {
  return modelFile({ ...headerFor(reader), leastPercent }, [weights.scales, weights.rows, weights.biases]);
}

function linesOf(path: string): string[] {
  return readFileSync(join(import.meta.dirname, path), 'utf8')
    .trim()
    .split('\n');
}

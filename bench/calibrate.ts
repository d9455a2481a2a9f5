/** Fits the curves of `src/search/relevance.ts`: from what a hit scored to how probable it is that it was asked for. */

import { parseArgs } from 'node:util';
import { type EmbeddingModel, openEncoder, openTable } from '../src/meaning/meaning.ts';
import type { Hit, LocalMode, ToolIndex } from '../src/search/search.ts';
import type { LabelledQuery } from './search-figures.ts';
import { askQuestion, indexSet, readSet } from './search-set.ts';

const usage = 'npm run bench:calibrate -- --data DIR --data DIR … [--embedding builtin|encoder]';
const hitsPerQuery = 10;
const rounds = 3_000;
const rate = 0.5;

/** The inputs of a curve: 1, coverage, meaning, share; and whether the tool was right. */
interface Example {
  readonly features: readonly [number, number, number, number];
  readonly isRight: boolean;
}

const { values } = parseArgs({
  options: { data: { type: 'string', multiple: true }, embedding: { type: 'string', default: 'builtin' } },
});
if (values.data === undefined || values.data.length < 2) {
  console.error(`Say which data sets to fit on, two at least: ${usage}`);
  process.exitCode = 2;
} else {
  const model = values.embedding === 'encoder' ? openEncoder() : openTable();
  // The encoder's thread keeps no process alive; this one has to wait for it.
  const wait = setInterval(() => {}, 60_000);
  await main(values.data, model);
  clearInterval(wait);
  await model.close();
}

async function main(folders: readonly string[], model: EmbeddingModel): Promise<void> {
  const sets = await Promise.all(
    folders.map(async (folder) => {
      const { documents, queries } = readSet(folder);
      return { queries, index: await indexSet(documents, model) };
    }),
  );
  for (const mode of ['bm25', 'semantic', 'hybrid'] as const) {
    const examples: Example[] = [];
    const best = { answerable: [] as number[], unanswerable: [] as number[] };
    for (const { queries, index } of sets) {
      for (const query of queries) {
        const own = await search(index, query, mode, model);
        examples.push(...examplesOf(own, query));
        best.answerable.push(own[0]?.relevance ?? 0);
        // The same need among tools for other things: as an agent asks for what is not there.
        for (const other of sets.filter((set) => set.index !== index)) {
          const strange = await search(other.index, query, mode, model);
          examples.push(...examplesOf(strange, { ...query, relevant: [] }));
          best.unanswerable.push(strange[0]?.relevance ?? 0);
        }
      }
    }
    const weights = fit(examples);
    const names = ['base', 'coverage', 'meaning', 'share'];
    console.info(mode, Object.fromEntries(names.map((name, at) => [name, round(weights[at])])));
    console.info('promised: came true', reliability(examples, weights));
    console.info('relevance of the best hit as the code has it now, by share of queries', {
      answerable: quantiles(best.answerable),
      unanswerable: quantiles(best.unanswerable),
    });
  }
}

async function search(index: ToolIndex, query: LabelledQuery, mode: LocalMode, model: EmbeddingModel): Promise<Hit[]> {
  const question = await askQuestion(index, query.query, mode === 'bm25' ? null : model);
  return index.search([question], { limit: hitsPerQuery, mode });
}

function examplesOf(hits: readonly Hit[], query: LabelledQuery): Example[] {
  const best = hits[0]?.score ?? 1;
  return hits.map(({ key, score, explanation: { coverage, meaning } }) => ({
    features: [1, coverage ?? 0, meaning ?? 0, score / best],
    isRight: query.relevant.includes(key),
  }));
}

/** Logistic regression by gradient descent: few numbers, so that nothing cleverer is needed. */
function fit(examples: readonly Example[]): number[] {
  const weights = [0, 0, 0, 0];
  const velocity = [0, 0, 0, 0];
  for (let round = 0; round < rounds; round += 1) {
    const slope = [0, 0, 0, 0];
    for (const { features, isRight } of examples) {
      const error = chance(features, weights) - Number(isRight);
      for (let at = 0; at < 4; at += 1) slope[at] = (slope[at] ?? 0) + error * (features[at] ?? 0);
    }
    for (let at = 0; at < 4; at += 1) {
      velocity[at] = 0.9 * (velocity[at] ?? 0) - (rate * (slope[at] ?? 0)) / examples.length;
      weights[at] = (weights[at] ?? 0) + (velocity[at] ?? 0);
    }
  }
  return weights;
}

function chance(features: readonly number[], weights: readonly number[]): number {
  const sum = features.reduce((total, feature, at) => total + feature * (weights[at] ?? 0), 0);
  return 1 / (1 + Math.exp(-sum));
}

/** Promised relevance against actual relevance, by tenths. */
function reliability(examples: readonly Example[], weights: readonly number[]): string {
  const groups = Map.groupBy(examples, ({ features }) => Math.floor(chance(features, weights) * 10));
  return [...groups]
    .sort(([a], [b]) => a - b)
    .map(([tenth, members]) => {
      const right = members.filter((member) => member.isRight).length;
      return `${tenth / 10}: ${(right / members.length).toFixed(2)} of ${members.length}`;
    })
    .join('; ');
}

function quantiles(values: readonly number[]): Record<string, number> {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => round(sorted[Math.floor(share * (sorted.length - 1))]);
  return { '2 %': at(0.02), '5 %': at(0.05), '10 %': at(0.1), '25 %': at(0.25), '50 %': at(0.5), '90 %': at(0.9) };
}

function round(value: number | undefined): number {
  return Math.round(100 * (value ?? 0)) / 100;
}

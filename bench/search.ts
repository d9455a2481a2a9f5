/** Measures search on a data set: quality, speed, time to index and memory; can write ranks and scores for other programs. */

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type EmbeddingModel, openEncoder, openTable } from '../src/meaning/meaning.ts';
import { type Hit, type LocalMode, localModes, type ToolIndex } from '../src/search/search.ts';
import { type LabelledQuery, meanFigures } from './search-figures.ts';
import { askQuestion, indexSet, readSet } from './search-set.ts';

const usage =
  'npm run bench:search -- --data DIR --mode bm25|semantic|hybrid [--embedding builtin|encoder] [--no-split] [--ranks FILE] [--scores FILE] [--json]';
const ranksPerQuery = 100;
const scoresPerQuery = 300;
/** Queries asked beforehand, so that compiling is not counted. */
const warmUp = 50;

interface Wishes {
  readonly mode: LocalMode;
  readonly model: EmbeddingModel | null;
  readonly isSplit: boolean;
}

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      data: { type: 'string' },
      mode: { type: 'string', default: 'hybrid' },
      embedding: { type: 'string', default: 'builtin' },
      'no-split': { type: 'boolean', default: false },
      ranks: { type: 'string' },
      scores: { type: 'string' },
      json: { type: 'boolean' },
    },
  });
  const mode = localModes.find((name) => name === values.mode);
  const folder = values.data;
  if (folder === undefined) return refuse(`Say which data set to measure: ${usage}`);
  if (!['tools.jsonl', 'queries.jsonl'].every((file) => existsSync(join(folder, file))))
    return refuse(`There is no tools.jsonl with queries.jsonl in ${folder}. ${usage}`);
  if (mode === undefined) return refuse(`The mode "${values.mode}" is not measured here. ${usage}`);
  if (!['builtin', 'encoder'].includes(values.embedding)) return refuse(`There is no "${values.embedding}". ${usage}`);
  const open = values.embedding === 'encoder' ? openEncoder : openTable;
  const wishes = { mode, model: mode === 'bm25' ? null : open(), isSplit: !values['no-split'] };
  // The encoder's thread keeps no process alive; this one has to wait for it.
  const wait = setInterval(() => {}, 60_000);
  const report = await measure(folder, wishes, values.ranks, values.scores);
  clearInterval(wait);
  await wishes.model?.close();
  if (values.json) console.info(JSON.stringify(report));
  else console.table(report);
  return 0;
}

function refuse(sentence: string): number {
  console.error(sentence);
  return 2;
}

async function measure(
  folder: string,
  wishes: Wishes,
  ranksFile: string | undefined,
  scoresFile: string | undefined,
): Promise<Record<string, number>> {
  const { documents, queries } = readSet(folder);
  const heapBefore = heapBytes();
  const indexStart = performance.now();
  const index = await indexSet(documents, wishes.model);
  const indexMs = performance.now() - indexStart;
  const indexBytes = heapBytes() - heapBefore;
  for (const query of queries.slice(0, warmUp)) await search(index, query, wishes, ranksPerQuery);
  const searchStart = performance.now();
  const ranks: { id: string; ranked: string[] }[] = [];
  for (const query of queries) {
    const hits = await search(index, query, wishes, ranksPerQuery);
    ranks.push({ id: query.id, ranked: hits.map((hit) => hit.key) });
  }
  const searchMs = performance.now() - searchStart;
  if (ranksFile !== undefined) writeLines(ranksFile, ranks);
  if (scoresFile !== undefined) writeLines(scoresFile, await scoresOf(index, queries, wishes));
  return {
    tools: documents.length,
    queries: queries.length,
    ...meanFigures(queries, new Map(ranks.map((row) => [row.id, row.ranked]))),
    'queries/s': Math.round((1000 * queries.length) / searchMs),
    indexMs: Math.round(indexMs),
    indexMb: rounded(indexBytes / 2 ** 20),
  };
}

async function search(index: ToolIndex, query: LabelledQuery, wishes: Wishes, limit: number): Promise<Hit[]> {
  const question = await askQuestion(index, query.query, wishes.model, wishes.isSplit);
  return index.search([question], { limit, mode: wishes.mode });
}

/** Ranks for `model/evaluate.py`, which fuses them with the vectors of other models. */
async function scoresOf(index: ToolIndex, queries: readonly LabelledQuery[], wishes: Wishes): Promise<unknown[]> {
  const rows: unknown[] = [];
  for (const query of queries) {
    const hits = await search(index, query, wishes, scoresPerQuery);
    rows.push({ id: query.id, scores: hits.map((hit) => [hit.key, Number(hit.score.toFixed(5))]) });
  }
  return rows;
}

function writeLines(file: string, rows: readonly unknown[]): void {
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

/** Heap and array buffers after a collection, where node runs with --expose-gc; approximate otherwise. */
function heapBytes(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

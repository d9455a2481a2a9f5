/** Measures search on a data set: quality, speed, time to index and memory; can write the ranks for an outside scorer. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { documentFromTool, LexicalIndex, type SearchDocument } from '../src/search/search.ts';
import { type LabelledQuery, meanFigures } from './search-figures.ts';

interface ToolRow {
  readonly id: string;
  readonly server: string;
  readonly serverTitle?: string;
  readonly serverDescription?: string;
}

const usage = 'npm run bench:search -- --data DIR --mode bm25 [--ranks FILE] [--json]';
const ranksPerQuery = 100;

process.exitCode = main(process.argv.slice(2));

function main(args: string[]): number {
  const { values } = parseArgs({
    args,
    options: {
      data: { type: 'string' },
      mode: { type: 'string' },
      ranks: { type: 'string' },
      json: { type: 'boolean' },
    },
  });
  if (values.data === undefined) return refuse(`Say which data set to measure: ${usage}`);
  if (values.mode !== 'bm25')
    return refuse(`The mode "${values.mode ?? ''}" cannot be measured: only bm25 is built. ${usage}`);
  const report = measure(values.data, values.ranks);
  if (values.json) console.info(JSON.stringify(report));
  else console.table(report);
  return 0;
}

function refuse(sentence: string): number {
  console.error(sentence);
  return 2;
}

function measure(folder: string, ranksFile: string | undefined): Record<string, number> {
  const documents = readRows<ToolRow>(join(folder, 'tools.jsonl')).map(toDocument);
  const queries = readRows<LabelledQuery>(join(folder, 'queries.jsonl'));
  const heapBefore = heapBytes();
  const indexStart = performance.now();
  const index = LexicalIndex.build(documents);
  const indexMs = performance.now() - indexStart;
  const indexBytes = heapBytes() - heapBefore;

  const answer = (query: LabelledQuery) => index.search([query.query], { limit: ranksPerQuery }).map((hit) => hit.key);
  for (const query of queries.slice(0, 50)) answer(query); // so that compiling is not counted
  const searchStart = performance.now();
  const ranks = queries.map((query) => ({ id: query.id, ranked: answer(query) }));
  const searchMs = performance.now() - searchStart;

  if (ranksFile !== undefined) writeFileSync(ranksFile, ranks.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return {
    tools: documents.length,
    queries: queries.length,
    ...meanFigures(queries, new Map(ranks.map((row) => [row.id, row.ranked]))),
    'queries/s': Math.round((1000 * queries.length) / searchMs),
    indexMs: Math.round(indexMs),
    indexMb: rounded(indexBytes / 2 ** 20),
  };
}

/** The data's own id is the key: some sets hold two tools of one name. */
function toDocument(row: ToolRow): SearchDocument {
  const serverText = [row.serverTitle, row.serverDescription].filter((text) => text !== undefined).join('\n');
  const document = documentFromTool(row.server, serverText, row);
  if (document === undefined) throw new Error(`The tool ${row.id} of the data set has no name.`);
  return { ...document, key: row.id };
}

function readRows<T>(file: string): T[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as T); // the data set's form is fixed; a wrong one shows at once
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

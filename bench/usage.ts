/** Measures what past use adds to search: simulated owners teach for five days, and their next two days are measured. */

import { parseArgs } from 'node:util';
import { openTable } from '../src/meaning/meaning.ts';
import type { ToolIndex } from '../src/search/search.ts';
import { mostUses } from '../src/search/usage/usage-history.ts';
import { percentile, rounded } from './kit/statistics.ts';
import { figuresOf, type LabelledQuery } from './search-figures.ts';
import { indexSet, readSet } from './search-set.ts';
import { liveWeek, type Measured, openHistory, type Rank, reword, seededRandom, WeekClock } from './usage-week.ts';

type Mode = 'bm25' | 'hybrid';
type Row = Readonly<Record<string, number>>;

const usage = 'npm run bench:usage -- --data DIR [--mode bm25|hybrid] [--owners N] [--seed N] [--json]';
const ranksPerQuery = 100;
const table = openTable();
const vectorOf = (text: string) => table.vectorOf(text);

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      data: { type: 'string' },
      mode: { type: 'string', default: 'bm25' },
      owners: { type: 'string', default: '20' },
      seed: { type: 'string', default: '1' },
      json: { type: 'boolean' },
    },
  });
  const [owners, seed] = [Number(values.owners), Number(values.seed)];
  if (values.data === undefined) return refuse(`Say which data set to measure: ${usage}`);
  if (values.mode !== 'bm25' && values.mode !== 'hybrid') return refuse(`There is no mode "${values.mode}": ${usage}`);
  if (!Number.isInteger(owners) || owners < 1 || !Number.isInteger(seed))
    return refuse(`Owners and seed are whole numbers: ${usage}`);
  const report = await measure(values.data, values.mode, owners, seed);
  if (values.json) return print(JSON.stringify(report));
  console.table(report.quality);
  console.table(report.facts);
  return 0;
}

function refuse(sentence: string): number {
  console.error(sentence);
  return 2;
}

function print(line: string): number {
  console.info(line);
  return 0;
}

async function measure(folder: string, mode: Mode, owners: number, seed: number) {
  const { documents, queries } = readSet(folder);
  const rank = rankerOf(await indexSet(documents, mode === 'hybrid' ? table : null), mode);
  const seen: Measured[] = [];
  const unseen: Measured[] = [];
  let [calls, remembered] = [0, 0];
  for (let owner = 0; owner < owners; owner += 1) {
    const week = await liveWeek(queries, rank, vectorOf, seed * owners + owner);
    seen.push(...week.seen);
    unseen.push(...week.unseen);
    calls += week.calls / owners;
    remembered += week.remembered / owners;
  }
  const facts = { tools: documents.length, owners, calls: rounded(calls, 1), remembered: rounded(remembered, 1) };
  return {
    quality: { 'seen before, in other words': compare(seen), 'never seen': compare(unseen) },
    facts: { ...facts, ...(await measureSpeed(queries)) },
  };
}

/** The one place that asks the gateway's own search. */
function rankerOf(index: ToolIndex, mode: Mode): Rank {
  return (text, boosts) => {
    const reading = index.read(text);
    const texts = mode === 'hybrid' ? [reading.meant, ...reading.parts] : [];
    const vectors = texts.map(vectorOf).filter((vector) => vector !== null);
    return index.search([{ ...reading, vectors, usage: boosts }], { limit: ranksPerQuery, mode }).map((hit) => hit.key);
  };
}

function compare(measured: readonly Measured[]): Row {
  const mean = (which: 'with' | 'without', figure: 'recall@1' | 'nDCG@10') => {
    const sum = measured.reduce((total, each) => total + figuresOf(each.query, each[which])[figure], 0);
    return sum / Math.max(1, measured.length);
  };
  const [first, firstWith] = [mean('without', 'recall@1'), mean('with', 'recall@1')];
  const [gain, gainWith] = [mean('without', 'nDCG@10'), mean('with', 'nDCG@10')];
  return {
    searches: measured.length,
    'share touched': rounded(measured.filter((each) => each.isTouched).length / Math.max(1, measured.length)),
    'recall@1': rounded(first),
    'recall@1 with usage': rounded(firstWith),
    'change of recall@1': rounded(firstWith - first),
    'nDCG@10': rounded(gain),
    'nDCG@10 with usage': rounded(gainWith),
    'change of nDCG@10': rounded(gainWith - gain),
  };
}

/** Time to weigh a full history for one query. */
async function measureSpeed(queries: readonly LabelledQuery[]): Promise<Row> {
  const random = seededRandom(1);
  const history = await openHistory(new WeekClock(), vectorOf);
  for (let at = 0; history.size < mostUses; at += 1) {
    const query = queries[at % queries.length]?.query ?? '';
    history.record(`${reword(query, random)} ${at}`, `server:${at % 500}`, 'good');
  }
  for (const { query } of queries.slice(0, 200)) history.boosts(query); // so that compiling is not counted
  const times = queries.slice(0, 500).map(({ query }) => {
    const start = performance.now();
    history.boosts(query);
    return 1_000 * (performance.now() - start);
  });
  return {
    uses: history.size,
    'µs, median': rounded(percentile(times, 0.5), 0),
    'µs, p99': rounded(percentile(times, 0.99), 0),
  };
}

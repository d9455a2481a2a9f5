/**
 * Measures search in catalogs of a thousand to a hundred thousand tools: how long a query takes by mode, beside two plain
 * ways to do without an index; how long indexing takes; and the memory that it needs besides catalog and model.
 */

import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { systemClock } from '../src/base/clock.ts';
import { silentLog } from '../src/base/log.ts';
import { openTable, type TableModel, textOfTool } from '../src/meaning/meaning.ts';
import { type LocalMode, localModes, type SearchDocument, ToolIndex } from '../src/search/search.ts';
import { VectorUpdater } from '../src/search/vector-updater.ts';
import type { VectorStore } from '../src/store/store.ts';
import { percentile, rounded } from './kit/statistics.ts';
import { PlainScan, SubstringScan } from './plain-scan.ts';
import { makeCatalog, makeQueries } from './scale-catalog.ts';

const usage = 'npm run bench:scale -- [--data DIR] [--sizes 1000,10000,100000] [--json]';
const queryCount = 300;
/** Each query is asked so often, in rounds; the tenth percentile is what it takes when nobody disturbs. */
const rounds = 5;
/** Queries asked beforehand, so that compiling is not counted. */
const warmUp = 60;
/** One query in this many also goes to the plain ways, which take long. */
const plainEvery = 10;
const plainRounds = 3;
const hitsPerQuery = 10;
const smallest = 200;
const targets = {
  p99Ms: new Map([
    [10_000, 5],
    [100_000, 20],
  ]),
  bytesPerTool: 4_096,
  lexicalMsAt10k: 5_000,
};

type Way = LocalMode | 'float32 scan' | 'substring scan';

interface Timing {
  /** By query, of every round. */
  readonly wall: Map<string, number[]>;
  /** Of all together, because many systems count processor time in steps longer than a query. */
  cpuMs: number;
}

interface Report {
  readonly tools: number;
  readonly catalogBytesPerTool: number;
  readonly lexicalMs: number;
  readonly vectorMs: number;
  readonly lexicalBytesPerTool: number;
  readonly bytesPerTool: number;
  readonly ways: Record<string, Record<string, number>>;
  readonly meets: Record<string, boolean>;
}

interface Measured {
  readonly model: { readonly openMs: number; readonly memoryMb: number; readonly fileMb: number };
  readonly report: Report;
}

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    sizes: { type: 'string', default: '1000,10000,100000' },
    json: { type: 'boolean' },
  },
});
const sizes = values.sizes.split(',').map(Number);
if (sizes.some((size) => !Number.isInteger(size) || size < 1)) {
  console.error(`Sizes are whole numbers: ${usage}`);
  process.exitCode = 2;
} else {
  const measured = sizes.length > 1 ? sizes.map(measureApart) : [await measureHere(sizes[0] ?? 0)];
  if (values.json) console.info(JSON.stringify(measured));
  else print(measured);
}

/** In a process of its own, because what one catalog leaves behind would blur the memory of the next. */
function measureApart(size: number): Measured {
  const choices = ['--sizes', String(size), '--json', ...(values.data === undefined ? [] : ['--data', values.data])];
  const args = [...process.execArgv, import.meta.filename, ...choices];
  const text = execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  const [measured] = JSON.parse(text) as Measured[]; // it printed what `measureHere` gave it
  if (!measured) throw new Error(`Nothing was measured for ${size} tools.`);
  return measured;
}

async function measureHere(size: number): Promise<Measured> {
  const model = await openModel();
  // Work that is done once for any catalog is not counted.
  await measure(smallest, undefined, model.table);
  return { model: model.facts, report: await measure(size, values.data, model.table) };
}

async function openModel() {
  const bytesBefore = await usedBytes();
  const start = performance.now();
  const table = openTable();
  const openMs = rounded(performance.now() - start, 1);
  const memoryMb = rounded(((await usedBytes()) - bytesBefore) / 2 ** 20, 1);
  const assets = join(import.meta.dirname, '../assets');
  const files = ['table.bin', 'vocabulary.txt'].map((name) => statSync(join(assets, name)).size);
  const fileMb = rounded(files.reduce((sum, size) => sum + size, 0) / 2 ** 20, 1);
  return { table, facts: { openMs, memoryMb, fileMb } };
}

async function measure(size: number, folder: string | undefined, table: TableModel): Promise<Report> {
  const empty = await usedBytes();
  const documents = makeCatalog(size, folder);
  const before = await usedBytes();
  const lexicalStart = performance.now();
  const index = ToolIndex.build(documents);
  index.search([questionOf(index, 'warm the averages', null)], { limit: 1, mode: 'bm25' });
  const lexicalMs = performance.now() - lexicalStart;
  const lexicalBytes = (await usedBytes()) - before;
  const vectorStart = performance.now();
  const updater = await embed(index, documents, table);
  const vectorMs = performance.now() - vectorStart;
  const bytes = (await usedBytes()) - before + index.vectorBytes;
  const ways = ask(index, documents, makeQueries(documents, folder, queryCount), table);
  await updater.close();
  const report = {
    tools: size,
    catalogBytesPerTool: Math.round((before - empty) / size),
    lexicalMs: Math.round(lexicalMs),
    vectorMs: Math.round(vectorMs),
    lexicalBytesPerTool: Math.round(lexicalBytes / size),
    bytesPerTool: Math.round(bytes / size),
    ways,
  };
  return { ...report, meets: verdictOf(report) };
}

/** As the gateway does it, except that nothing is stored. */
async function embed(
  index: ToolIndex,
  documents: readonly SearchDocument[],
  model: TableModel,
): Promise<VectorUpdater> {
  const store: VectorStore = {
    listVectors: async () => [],
    saveVectors: async () => {},
    removeVectors: async () => {},
    removeVectorsOfOtherModels: async () => 0,
  };
  const updater = new VectorUpdater({ model, store, index, clock: systemClock, log: silentLog });
  for (const document of documents) updater.want(document.key, textOfTool(document));
  await updater.load();
  return updater;
}

/** Every query in every mode in turn, so that what disturbs the machine disturbs all of them. */
function ask(index: ToolIndex, documents: readonly SearchDocument[], queries: readonly string[], table: TableModel) {
  const plain = { vectors: new PlainScan(documents, table), texts: new SubstringScan(documents) };
  const timings = new Map<Way, Timing>();
  const time = (way: Way, query: string, work: () => unknown) => {
    const timing = timings.get(way) ?? { wall: new Map(), cpuMs: 0 };
    timings.set(way, timing);
    const [cpu, start] = [process.threadCpuUsage(), performance.now()];
    work();
    timing.wall.set(query, [...(timing.wall.get(query) ?? []), performance.now() - start]);
    const { user, system } = process.threadCpuUsage(cpu);
    timing.cpuMs += (user + system) / 1_000;
  };
  const askAll = (query: string) => {
    for (const mode of localModes) {
      const model = mode === 'bm25' ? null : table;
      time(mode, query, () => index.search([questionOf(index, query, model)], { limit: hitsPerQuery, mode }));
    }
  };
  for (const query of queries.slice(0, warmUp)) askAll(query);
  timings.clear();
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, query] of queries.entries()) {
      askAll(query);
      if (at % plainEvery !== 0 || round >= plainRounds) continue;
      time('float32 scan', query, () => plain.vectors.best(query, hitsPerQuery));
      time('substring scan', query, () => plain.texts.best(query, hitsPerQuery));
    }
  }
  // Longer work is disturbed more often, so that only processor time compares fairly.
  const hybrid = figuresOf(timings.get('hybrid'), 1).meanCpuMs ?? 1;
  return Object.fromEntries([...timings].map(([way, timing]) => [way, figuresOf(timing, hybrid)]));
}

function questionOf(index: ToolIndex, text: string, table: TableModel | null) {
  const { meant } = index.read(text);
  const vector = table?.vectorOf(meant) ?? null;
  return { text, meant, parts: [], vectors: vector ? [vector] : [], usage: new Map() };
}

function figuresOf(timing: Timing | undefined, hybridCpuMs: number): Record<string, number> {
  const all = [...(timing?.wall.values() ?? [])];
  const quiet = all.map((times) => percentile(times, 0.1));
  const meanCpuMs = (timing?.cpuMs ?? 0) / all.flat().length;
  return {
    p50Ms: rounded(percentile(quiet, 0.5)),
    p99Ms: rounded(percentile(quiet, 0.99)),
    p99OfAllMs: rounded(percentile(all.flat(), 0.99)),
    meanCpuMs: rounded(meanCpuMs),
    timesHybrid: rounded(meanCpuMs / hybridCpuMs, 2),
    queries: all.length,
  };
}

function verdictOf({ tools, ways, bytesPerTool, lexicalMs }: Omit<Report, 'meets'>): Record<string, boolean> {
  const p99Target = targets.p99Ms.get(tools);
  return {
    ...(p99Target === undefined
      ? {}
      : { [`hybrid p99 ≤ ${p99Target} ms, undisturbed`]: (ways.hybrid?.p99Ms ?? Infinity) <= p99Target }),
    [`≤ ${targets.bytesPerTool} bytes a tool`]: bytesPerTool <= targets.bytesPerTool,
    ...(tools === 10_000 ? { 'indexed by words in 5 s': lexicalMs <= targets.lexicalMsAt10k } : {}),
  };
}

function print(measured: readonly Measured[]): void {
  const facts = measured[0]?.model;
  console.info(
    `The model opens in ${facts?.openMs} ms: ${facts?.fileMb} MB of files, ${facts?.memoryMb} MB of memory.`,
  );
  console.table(measured.map(({ report: { ways, meets, ...rest } }) => rest));
  for (const { report } of measured) {
    console.info(`${report.tools} tools, ms a query, as undisturbed as ${rounds} rounds show, ${hitsPerQuery} hits:`);
    console.table(report.ways);
    const verdicts = Object.entries(report.meets).map(([what, isMet]) => `${isMet ? 'met' : 'MISSED'}: ${what}`);
    console.info(verdicts.join('; '));
  }
}

/** Heap and array buffers after a collection, where node runs with --expose-gc; approximate otherwise. */
async function usedBytes(): Promise<number> {
  // Twice, with a turn before each: what a finished promise or a freed buffer holds goes only then.
  for (let pass = 0; pass < 2; pass += 1) {
    await turn();
    globalThis.gc?.();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

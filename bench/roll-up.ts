/** Measures the roll-up of many calls: how long it takes, what it costs the calls that go on meanwhile, and the questions afterwards. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as giveWay, setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { systemClock } from '../src/base/clock.ts';
import { silentLog } from '../src/base/log.ts';
import { CallMetrics, type CallRecord } from '../src/metrics/metrics.ts';
import { createSqliteStore, RecordWriter, type Store } from '../src/store/store.ts';
import { percentile, rounded } from './kit/statistics.ts';
import { makeCalls } from './made-up-calls.ts';

const usage = 'npm run bench:roll-up -- [--rows N] [--json]';
const days = 30;
/** Days that the queries afterwards cover. */
const yearDays = 365;
const rowsPerWrite = 5_000;
/** Calls of the last day, and of the last hour, when the series of steps are asked for. */
const busyCalls = 100_000;
/** The shortest time that the stream of calls is measured before the roll-up. */
const quietMs = 10_000;
/** About 300 calls a second: a gateway that is busy, not one that is flooded. */
const pauseMs = 3;
/** Records that are measured one by one. */
const singleCalls = 10_000;

const columns = [
  'at',
  'server',
  'tool',
  'outcome',
  'errorType',
  'error',
  'ms',
  'requestBytes',
  'resultBytes',
  'way',
  'isCached',
  'principal',
  'session',
  'previous',
  'query',
  'suggestedFor',
] as const;

type CallMetricsStore = ConstructorParameters<typeof CallMetrics>[0]['store'];

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { rows: { type: 'string', default: '1000000' }, json: { type: 'boolean' } },
  });
  const rows = Number(values.rows);
  if (!Number.isInteger(rows) || rows < 1) {
    console.error(`The number of rows is a whole one: ${usage}`);
    return 2;
  }
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-roll-up-'));
  try {
    const report = await measure(join(folder, 'toolcrib.db'), rows);
    if (values.json) console.info(JSON.stringify(report));
    else for (const [name, figures] of Object.entries(report)) console.table({ [name]: figures });
  } finally {
    await rm(folder, { recursive: true });
  }
  return 0;
}

async function measure(file: string, rows: number) {
  const store = createSqliteStore({ file, clock: systemClock, log: silentLog });
  await store.open();
  await fill(store, rows);
  const gate = Promise.withResolvers<void>();
  const writer = new RecordWriter({ store, clock: systemClock, log: silentLog });
  const metrics = new CallMetrics({
    store: rollingUpAfter(gate.promise, store),
    writer,
    clock: systemClock,
    log: silentLog,
    replicas: { hasUpkeep: true, isShared: false },
    retentionDays: () => 2 * days,
  });
  const openMs = await timed(() => metrics.open());
  const record = await measureRecord(metrics, file);
  const before = await stream(metrics, wait(quietMs));
  const start = performance.now();
  // The metrics have asked for it since they were opened.
  gate.resolve();
  const rolling = metrics.rollUp();
  const during = await stream(metrics, rolling);
  const seconds = rounded((performance.now() - start) / 1_000, 1);
  const { rolledUp } = await rolling;
  // Also those that came meanwhile, as happens by itself a little later.
  await metrics.rollUp();
  fillYear(file);
  const questions = await measureQuestions(metrics, store);
  const series = await measureSeries(metrics, store);
  const { queued, dropped } = metrics.status;
  await metrics.close();
  await writer.close();
  await store.close();
  const ratio = (share: number) => rounded(percentile(during, share) / percentile(before, share), 2);
  return {
    rollUp: { rows, rolledUp, seconds, openMs: rounded(openMs, 1) },
    record,
    before: figuresOf(before),
    during: figuresOf(during),
    ratio: { p50: ratio(0.5), p99: ratio(0.99), queued, dropped },
    ...questions,
    ...series,
  };
}

async function fill(store: Store, rows: number, lastDays = days): Promise<void> {
  let batch: CallRecord[] = [];
  for (const call of makeCalls(rows, lastDays, Date.now())) {
    batch.push(call);
    if (batch.length < rowsPerWrite) continue;
    await store.appendRecords(batch);
    batch = [];
  }
  await store.appendRecords(batch);
}

/** Gives the days of the year before what the sums say of the last ones. */
function fillYear(file: string): void {
  using connection = new DatabaseSync(file);
  const columns = connection.prepare(`select name from pragma_table_info('call_day')`).all();
  const names = columns.map(({ name }) => String(name));
  for (let shift = days; shift < yearDays; shift += days) {
    const values = names.map((name) => (name === 'day' ? `day - ${shift}` : name));
    connection.exec(`insert or ignore into call_day (${names}) select ${values} from call_day
      where day > (select max(day) - ${days} from call_day)`);
  }
}

/** The store, whose roll-ups wait for their start. */
function rollingUpAfter(start: Promise<void>, store: Store): CallMetricsStore {
  return {
    events: store.events,
    listCallTallies: (most) => store.listCallTallies(most),
    listCallDays: (scope, since) => store.listCallDays(scope, since),
    listCallSteps: (scope, span) => store.listCallSteps(scope, span),
    listCallPairs: (kind, filter) => store.listCallPairs(kind, filter),
    listRecentCalls: (most) => store.listRecentCalls(most),
    forgetCalls: (scope) => store.forgetCalls(scope),
    async rollUpCalls(order) {
      await start;
      return store.rollUpCalls(order);
    },
  };
}

/** Microseconds for one record and for one insert that does nothing else, in turns, so that both meet the same machine. */
async function measureRecord(metrics: CallMetrics, file: string) {
  const bareFile = `${file}.bare`;
  using connection = new DatabaseSync(bareFile);
  connection.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma wal_autocheckpoint = 0');
  connection.exec(`create table call (id integer primary key, ${columns.map((name) => `${name} any`)})`);
  const insert = connection.prepare(
    `insert into call (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
  );
  const [recordMicros, insertMicros]: [number[], number[]] = [[], []];
  for (const call of makeCalls(singleCalls, 1, Date.now(), 2)) {
    const values = columns.map((name) => (call[name] === false || call[name] === true ? 0 : call[name]));
    const start = performance.now();
    insert.run(...values);
    const middle = performance.now();
    await metrics.record(call);
    recordMicros.push((performance.now() - middle) * 1_000);
    insertMicros.push((middle - start) * 1_000);
  }
  const [median, bareMedian] = [percentile(recordMicros, 0.5), percentile(insertMicros, 0.5)];
  return {
    medianMicros: rounded(median, 1),
    bareInsertMicros: rounded(bareMedian, 1),
    ratio: rounded(median / bareMedian, 2),
  };
}

/** Records one call after the other until `end`; says how many milliseconds each took. */
async function stream(metrics: CallMetrics, end: Promise<unknown>): Promise<number[]> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  end.then(over, over);
  const taken: number[] = [];
  for (const call of makeCalls(Number.POSITIVE_INFINITY, 0, Date.now(), 3)) {
    if (isOver) break;
    taken.push(await timed(() => metrics.record(call)));
    await wait(pauseMs);
  }
  return taken;
}

/** With so many calls in the span: first in the last day, then as many more in the last hour. */
async function measureSeries(metrics: CallMetrics, store: Store) {
  const { server } = metrics.query({ top: 1 })[0] ?? {};
  await fill(store, busyCalls, 1);
  await metrics.rollUp();
  const day = await ask({
    busyDay: () => metrics.series({}, 'day'),
    busyDayOfServer: () => metrics.series({ server }, 'day'),
    month: () => metrics.series({}, 'month'),
  });
  await fill(store, busyCalls, 1 / 24);
  const hour = await ask({ busyHour: () => metrics.series({}, 'hour'), lastHour: async () => metrics.lastHour() });
  return {
    seriesMs: { ...day.questionsMs, ...hour.questionsMs },
    seriesHeldMs: { ...day.heldMs, ...hour.heldMs },
  };
}

async function measureQuestions(metrics: CallMetrics, store: Store) {
  const [busiest] = metrics.query({ top: 1 });
  const key = busiest?.toolKey ?? '';
  return ask({
    start: () => store.listCallTallies(100_000),
    topTools: async () => metrics.query({ top: 10 }),
    failingTools: async () => metrics.query({ failingBelow: 0.9 }),
    daysOfTool: () => metrics.days(key, yearDays),
    daysOfServer: () => metrics.days(busiest?.server, yearDays),
    daysOfAll: () => metrics.days(undefined, yearDays),
    sequences: () => metrics.sequences({}),
    sequencesAfterTool: () => metrics.sequences({ toolKey: key }),
    queries: () => metrics.queries({}),
    queriesOfTool: () => metrics.queries({ toolKey: key }),
    suggestions: () => metrics.suggestions({}),
  });
}

/** The slowest of a few times each, with everything rolled up, and for how long each held the event loop at most. */
async function ask(questions: Readonly<Record<string, () => Promise<unknown>>>) {
  const questionsMs: Record<string, number> = {};
  const heldMs: Record<string, number> = {};
  for (const [name, question] of Object.entries(questions)) {
    const [times, turns]: [number[], number[]] = [[], []];
    for (let time = 0; time < 5; time += 1)
      turns.push(await longestTurn(async () => times.push(await timed(question))));
    questionsMs[name] = rounded(Math.max(...times), 1);
    heldMs[name] = rounded(Math.max(...turns), 1);
  }
  return { questionsMs, heldMs };
}

/** Milliseconds of the longest turn of the event loop until `act` is done. */
async function longestTurn(act: () => Promise<unknown>): Promise<number> {
  let [isDone, longest] = [false, 0];
  const acting = act().finally(() => {
    isDone = true;
  });
  for (let last = performance.now(); !isDone; last = performance.now()) {
    await giveWay();
    longest = Math.max(longest, performance.now() - last);
  }
  await acting;
  return longest;
}

function figuresOf(taken: readonly number[]) {
  const [p50, p99, most] = [0.5, 0.99, 1].map((share) => rounded(percentile(taken, share)));
  return { calls: taken.length, p50Ms: p50, p99Ms: p99, mostMs: most };
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await act();
  return performance.now() - start;
}

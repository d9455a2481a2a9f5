/** The queries on calls. Every answer is the sums and, on top, the calls that are not in them yet. */

import { setImmediate as giveWay } from 'node:timers/promises';
import type { ExpressionBuilder, Kysely, SelectQueryBuilder } from 'kysely';
import { fromText, toText } from '../columns.ts';
import type { StoreRecord } from '../record.ts';
import {
  type CallPair,
  type CallRecord,
  type CallScope,
  type CallStore,
  type DayTally,
  outcomeKinds,
  type PairFilter,
  type PairKind,
  pairKeyOf,
  type ToolTallies,
  type ToolTally,
  toolKeyOf,
} from './call.ts';
import { isRemembered, selectSteps } from './call-steps.ts';
import { type CallTables, callRows, createCallTables, pairRows, toTally } from './call-table.ts';
import { freshDays, freshPairs, freshTotals, type IdRange } from './fresh-calls.ts';
import { Histogram } from './histogram.ts';
import { Tally } from './tally.ts';

/** Reading more at once would hold up the event loop for longer than a few milliseconds. */
const rowsPerPage = 1_000;
const callsPerRange = 2_000;

/** Forgetting and rolling up are the database's own. */
type CallQueries = Omit<CallStore, 'forgetCalls' | 'rollUpCalls'>;

export const callRecord: StoreRecord<CallTables, CallQueries> = {
  migrations: { '0003-calls': createCallTables },
  open: ({ read }) => ({
    listCallTallies: (most) => read((db) => selectTallies(db, most)),
    listCallDays: (scope, since) => read((db) => selectDays(db, scope, since)),
    listCallSteps: (scope, span) => read((db) => selectSteps(db, scope, span)),
    listCallPairs: (kind, filter) => read((db) => selectPairs(db, kind, filter)),
    listRecentCalls: (most) => read((db) => selectRecent(db, most)),
  }),
};

/** Up to `most` tools, those that were called last; the last one comes last. */
async function selectTallies(db: Kysely<CallTables>, most: number): Promise<ToolTallies> {
  const found = await selectTotals(db, most);
  let unrolled = 0;
  for await (const range of freshRanges(db)) {
    unrolled += range.count;
    for (const row of await select<CallTables['call_total']>(db, freshTotals(range))) {
      const fresh = toTotal(row);
      const key = toolKeyOf(fresh);
      const known = found.get(key) ?? (await selectTotal(db, row));
      known?.tally.merge(fresh.tally);
      found.set(key, { ...fresh, tally: known?.tally ?? fresh.tally });
    }
  }
  const last = lastOf([...found.values()].sort(byLastCall), most);
  return { tools: last.map(({ server, tool, tally }) => ({ server, tool, tally })), unrolled };
}

type KnownTotal = ToolTally & { readonly upto: number };

async function selectTotals(db: Kysely<CallTables>, most: number): Promise<Map<string, KnownTotal>> {
  let found: KnownTotal[] = [];
  let last: { server: string; tool: string } | undefined;
  for (;;) {
    const select = db.selectFrom('call_total').selectAll().orderBy('server').orderBy('tool').limit(rowsPerPage);
    const page = await (last === undefined ? select : select.where(isAfter(last))).execute();
    for (const row of page) found.push(toTotal(row));
    if (found.length > 2 * most || page.length < rowsPerPage) found = lastOf(found.sort(byLastCall), most);
    if (page.length < rowsPerPage) return new Map(found.map((total) => [toolKeyOf(total), total]));
    last = page.at(-1);
    await giveWay();
  }
}

/** By ids and not by times, which are wrong after a clock was. */
function byLastCall(a: KnownTotal, b: KnownTotal): number {
  return a.upto - b.upto;
}

function lastOf<T>(all: readonly T[], most: number): T[] {
  return all.slice(Math.max(0, all.length - most));
}

function isAfter({ server, tool }: { readonly server: string; readonly tool: string }) {
  return (row: ExpressionBuilder<CallTables, 'call_total'>) =>
    row(row.refTuple('server', 'tool'), '>', row.tuple(server, tool));
}

function toTotal(row: CallTables['call_total']): KnownTotal {
  return { server: row.server, tool: fromText(row.tool), tally: toTally(row), upto: row.upto };
}

async function selectTotal(
  db: Kysely<CallTables>,
  { server, tool }: CallTables['call_total'],
): Promise<KnownTotal | undefined> {
  const total = db.selectFrom('call_total').selectAll().where('server', '=', server).where('tool', '=', tool);
  const row = await total.executeTakeFirst();
  return row && toTotal(row);
}

/** In no order. */
async function selectPairs(db: Kysely<CallTables>, kind: PairKind, filter: PairFilter): Promise<CallPair[]> {
  const pairs = new Map<string, CallPair>();
  for await (const page of pairPages(db, kind, filter)) for (const row of page) addPair(pairs, pairRows.toRecord(row));
  for await (const range of freshRanges(db)) {
    const found = await select<CallTables['call_pair']>(db, freshPairs(kind, range));
    for (const pair of found.map(pairRows.toRecord))
      if (isWithin(filter, pair) && pair.first === (filter.first ?? pair.first)) addPair(pairs, pair);
  }
  return [...pairs.values()];
}

function addPair(pairs: Map<string, CallPair>, pair: CallPair): void {
  const key = pairKeyOf(pair);
  const { count, ok } = pairs.get(key) ?? { count: 0, ok: 0 };
  pairs.set(key, { ...pair, count: count + pair.count, ok: ok + pair.ok });
}

async function* pairPages(
  db: Kysely<CallTables>,
  kind: PairKind,
  filter: PairFilter,
): AsyncGenerator<CallTables['call_pair'][]> {
  let select = db.selectFrom('call_pair').selectAll().where('kind', '=', kind);
  if (filter.first !== undefined) select = select.where('first', '=', toText(filter.first));
  if (filter.server !== undefined) select = select.where('server', '=', filter.server);
  if (filter.tool !== undefined) select = select.where('tool', '=', toText(filter.tool));
  const ordered = select.orderBy('first').orderBy('server').orderBy('tool').limit(rowsPerPage);
  for (let page = await ordered.execute(); ; ) {
    yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < rowsPerPage) return;
    await giveWay();
    page = await ordered
      .where((row) => row(row.refTuple('first', 'server', 'tool'), '>', row.tuple(last.first, last.server, last.tool)))
      .execute();
  }
}

async function selectRecent(db: Kysely<CallTables>, most: number): Promise<CallRecord[]> {
  const found: CallRecord[] = [];
  const rows = db.selectFrom('call').selectAll().where(isRemembered).orderBy('call.id', 'desc');
  for (let before = Number.MAX_SAFE_INTEGER; found.length < most; ) {
    const limit = Math.min(rowsPerPage, most - found.length);
    const page = await rows.where('call.id', '<', before).limit(limit).execute();
    found.push(...page.map(callRows.toRecord));
    before = page.at(-1)?.id ?? 0;
    if (page.length < limit) break;
    await giveWay();
  }
  return found.reverse();
}

function isWithin(scope: CallScope, { server, tool }: { readonly server: string; readonly tool: string }): boolean {
  return (scope.server ?? server) === server && (scope.tool ?? tool) === tool;
}

/** The calls that are not in the sums yet, a few at a time. */
async function* freshRanges(db: Kysely<CallTables>): AsyncGenerator<IdRange & { readonly count: number }> {
  let { watermark: after } = await db.selectFrom('roll_up').select('watermark').executeTakeFirstOrThrow();
  for (;;) {
    const ids = db.selectFrom('call').select('id').where('id', '>', after).orderBy('id').limit(callsPerRange);
    const found = await ids.execute();
    const upto = found.at(-1)?.id ?? after;
    if (found.length > 0) yield { after, upto, count: found.length };
    if (found.length < callsPerRange) return;
    after = upto;
    await giveWay();
  }
}

async function select<Row>(db: Kysely<CallTables>, text: string): Promise<Row[]> {
  const { sql } = await import('kysely');
  return (await sql.raw<Row>(text).execute(db)).rows;
}

/** Days that are added up between two turns of the event loop: of all tools together, and of one. */
const daysPerTurn = { wide: 7, narrow: 366 };

/** From the day `since` on, the oldest first; days without calls are left out. */
async function selectDays(db: Kysely<CallTables>, scope: CallScope, since: number): Promise<DayTally[]> {
  const days = new Map<number, Tally>();
  const step = scope.tool === undefined ? daysPerTurn.wide : daysPerTurn.narrow;
  for (let from = await nextDay(db, since); from !== undefined; from = await nextDay(db, from + step)) {
    const rows = db
      .selectFrom('call_day')
      .where('day', '>=', from)
      .where('day', '<', from + step)
      .$call(within(scope));
    await addCounts(rows, days);
    await addDurations(rows, days);
    await giveWay();
  }
  for await (const range of freshRanges(db)) {
    for (const row of await select<CallTables['call_day']>(db, freshDays(range)))
      if (row.day >= since && isWithin(scope, toTotal(row))) tallyOf(days, row.day).merge(toTally(row));
  }
  return [...days].map(([day, tally]) => ({ day, tally })).sort((a, b) => a.day - b.day);
}

/** The first day with calls that is not before this one. */
async function nextDay(db: Kysely<CallTables>, day: number): Promise<number | undefined> {
  const found = await db
    .selectFrom('call_day')
    .select('day')
    .where('day', '>=', day)
    .orderBy('day')
    .limit(1)
    .executeTakeFirst();
  return found?.day;
}

type DayRows = SelectQueryBuilder<CallTables, 'call_day', unknown>;

function within({ server, tool }: CallScope) {
  return (rows: DayRows): DayRows => {
    const ofServer = server === undefined ? rows : rows.where('server', '=', server);
    return tool === undefined ? ofServer : ofServer.where('tool', '=', toText(tool));
  };
}

async function addCounts(rows: DayRows, days: Map<number, Tally>): Promise<void> {
  const sums = await rows
    .select(({ fn }) => [
      'day',
      ...outcomeKinds.map((kind) => fn.sum<number>(`${kind}_count`).as(kind)),
      fn.sum<number>('cached_count').as('cached'),
      fn.sum<number>('sum_micros').as('micros'),
    ])
    .groupBy('day')
    .execute();
  for (const { day, cached, micros, ...outcomes } of sums) {
    const tally = tallyOf(days, day);
    Object.assign(tally.outcomes, outcomes);
    tally.cached = cached;
    tally.sumMicros = micros;
  }
}

/** Tools that were called once or twice have few different durations between them, so equal ones are read once. */
async function addDurations(rows: DayRows, days: Map<number, Tally>): Promise<void> {
  const found = await rows
    .select(({ fn }) => ['day', 'latency', fn.countAll<number>().as('times')])
    .groupBy(['day', 'latency'])
    .execute();
  for (const { day, latency, times } of found) tallyOf(days, day).latency.merge(Histogram.decode(latency), times);
}

function tallyOf(days: Map<number, Tally>, day: number): Tally {
  const tally = days.get(day) ?? new Tally();
  days.set(day, tally);
  return tally;
}

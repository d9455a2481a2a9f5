/** The queries on calls. Every answer is the sums and, on top, the calls that are not in them yet. */

import { setImmediate as giveWay } from 'node:timers/promises';
import type { ExpressionBuilder, Kysely, SelectQueryBuilder } from 'kysely';
import { fromText, toText } from '../columns.ts';
import {
  type CallPair,
  type CallRecord,
  type CallScope,
  type DayTally,
  leadsOf,
  type PairFilter,
  type PairKind,
  pairKeyOf,
  type ToolTallies,
  type ToolTally,
  toolKeyOf,
} from './call.ts';
import { type CallTables, callRows, pairRows, toTally } from './call-rows.ts';
import { Histogram } from './histogram.ts';
import { dayOf, Tally } from './tally.ts';

/** Reading more at once would hold up the event loop for longer than a few milliseconds. */
const rowsPerPage = 1_000;

interface WrittenCall {
  readonly id: number;
  readonly call: CallRecord;
}

/** Up to `most` tools, those that were called last; the last one comes last. */
export async function selectTallies(db: Kysely<CallTables>, most: number): Promise<ToolTallies> {
  const watermark = await selectWatermark(db);
  const found = await selectTotals(db, most);
  let unrolled = 0;
  for await (const page of unrolledCalls(db, watermark)) {
    unrolled += page.length;
    for (const { id, call } of page) {
      const key = toolKeyOf(call);
      const known = found.get(key) ?? (await selectTotal(db, call));
      // At the end again.
      found.delete(key);
      found.set(key, known);
      if (id > known.upto) known.tally.add(call);
    }
  }
  const last = lastOf([...found.values()], most);
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

async function selectTotal(db: Kysely<CallTables>, { server, tool }: CallRecord): Promise<KnownTotal> {
  const row = await db
    .selectFrom('call_total')
    .selectAll()
    .where('server', '=', server)
    .where('tool', '=', toText(tool))
    .executeTakeFirst();
  return row === undefined ? { server, tool, tally: new Tally(), upto: 0 } : toTotal(row);
}

/** In no order. */
export async function selectPairs(db: Kysely<CallTables>, kind: PairKind, filter: PairFilter): Promise<CallPair[]> {
  const watermark = await selectWatermark(db);
  const pairs = new Map<string, CallPair>();
  const ahead = new Map<string, number>();
  for await (const page of pairPages(db, kind, filter)) {
    for (const row of page) {
      const pair = pairRows.toRecord(row);
      pairs.set(pairKeyOf(pair), pair);
      if (row.upto > watermark) ahead.set(pairKeyOf(pair), row.upto);
    }
  }
  for await (const page of unrolledCalls(db, watermark)) {
    for (const { id, call } of page) {
      const lead = leadsOf(call).find((one) => one.kind === kind);
      if (lead === undefined || !isWithin(filter, call)) continue;
      if (filter.first !== undefined && filter.first !== lead.first) continue;
      const { server, tool, outcome } = call;
      const key = pairKeyOf({ ...lead, server, tool });
      if (id <= (ahead.get(key) ?? 0)) continue;
      const { count, ok } = pairs.get(key) ?? { count: 0, ok: 0 };
      pairs.set(key, { ...lead, server, tool, count: count + 1, ok: ok + (outcome === 'ok' ? 1 : 0) });
    }
  }
  return [...pairs.values()];
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

function isWithin(scope: CallScope, { server, tool }: CallRecord): boolean {
  return (scope.server ?? server) === server && (scope.tool ?? tool) === tool;
}

async function selectWatermark(db: Kysely<CallTables>): Promise<number> {
  return (await db.selectFrom('roll_up').select('watermark').executeTakeFirstOrThrow()).watermark;
}

/** In the order in which they were written. */
async function* unrolledCalls(db: Kysely<CallTables>, watermark: number): AsyncGenerator<WrittenCall[]> {
  for (let last = watermark; ; await giveWay()) {
    const rows = await db
      .selectFrom('call')
      .selectAll()
      .where('id', '>', last)
      .orderBy('id')
      .limit(rowsPerPage)
      .execute();
    yield rows.map((row) => ({ id: row.id, call: callRows.toRecord(row) }));
    if (rows.length < rowsPerPage) return;
    last = rows.at(-1)?.id ?? last;
  }
}

/** Days that are added up between two turns of the event loop: of all tools together, and of one. */
const daysPerTurn = { wide: 7, narrow: 366 };

/** From the day `since` on, the oldest first; days without calls are left out. */
export async function selectDays(db: Kysely<CallTables>, scope: CallScope, since: number): Promise<DayTally[]> {
  const watermark = await selectWatermark(db);
  const days = new Map<number, Tally>();
  const ahead = new Map<string, number>();
  const step = scope.tool === undefined ? daysPerTurn.wide : daysPerTurn.narrow;
  for (let from = await nextDay(db, since); from !== undefined; from = await nextDay(db, from + step)) {
    const rows = db
      .selectFrom('call_day')
      .where('day', '>=', from)
      .where('day', '<', from + step)
      .$call(within(scope));
    const isAhead = await addCounts(rows, days, watermark);
    await addDurations(rows, days);
    if (isAhead) await noteAhead(rows, ahead, watermark);
    await giveWay();
  }
  for await (const page of unrolledCalls(db, watermark)) {
    for (const { id, call } of page) {
      const day = dayOf(call.at);
      if (day < since || !isWithin(scope, call) || id <= (ahead.get(`${day} ${toolKeyOf(call)}`) ?? 0)) continue;
      tallyOf(days, day).add(call);
    }
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

/** Says whether one of them is ahead of the watermark. */
async function addCounts(rows: DayRows, days: Map<number, Tally>, watermark: number): Promise<boolean> {
  const sums = await rows
    .select(({ fn }) => [
      'day',
      fn.sum<number>('ok_count').as('ok'),
      fn.sum<number>('arguments_count').as('arguments'),
      fn.sum<number>('tool_count').as('tool'),
      fn.sum<number>('server_count').as('server'),
      fn.sum<number>('timeout_count').as('timeout'),
      fn.sum<number>('cancelled_count').as('cancelled'),
      fn.sum<number>('refused_count').as('refused'),
      fn.sum<number>('cached_count').as('cached'),
      fn.sum<number>('sum_micros').as('micros'),
      fn.max('upto').as('upto'),
    ])
    .groupBy('day')
    .execute();
  for (const { day, cached, micros, upto: _, ...outcomes } of sums) {
    const tally = tallyOf(days, day);
    Object.assign(tally.outcomes, outcomes);
    tally.cached = cached;
    tally.sumMicros = micros;
  }
  return sums.some(({ upto }) => upto > watermark);
}

/** Tools that were called once or twice have few different durations between them, so equal ones are read once. */
async function addDurations(rows: DayRows, days: Map<number, Tally>): Promise<void> {
  const found = await rows
    .select(({ fn }) => ['day', 'latency', fn.countAll<number>().as('times')])
    .groupBy(['day', 'latency'])
    .execute();
  for (const { day, latency, times } of found) tallyOf(days, day).latency.merge(Histogram.decode(latency), times);
}

async function noteAhead(rows: DayRows, ahead: Map<string, number>, watermark: number): Promise<void> {
  const found = await rows.select(['day', 'server', 'tool', 'upto']).where('upto', '>', watermark).execute();
  for (const { day, server, tool, upto } of found)
    ahead.set(`${day} ${toolKeyOf({ server, tool: fromText(tool) })}`, upto);
}

function tallyOf(days: Map<number, Tally>, day: number): Tally {
  const tally = days.get(day) ?? new Tally();
  days.set(day, tally);
  return tally;
}

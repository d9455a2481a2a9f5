/** The queries on calls. Every answer is the sums and, on top, the calls that are not in them yet. */

import { setImmediate as giveWay } from 'node:timers/promises';
import type { ExpressionBuilder, Kysely } from 'kysely';
import { fromText, toText } from '../columns.ts';
import {
  type CallPair,
  type CallRecord,
  type CallScope,
  leadsOf,
  type PairFilter,
  type PairKind,
  pairKeyOf,
  type ToolTallies,
  type ToolTally,
  toolKeyOf,
} from './call.ts';
import { type CallTables, callRows, pairRows, toTally } from './call-rows.ts';
import { Tally } from './tally.ts';

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

export function isWithin(scope: CallScope, { server, tool }: CallRecord): boolean {
  return (scope.server ?? server) === server && (scope.tool ?? tool) === tool;
}

export async function selectWatermark(db: Kysely<CallTables>): Promise<number> {
  return (await db.selectFrom('roll_up').select('watermark').executeTakeFirstOrThrow()).watermark;
}

/** In the order in which they were written. */
export async function* unrolledCalls(db: Kysely<CallTables>, watermark: number): AsyncGenerator<WrittenCall[]> {
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

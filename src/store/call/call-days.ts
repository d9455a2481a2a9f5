/** How calls went day by day: added up by the database, because a server may have very many tools. */

import { setImmediate as giveWay } from 'node:timers/promises';
import type { Kysely, SelectQueryBuilder } from 'kysely';
import { fromText, toText } from '../columns.ts';
import { type CallScope, type DayTally, toolKeyOf } from './call.ts';
import { isWithin, selectWatermark, unrolledCalls } from './call-queries.ts';
import type { CallTables } from './call-rows.ts';
import { Histogram } from './histogram.ts';
import { dayOf, Tally } from './tally.ts';

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

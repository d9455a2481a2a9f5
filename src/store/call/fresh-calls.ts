/** Adds up, in SQL, the calls that are not in the sums yet: the same text for every database that has the functions of `addLatencyFunctions`. */

import type { DatabaseSync } from 'node:sqlite';
import { mostPairs, outcomeKinds, type PairKind, pairKinds } from './call.ts';
import { Histogram } from './histogram.ts';

/** Ids of calls: from behind `after` up to `upto`. */
export interface IdRange {
  readonly after: number;
  readonly upto: number;
}

const dayMs = 24 * 60 * 60 * 1_000;
const isOk = `is_cached = 0 and outcome = 'ok'`;
const isAnswered = `is_cached = 0 and outcome in ('ok', 'tool')`;
const isBlamed = `is_cached = 0 and outcome in ('tool', 'server', 'timeout')`;

const counts = [...outcomeKinds.map((kind) => `${kind}_count`), 'cached_count', 'sum_micros'];
const error = ['error_at', 'error_type', 'error'];

/** Each sum's table: its key, and its other columns. */
const sums = {
  call_total: {
    keys: ['server', 'tool'],
    columns: [...counts, 'latency', 'called_at', 'ok_at', ...error, 'failures_in_a_row'],
  },
  call_day: {
    keys: ['day', 'server', 'tool'],
    columns: [...counts, 'latency', 'failures_in_a_row'],
  },
  call_pair: { keys: ['kind', 'first', 'server', 'tool'], columns: ['count', 'ok'] },
} as const;
type SumTable = keyof typeof sums;

/** Keeps the rows of a query about a sum, numbered, in a table of this connection alone. */
export function keepFresh(query: string): string {
  return `drop table if exists temp.fresh;
    create temp table fresh as select row_number() over () as number, found.* from (${query}) found`;
}

/** The kept rows from behind the first given number up to the second. */
export const someFresh = 'fresh where number > ? and number <= ?';

/** Adds rows of a query about a sum to those that are there. */
export function addFresh(table: SumTable, rows: string): string {
  const { keys, columns } = sums[table];
  const all = [...keys, ...columns, 'upto'].join(', ');
  const changes = [...columns, 'upto'].map((column) => `${column} = ${nextOf(table, column)}`);
  return `insert into ${table} (${all}) select ${all} from ${rows}
    on conflict (${keys.join(', ')}) do update set ${changes.join(', ')}`;
}

/** Both rows have the column; the new one holds later calls. */
function nextOf(table: SumTable, column: string): string {
  const [old, fresh] = [`${table}.${column}`, `excluded.${column}`];
  if (column === 'latency') return `latency_sum(${old}, ${fresh})`;
  if (column === 'called_at' || column === 'upto') return fresh;
  if (column === 'ok_at') return `coalesce(${fresh}, ${old})`;
  if (error.includes(column)) return `case when excluded.error_at is null then ${old} else ${fresh} end`;
  if (column === 'failures_in_a_row')
    return table === 'call_day' ? '0' : `${fresh} + case when excluded.ok_at is null then ${old} else 0 end`;
  return `${old} + ${fresh}`;
}

/** Each query with the table of its sums. */
export function freshSums(range: IdRange): readonly (readonly [SumTable, query: string])[] {
  return [
    ['call_total', freshTotals(range)],
    ['call_day', freshDays(range)],
    ...pairKinds.map((kind) => ['call_pair', freshPairs(kind, range)] as const),
  ];
}

/** A row for each tool that was called, with the calls that its total lacks. */
export function freshTotals(range: IdRange): string {
  return `with fresh as (
      select call.* from call left join call_total known on known.server = call.server and known.tool = call.tool
      where ${within(range)}
    ), sums as materialized (${sumsOf('server, tool')}), failures as (
      select fresh.server, fresh.tool, count(*) as in_a_row
      from fresh join sums on sums.server = fresh.server and sums.tool = fresh.tool
      where ${isBlamed} and id > coalesce(ok_id, 0) group by fresh.server, fresh.tool
    )
    select sums.*, called.at as called_at, ok.at as ok_at, failed.at as error_at, failed.error_type, failed.error,
      coalesce(in_a_row, 0) as failures_in_a_row
    from sums join call called on called.id = sums.upto left join call ok on ok.id = ok_id
      left join call failed on failed.id = error_id
      left join failures on failures.server = sums.server and failures.tool = sums.tool
    order by sums.server, sums.tool`;
}

/** A row for each day and tool, with the calls that its sum lacks. */
export function freshDays(range: IdRange): string {
  return `with fresh as (
      select call.*, call.at / ${dayMs} as day from call left join call_day known
        on known.day = call.at / ${dayMs} and known.server = call.server and known.tool = call.tool
      where ${within(range)}
    )
    ${sumsOf('day, server, tool', nothingLast)} order by day, server, tool`;
}

/** For sums that nobody asks what was last in. */
export const nothingLast = 'null as called_at, null as ok_at, null as error_at, 0 as failures_in_a_row,';

/** The sums of the rows of `fresh`, by `keys`. */
export function sumsOf(keys: string, more = ''): string {
  const sum = (what: string, when: string) => `sum(case when ${when} then ${what} else 0 end)`;
  return `select ${keys}, ${outcomeKinds.map((kind) => `${sum('1', `outcome = '${kind}'`)} as ${kind}_count, `).join('')}
    sum(is_cached) as cached_count, ${sum('micros', isAnswered)} as sum_micros, ${more}
    latency_of(case when ${isAnswered} then micros end) as latency, max(id) as upto,
    max(case when ${isOk} then id end) as ok_id, max(case when ${isBlamed} then id end) as error_id
    from fresh group by ${keys}`;
}

/** A sequence counts once the second tool has succeeded, or tries with wrong arguments would count as habits. */
const leads: Readonly<Record<PairKind, { readonly column: string; readonly when: string }>> = {
  sequence: { column: 'previous', when: `outcome = 'ok'` },
  query: { column: 'query', when: 'true' },
  suggestion: { column: 'suggested_for', when: 'true' },
};

/**
 * A row for each pair, with the calls that its sum lacks. Of more pairs than are remembered the most frequent ones: the
 * others would only be written to be removed.
 */
export function freshPairs(kind: PairKind, range: IdRange): string {
  const { column, when } = leads[kind];
  return `select * from (
      select '${kind}' as kind, call.${column} as first, call.server, call.tool, count(*) as count,
        sum(case when outcome = 'ok' then 1 else 0 end) as ok, max(call.id) as upto
      from call left join call_pair known on known.kind = '${kind}' and known.first = call.${column}
        and known.server = call.server and known.tool = call.tool
      where ${within(range)} and call.${column} is not null and ${when}
      group by call.${column}, call.server, call.tool order by count(*) desc limit ${mostPairs}
    ) pairs order by first, server, tool`;
}

/** Each sum says up to which call it goes; one that is ahead of the others lacks fewer. */
function within({ after, upto }: IdRange): string {
  return `call.id > ${after} and call.id <= ${upto} and call.id > coalesce(known.upto, 0)`;
}

/** Gives SQLite the functions `latency_of`, which makes a histogram of durations, and `latency_sum`, which adds two. */
export function addLatencyFunctions(connection: DatabaseSync): void {
  const latencyOf = {
    start: () => new Histogram(),
    step(histogram: Histogram, micros: number | null) {
      if (micros !== null) histogram.add(micros);
      return histogram;
    },
    result: (histogram: Histogram) => histogram.encode(),
  };
  // The types admit only values of SQLite as a state; Node keeps any.
  connection.aggregate('latency_of', latencyOf as never);
  connection.function('latency_sum', { deterministic: true }, (one, other) => {
    // The columns `latency` hold nothing else.
    const sum = Histogram.decode(one as Uint8Array);
    sum.merge(Histogram.decode(other as Uint8Array));
    return sum.encode();
  });
}

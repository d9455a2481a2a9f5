/** Forgets the calls of a tool, of a server or of all, in one transaction that also overtakes a roll-up under way. Runs in a thread. */

import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { toText } from '../columns.ts';
import { type CallScope, type ForgetReport, outcomeKinds, toolKeyOf } from './call.ts';
import { inTransaction } from './call-writer.ts';

interface Condition {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

type Change = (sql: string, ...values: readonly SQLInputValue[]) => unknown;

const sumTables = ['call_total', 'call_day', 'call_pair'] as const;
/** All calls of one row of sums, in SQL. */
export const countOfSums = outcomeKinds.map((kind) => `${kind}_count`).join(' + ');

/**
 * The rows of calls that are in the sums already are left to the next roll-up: there may be a million of them, and once
 * the sums are gone nobody reads them.
 */
export function forgetCalls(connection: DatabaseSync, scope: CallScope): ForgetReport {
  const change: Change = (sql, ...values) => connection.prepare(sql).run(...values);
  const { server, tool } = scope;
  const part = partOf(scope);
  return inTransaction(connection, () => {
    const { watermark, given } = nextGeneration(connection);
    const text = tool === undefined ? null : toText(tool);
    change('insert into call_reset (server, tool, upto) values (?, ?, ?)', server ?? null, text, given);
    const report = countCalls(connection, part, watermark);
    // Without a condition SQLite drops all rows at once.
    const where = part === undefined ? '' : `where ${part.sql}`;
    for (const table of sumTables) change(`delete from ${table} ${where}`, ...(part?.values ?? []));
    change(`delete from call where id > ? and ${part?.sql ?? 'true'}`, watermark, ...(part?.values ?? []));
    // Of all tools nothing is left to look at.
    if (server !== undefined) forgetLeads(change, server, tool, watermark);
    return report;
  });
}

/** Voids the work of a roll-up under way. Ids stay given, though rows with the highest may be removed. */
function nextGeneration(connection: DatabaseSync): { readonly watermark: number; readonly given: number } {
  const next = connection.prepare(`update roll_up set generation = generation + 1,
    given = max(given, watermark, coalesce((select max(id) from call), 0)) returning watermark, given`);
  // The migration made the one row.
  return next.get() as unknown as { watermark: number; given: number };
}

/** The part of each table that is about calls of these tools; undefined for all of it. */
function partOf({ server, tool }: CallScope): Condition | undefined {
  if (server === undefined) return undefined;
  if (tool === undefined) return { sql: 'server = ?', values: [server] };
  return { sql: 'server = ? and tool = ?', values: [server, toText(tool)] };
}

/** A total may be ahead of the watermark, because a roll-up was stopped half way: those calls are counted in it already. */
function countCalls(connection: DatabaseSync, part: Condition | undefined, watermark: number): ForgetReport {
  const { sql, values } = part ?? { sql: 'true', values: [] };
  const sums = connection.prepare(`select sum(${countOfSums}) as count from call_total where ${sql}`).get(...values);
  const rows = connection
    .prepare(`select count(*) as count, coalesce(sum(id > coalesce((select upto from call_total
      where call_total.server = call.server and call_total.tool = call.tool), 0)), 0) as unsummed
      from call where id > ? and ${sql}`)
    .get(watermark, ...values);
  return { forgotten: Number(sums?.count ?? 0) + Number(rows?.unsummed), unrolled: Number(rows?.count) };
}

/** Forgets that these tools led to other calls: in the sums, and in calls that are not in them yet. */
function forgetLeads(change: Change, server: string, tool: string | undefined, watermark: number): void {
  const values = tool === undefined ? [`${server}:`, `"${server}:`] : [toText(toolKeyOf({ server, tool }))];
  // Tools of a server begin alike, in the plain form and in the escaped one.
  const isLead = (column: string) =>
    values.map((key) => `${tool === undefined ? `substr(${column}, 1, ${key.length})` : column} = ?`).join(' or ');
  change(`delete from call_pair where kind != 'query' and (${isLead('first')})`, ...values);
  for (const column of ['previous', 'suggested_for'])
    change(`update call set ${column} = null where id > ? and (${isLead(column)})`, watermark, ...values);
}

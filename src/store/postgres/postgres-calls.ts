/** Calls and events of the audit on PostgreSQL: written by any number of gateways at once, added up by one at a time. */

import { isDeepStrictEqual } from 'node:util';
import type { Pool, PoolClient } from 'pg';
import { GatewayError } from '../../base/errors.ts';
import { type AuditRecord, auditRows } from '../audit/audit.ts';
import {
  type CallRecord,
  type CallScope,
  type ForgetReport,
  mostPairs,
  pairKinds,
  type RollUpOrder,
  type RollUpReport,
  toolKeyOf,
} from '../call/call.ts';
import { callRows } from '../call/call-table.ts';
import { countOfSums } from '../call/forget-calls.ts';
import { addFresh, freshSums } from '../call/fresh-calls.ts';
import { toText } from '../columns.ts';
import { isUnknownTransaction } from './postgres-errors.ts';
import { lockOf } from './postgres-locks.ts';
import type { StorePool } from './postgres-pool.ts';

type Row = Record<string, unknown>;
type Run = <Found = Row>(sql: string, values?: readonly unknown[]) => Promise<Found[]>;

/** Rows that one statement writes: far below PostgreSQL's limit on parameters. */
const rowsPerStatement = 500;
/** Calls that one transaction adds up, in about a second. */
const callsPerBatch = 200_000;
/** Old rows are looked for in parts of this size, until a part has none. */
const callsPerLook = 10_000;
/** So that not every roll-up has to forget some. */
const pairSlack = 1_000;

/** Records of a batch that are in the database. */
interface Written {
  readonly calls: ReadonlySet<CallRecord>;
  readonly events: ReadonlyMap<AuditRecord, number>;
}

/** A batch whose commit was not answered: it is there, or it is not. */
interface Doubt extends Written {
  readonly transaction: string;
  /** One of its rows, by which it is known. */
  readonly probe: { readonly table: string; readonly id: number; readonly row: Row };
}

const nothingWritten: Written = { calls: new Set(), events: new Map() };

export class PostgresCalls {
  readonly #pool: StorePool;
  #doubt: Doubt | undefined;
  /** Of the batch that is given again and again until all of it is there. */
  #written: Written = nothingWritten;
  #rollingUp: Promise<RollUpReport> | undefined;
  #isStopped = false;

  constructor(pool: StorePool) {
    this.#pool = pool;
  }

  /** Gives the ids of the events. A batch that is given again after its commit was not answered is written once. */
  async append(calls: readonly CallRecord[], events: readonly AuditRecord[]): Promise<readonly number[]> {
    await this.#settleDoubt();
    const known = this.#written;
    const newCalls = calls.filter((call) => !known.calls.has(call));
    const newEvents = events.filter((event) => !known.events.has(event));
    const ids = newCalls.length + newEvents.length === 0 ? [] : await this.#append(newCalls, newEvents);
    this.#written = nothingWritten;
    const given = new Map([...known.events, ...newEvents.map((event, at) => [event, ids[at] ?? 0] as const)]);
    return events.map((event) => given.get(event) ?? 0);
  }

  rollUp(order: RollUpOrder): Promise<RollUpReport> {
    this.#rollingUp ??= this.#rollUp(order).finally(() => {
      this.#rollingUp = undefined;
    });
    return this.#rollingUp;
  }

  /** A roll-up under way ends soon, with what it has done. */
  stop(): void {
    this.#isStopped = true;
  }

  /** One at a time: it takes two connections. */
  async forget({ server, tool }: CallScope): Promise<ForgetReport> {
    return this.#inTransaction(async (run) => {
      await run(`select ${lockOf('sums', 'exclusive')}`);
      // Calls that end from now on are not forgotten.
      const upto = await this.#settledId();
      const values = [server, tool === undefined ? undefined : toText(tool)].filter((value) => value !== undefined);
      const part = ['server', 'tool'].slice(0, values.length).map((column, at) => `${column} = $${at + 1}`);
      const where = part.length === 0 ? 'true' : part.join(' and ');
      const report = await countForgotten(run, where, values);
      for (const table of ['call_total', 'call_day', 'call_pair'])
        await run(`delete from ${table} where ${where}`, values);
      await run(`delete from call where id <= ${upto} and ${where}`, values);
      if (server !== undefined) await forgetLeads(run, server, tool);
      return report;
    });
  }

  async #append(calls: readonly CallRecord[], events: readonly AuditRecord[]): Promise<readonly number[]> {
    const client = await this.#pool.connect();
    let doubt: Doubt | undefined;
    let failure: unknown;
    try {
      const run = runOn(client);
      await run('begin');
      const [begun] = await run<{ transaction: string }>(
        `select ${lockOf('append', 'shared')}, pg_current_xact_id()::text as transaction`,
      );
      const callRow = calls.map(callRows.toRow);
      const eventRow = events.map(auditRows.toRow);
      const callIds = await insert(run, 'call', callRows.columns, callRow);
      const ids = await insert(run, 'audit', auditRows.columns, eventRow);
      doubt = {
        transaction: begun?.transaction ?? '',
        probe:
          callRow[0] === undefined
            ? { table: 'audit', id: ids[0] ?? 0, row: { ...eventRow[0] } }
            : { table: 'call', id: callIds[0] ?? 0, row: { ...callRow[0] } },
        calls: new Set(calls),
        events: new Map(events.map((event, at) => [event, ids[at] ?? 0])),
      };
      await run('commit');
      return ids;
    } catch (error) {
      failure = error;
      this.#doubt = doubt;
      throw error;
    } finally {
      // A connection that failed is closed, and with it its transaction.
      client.release(failure !== undefined);
    }
  }

  async #settleDoubt(): Promise<void> {
    const doubt = this.#doubt;
    if (doubt === undefined) return;
    const run = runOn(this.#pool);
    if ((await this.#statusOf(doubt.transaction)) === 'in progress')
      throw new GatewayError(
        'STORE_BUSY',
        'The connection to the store was lost, and the database has not noticed yet.',
      );
    // After a failover its number may belong to another transaction, so the row itself is looked at.
    const { table, id, row } = doubt.probe;
    const columns = Object.keys(row).map((column) => `"${column}"`);
    const [found] = await run(`select ${columns.join()} from ${table} where id = $1`, [id]);
    this.#doubt = undefined;
    if (found === undefined || !isDeepStrictEqual({ ...found }, row)) return;
    const { calls, events } = this.#written;
    this.#written = {
      calls: new Set([...calls, ...doubt.calls]),
      events: new Map([...events, ...doubt.events]),
    };
  }

  /** Undefined for one that this database has never seen: another one has taken over. */
  async #statusOf(transaction: string): Promise<string | undefined> {
    try {
      const run = runOn(this.#pool);
      const [found] = await run<{ status: string | null }>('select pg_xact_status($1::text::xid8) as status', [
        transaction,
      ]);
      return found?.status ?? undefined;
    } catch (error) {
      if (isUnknownTransaction(error)) return undefined;
      throw error;
    }
  }

  /** Every call with this id or a lower one is there or will never be: ids are given in another order than transactions end. */
  async #settledId(): Promise<number> {
    return this.#inTransaction(async (run) => {
      await run(`select ${lockOf('append', 'exclusive')}`);
      const [found] = await run<{ id: number }>('select coalesce(max(id), 0) as id from call');
      return found?.id ?? 0;
    });
  }

  async #rollUp({ now, expireBefore }: RollUpOrder): Promise<RollUpReport> {
    this.#isStopped = false;
    const upto = await this.#settledId();
    let rolledUp = 0;
    let removed = 0;
    for (let isDone = false; !isDone && !this.#isStopped; ) {
      const added = await this.#inTransaction((run) => addBatch(run, upto));
      rolledUp += added;
      isDone = added < callsPerBatch;
    }
    if (!this.#isStopped) removed += await this.#inTransaction(removeForgotten);
    for (let from: number | undefined = 0; from !== undefined && !this.#isStopped; ) {
      const after: number = from;
      const look = await this.#inTransaction((run) => removeExpired(run, after, { now, expireBefore }));
      removed += look.removed;
      from = look.next;
    }
    const [left] = await this.#inTransaction((run) =>
      run<{ count: number }>(
        `select count(*) as count from call, roll_up where call.id > watermark and call.id <= ${upto}`,
      ),
    );
    return { rolledUp, removed, left: left?.count ?? 0 };
  }

  async #inTransaction<T>(act: (run: Run) => Promise<T>): Promise<T> {
    const client = await this.#pool.patient.connect();
    let failure: unknown;
    try {
      const run = runOn(client);
      await run('begin');
      const result = await act(run);
      await run('commit');
      return result;
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      client.release(failure !== undefined);
    }
  }
}

function runOn(client: Pool | PoolClient): Run {
  return async <Found>(sql: string, values: readonly unknown[] = []) =>
    (await client.query(sql, [...values])).rows as Found[];
}

/** Gives the ids, in the order of the rows. */
async function insert(run: Run, table: string, columns: readonly string[], rows: readonly object[]): Promise<number[]> {
  const ids: number[] = [];
  for (let at = 0; at < rows.length; at += rowsPerStatement) {
    const some = rows.slice(at, at + rowsPerStatement);
    const marks = some.map(
      (_, row) => `(${columns.map((_, column) => `$${row * columns.length + column + 1}`).join()})`,
    );
    // The values of a row come in the order of its columns.
    const values = some.flatMap((row) => Object.values(row));
    const names = columns.map((column) => `"${column}"`).join();
    const found = await run<{ id: number }>(
      `insert into ${table} (${names}) values ${marks.join()} returning id`,
      values,
    );
    for (const { id } of found) ids.push(id);
  }
  return ids;
}

/** Says how many calls it added: those of one batch, all or none. */
async function addBatch(run: Run, upto: number): Promise<number> {
  await run(`select ${lockOf('sums', 'exclusive')}`);
  const [batch] = await run<{ after: number; last: number | null; count: number }>(
    `select watermark as after, (select max(id) from batch) as last, (select count(*) from batch) as count from roll_up`.replace(
      /^/,
      `with batch as (select id from call where id > (select watermark from roll_up) and id <= ${upto}
          order by id limit ${callsPerBatch}) `,
    ),
  );
  if (batch === undefined || batch.last === null) return 0;
  for (const [table, query] of freshSums({ after: batch.after, upto: batch.last }))
    await run(addFresh(table, `(${query}) found where true`));
  await run(`update roll_up set watermark = ${batch.last}`);
  for (const kind of pairKinds) await forgetPairs(run, kind);
  return batch.count;
}

/** Those that did not occur for longest. */
async function forgetPairs(run: Run, kind: string): Promise<void> {
  const [found] = await run<{ count: number }>('select count(*) as count from call_pair where kind = $1', [kind]);
  const count = found?.count ?? 0;
  if (count <= mostPairs + pairSlack) return;
  await run(
    `delete from call_pair where ctid in (select ctid from call_pair where kind = $1 order by upto, count limit $2)`,
    [kind, count - mostPairs],
  );
}

/** Only a copy from SQLite has such calls: here they go at once. */
async function removeForgotten(run: Run): Promise<number> {
  const removed = await run(`delete from call using call_reset as forgotten where call.id <= forgotten.upto
    and (forgotten.server is null or forgotten.server = call.server)
    and (forgotten.tool is null or forgotten.tool = call.tool) returning call.id`);
  if (removed.length > 0) await run('delete from call_reset');
  return removed.length;
}

/** A call that lies as far in the future as calls are kept was written while the clock was wrong. */
async function removeExpired(
  run: Run,
  from: number,
  { now, expireBefore }: RollUpOrder,
): Promise<{ readonly removed: number; readonly next: number | undefined }> {
  const removed = await run<{ id: number }>(
    `delete from call where id in (select id from (
        select id, at from call where id > $1 and id <= (select watermark from roll_up) order by id limit $2
      ) as looked where at < $3 or at > $4) returning id`,
    [from, callsPerLook, expireBefore, now + (now - expireBefore)],
  );
  const last = removed.reduce((most, { id }) => Math.max(most, id), from);
  return { removed: removed.length, next: removed.length === 0 ? undefined : last };
}

async function countForgotten(run: Run, where: string, values: readonly unknown[]): Promise<ForgetReport> {
  const [sums] = await run<{ count: number | null }>(
    `select sum(${countOfSums}) as count from call_total where ${where}`,
    values,
  );
  const [rows] = await run<{ count: number }>(
    `select count(*) as count from call where id > (select watermark from roll_up) and ${where}`,
    values,
  );
  const unrolled = rows?.count ?? 0;
  return { forgotten: (sums?.count ?? 0) + unrolled, unrolled };
}

/** Forgets that these tools led to other calls: in the sums, and in calls that are not in them yet. */
async function forgetLeads(run: Run, server: string, tool: string | undefined): Promise<void> {
  const keys = tool === undefined ? [`${server}:`, `"${server}:`] : [toText(toolKeyOf({ server, tool }))];
  // Tools of a server begin alike, in the plain form and in the escaped one.
  const isLead = (column: string) =>
    keys
      .map((_, at) => (tool === undefined ? `starts_with(${column}, $${at + 1})` : `${column} = $${at + 1}`))
      .join(' or ');
  await run(`delete from call_pair where kind <> 'query' and (${isLead('first')})`, keys);
  for (const column of ['previous', 'suggested_for'])
    await run(
      `update call set ${column} = null where id > (select watermark from roll_up) and (${isLead(column)})`,
      keys,
    );
}

/** Writes calls and events of the audit to an SQLite file, and has calls rolled up and forgotten in a thread. */

import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { GatewayError } from '../../base/errors.ts';
import type { AuditRecord } from '../audit/audit.ts';
import { auditRows } from '../audit/audit.ts';
import type { Checkpointer } from '../sqlite/checkpointer.ts';
import { type RunningJob, runStoreJob } from '../sqlite/run-store-job.ts';
import { pragmas, writableUrl } from '../sqlite/sqlite-connection.ts';
import { isBusy } from '../sqlite/sqlite-errors.ts';
import type { CallRecord, CallScope, ForgetReport, RollUpOrder, RollUpReport } from './call.ts';
import { callRows } from './call-table.ts';

/** A call is a small write: the log's size need not be thought of after each one. */
const appendsPerNote = 16;

export class CallWriter {
  readonly #file: string;
  readonly #checkpointer: Checkpointer;
  /** Opened with the first record: many runs have none. */
  #connection: CallConnection | undefined;
  #rollingUp: RunningJob<'roll-up'> | undefined;
  #appends = 0;

  constructor(file: string, checkpointer: Checkpointer) {
    this.#file = file;
    this.#checkpointer = checkpointer;
  }

  /** Gives the ids of the events. */
  append(calls: readonly CallRecord[], events: readonly AuditRecord[]): number[] {
    if (calls.length + events.length === 0) return [];
    const ids = this.#append(calls, events);
    this.#appends += calls.length + events.length;
    if (this.#appends < appendsPerNote) return ids;
    this.#appends = 0;
    this.#checkpointer.noteWrite();
    return ids;
  }

  async rollUp(order: RollUpOrder): Promise<RollUpReport> {
    this.#rollingUp ??= runStoreJob('roll-up', this.#file, order);
    const running = this.#rollingUp;
    try {
      return await this.#resultOf(running);
    } finally {
      if (this.#rollingUp === running) this.#rollingUp = undefined;
    }
  }

  /** Within the store's turn to write: the file is locked until all of it is done. */
  forget(scope: CallScope): Promise<ForgetReport> {
    return this.#resultOf(runStoreJob('forget', this.#file, scope));
  }

  /** A roll-up under way ends soon, with what it has done. */
  stop(): void {
    this.#rollingUp?.stop();
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }

  #append(calls: readonly CallRecord[], events: readonly AuditRecord[]): number[] {
    try {
      this.#connection ??= connect(this.#file);
      return this.#connection.append(calls, events);
    } catch (error) {
      throw this.#asBusy(error);
    }
  }

  async #resultOf<T>({ result }: { readonly result: Promise<T> }): Promise<T> {
    try {
      return await result;
    } catch (error) {
      throw this.#asBusy(error);
    } finally {
      this.#checkpointer.noteWrite();
    }
  }

  #asBusy(error: unknown): unknown {
    if (!isBusy(error)) return error;
    const file = this.#file;
    return new GatewayError('STORE_BUSY', `The store ${file} is locked by another writer.`, {
      cause: error,
      data: { file },
    });
  }
}

/**
 * No id is ever given twice, because sums and resets say up to which id they go. SQLite's own way to see to that writes
 * the last id to a second page with every commit; this one only looks it up, and holds when every row was removed.
 */
const nextId = 'max(coalesce((select max(id) from call), 0), watermark, given) + 1';

/**
 * Another connection than the store's own, whose transactions stay open while the event loop turns: a row that was
 * written through that one would be lost together with whatever transaction is under way.
 */
class CallConnection {
  readonly #connection: DatabaseSync;
  readonly #insertCall: StatementSync;
  readonly #insertEvent: StatementSync;

  constructor(connection: DatabaseSync) {
    this.#connection = connection;
    this.#insertCall = connection.prepare(
      `insert into call (id, ${callRows.columns.join(', ')}) select ${nextId}, ${marksOf(callRows.columns)} from roll_up`,
    );
    this.#insertEvent = connection.prepare(
      `insert into audit (${auditRows.columns.join(', ')}) values (${marksOf(auditRows.columns)})`,
    );
  }

  /** All or none. Never waits: throws at once where it cannot write. */
  append(calls: readonly CallRecord[], events: readonly AuditRecord[]): number[] {
    // A single statement is a transaction by itself.
    if (calls.length + events.length === 1) return this.#runAll(calls, events);
    return inTransaction(this.#connection, () => this.#runAll(calls, events));
  }

  close(): void {
    this.#connection.close();
  }

  /** The values of a row come in the order of its columns. */
  #runAll(calls: readonly CallRecord[], events: readonly AuditRecord[]): number[] {
    for (const call of calls) this.#insertCall.run(...Object.values(callRows.toRow(call)));
    return events.map((event) =>
      Number(this.#insertEvent.run(...Object.values(auditRows.toRow(event))).lastInsertRowid),
    );
  }
}

function marksOf(columns: readonly string[]): string {
  return columns.map(() => '?').join(', ');
}

function connect(file: string): CallConnection {
  const connection = new DatabaseSync(writableUrl(file), { timeout: 0 });
  try {
    connection.exec(pragmas);
    return new CallConnection(connection);
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** One write transaction on a synchronous connection. If `act` throws, nothing is written. */
export function inTransaction<T>(connection: DatabaseSync, act: () => T): T {
  connection.exec('begin immediate');
  try {
    const result = act();
    connection.exec('commit');
    return result;
  } catch (error) {
    // After some errors (a full disk) SQLite has rolled back by itself; a second time would hide the first error.
    if (connection.isTransaction) connection.exec('rollback');
    throw error;
  }
}

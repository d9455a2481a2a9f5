/**
 * The connection that writes calls. It is another one than the store's own, whose transactions stay open while the event
 * loop turns: a row that was written through that one would be lost together with whatever transaction is under way.
 */

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { CallRecord } from './call-record.ts';
import { type CallRow, fromCall } from './call-rows.ts';

const columns: readonly (keyof CallRow)[] = [
  'at',
  'server',
  'tool',
  'outcome',
  'error_type',
  'error',
  'micros',
  'request_bytes',
  'result_bytes',
  'way',
  'is_cached',
  'principal',
  'session',
  'previous',
  'query',
  'suggested_for',
];

export class CallConnection {
  readonly #connection: DatabaseSync;
  readonly #insert: StatementSync;

  constructor(connection: DatabaseSync) {
    this.#connection = connection;
    const places = columns.map(() => '?').join(', ');
    this.#insert = connection.prepare(`insert into call (${columns.join(', ')}) values (${places})`);
  }

  /** All or none. Never waits: throws at once where it cannot write. */
  append(calls: readonly CallRecord[]): void {
    const [only] = calls;
    if (calls.length === 1 && only !== undefined) this.#run(only);
    else this.#appendTogether(calls);
  }

  close(): void {
    this.#connection.close();
  }

  #appendTogether(calls: readonly CallRecord[]): void {
    this.#connection.exec('begin immediate');
    try {
      for (const call of calls) this.#run(call);
      this.#connection.exec('commit');
    } catch (error) {
      if (this.#connection.isTransaction) this.#connection.exec('rollback');
      throw error;
    }
  }

  #run(call: CallRecord): void {
    const row = fromCall(call);
    const values: SQLInputValue[] = columns.map((column) => row[column]);
    this.#insert.run(...values);
  }
}

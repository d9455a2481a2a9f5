/**
 * The connection that writes calls. It is another one than the store's own, whose transactions stay open while the event
 * loop turns: a row that was written through that one would be lost together with whatever transaction is under way.
 */

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { CallRecord } from './call-record.ts';
import { type CallRow, fromCall } from './call-rows.ts';
import { inTransaction } from './in-transaction.ts';

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

/**
 * No id is ever given twice, because sums and resets say up to which id they go. SQLite's own way to see to that writes
 * the last id to a second page with every commit; this one only looks it up, and holds when every row was removed.
 */
const nextId = 'max(coalesce((select max(id) from call), 0), watermark, given) + 1';

export class CallConnection {
  readonly #connection: DatabaseSync;
  readonly #insert: StatementSync;

  constructor(connection: DatabaseSync) {
    this.#connection = connection;
    const places = columns.map(() => '?').join(', ');
    this.#insert = connection.prepare(
      `insert into call (id, ${columns.join(', ')}) select ${nextId}, ${places} from roll_up`,
    );
  }

  /** All or none. Never waits: throws at once where it cannot write. */
  append(calls: readonly CallRecord[]): void {
    const [only] = calls;
    if (calls.length === 1 && only !== undefined) this.#run(only);
    else inTransaction(this.#connection, () => this.#runAll(calls));
  }

  close(): void {
    this.#connection.close();
  }

  #runAll(calls: readonly CallRecord[]): void {
    for (const call of calls) this.#run(call);
  }

  #run(call: CallRecord): void {
    const row = fromCall(call);
    const values: SQLInputValue[] = columns.map((column) => row[column]);
    this.#insert.run(...values);
  }
}

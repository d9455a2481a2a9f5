/**
 * The connection that writes calls and events of the audit. It is another one than the store's own, whose transactions stay open while the event
 * loop turns: a row that was written through that one would be lost together with whatever transaction is under way.
 */

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { AuditRecord } from '../audit/audit.ts';
import { auditRows } from '../audit/audit-table.ts';
import type { CallRecord } from './call.ts';
import { callRows } from './call-rows.ts';
import { inTransaction } from './paced-writer.ts';

/**
 * No id is ever given twice, because sums and resets say up to which id they go. SQLite's own way to see to that writes
 * the last id to a second page with every commit; this one only looks it up, and holds when every row was removed.
 */
const nextId = 'max(coalesce((select max(id) from call), 0), watermark, given) + 1';

export class CallConnection {
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
  append(calls: readonly CallRecord[], events: readonly AuditRecord[]): void {
    // A single statement is a transaction by itself.
    if (calls.length + events.length === 1) this.#runAll(calls, events);
    else inTransaction(this.#connection, () => this.#runAll(calls, events));
  }

  close(): void {
    this.#connection.close();
  }

  #runAll(calls: readonly CallRecord[], events: readonly AuditRecord[]): void {
    for (const call of calls) {
      const row = callRows.toRow(call);
      this.#insertCall.run(...callRows.columns.map((column): SQLInputValue => row[column]));
    }
    for (const event of events) {
      const row = auditRows.toRow(event);
      this.#insertEvent.run(...auditRows.columns.map((column): SQLInputValue => row[column]));
    }
  }
}

function marksOf(columns: readonly string[]): string {
  return columns.map(() => '?').join(', ');
}

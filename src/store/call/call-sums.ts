/** The sums of calls in an SQLite file, read and written one by one: for the thread that rolls up. */

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { toText } from '../columns.ts';
import type { PairLead } from './call.ts';
import type { KnownPair, KnownTally, PairSum, SumSource, TallySum } from './call-fold.ts';
import { type CallRow, type CallTables, fromTally, type TallyRow, toTally } from './call-rows.ts';
import { Tally } from './tally.ts';

export interface RollUpState {
  readonly watermark: number;
  readonly generation: number;
}

/** Somebody else has changed the sums meanwhile: what was worked out is void. */
export class Overtaken extends Error {}

const tallyColumns = Object.keys(fromTally(new Tally()));

export class CallSums implements SumSource {
  readonly #connection: DatabaseSync;
  readonly #total: StatementSync;
  readonly #day: StatementSync;
  readonly #pair: StatementSync;
  readonly #saveTotal: StatementSync;
  readonly #saveDay: StatementSync;
  readonly #savePair: StatementSync;
  readonly #state: StatementSync;

  constructor(connection: DatabaseSync) {
    this.#connection = connection;
    this.#total = connection.prepare('select * from call_total where server = ? and tool = ?');
    this.#day = connection.prepare('select * from call_day where day = ? and server = ? and tool = ?');
    this.#pair = connection.prepare(
      'select count, ok, upto from call_pair where kind = ? and first = ? and server = ? and tool = ?',
    );
    this.#saveTotal = connection.prepare(upsert('call_total', ['server', 'tool'], tallyColumns));
    this.#saveDay = connection.prepare(upsert('call_day', ['day', 'server', 'tool'], tallyColumns));
    this.#savePair = connection.prepare(upsert('call_pair', ['kind', 'first', 'server', 'tool'], ['count', 'ok']));
    this.#state = connection.prepare('select watermark, generation from roll_up');
  }

  get state(): RollUpState {
    // The migration made the one row.
    const { watermark, generation } = this.#state.get() as unknown as RollUpState;
    return { watermark, generation };
  }

  /** The id of the last call that was written; 0 where there is none. */
  get lastCall(): number {
    return Number(this.#connection.prepare('select max(id) as id from call').get()?.id ?? 0);
  }

  /** Calls up to this id that are not in the sums yet. */
  countUnrolled(upto: number): number {
    const count = this.#connection.prepare(
      'select count(*) as n from call where id > (select watermark from roll_up) and id <= ?',
    );
    return Number(count.get(upto)?.n);
  }

  *calls(after: number, upto: number, limit: number): Generator<CallRow & { readonly id: number }> {
    const rows = this.#connection
      .prepare('select * from call where id > ? and id <= ? order by id limit ?')
      .iterate(after, upto, limit);
    // The columns of `call` are the members of its row.
    for (const row of rows) yield row as unknown as CallRow & { readonly id: number };
  }

  total(server: string, tool: string): KnownTally | undefined {
    return known(this.#total.get(server, toText(tool)));
  }

  day(day: number, server: string, tool: string): KnownTally | undefined {
    return known(this.#day.get(day, server, toText(tool)));
  }

  pair({ kind, first }: PairLead, server: string, tool: string): KnownPair | undefined {
    return this.#pair.get(kind, toText(first), server, toText(tool)) as KnownPair | undefined;
  }

  /** Within a transaction. */
  saveTally({ server, tool, day, tally, last, upto }: TallySum): void {
    const values: SQLInputValue[] = [server, toText(tool), ...Object.values(fromTally(tally)), last, upto];
    const saved = day === null ? this.#saveTotal.run(...values) : this.#saveDay.run(day, ...values);
    assertSaved(saved.changes);
  }

  /** Within a transaction. */
  savePair({ kind, first, server, tool, count, ok, last, upto }: PairSum): void {
    assertSaved(this.#savePair.run(kind, toText(first), server, toText(tool), count, ok, last, upto).changes);
  }

  /** Within a transaction, before anything is written in it. */
  assertGeneration(generation: number): void {
    if (this.state.generation !== generation) throw new Overtaken('The calls were forgotten meanwhile.');
  }

  /** Within a transaction. */
  moveWatermark(from: number, to: number): void {
    const moved = this.#connection.prepare('update roll_up set watermark = ? where watermark = ?').run(to, from);
    assertSaved(moved.changes);
  }
}

/** Replaces a row only if it still is as it was read: its `upto` says so, and comes last among the values. */
function upsert(table: string, keys: readonly string[], columns: readonly string[]): string {
  const all = [...keys, ...columns, 'upto'];
  const changes = [...columns, 'upto'].map((column) => `${column} = excluded.${column}`);
  return `insert into ${table} (${all.join(', ')}) values (${all.map(() => '?').join(', ')})
    on conflict (${keys.join(', ')}) do update set ${changes.join(', ')} where ${table}.upto = ?`;
}

function assertSaved(changes: number | bigint): void {
  if (Number(changes) !== 1) throw new Overtaken('Another roll-up has changed the sums meanwhile.');
}

function known(row: unknown): KnownTally | undefined {
  if (row === undefined) return undefined;
  // Both tables have the columns of a tally.
  const found = row as TallyRow & Pick<CallTables['call_total'], 'upto'>;
  return { tally: toTally(found), upto: found.upto };
}

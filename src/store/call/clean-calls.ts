/** Removes what is kept no longer: calls that are too old or were forgotten, and pairs beyond what is remembered. */

import type { DatabaseSync } from 'node:sqlite';
import { mostPairs, pairKinds } from './call.ts';
import type { PacedWriter } from './paced-writer.ts';

/** So that not every roll-up has to forget some. */
const pairSlack = 1_000;
/** About half a millisecond of work. */
const rowsPerPiece = 200;
/** After this many young calls in a row, the search for old ones ends. */
const callsPerLook = 10_000;

interface Reset {
  readonly id: number;
  readonly server: string | null;
  readonly tool: string | null;
  readonly upto: number;
}

export class CallCleaner {
  readonly #connection: DatabaseSync;
  readonly #writer: PacedWriter;

  constructor(connection: DatabaseSync, writer: PacedWriter) {
    this.#connection = connection;
    this.#writer = writer;
  }

  /** Says how many rows of calls were removed. */
  clean(order: { readonly now: number; readonly expireBefore: number }): number {
    for (const kind of pairKinds) this.#forgetPairs(kind);
    return this.#removeForgotten() + this.#removeExpired(order);
  }

  /** Those that did not occur for longest. */
  #forgetPairs(kind: string): void {
    const count = Number(this.#connection.prepare('select count(*) as n from call_pair where kind = ?').get(kind)?.n);
    if (count <= mostPairs + pairSlack) return;
    const oldest = this.#connection
      .prepare('select rowid as id from call_pair where kind = ? order by upto, count limit ?')
      .all(kind, count - mostPairs);
    this.#deleteRows('call_pair', oldest);
  }

  #removeForgotten(): number {
    const resets = this.#connection.prepare('select * from call_reset order by id').all() as unknown as Reset[];
    let removed = 0;
    for (const { id, server, tool, upto } of resets) {
      // `is` holds for everything where nothing is named.
      const find = this.#connection.prepare(`select id from call where id > ? and id <= ?
        and server is coalesce(?, server) and tool is coalesce(?, tool) order by id limit ?`);
      removed += this.#removeFound((last) => find.all(last, upto, server, tool, rowsPerPiece));
      if (!this.#writer.isStopped) this.#deleteRows('call_reset', [{ id }]);
    }
    return removed;
  }

  /**
   * A call that lies far in the future was written while the clock was wrong, and would otherwise stay until then. But it
   * may be now that it is wrong, so that whatever is as near as calls are kept stays.
   */
  #removeExpired({ now, expireBefore: before }: { readonly now: number; readonly expireBefore: number }): number {
    const after = now + (now - before);
    const find = this.#connection.prepare(`select id from
      (select id, at from call where id > ? and id <= (select watermark from roll_up) order by id limit ?)
      where at < ? or at > ? limit ?`);
    return this.#removeFound((last) => find.all(last, callsPerLook, before, after, rowsPerPiece));
  }

  /** `find` gives the next few after an id, until there are none. */
  #removeFound(find: (last: number) => Record<string, unknown>[]): number {
    let [removed, last] = [0, 0];
    while (!this.#writer.isStopped) {
      const found = find(last);
      if (found.length === 0) break;
      this.#deleteRows('call', found);
      removed += found.length;
      last = Number(found.at(-1)?.id);
    }
    return removed;
  }

  #deleteRows(table: string, rows: readonly Record<string, unknown>[]): void {
    const remove = this.#connection.prepare(`delete from ${table} where rowid = ?`);
    this.#writer.writeInPieces(rows, rowsPerPiece, (piece) => {
      for (const { id } of piece) remove.run(Number(id));
    });
  }
}

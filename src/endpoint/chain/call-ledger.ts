/** The calls that a program made, as its agent is told: each by itself while they are few, else one row a tool. */

import type { Clock } from '../../base/clock.ts';
import type { ErrorCode } from '../../base/errors.ts';

/** Up to so many calls have a row each; beyond, only so many that failed. */
const singleRows = 20;

export interface CallRow {
  /** `server:tool`. */
  readonly tool: string;
  /** Of several calls, their sum. */
  readonly ms: number;
  readonly ok: boolean;
  readonly cached: boolean;
  /** How many calls this row stands for, where it is not one. */
  readonly count?: number | undefined;
  readonly error?: ErrorCode | undefined;
}

export interface CallEnd {
  readonly isOk: boolean;
  readonly isCached?: boolean | undefined;
  readonly error?: ErrorCode | undefined;
}

interface Entered {
  readonly tool: string;
  readonly since: number;
  row?: CallRow;
}

export class CallLedger {
  /** How many have ended. */
  done = 0;
  readonly #clock: Clock;
  readonly #entered: Entered[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes the beginning of a call; the function that it gives notes the end. */
  begin(tool: string): (end: CallEnd) => void {
    const entered: Entered = { tool, since: this.#clock.elapsed() };
    this.#entered.push(entered);
    return (end) => {
      entered.row ??= this.#close(entered, end);
      this.done += 1;
    };
  }

  /** Those that have not ended were given up with their program. */
  rows(): readonly CallRow[] {
    const all = this.#entered.map(
      (entered) => entered.row ?? this.#close(entered, { isOk: false, error: 'CANCELLED' }),
    );
    if (all.length <= singleRows) return all;
    const failed = new Set(all.filter(({ ok }) => !ok).slice(0, singleRows));
    const sums = new Map<string, CallRow>();
    const rows: (CallRow | string)[] = [];
    for (const row of all) {
      if (failed.has(row)) {
        rows.push(row);
        continue;
      }
      const key = JSON.stringify([row.tool, row.ok, row.cached, row.error]);
      const sum = sums.get(key);
      if (!sum) rows.push(key);
      sums.set(key, sum ? { ...row, ms: row.ms + sum.ms, count: (sum.count ?? 1) + 1 } : row);
    }
    return rows.map((row) => (typeof row === 'string' ? (sums.get(row) as CallRow) : row));
  }

  #close({ tool, since }: Entered, { isOk, isCached = false, error }: CallEnd): CallRow {
    const ms = Math.round(this.#clock.elapsed() - since);
    return { tool, ms, ok: isOk, cached: isCached, ...(error === undefined ? {} : { error }) };
  }
}

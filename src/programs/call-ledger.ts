/** The calls that a program made, as its agent is told: each by itself while they are few, else one row a tool and outcome. */

import type { Clock } from '../base/clock.ts';
import type { ErrorCode } from '../base/errors.ts';

/** Up to so many calls have a row each. */
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
  /** Whether there are calls that the program did not wait for, though it came to its result. */
  hasUnawaited = false;
  readonly #clock: Clock;
  readonly #entered: Entered[] = [];
  #hasReturned = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes the beginning of a call; the function that it gives notes the end. */
  begin(tool: string): (end: CallEnd) => void {
    const entered: Entered = { tool, since: this.#clock.elapsed() };
    this.hasUnawaited ||= this.#hasReturned;
    this.#entered.push(entered);
    return (end) => {
      entered.row ??= this.#close(entered, end);
      this.done += 1;
    };
  }

  /** The program has its result: it did not await so many calls, nor any that begins from now on. */
  returned(calls: number): void {
    this.#hasReturned = true;
    this.hasUnawaited ||= calls > 0;
  }

  /** Those that have not ended were given up with their program. */
  rows(): readonly CallRow[] {
    const all = this.#entered.map(
      (entered) => entered.row ?? this.#close(entered, { isOk: false, error: 'CANCELLED' }),
    );
    if (all.length <= singleRows) return all;
    const sums = new Map<string, CallRow>();
    for (const row of all) {
      const key = JSON.stringify([row.tool, row.ok, row.cached, row.error]);
      const sum = sums.get(key);
      sums.set(key, sum ? { ...row, ms: row.ms + sum.ms, count: (sum.count ?? 1) + 1 } : row);
    }
    return [...sums.values()];
  }

  #close({ tool, since }: Entered, { isOk, isCached = false, error }: CallEnd): CallRow {
    const ms = Math.round(this.#clock.elapsed() - since);
    return { tool, ms, ok: isOk, cached: isCached, ...(error === undefined ? {} : { error }) };
  }
}

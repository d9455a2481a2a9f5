/** The record of a program, as its agent reads it: its calls, one row each while they are few, else one row a tool and outcome; and the values that it kept. */

import type { Principal } from '../access/access.ts';
import type { Clock } from '../base/clock.ts';
import type { ErrorCode } from '../base/errors.ts';
import type { Result } from '../protocol/messages.ts';
import type { StoredResults } from '../results/results.ts';

/** Most calls that have a row each. */
const singleRows = 20;

export interface ProgramCall {
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

interface CallEnd {
  readonly isOk: boolean;
  readonly isCached?: boolean | undefined;
  readonly error?: ErrorCode | undefined;
}

interface Entered {
  readonly tool: string;
  readonly since: number;
  row?: ProgramCall;
}

export class CallLedger {
  /** How many have ended. */
  done = 0;
  /** True if there are calls that the program did not wait for, though it came to its result. */
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

  /** The program has its result: it did not await `calls` calls, nor any that begins from now on. */
  returned(calls: number): void {
    this.#hasReturned = true;
    this.hasUnawaited ||= calls > 0;
  }

  /** Those that have not ended were given up with their program. */
  rows(): readonly ProgramCall[] {
    const all = this.#entered.map(
      (entered) => entered.row ?? this.#close(entered, { isOk: false, error: 'CANCELLED' }),
    );
    if (all.length <= singleRows) return all;
    const sums = new Map<string, ProgramCall>();
    for (const row of all) {
      const key = JSON.stringify([row.tool, row.ok, row.cached, row.error]);
      const sum = sums.get(key);
      sums.set(key, sum ? { ...row, ms: row.ms + sum.ms, count: (sum.count ?? 1) + 1 } : row);
    }
    return [...sums.values()];
  }

  #close({ tool, since }: Entered, { isOk, isCached = false, error }: CallEnd): ProgramCall {
    const ms = Math.round(this.#clock.elapsed() - since);
    return { tool, ms, ok: isOk, cached: isCached, ...(error === undefined ? {} : { error }) };
  }
}

interface CallFacts {
  readonly rows: readonly ProgramCall[];
  /** True if the program came to its result without waiting for some. */
  readonly hasUnawaited: boolean;
  /** Calls that it asked for and that were never made. */
  readonly unsent: number;
}

const unawaited = 'Some calls were not awaited. The list says how they ended; write await before every call.';

export function callNotes({ rows, hasUnawaited, unsent }: CallFacts): string[] {
  const givenUp = countOf(rows, isGivenUp);
  return [
    ...(hasUnawaited ? [unawaited] : []),
    ...(givenUp === 0
      ? []
      : [`${calls(givenUp, 'was', 'were')} cancelled on the way (CANCELLED) and may have taken effect.`]),
    ...(unsent === 0
      ? []
      : [`${calls(unsent, 'was', 'were')} never made, and ${unsent === 1 ? 'is' : 'are'} not in the list.`]),
  ];
}

/** A call that was under way when nobody waited for it any more. */
export function isGivenUp({ error }: ProgramCall): boolean {
  return error === 'CANCELLED';
}

function countOf(rows: readonly ProgramCall[], isMeant: (row: ProgramCall) => boolean): number {
  return rows.filter(isMeant).reduce((sum, { count = 1 }) => sum + count, 0);
}

function calls(count: number, one: string, several: string): string {
  return count === 1 ? `One call ${one}` : `${count} calls ${several}`;
}

/** The tool that they are said to come from. */
export const chainKey = 'toolcrib:call_tool_chain';

export interface KeptValue {
  readonly name?: string | undefined;
  readonly uri: string;
  readonly bytes: number;
}

/** A text is kept as such, so that it is read by its lines. */
export function keepValue(results: Pick<StoredResults, 'keep'>, principal: Principal, value: unknown) {
  return results.keep(resultOf(value), { principal: principal.id, toolKey: chainKey });
}

export function resultOf(value: unknown): Result {
  return typeof value === 'string' ? { content: [{ type: 'text', text: value }] } : { structuredContent: value };
}

/** Runs programs of agents: each in a virtual machine of its own, inside threads that can be ended from outside. */

import type { Clock } from '../base/clock.ts';
import type { ErrorCode } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { ChainPool } from './chain-pool.ts';

export { declareTypes } from './declare-types.ts';

export interface ChainProgram {
  readonly code: string;
  /** The id of the principal whose it is: one gets at most a share of the threads and of the places where programs wait. */
  readonly principal?: string;
  /** Names of the servers that are there, for `servers` and for globals. */
  readonly serverNames: readonly string[];
  /** JSON text `{ "server": ["tool", …] }`; parsed in the virtual machine, and only when it is asked for. */
  readonly namesJson: string;
}

export interface ChainLimits {
  /** The whole budget: waiting for a thread, computing, waiting for calls, sleeping. */
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  /** Tool calls that one program may make. */
  readonly maxCalls: number;
  /** Bytes of the log lines that are kept. */
  readonly maxOutputBytes: number;
}

export const guestRequestKinds = ['call', 'search', 'info', 'types', 'keep', 'load'] as const;

/** A request of a program to its host; `input` is parsed JSON, bounded in size and depth. */
export interface GuestRequest {
  readonly kind: (typeof guestRequestKinds)[number];
  readonly input: unknown;
}

export interface ChainHost {
  /** JSON text of the answer. A GatewayError that it throws becomes an Error in the program with `code`, `hint`, `data` and `tool`. */
  answer(request: GuestRequest, signal: AbortSignal): Promise<string>;
  /** Called when a program has its result while work that it did not wait for is under way, with the number of calls in it; that work goes on within its time. */
  returned?(calls: number): void;
}

export interface ChainFailure {
  readonly reason: 'syntax' | 'thrown' | 'timeout' | 'memory' | 'stack' | 'calls' | 'output' | 'crashed' | 'cancelled';
  readonly name: string;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  /** The line of the program that is meant. */
  readonly excerpt?: string;
  readonly hint?: string;
  /** Set where a tool call's trouble was not caught. */
  readonly code?: ErrorCode;
  readonly tool?: string;
}

export interface ChainReport {
  /** JSON text of what the program gave; undefined where it gave nothing. */
  readonly resultJson?: string;
  readonly failure?: ChainFailure;
  readonly logs: readonly string[];
  /** Lines that were not kept. */
  readonly lostLogs: number;
  readonly notes: readonly string[];
  /** Calls that the program asked for and that were never made, where there are any. */
  readonly unsentCalls?: number;
}

export interface SandboxOptions {
  readonly clock: Clock;
  readonly log: Log;
}

export class Sandbox {
  readonly #pool: ChainPool;

  /** Threads start with the first program. */
  constructor(options: SandboxOptions) {
    this.#pool = new ChainPool(options);
  }

  /** Never rejects for what a program does; RATE_LIMITED where too many wait, or where it waited in vain for all of its time. */
  run(program: ChainProgram, limits: ChainLimits, host: ChainHost, signal: AbortSignal): Promise<ChainReport> {
    return this.#pool.run(program, limits, host, signal);
  }

  /** Idempotent; ends all threads, and with them the programs that still run. */
  close(): Promise<void> {
    return this.#pool.close();
  }
}

/** Threads of programs that are only played, for tests of the pool. */

import { setImmediate as turn } from 'node:timers/promises';
import { silentLog } from '../../src/base/log.ts';
import { ChainPool } from '../../src/sandbox/chain-pool.ts';
import type { ChainThread, Loss } from '../../src/sandbox/pool-thread.ts';
import type { ChainHost } from '../../src/sandbox/sandbox.ts';
import type { FromThread, RunEnd, RunOrder, ToThread } from '../../src/sandbox/thread-messages.ts';
import { ManualClock } from './manual-clock.ts';

export class PlayedThread implements ChainThread {
  lostLogs = 0;
  isEnded = false;
  order: RunOrder | undefined;
  readonly told: ToThread[] = [];
  #onMessage: (message: FromThread) => void = () => {};
  readonly lose: (loss: Loss) => void;

  constructor(lose: (loss: Loss) => void) {
    this.lose = lose;
  }

  begin(order: RunOrder, onMessage: (message: FromThread) => void): void {
    this.order = order;
    this.#onMessage = onMessage;
  }

  tell(message: ToThread): void {
    this.told.push(message);
    if (message.kind === 'answer') this.#onMessage({ kind: 'taken', run: message.run, id: message.id });
  }

  release(): void {
    this.#onMessage = () => {};
  }

  async end(): Promise<void> {
    this.isEnded = true;
  }

  says(
    message:
      | { kind: 'request'; id: number; text: string }
      | { kind: 'log'; line: string }
      | { kind: 'returned'; calls: number; end: RunEnd },
  ): void {
    this.#onMessage({ ...message, run: this.order?.run ?? 0 });
  }

  finishes(resultJson: string, machineBytes = 0): void {
    this.ends({ resultJson, notes: [] }, machineBytes);
  }

  ends(end: RunEnd, machineBytes = 0): void {
    this.#onMessage({ kind: 'end', run: this.order?.run ?? 0, end, machineBytes });
  }
}

/** A pool with such threads, a clock that a test moves, and programs that are only numbers. */
export function setup() {
  const clock = new ManualClock();
  const threads: PlayedThread[] = [];
  const errors: string[] = [];
  const log = { ...silentLog, error: (event: string) => errors.push(event) };
  let refusal: Error | undefined;
  const pool = new ChainPool({ clock, log }, async (onLoss) => {
    if (refusal !== undefined) throw refusal;
    const thread = new PlayedThread(onLoss);
    threads.push(thread);
    return thread;
  });
  const run = (given: { host?: ChainHost; signal?: AbortSignal; timeoutMs?: number; code?: string } = {}) => {
    const { host = { answer: async () => 'null' }, signal = new AbortController().signal, timeoutMs = 1_000 } = given;
    const limits = { timeoutMs, memoryBytes: 2 ** 25, maxCalls: 3, maxOutputBytes: 100 };
    const program = { code: given.code ?? '1', serverNames: [], namesJson: '{}' };
    return pool.run(program, limits, host, signal);
  };
  const refuse = (error: Error | undefined) => {
    refusal = error;
  };
  return { clock, pool, threads, errors, run, refuse };
}

export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turn();
}
/** A call, as a thread sends it. */
export const request = (id: number) => ({ kind: 'request', id, text: `{"kind":"call","input":{"id":${id}}}` }) as const;

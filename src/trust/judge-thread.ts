/** Judges in a thread of its own, which is there while there is something to judge; one serves every gateway of a process. */

import { extname } from 'node:path';
import { setImmediate as giveWay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type Clock, systemClock, type Timer } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import { limits } from '../config/config.ts';
import type { Judge, JudgeOrder } from './judge-cases.ts';
import type { JudgeReply, SentOrder } from './judge-worker.ts';
import { SentNames } from './sent-names.ts';
import type { PinStep } from './sighting.ts';

/** The source runs as it is and also compiled: the worker's file ends like this one. */
const workerFile = new URL(`./judge-worker${extname(import.meta.url)}`, import.meta.url);

interface QueuedOrder extends Pick<JudgeOrder, 'left'> {
  readonly run: () => void;
  readonly done: Promise<unknown>;
}

export class JudgeThread {
  readonly #clock: Clock;
  readonly #file: URL;
  #worker: Worker | undefined;
  /** The names that the present worker has. */
  #names = new SentNames();
  #idle: Timer | undefined;
  readonly #waiting: QueuedOrder[] = [];
  #isBusy = false;

  constructor(clock: Clock, file = workerFile) {
    this.#clock = clock;
    this.#file = file;
  }

  /** Rejects where the judgement does not come, whatever the reason: what nobody has judged is not taken. */
  readonly judge: Judge = (order) => {
    const { promise, resolve } = Promise.withResolvers<readonly PinStep[]>();
    this.#waiting.push({ left: order.left, run: () => resolve(this.#judge(order)), done: promise });
    if (!this.#isBusy) void this.#work();
    return promise;
  };

  /**
   * One order after the other. Short listings go first, so that a small one does not wait for a large one, and one that was begun
   * goes on before another of its size: each listing has its own neighbours, which the thread would be sent again and again.
   */
  async #work(): Promise<void> {
    this.#isBusy = true;
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      next.run();
      // The caller gets the failure; the next order still runs.
      await next.done.catch(() => {});
      // The listing that it belongs to hands in its next one.
      await giveWay();
    }
    this.#isBusy = false;
  }

  #next(): QueuedOrder | undefined {
    const least = Math.min(...this.#waiting.map(({ left }) => left));
    const at = this.#waiting.findIndex(({ left }) => left === least);
    return at === -1 ? undefined : this.#waiting.splice(at, 1)[0];
  }

  /** Starts the thread, or keeps it alive, before the definitions that it will judge arrive. */
  prepare(): void {
    if (this.#worker === undefined || this.#idle !== undefined) this.#rest(this.#started());
  }

  #started(): Worker {
    if (this.#worker) return this.#worker;
    // Not with the options of this process: some, such as `--input-type`, would keep the thread from starting.
    const worker = new Worker(this.#file, { execArgv: [] });
    // One that ends while nobody waits for it must neither end the process nor get the next order.
    worker.on('error', () => {}).on('exit', () => this.#end(worker));
    this.#worker = worker;
    this.#names = new SentNames();
    return worker;
  }

  #rest(worker: Worker): void {
    worker.unref();
    this.#stay();
    this.#idle = this.#clock.after(limits.judgeIdleMs, () => this.#end(worker));
  }

  #stay(): void {
    this.#idle?.cancel();
    this.#idle = undefined;
  }

  async #judge(order: JudgeOrder): Promise<readonly PinStep[]> {
    const worker = this.#started();
    this.#stay();
    worker.ref();
    try {
      const reply = await this.#replyOf(worker, order);
      if ('error' in reply) throw unjudged(reply.error);
      this.#rest(worker);
      return reply.steps;
    } catch (error) {
      this.#end(worker);
      throw error;
    }
  }

  #replyOf(worker: Worker, order: JudgeOrder): Promise<JudgeReply> {
    const { promise, resolve, reject } = Promise.withResolvers<JudgeReply>();
    const onExit = () => reject(unjudged('the thread ended'));
    const onError = (error: Error) => reject(unjudged(error.message));
    const late = this.#clock.after(limits.judgeMs, () => reject(unjudged(`it takes longer than ${limits.judgeMs} ms`)));
    worker.once('message', resolve).once('error', onError).once('exit', onExit);
    worker.postMessage({ ...order, neighbours: this.#names.missing(order.neighbours) } satisfies SentOrder);
    return promise.finally(() => {
      late.cancel();
      worker.off('message', resolve).off('error', onError).off('exit', onExit);
    });
  }

  #end(worker: Worker): void {
    if (this.#worker === worker) {
      this.#worker = undefined;
      this.#stay();
    }
    void worker.terminate();
  }
}

function unjudged(why: string): GatewayError {
  return new GatewayError('SERVER_NOT_RUNNING', `Can't check the definitions of the server: ${why}.`, {
    hint: 'Toolcrib keeps the approved ones and lists the server again later.',
  });
}

/** The judge of this process. */
export const judgeApart = new JudgeThread(systemClock);

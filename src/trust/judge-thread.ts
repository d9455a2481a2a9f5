/** Judges in a thread of its own, which is there while there is something to judge; one serves every gateway of a process. */

import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Clock, systemClock, type Timer } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import { limits } from '../config/config.ts';
import type { Judge, JudgeOrder } from './judge-cases.ts';
import type { JudgeReply } from './judge-worker.ts';
import type { PinStep } from './sighting.ts';

/** The source runs as it is and also compiled: the worker's file ends like this one. */
const workerFile = new URL(`./judge-worker${extname(import.meta.url)}`, import.meta.url);

export class JudgeThread {
  readonly #clock: Clock;
  readonly #file: URL;
  #worker: Worker | undefined;
  #idle: Timer | undefined;
  /** Settles when every order so far is done: the thread gets one after the other. */
  #orders: Promise<unknown> = Promise.resolve();

  constructor(clock: Clock, file = workerFile) {
    this.#clock = clock;
    this.#file = file;
  }

  /** Rejects where the judgement does not come, whatever the reason: what nobody has judged is not taken. */
  readonly judge: Judge = (order) => {
    const judged = this.#orders.then(() => this.#judge(order));
    // The caller gets the failure; the next order still runs.
    this.#orders = judged.catch(() => {});
    return judged;
  };

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
    worker.postMessage(order);
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

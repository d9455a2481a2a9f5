/** The queue in which a gateway's own writes wait for their turn. */

import { setImmediate as giveWay } from 'node:timers/promises';
import { GatewayError } from '../base/errors.ts';

/** Far more than a working database lets pile up: a full queue means that writes do not get through. */
const queueLimit = 10_000;

/** A caller that writes in a loop never has two writes in the queue, and would still keep everybody else waiting. */
const writesPerTurn = 16;

/** Runs writes one after the other, in the order they were asked for, and lets the event loop turn between them. */
export class WriteQueue {
  #last: Promise<unknown> = Promise.resolve();
  #length = 0;
  #done = 0;

  /** Rejects with STORE_BUSY at once when the queue is full. */
  async run<T>(act: () => Promise<T>): Promise<T> {
    if (this.#length >= queueLimit) {
      throw new GatewayError('STORE_BUSY', `${queueLimit} writes are already waiting for the store.`);
    }
    this.#length += 1;
    const running = this.#last.then(act);
    // The failure of one write is its caller's affair and must not stop the next.
    this.#last = running.then(this.#next, this.#next);
    return running;
  }

  readonly #next = async (): Promise<void> => {
    this.#length -= 1;
    this.#done += 1;
    if (this.#length > 0 || this.#done % writesPerTurn === 0) await giveWay();
  };
}

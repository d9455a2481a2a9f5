/** Lets a number of acts run at once and a number wait in line; more are refused. */

import type { GatewayError } from './errors.ts';

export class Limiter {
  readonly #refuse: (running: number, waiting: number) => GatewayError;
  #atOnce: number;
  readonly #maxWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** `refuse`: the trouble of whoever finds so many before. */
  constructor(refuse: (running: number, waiting: number) => GatewayError, atOnce: number, maxWaiting: number) {
    this.#refuse = refuse;
    this.#atOnce = atOnce;
    this.#maxWaiting = maxWaiting;
  }

  get running(): number {
    return this.#running;
  }

  get isFull(): boolean {
    return this.#running >= this.#atOnce;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** A higher limit lets in those who wait; a lower one ends nothing that runs. */
  set atOnce(count: number) {
    this.#atOnce = count;
    this.#admit();
  }

  async run<T>(act: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.isFull) await this.#turn(signal);
    else this.#running += 1;
    try {
      return await act();
    } finally {
      this.#running -= 1;
      this.#admit();
    }
  }

  /** A free slot goes straight to the next in line, so that nobody can slip in between. */
  #admit(): void {
    while (!this.isFull) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#running += 1;
      next();
    }
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    if (this.#waiting.length >= this.#maxWaiting) throw this.#refuse(this.#running, this.#waiting.length);
    if (signal?.aborted) throw signal.reason;
    return new Promise((resolve, reject) => {
      const turn = () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = () => {
        const at = this.#waiting.indexOf(turn);
        if (at !== -1) this.#waiting.splice(at, 1);
        reject(signal?.reason);
      };
      this.#waiting.push(turn);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }
}

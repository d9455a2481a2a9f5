/** The way to the agent: one message a line, at the speed at which the agent reads. */

import type { Writable } from 'node:stream';
import { bridgeLimits } from './bridge-limits.ts';

export class LineWriter {
  readonly #output: Writable;
  readonly #gone = Promise.withResolvers<void>();
  #isGone = false;
  #draining: Promise<unknown> | undefined;

  constructor(output: Writable) {
    this.#output = output;
    const onGone = () => {
      this.#isGone = true;
      this.#gone.resolve();
    };
    // Also EPIPE: our starter has closed its end, which asks a bridge to go.
    output.on('error', onGone);
    output.once('close', onGone);
  }

  /** Resolves when nobody reads any more. */
  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  /** True when so much waits that nothing should be done that makes more of it. */
  get isFull(): boolean {
    return !this.#isGone && this.#output.writableLength > bridgeLimits.maxOutputBytes;
  }

  write(line: string): void {
    if (!this.#isGone) this.#output.write(`${line}\n`);
  }

  /** Resolves when the agent has read enough that more can be written, or reads no more. */
  async drained(): Promise<void> {
    while (!this.#isGone && this.#output.writableNeedDrain) {
      // One wait for all: hundreds of answers may be held back at once.
      this.#draining ??= new Promise((resolve) => this.#output.once('drain', resolve)).finally(() => {
        this.#draining = undefined;
      });
      await Promise.race([this.#draining, this.#gone.promise]);
    }
  }

  /** Resolves when everything is written, or nobody reads any more. */
  async flush(): Promise<void> {
    if (this.#isGone || this.#output.writableLength === 0) return;
    await Promise.race([new Promise<void>((resolve) => this.#output.write('', () => resolve())), this.#gone.promise]);
  }
}

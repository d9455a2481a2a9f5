/** Keeps the write-ahead log short: SQLite's own checkpoint would wait for the disk on the event loop, so it is done in a thread. */

import { stat } from 'node:fs/promises';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { runStoreJob } from './run-store-job.ts';

const writesPerLook = 16;
/** If readers keep the log long, the next try waits for this many writes: each costs a thread. */
const writesAfterTry = 4_000;
/**
 * A call is a page of four kilobytes, so that about 16,000 of them fit; each checkpoint costs a thread and two waits for
 * the disk. After a kill the log is read through once, which takes a fraction of a second, and a truncated log gives its
 * space back.
 */
export const logLimitBytes = 64 * 1024 * 1024;

export class Checkpointer {
  readonly #file: string;
  readonly #log: Log;
  #writes = 0;
  #untilLook = writesPerLook;
  #running: Promise<void> | undefined;

  constructor(file: string, log: Log) {
    this.#file = file;
    this.#log = log;
  }

  /** Called after each write; now and then looks at the log's size. */
  noteWrite(): void {
    this.#writes += 1;
    if (this.#writes < this.#untilLook || this.#running !== undefined) return;
    this.#writes = 0;
    this.#untilLook = writesPerLook;
    this.#running = this.#shorten().finally(() => {
      this.#running = undefined;
    });
  }

  async settle(): Promise<void> {
    await this.#running;
  }

  async #shorten(): Promise<void> {
    try {
      const { size } = await stat(`${this.#file}-wal`);
      if (size < logLimitBytes) return;
      this.#untilLook = writesAfterTry;
      await runStoreJob('checkpoint', this.#file, null).result;
    } catch (error) {
      // Nothing is lost: the log only stays long until the next attempt.
      this.#log.warn('The log of the store could not be shortened.', { file: this.#file, error: messageOf(error) });
    }
  }
}

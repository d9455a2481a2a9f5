/** The folder for messages that are too long for the memory: bounded, private, and empty after a start. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import { randomId } from '../base/ids.ts';
import { limits } from '../config/config.ts';
import { SpoolFile } from './spool-file.ts';

interface SpoolOptions {
  /** `results/spool` in here is the spool's own. */
  readonly dataDir: string;
  readonly clock: Clock;
  readonly limitBytes?: number | undefined;
}

export class Spool {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #files = new Set<SpoolFile>();
  #bytes = 0;
  #isClosed = false;

  constructor({ dataDir, clock, limitBytes = limits.spoolBytes }: SpoolOptions) {
    this.#folder = join(dataDir, 'results', 'spool');
    this.#clock = clock;
    this.#limit = limitBytes;
  }

  /** Removes what an earlier run could not; the folder itself is made with the first file. */
  async open(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** On disk now, of messages that arrive or are worked on. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Throws STORE_BROKEN where the disk does not take it. */
  create(): SpoolFile {
    if (this.#isClosed) throw new GatewayError('CANCELLED', 'The gateway is closing.');
    const file: SpoolFile = new SpoolFile({
      path: join(this.#folder, randomId()),
      onGrow: (bytes) => this.#grow(bytes),
      onReleased: (bytes) => {
        this.#bytes -= bytes;
        this.#files.delete(file);
        backstop.cancel();
      },
    });
    this.#files.add(file);
    // Nobody waits for an answer this long: who still has it has forgotten it.
    const backstop = this.#clock.after(limits.spoolHoldMs, () => file.release());
    return file;
  }

  close(): void {
    this.#isClosed = true;
    for (const file of [...this.#files]) file.release();
  }

  #grow(bytes: number): void {
    if (this.#bytes + bytes > this.#limit) {
      throw new GatewayError('RATE_LIMITED', `Large answers under way already take ${this.#limit} bytes on disk.`, {
        hint: 'Try again when other calls have finished, or ask for less at a time.',
        data: { reason: 'spool-full' },
      });
    }
    this.#bytes += bytes;
  }
}

/** A lock on the data folder that this process holds. */

import { removeHolder, type SignedHolder, writeHolder } from './lock-holder.ts';

export interface DataLock {
  /** Tells others where the gateway can be reached. */
  update(change: { readonly url: string | null }): Promise<void>;
  /** Idempotent. */
  release(): Promise<void>;
}

export class HeldLock implements DataLock {
  readonly #dataDir: string;
  readonly #unlock: () => void;
  #holder: SignedHolder;
  #writing: Promise<void> = Promise.resolve();
  #releasing: Promise<void> | undefined;

  /** `unlock` gives the lock itself back. */
  constructor(dataDir: string, holder: SignedHolder, unlock: () => void) {
    this.#dataDir = dataDir;
    this.#holder = holder;
    this.#unlock = unlock;
  }

  /** Writes down who holds the lock. */
  async sign(): Promise<void> {
    try {
      await this.#write();
    } catch (error) {
      this.#unlock();
      throw error;
    }
  }

  update({ url }: { readonly url: string | null }): Promise<void> {
    this.#holder = { ...this.#holder, url };
    return this.#write();
  }

  release(): Promise<void> {
    this.#releasing ??= this.#release();
    return this.#releasing;
  }

  async #release(): Promise<void> {
    await this.#writing;
    try {
      // Before the lock goes: afterwards the note may already be the next holder's.
      await removeHolder(this.#dataDir);
    } finally {
      this.#unlock();
    }
  }

  /** One after the other, and never after the release. */
  #write(): Promise<void> {
    const writing = this.#writing.then(async () => {
      if (this.#releasing === undefined) await writeHolder(this.#dataDir, this.#holder);
    });
    this.#writing = writing.catch(() => {});
    return writing;
  }
}

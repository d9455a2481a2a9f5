/** Writes uses behind: what changed within half a second goes to the store together, and nobody waits for it. */

import type { Clock, Timer } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { StoredUse, UseKey, UseStore } from '../../store/store.ts';

/** How long changes are gathered before they are written. */
export const writeDelayMs = 500;
/** Removals that wait for a store that fails. More are left out: the next start removes what is too much. */
const mostWaitingRemovals = 10_000;

export class UseWriter {
  readonly #store: UseStore;
  readonly #clock: Clock;
  readonly #log: Log;
  #unsaved = new Map<string, StoredUse>();
  #unremoved = new Map<string, UseKey>();
  #timer: Timer | undefined;
  #writing: Promise<void> | undefined;
  #isFailing = false;

  constructor(store: UseStore, clock: Clock, log: Log) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  /** `use` is read when it is written, so that it may change until then. */
  save(use: StoredUse): void {
    const id = idOf(use);
    this.#unremoved.delete(id);
    this.#unsaved.set(id, use);
    this.#schedule();
  }

  remove(use: UseKey): void {
    const id = idOf(use);
    this.#unsaved.delete(id);
    if (this.#unremoved.size < mostWaitingRemovals) this.#unremoved.set(id, use);
    this.#schedule();
  }

  /** Writes what is left; a store that still fails has lost it. */
  async close(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    await this.#writing;
    await this.#write();
  }

  #schedule(): void {
    if (this.#timer || this.#writing) return;
    this.#timer = this.#clock.after(writeDelayMs, () => {
      this.#timer = undefined;
      this.#writing = this.#write().finally(() => {
        this.#writing = undefined;
        // A store that fails is tried again with the next change, not for ever in a circle.
        if (!this.#isFailing && this.#unsaved.size + this.#unremoved.size > 0) this.#schedule();
      });
    });
  }

  async #write(): Promise<void> {
    const [saving, removing] = [this.#unsaved, this.#unremoved];
    if (saving.size + removing.size === 0) return;
    this.#unsaved = new Map();
    this.#unremoved = new Map();
    try {
      if (removing.size > 0) await this.#store.removeUses([...removing.values()].map(keyOf));
      if (saving.size > 0) await this.#store.saveUses([...saving.values()].map(asStored));
      this.#isFailing = false;
    } catch (error) {
      this.#keep(saving, removing);
      if (this.#isFailing) return;
      this.#isFailing = true;
      this.#log.warn('Use of tools cannot be stored for now', { error: messageOf(error) });
    }
  }

  /** Failed writes wait, unless a newer one replaced them. */
  #keep(saving: ReadonlyMap<string, StoredUse>, removing: ReadonlyMap<string, UseKey>): void {
    for (const [id, use] of saving) if (!this.#unremoved.has(id)) this.#unsaved.set(id, use);
    for (const [id, use] of removing) {
      if (!this.#unsaved.has(id) && this.#unremoved.size < mostWaitingRemovals) this.#unremoved.set(id, use);
    }
  }
}

function asStored({ query, toolKey, good, bad, at }: StoredUse): StoredUse {
  return { query, toolKey, good, bad, at };
}

function keyOf({ query, toolKey }: UseKey): UseKey {
  return { query, toolKey };
}

function idOf({ query, toolKey }: UseKey): string {
  return JSON.stringify([query, toolKey]);
}

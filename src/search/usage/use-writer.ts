/** Writes uses behind: those of half a second are added to the store together, and nobody waits for it. */

import type { Clock, Timer } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { type StoredUse, sumOfUses, type UseKey, type UseStore } from '../../store/store.ts';

/** How long uses are gathered before they are written. */
export const writeDelayMs = 500;
/** Removals that wait for a store that fails. More are left out: the next start removes what is too much. */
const mostWaitingRemovals = 10_000;

type Unlisted = (use: UseKey) => StoredUse | undefined;

export class UseWriter {
  readonly #store: UseStore;
  readonly #clock: Clock;
  readonly #log: Log;
  #unsaved = new Map<string, StoredUse>();
  /** Counts that the list being read lacks. */
  #unlisted: Map<string, StoredUse> | undefined;
  #unremoved = new Map<string, UseKey>();
  #timer: Timer | undefined;
  #writing: Promise<void> | undefined;
  #isFailing = false;

  constructor(store: UseStore, clock: Clock, log: Log) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  add(use: StoredUse): void {
    addTo(this.#unsaved, use);
    if (this.#unlisted) addTo(this.#unlisted, use);
    this.#schedule();
  }

  remove(use: UseKey): void {
    const id = idOf(use);
    this.#unsaved.delete(id);
    this.#unlisted?.delete(id);
    if (this.#unremoved.size < mostWaitingRemovals) this.#unremoved.set(id, use);
    this.#schedule();
  }

  /** Reads what all gateways wrote. `unlisted` says which counts come on top of it, also while it is being read. */
  async list(read: (rows: readonly StoredUse[], unlisted: Unlisted) => Promise<void>): Promise<void> {
    // What is written meanwhile could be in the list or not.
    const listing = this.#afterWrites().then(() => {
      this.#unlisted = new Map(this.#unsaved);
      return this.#store.listUses();
    });
    void this.#keepBusy(
      listing.then(
        () => {},
        () => {},
      ),
    );
    try {
      const rows = await listing;
      const there = rows.filter((row) => !this.#unremoved.has(idOf(row)));
      await read(there, (use) => this.#unlisted?.get(idOf(use)));
    } finally {
      this.#unlisted = undefined;
    }
  }

  /** Writes what is left; a store that still fails has lost it. */
  async close(): Promise<void> {
    while (this.#writing) await this.#writing;
    this.#timer?.cancel();
    this.#timer = undefined;
    await this.#write();
  }

  #schedule(): void {
    if (this.#timer || this.#writing) return;
    this.#timer = this.#clock.after(writeDelayMs, () => {
      this.#timer = undefined;
      void this.#keepBusy(this.#afterWrites().then(() => this.#write()));
    });
  }

  async #afterWrites(): Promise<void> {
    await this.#writing;
  }

  /** Nothing else is written before the work is done. */
  #keepBusy(work: Promise<void>): Promise<void> {
    const busy: Promise<void> = work.finally(() => {
      if (this.#writing !== busy) return;
      this.#writing = undefined;
      // A store that fails is tried again with the next change, not for ever in a circle.
      if (!this.#isFailing && this.#unsaved.size + this.#unremoved.size > 0) this.#schedule();
    });
    this.#writing = busy;
    return busy;
  }

  async #write(): Promise<void> {
    const [saving, removing] = [this.#unsaved, this.#unremoved];
    if (saving.size + removing.size === 0) return;
    this.#unsaved = new Map();
    this.#unremoved = new Map();
    try {
      if (removing.size > 0) await this.#store.removeUses([...removing.values()].map(keyOf));
      if (saving.size > 0) await this.#store.addUses([...saving.values()]);
      this.#isFailing = false;
    } catch (error) {
      this.#keep(saving, removing);
      if (this.#isFailing) return;
      this.#isFailing = true;
      this.#log.warn('Use of tools cannot be stored for now', { error: messageOf(error) });
    }
  }

  /** Failed writes wait; what was removed meanwhile is not added any more. */
  #keep(saving: ReadonlyMap<string, StoredUse>, removing: ReadonlyMap<string, UseKey>): void {
    for (const [id, use] of saving) if (!this.#unremoved.has(id)) addTo(this.#unsaved, use);
    for (const [id, use] of removing) if (this.#unremoved.size < mostWaitingRemovals) this.#unremoved.set(id, use);
  }
}

function addTo(uses: Map<string, StoredUse>, use: StoredUse): void {
  const known = uses.get(idOf(use));
  uses.set(idOf(use), known ? { ...use, ...sumOfUses(known, use) } : use);
}

function keyOf({ query, toolKey }: UseKey): UseKey {
  return { query, toolKey };
}

function idOf({ query, toolKey }: UseKey): string {
  return JSON.stringify([query, toolKey]);
}

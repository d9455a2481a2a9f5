/** Reads of something that others change meanwhile, and we too: nothing replaces what is newer. */

import { type Clock, sleep } from '../base/clock.ts';

export class OrderedReads {
  #begun = 0;
  /** The latest one whose result was used. */
  #used = 0;
  /** Those up to this one began before a change of ours. */
  #outdated = 0;

  /** Resolves once `use` got everything that was there when this began, by this read or by a later one that was quicker. */
  async read<T>(look: () => Promise<T>, use: (found: T) => void): Promise<void> {
    this.#begun += 1;
    const number = this.#begun;
    const found = await look();
    if (number <= this.#outdated) return this.read(look, use);
    if (number < this.#used) return;
    this.#used = number;
    use(found);
  }

  /** To be called when a change of ours is stored: reads under way may lack it. */
  noteChange(): void {
    this.#outdated = this.#begun;
  }
}

/** A read that takes longer than this no longer keeps the next one waiting: it may hang at a connection that is dead. */
const patienceMs = 5_000;

/** One read at a time: all who ask while it runs share the next one, which finds everything that was there when they asked. */
export class CoalescedReads {
  readonly #clock: Clock;
  readonly #look: () => Promise<void>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(clock: Clock, look: () => Promise<void>) {
    this.#clock = clock;
    this.#look = look;
  }

  read(): Promise<void> {
    if (this.#running === undefined) return this.#begin();
    this.#next ??= this.#untilEnded(this.#running).then(() => {
      this.#next = undefined;
      return this.#begin();
    });
    return this.#next;
  }

  #begin(): Promise<void> {
    const running = this.#look().finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    return running;
  }

  async #untilEnded(running: Promise<void>): Promise<void> {
    const ended = new AbortController();
    const patience = sleep(this.#clock, patienceMs, ended.signal);
    await Promise.race([running, patience]).catch(() => {});
    ended.abort();
    await patience.catch(() => {});
  }
}

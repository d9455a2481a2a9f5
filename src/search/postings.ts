/** The tools that contain one word: pairs of slot and packed field counts in a typed array, ordered by slot. */

import { nameCounts, ownCounts } from './fields.ts';

export class Postings {
  readonly stem: string;
  #pairs = new Uint32Array(2);
  #size = 0;
  #ownSize = 0;

  constructor(stem: string) {
    this.stem = stem;
  }

  /** Number of tools. */
  get size(): number {
    return this.#size;
  }

  /** Number of tools that contain the word themselves, and not only in what their server says. */
  get ownSize(): number {
    return this.#ownSize;
  }

  /** Number of tools that have the word in their name. */
  get namedSize(): number {
    let count = 0;
    for (let at = 1; at < 2 * this.#size; at += 2) if (((this.#pairs[at] ?? 0) & nameCounts) !== 0) count += 1;
    return count;
  }

  /** Slot and counts of each tool, alternating; only the first `2 * size` numbers are valid. */
  get pairs(): Uint32Array {
    return this.#pairs;
  }

  /** The same of some tools only. */
  among(isSeen: (slot: number) => boolean): Postings {
    const some = new Postings(this.stem);
    for (let at = 0; at < 2 * this.#size; at += 2) {
      const slot = this.#pairs[at] ?? 0;
      if (isSeen(slot)) some.add(slot, this.#pairs[at + 1] ?? 0);
    }
    return some;
  }

  has(slot: number): boolean {
    const at = this.#position(slot);
    return at < this.#size && this.#pairs[2 * at] === slot;
  }

  /** How often the word stands in each field of a tool, packed; 0 where the tool lacks it. */
  countsOf(slot: number): number {
    const at = this.#position(slot);
    return at < this.#size && this.#pairs[2 * at] === slot ? (this.#pairs[2 * at + 1] ?? 0) : 0;
  }

  /** True where the tool itself contains the word, not only its server. */
  hasOwn(slot: number): boolean {
    return (this.countsOf(slot) & ownCounts) !== 0;
  }

  /** The slot must not be there yet. */
  add(slot: number, counts: number): void {
    if (2 * this.#size === this.#pairs.length) this.#grow();
    const at = this.#position(slot);
    this.#pairs.copyWithin(2 * at + 2, 2 * at, 2 * this.#size);
    this.#pairs[2 * at] = slot;
    this.#pairs[2 * at + 1] = counts;
    this.#size += 1;
    if ((counts & ownCounts) !== 0) this.#ownSize += 1;
  }

  /** The slot must be there. */
  remove(slot: number): void {
    const at = this.#position(slot);
    if (((this.#pairs[2 * at + 1] ?? 0) & ownCounts) !== 0) this.#ownSize -= 1;
    this.#pairs.copyWithin(2 * at, 2 * at + 2, 2 * this.#size);
    this.#size -= 1;
  }

  /** Where the slot is or belongs. New tools mostly get the highest slot, so the end is looked at first. */
  #position(slot: number): number {
    if (this.#size === 0 || (this.#pairs[2 * this.#size - 2] ?? 0) < slot) return this.#size;
    let low = 0;
    let high = this.#size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#pairs[2 * middle] ?? 0) < slot) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #grow(): void {
    const larger = new Uint32Array(2 * Math.ceil(this.#size * 1.5 + 1));
    larger.set(this.#pairs);
    this.#pairs = larger;
  }
}

/** Everything random in an examination, drawn from its seed: the same seed gives the same row again. */

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A generator of its own for one purpose, so that what others draw does not change what it draws. */
  static for(seed: number, purpose: string): Random {
    let hash = seed >>> 0;
    for (const letter of purpose) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193) >>> 0;
    return new Random(hash);
  }

  /** From 0 up to but not including 1 (mulberry32). */
  share(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  }

  /** A whole number, both ends included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.share() * (most - least + 1));
  }

  one<Item>(items: readonly Item[]): Item {
    // Never undefined: nobody asks for one of none.
    return items[this.whole(0, items.length - 1)] as Item;
  }

  /** A word that occurs nowhere else. */
  word(prefix: string): string {
    return `${prefix}-${this.whole(0, 0xffff_ffff).toString(36)}${this.whole(0, 0xffff_ffff).toString(36)}`;
  }
}

/** Arrays of scores that are used again by the next search: a large catalog would otherwise leave megabytes to collect after each. */

/** More are made where a search needs them, and let go afterwards. */
const mostKept = 6;

export class ScoreArrays {
  readonly #arrays: Float64Array[] = [];
  #taken = 0;

  /** All zero; valid until `releaseAll`. */
  take(length: number): Float64Array {
    const kept = this.#arrays[this.#taken];
    const array = kept?.length === length ? kept.fill(0) : new Float64Array(length);
    if (this.#taken < mostKept) this.#arrays[this.#taken] = array;
    this.#taken += 1;
    return array;
  }

  copyOf(source: ArrayLike<number>): Float64Array {
    const copy = this.take(source.length);
    copy.set(source);
    return copy;
  }

  /** What was taken may be handed out again. */
  releaseAll(): void {
    this.#taken = 0;
  }
}

/** Reads of something that others change meanwhile, and we too: nothing replaces what is newer. */

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

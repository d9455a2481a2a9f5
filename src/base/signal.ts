/** A typed event with any number of listeners; a listener that throws does not stop the others. */

export type Listener<T> = (value: T) => void;

export class Signal<T> {
  readonly #listeners = new Set<Listener<T>>();

  /** Adds a listener and returns the function that removes it again. */
  on(listener: Listener<T>): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** `to`: only those of the listeners that are among these. */
  emit(value: T, to: ReadonlySet<Listener<T>> = this.#listeners): void {
    for (const listener of [...this.#listeners].filter((item) => to.has(item))) {
      try {
        listener(value);
      } catch (error) {
        // A broken listener is a bug of its owner; it surfaces as an uncaught error without breaking this loop.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  get size(): number {
    return this.#listeners.size;
  }
}

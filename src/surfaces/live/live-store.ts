/** The live state of the gateway, and who is told when a part of it changes. Nothing here draws. */

import type { LiveState } from './follow-live.ts';
import type { LiveView } from './live-view.ts';

export class LiveStore {
  #state: LiveState = { connection: 'connecting', view: undefined };
  readonly #listeners = new Set<() => void>();

  readonly current = (): LiveState => this.#state;

  /** Throws before the first snapshot: no page is shown until then. */
  get view(): LiveView {
    const { view } = this.#state;
    if (!view) throw new Error('There is no view of the gateway yet.');
    return view;
  }

  readonly set = (state: LiveState): void => {
    this.#state = state;
    for (const listener of [...this.#listeners]) listener();
  };

  /** Told after every change, until the function that it returns is called. */
  readonly listen = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Told when this part of the view has changed: the first time at once, then at most every `everyMs`; the last change is always told. */
  watch(select: (view: LiveView | undefined) => unknown, onChange: () => void, everyMs: number): () => void {
    let known = select(this.#state.view);
    let rest: ReturnType<typeof setTimeout> | undefined;
    const check = () => {
      const now = select(this.#state.view);
      if (rest !== undefined || now === known) return;
      known = now;
      rest = setTimeout(() => {
        rest = undefined;
        check();
      }, everyMs);
      onChange();
    };
    const stop = this.listen(check);
    return () => {
      stop();
      clearTimeout(rest);
    };
  }
}

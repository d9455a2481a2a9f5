/** Which servers do not work. Links that are opened on demand and closed when idle are no news: only failing and working again is. */

import { Signal } from '../base/signal.ts';
import type { ServerStatus } from '../downstream/downstream.ts';

export class FailingServers {
  /** This one began to fail, or stopped. */
  readonly changed = new Signal<string>();
  readonly #names = new Set<string>();

  /** How a server is now. While it is being installed or connected, what was known before counts: that is how a failing one is tried. */
  note(server: string, state: ServerStatus['state'] | undefined): void {
    const isTried = state === 'connecting' || state === 'installing';
    if (isTried || this.#names.has(server) === (state === 'failed')) return;
    if (state === 'failed') this.#names.add(server);
    else this.#names.delete(server);
    this.changed.emit(server);
  }

  has(server: string): boolean {
    return this.#names.has(server);
  }

  /** Those of this moment. */
  names(): ReadonlySet<string> {
    return new Set(this.#names);
  }
}

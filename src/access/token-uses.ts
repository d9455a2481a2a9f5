/** When each token was last used: known here at once, written down now and then, because it happens with every request. */

import type { Clock, Timer } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { limits } from '../config/config.ts';
import type { TokenStore } from '../store/store.ts';

export interface UsesOptions {
  readonly store: Pick<TokenStore, 'saveTokenUses'>;
  readonly clock: Clock;
  readonly log: Log;
}

const prefix = 'token:';

export class TokenUses {
  readonly #options: UsesOptions;
  readonly #last = new Map<string, number>();
  #unwritten = new Map<string, number>();
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(options: UsesOptions) {
    this.#options = options;
  }

  /** Written down is the use of tokens of the store; of others it is known since the start. */
  note(principal: string): void {
    if (this.#isClosed) return;
    const now = this.#options.clock.now();
    this.#last.set(principal, now);
    if (!principal.startsWith(prefix)) return;
    this.#unwritten.set(principal.slice(prefix.length), now);
    this.#timer ??= this.#options.clock.after(limits.tokenUseWriteMs, () => {
      this.#timer = undefined;
      void this.#write();
    });
  }

  /** undefined: not since the start. */
  lastUse(principal: string): number | undefined {
    return this.#last.get(principal);
  }

  /** Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#timer = undefined;
    await this.#write();
  }

  /** It is worth a line in the log, not a request, when this cannot be written. */
  async #write(): Promise<void> {
    const uses = this.#unwritten;
    if (uses.size === 0) return;
    this.#unwritten = new Map();
    await this.#options.store
      .saveTokenUses(uses)
      .catch((error: unknown) => this.#options.log.warn('The last use of tokens could not be written', { error }));
  }
}

/** Looks for tokens that are unknown here in a store that other gateways share; within limits, so that guesses are no load for it. */

import type { Clock } from '../base/clock.ts';
import { limits } from '../config/config.ts';
import type { BrowserStore, StoreSharing, TokenStore } from '../store/store.ts';
import { RateLimit } from './rate-limit.ts';
import { digestOf, isToken } from './tokens.ts';

interface LookupOptions {
  readonly store: Pick<TokenStore, 'findToken'> & Pick<BrowserStore, 'findBrowser'> & Pick<StoreSharing, 'isShared'>;
  readonly clock: Clock;
}

/** One count for all. */
const everySender = 'all';

export class TokenLookups {
  readonly #options: LookupOptions;
  readonly #rate: RateLimit;
  /** Digests that let nobody in, the oldest first: no token that is made later has one of these. */
  readonly #misses = new Set<string>();

  constructor(options: LookupOptions) {
    this.#options = options;
    this.#rate = new RateLimit(options.clock, () => limits.tokenLookupsPerMinute);
  }

  /** False where that would be in vain, or too often. Counts as a question. */
  mayAsk(token: string): boolean {
    if (!this.#options.store.isShared || !isToken(token) || this.#misses.has(keyOf(token))) return false;
    return this.#rate.take(everySender) === undefined;
  }

  /** True if the store has this token, not revoked, or a browser with it. */
  async ask(token: string): Promise<boolean> {
    const { store } = this.#options;
    const digest = keyOf(token);
    if ((await store.findToken(digest))?.revokedAt === null || (await store.findBrowser(digest))) return true;
    this.#misses.add(digest);
    const [oldest = digest] = this.#misses;
    if (this.#misses.size > limits.unknownTokens) this.#misses.delete(oldest);
    return false;
  }
}

function keyOf(token: string): string {
  return digestOf(token).toString('hex');
}

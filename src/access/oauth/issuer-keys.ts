/** The keys of an issuer as they are known here: fetched when needed, kept fresh, and used for a while when the issuer is away. */

import type { JSONWebKeySet, JWK, JWTVerifyGetKey } from 'jose';
import type { Clock } from '../../base/clock.ts';
import { GatewayError, messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { limits } from '../../config/config.ts';

/** Finds the key of a token among the keys that there were at one moment. */
export interface KeySet {
  readonly find: JWTVerifyGetKey;
}

export interface IssuerKeysOptions {
  readonly load: () => Promise<JSONWebKeySet>;
  /** A key is gone: tokens signed with it are no longer valid. */
  readonly onLost: () => void;
  readonly clock: Clock;
  readonly log: Log;
}

interface Known extends KeySet {
  readonly marks: ReadonlySet<string>;
  readonly at: number;
}

export class IssuerKeys {
  readonly #options: IssuerKeysOptions;
  #known: Known | undefined;
  #fetching: Promise<Known> | undefined;
  /** When the issuer was asked last, and what came of it where that was trouble. */
  #askedAt = Number.NEGATIVE_INFINITY;
  #trouble: unknown;
  #losses = 0;

  constructor(options: IssuerKeysOptions) {
    this.#options = options;
  }

  /** Throws UNREACHABLE where there are none. */
  async current(): Promise<KeySet> {
    const known = this.#known;
    const age = known === undefined ? Number.POSITIVE_INFINITY : this.#now - known.at;
    if (known === undefined || age > limits.issuerKeysStaleMs) return this.#ask();
    // Nobody waits for keys to be renewed; that it failed was logged.
    if (age > limits.issuerKeysFreshMs && this.#mayAsk) void this.#ask().catch(() => {});
    return known;
  }

  /** Keys that were fetched after those, because a token names one that is not among them. Undefined: not now. */
  async newer(than: KeySet): Promise<KeySet | undefined> {
    if (this.#known !== undefined && this.#known !== than) return this.#known;
    if (this.#fetching === undefined && !this.#mayAsk) return undefined;
    const found = await this.#ask();
    return found === than ? undefined : found;
  }

  /** How often keys have gone: what was checked before the last time counts no more. */
  get losses(): number {
    return this.#losses;
  }

  get #now(): number {
    return this.#options.clock.elapsed();
  }

  get #mayAsk(): boolean {
    return this.#now - this.#askedAt >= limits.issuerAskMs;
  }

  /** One question at a time, and after a failure none for a while: strangers decide how often this is called. */
  #ask(): Promise<Known> {
    if (this.#fetching) return this.#fetching;
    if (!this.#mayAsk && this.#trouble !== undefined) return Promise.reject(this.#trouble);
    this.#askedAt = this.#now;
    const fetching = this.#renew().finally(() => {
      this.#fetching = undefined;
    });
    this.#fetching = fetching;
    return fetching;
  }

  async #renew(): Promise<Known> {
    const { load, log, onLost } = this.#options;
    try {
      const at = this.#now;
      const [set, { createLocalJWKSet }] = await Promise.all([load(), import('jose')]);
      const find = createLocalJWKSet(set);
      const marks = new Set(await Promise.all(set.keys.map(markOf)));
      const before = this.#known?.marks ?? new Set();
      this.#known = { find, marks, at };
      this.#trouble = undefined;
      if (!before.isSubsetOf(marks)) {
        this.#losses += 1;
        onLost();
      }
      return this.#known;
    } catch (error) {
      this.#trouble = error instanceof GatewayError ? error : noSet(error);
      log.warn('The keys of the issuer of tokens could not be fetched', {
        reason: messageOf(this.#trouble),
        usesOld: this.#known !== undefined,
      });
      throw this.#trouble;
    }
  }
}

/** The same text for the same key under the same name and for the same use, however an issuer writes it down. */
async function markOf(key: JWK): Promise<string> {
  const { calculateJwkThumbprint } = await import('jose');
  // A broken key has no thumbprint, and no token is valid by it.
  const thumbprint = await calculateJwkThumbprint(key).catch(() => null);
  return JSON.stringify([key.kid ?? null, key.alg ?? null, key.use ?? null, thumbprint]);
}

function noSet(cause: unknown): GatewayError {
  return new GatewayError('UNREACHABLE', "Can't read the keys of the token issuer.", { cause });
}

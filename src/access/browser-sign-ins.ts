/** Browsers that are signed in, each by a link that worked once. Only hashes of links and cookies are kept, in memory. */

import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { limits } from '../config/config.ts';
import type { Principal } from './principal.ts';
import { digestOf } from './tokens.ts';

export interface BrowserSignInOptions {
  readonly clock: Clock;
  /** A principal as it is now; undefined once it may not come in any more. */
  readonly renew: (principal: Principal) => Principal | undefined;
}

interface Code {
  readonly digest: Buffer;
  readonly principal: Principal;
  readonly madeAt: number;
}

interface Browser extends Code {
  seenAt: number;
}

export class BrowserSignIns {
  readonly #options: BrowserSignInOptions;
  readonly #codes = new Map<string, Code>();
  readonly #browsers = new Map<string, Browser>();

  constructor(options: BrowserSignInOptions) {
    this.#options = options;
  }

  /** For a link with which a browser signs in as this principal, once and soon. */
  makeCode(principal: Principal): string {
    const { secret, code } = this.#make(principal);
    this.#dropCodes();
    makeRoom(this.#codes, limits.maxSignInCodes);
    this.#codes.set(keyOf(code.digest), code);
    return secret;
  }

  /** The cookie secret of a browser that is signed in from now on; undefined for an invalid, used or expired code. */
  redeem(secret: string): string | undefined {
    this.#dropCodes();
    const code = find(this.#codes, secret);
    if (!code) return undefined;
    this.#codes.delete(keyOf(code.digest));
    if (!this.#options.renew(code.principal)) return undefined;
    const made = this.#make(code.principal);
    makeRoom(this.#browsers, limits.maxBrowsers);
    this.#browsers.set(keyOf(made.code.digest), { ...made.code, seenAt: made.code.madeAt });
    return made.secret;
  }

  /** The principal of a cookie, with its rights of now. */
  find(secret: string): Principal | undefined {
    const browser = find(this.#browsers, secret);
    if (!browser) return undefined;
    const now = this.#options.clock.elapsed();
    const isOver = now - browser.seenAt > limits.browserIdleMs || now - browser.madeAt > limits.browserMs;
    const principal = isOver ? undefined : this.#options.renew(browser.principal);
    const key = keyOf(browser.digest);
    this.#browsers.delete(key);
    if (!principal) return undefined;
    browser.seenAt = now;
    // To the end of the line: the one at its beginning was quiet longest.
    this.#browsers.set(key, browser);
    return principal;
  }

  end(secret: string): void {
    this.#browsers.delete(keyOf(digestOf(secret)));
  }

  #make(principal: Principal): { readonly secret: string; readonly code: Code } {
    const secret = randomBytes(32).toString('base64url');
    return { secret, code: { digest: digestOf(secret), principal, madeAt: this.#options.clock.elapsed() } };
  }

  #dropCodes(): void {
    const oldest = this.#options.clock.elapsed() - limits.signInCodeMs;
    for (const [key, { madeAt }] of this.#codes) if (madeAt <= oldest) this.#codes.delete(key);
  }
}

/** By digest, so that how much of a wrong one is right makes no difference to how long it takes. */
function find<T extends Code>(items: ReadonlyMap<string, T>, secret: string): T | undefined {
  const digest = digestOf(secret);
  const found = items.get(keyOf(digest));
  return found && timingSafeEqual(found.digest, digest) ? found : undefined;
}

function keyOf(digest: Buffer): string {
  return digest.toString('hex');
}

/** For one more. */
function makeRoom(items: Map<string, unknown>, most: number): void {
  for (const key of items.keys()) {
    if (items.size < most) return;
    items.delete(key);
  }
}

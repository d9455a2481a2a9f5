/** Operations on browsers that are signed in: which there are, and signing one out from elsewhere. */

import { z } from 'zod';
import { browserIdOf, type Principal } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import type { StoredBrowser } from '../store/store.ts';
import { type AdminContext, operation } from './operation.ts';

export interface BrowserReport {
  readonly id: string;
  /** The name of the token that it acts as. */
  readonly name: string;
  readonly signedInAt: string;
  /** To the minute. */
  readonly lastUsedAt: string;
  /** It is signed out then, unless it is used before. */
  readonly expiresAt: string;
  /** It is signed out then in any case. */
  readonly endsAt: string;
  /** True for the one that asks. */
  readonly isThis: boolean;
}

export const browserOperations = {
  'browsers.list': operation({
    summary: 'Browsers that are signed in, the latest first',
    audit: 'none',
    input: z.strictObject({}),
    async run({ context, principal }): Promise<BrowserReport[]> {
      return context.access.signIns.list().map((browser) => describeBrowser(browser, context, principal));
    },
  }),
  'browsers.end': operation({
    summary: 'Sign a browser out at once, and end its streams',
    input: z.strictObject({ id: z.string().min(1).max(100) }),
    async run({ context, input, principal }): Promise<BrowserReport> {
      const { signIns } = context.access;
      const browser = signIns.list().find(({ digest }) => browserIdOf(digest) === input.id);
      if (!browser) {
        throw new GatewayError('USAGE', `No browser with the id "${input.id}" is signed in.`, {
          hint: '"toolcrib browser list" shows the browsers that are signed in.',
        });
      }
      await signIns.end(browser.digest);
      return describeBrowser(browser, context, principal);
    },
  }),
};

function describeBrowser(browser: StoredBrowser, { access }: AdminContext, asking: Principal): BrowserReport {
  const time = (at: number) => new Date(at).toISOString();
  return {
    id: browserIdOf(browser.digest),
    name: access.nameOf(browser.principal),
    signedInAt: time(browser.madeAt),
    lastUsedAt: time(browser.usedAt),
    expiresAt: time(browser.expiresAt),
    endsAt: time(browser.endsAt),
    isThis: browser.digest === asking.browser,
  };
}

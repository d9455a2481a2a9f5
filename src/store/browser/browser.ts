/** Browsers that are signed in, as the store knows them: everything but the token itself. */

import { asNumber, asText, asWord, primary, rowsOf, since } from '../columns.ts';
import { addColumns, RecordTable, runSql, type StoreRecord } from '../record.ts';

export interface StoredBrowser {
  /** SHA-256 of its token, in hexadecimal; unique. */
  readonly digest: string;
  /** The id of the principal that it acts as. */
  readonly principal: string;
  /** SHA-256 of the token that this principal had then: with another one in its place, the browser is signed out. */
  readonly signedInBy: string;
  readonly madeAt: number;
  /** When it was last used, to the minute. */
  readonly usedAt: number;
  /** It is signed out then, unless it is used before. */
  readonly expiresAt: number;
  /** It is signed out then, however much it is used. */
  readonly endsAt: number;
}

export interface BrowserStore {
  /** The one that was signed in first comes first. */
  listBrowsers(): Promise<StoredBrowser[]>;
  findBrowser(digest: string): Promise<StoredBrowser | undefined>;
  /** Adds it, or replaces the one with the same digest. */
  saveBrowser(browser: StoredBrowser): Promise<void>;
  removeBrowser(digest: string): Promise<void>;
}

const laterStep = '0015-browser-times';
const addedNumber = { ...asNumber, sql: 'bigint not null default 0' };

const browserRows = rowsOf<StoredBrowser>()({
  digest: primary(asWord()),
  principal: asText,
  signedInBy: asWord(),
  madeAt: asNumber,
  expiresAt: asNumber,
  usedAt: since(laterStep, addedNumber),
  endsAt: since(laterStep, addedNumber),
});

const browsers = new RecordTable('browser', browserRows, ['digest']);

export const browserRecord: StoreRecord<unknown, BrowserStore> = {
  migrations: {
    '0014-browsers': (db) => browsers.create(db),
    [laterStep]: async (db) => {
      await addColumns(db, 'browser', browserRows, laterStep);
      // Browsers from before had 12 hours after each use, and seven days in all.
      await runSql(db, 'update browser set used_at = expires_at - 43200000, ends_at = made_at + 604800000');
    },
  },
  open: ({ read, change }) => ({
    async listBrowsers() {
      const all = await read((db) => browsers.list(db));
      return all.sort((a, b) => a.madeAt - b.madeAt || (a.digest < b.digest ? -1 : 1));
    },
    findBrowser: async (digest) => (await read((db) => browsers.list(db, { digest })))[0],
    saveBrowser: (browser) => change('browsers', (db) => browsers.save(db, [browser])),
    async removeBrowser(digest) {
      await change('browsers', (db) => browsers.remove(db, { digest }));
    },
  }),
};

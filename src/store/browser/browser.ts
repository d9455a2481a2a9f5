/** Browsers that are signed in, as the store knows them: everything but the token itself. */

import { asNumber, asText, asWord, primary, rowsOf } from '../columns.ts';
import { RecordTable, type StoreRecord } from '../record.ts';

export interface StoredBrowser {
  /** SHA-256 of its token, in hexadecimal; unique. */
  readonly digest: string;
  /** The id of the principal that it acts as. */
  readonly principal: string;
  /** SHA-256 of the token that this principal had then: with another one in its place, the browser is signed out. */
  readonly signedInBy: string;
  readonly madeAt: number;
  readonly expiresAt: number;
}

export interface BrowserStore {
  /** The one that was signed in first comes first. */
  listBrowsers(): Promise<StoredBrowser[]>;
  /** Adds it, or replaces the one with the same digest. */
  saveBrowser(browser: StoredBrowser): Promise<void>;
  removeBrowser(digest: string): Promise<void>;
}

const browserRows = rowsOf<StoredBrowser>()({
  digest: primary(asWord()),
  principal: asText,
  signedInBy: asWord(),
  madeAt: asNumber,
  expiresAt: asNumber,
});

const browsers = new RecordTable('browser', browserRows, ['digest']);

export const browserRecord: StoreRecord<unknown, BrowserStore> = {
  migrations: { '0014-browsers': (db) => browsers.create(db) },
  open: ({ read, write }) => ({
    async listBrowsers() {
      const all = await read((db) => browsers.list(db));
      return all.sort((a, b) => a.madeAt - b.madeAt || (a.digest < b.digest ? -1 : 1));
    },
    saveBrowser: (browser) => write((db) => browsers.save(db, [browser])),
    removeBrowser: (digest) => write(async (db) => void (await browsers.remove(db, { digest }))),
  }),
};

/** Tokens as the store knows them: everything but the token itself. */

import type { Transaction } from 'kysely';
import { GatewayError } from '../../base/errors.ts';
import { asNumber, asText, asTexts, asWord, orNull, primary, type RowIn, rowsOf, toText } from '../columns.ts';
import { RecordTable, runSql, type StoreRecord } from '../record.ts';

export interface StoredToken {
  readonly id: string;
  /** Unique among those that are not revoked. */
  readonly name: string;
  /** SHA-256 of the token, in hexadecimal; unique. */
  readonly digest: string;
  readonly scopes: readonly string[];
  /** Names of servers with wildcards; null: all. */
  readonly servers: readonly string[] | null;
  readonly project: string | null;
  readonly surface: string | null;
  /** The principal that made it; null where that is not known. */
  readonly createdBy: string | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
}

export interface TokenStore {
  /** The oldest first, with those that were revoked. */
  listTokens(): Promise<StoredToken[]>;
  /** By its digest. */
  findToken(digest: string): Promise<StoredToken | undefined>;
  /** Throws NAME_TAKEN where another one that is not revoked has the name. */
  addToken(token: StoredToken): Promise<void>;
  /** False where there is none with this id that is not revoked yet. */
  revokeToken(id: string, at: number): Promise<boolean>;
  /** Removes those that were revoked or expired before; says how many. */
  removeEndedTokens(before: number): Promise<number>;
  /** When each was last used, by id; a later time that is known stays. */
  saveTokenUses(uses: ReadonlyMap<string, number>): Promise<void>;
}

const tokenRows = rowsOf<StoredToken>()({
  id: primary(asText),
  name: asText,
  digest: asWord(),
  scopes: asTexts,
  servers: orNull(asTexts),
  project: orNull(asText),
  surface: orNull(asText),
  createdBy: orNull(asText),
  createdAt: asNumber,
  expiresAt: orNull(asNumber),
  revokedAt: orNull(asNumber),
  lastUsedAt: orNull(asNumber),
});

const tokens = new RecordTable('token', tokenRows, ['id']);

interface TokenTables {
  token: RowIn<typeof tokenRows>;
}

export const tokenRecord: StoreRecord<TokenTables, TokenStore> = {
  migrations: {
    async '0005-tokens-and-projects'(db) {
      await tokens.create(db, 'unique ("digest")');
      // The name of a token that was revoked can be given again.
      await runSql(db, 'create unique index "token_by_name" on "token" ("name") where "revoked_at" is null');
    },
  },
  open: ({ read, write, change }) => ({
    async listTokens() {
      const all = await read((db) => tokens.list(db));
      return all.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
    },
    findToken: async (digest) => (await read((db) => tokens.list(db, { digest })))[0],
    addToken: (token) =>
      change('access', async (db) => {
        const sameName = await tokens.list(db, { name: token.name });
        if (sameName.some(({ revokedAt }) => revokedAt === null))
          throw new GatewayError('NAME_TAKEN', `There is already a token "${token.name}".`);
        await db.insertInto('token').values(tokenRows.toRow(token)).execute();
      }),
    revokeToken: (id, at) =>
      change('access', async (db) => {
        const living = db.updateTable('token').where('id', '=', toText(id)).where('revoked_at', 'is', null);
        return (await living.set({ revoked_at: at }).returning('id').execute()).length > 0;
      }),
    removeEndedTokens: (before) =>
      write(async (db) => {
        const ended = db
          .deleteFrom('token')
          .where((row) => row.or([row('revoked_at', '<', before), row('expires_at', '<', before)]));
        return (await ended.returning('id').execute()).length;
      }),
    saveTokenUses: (uses) => write((db) => saveUses(db, uses)),
  }),
};

async function saveUses(db: Transaction<TokenTables>, uses: ReadonlyMap<string, number>): Promise<void> {
  for (const [id, at] of uses)
    await db
      .updateTable('token')
      .set({ last_used_at: at })
      .where('id', '=', toText(id))
      .where((row) => row.or([row('last_used_at', 'is', null), row('last_used_at', '<', at)]))
      .execute();
}

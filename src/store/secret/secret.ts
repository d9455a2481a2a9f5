/** Secrets that are kept sealed: the store never sees what they say. */

import type { Kysely, Transaction } from 'kysely';
import { asNumber, asText, asWord, primary, type RowIn, rowsOf, toText } from '../columns.ts';
import { createTable, type StoreRecord } from '../record.ts';

export interface StoredSecret {
  /** A path of words with slashes between them, such as `oauth/SERVER/ISSUER`. */
  readonly name: string;
  readonly sealed: string;
  readonly at: number;
}

/** The part of the store that keeps secrets. */
export interface SecretStore {
  /** Those whose names begin so, the newest first. */
  listSecrets(prefix: string): Promise<StoredSecret[]>;
  /** Of those whose names begin so, only these are there from now on. All or none. */
  replaceSecrets(prefix: string, secrets: readonly StoredSecret[]): Promise<void>;
}

const secretRows = rowsOf<StoredSecret>()({ name: primary(asText), sealed: asWord(), at: asNumber });

export interface SecretTables {
  secret: RowIn<typeof secretRows>;
}

export const secretRecord: StoreRecord<SecretTables, SecretStore> = {
  migrations: {
    '0009-secrets': (db) => createTable(db, 'secret', secretRows),
  },
  open: ({ read, write }) => ({
    listSecrets: (prefix) => read((db) => selectSecrets(db, prefix)),
    replaceSecrets: (prefix, secrets) => write((db) => replaceSecrets(db, prefix, secrets)),
  }),
};

async function selectSecrets(db: Kysely<SecretTables>, prefix: string): Promise<StoredSecret[]> {
  // There are few of them, and a pattern would have signs of its own that names may hold.
  const secrets = (await db.selectFrom('secret').selectAll().execute()).map(secretRows.toRecord);
  return secrets.filter(({ name }) => name.startsWith(prefix)).sort((a, b) => b.at - a.at);
}

export async function replaceSecrets(
  db: Transaction<SecretTables>,
  prefix: string,
  secrets: readonly StoredSecret[],
): Promise<void> {
  const old = await selectSecrets(db, prefix);
  for (const { name } of old) await db.deleteFrom('secret').where('name', '=', toText(name)).execute();
  if (secrets.length > 0) await db.insertInto('secret').values(secrets.map(secretRows.toRow)).execute();
}

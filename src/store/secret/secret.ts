/** Secrets that are kept sealed: the store never sees what they say. */

import { limits } from '../../config/config.ts';
import { asNumber, asText, asWord, primary, rowsOf } from '../columns.ts';
import { type AnyDatabase, type AnyTransaction, RecordTable, type StoreRecord, type Tell } from '../record.ts';
import { checkTerm, type DutyTerm, databaseNow } from '../replica/replica.ts';

export interface StoredSecret {
  /** A path of words with slashes between them, such as `oauth/SERVER/ISSUER`. */
  readonly name: string;
  readonly sealed: string;
  readonly at: number;
}

/** The prefix in names of sign-ins that wait for a browser. */
export const signInPrefix = 'sign-in/';

/** The part of the store that keeps secrets. */
export interface SecretStore {
  /** Those whose names begin so, the newest first. */
  listSecrets(prefix: string): Promise<StoredSecret[]>;
  /** Of those whose names begin so, only these are there from now on. All or none; none where the term is over. */
  replaceSecrets(prefix: string, secrets: readonly StoredSecret[], term?: DutyTerm): Promise<void>;
  /** False when there was none: of several that remove one, one hears true. */
  removeSecret(name: string): Promise<boolean>;
}

const secretRows = rowsOf<StoredSecret>()({ name: primary(asText), sealed: asWord(), at: asNumber });

const secrets = new RecordTable('secret', secretRows, ['name']);

export const secretRecord: StoreRecord<unknown, SecretStore> = {
  migrations: { '0009-secrets': (db) => secrets.create(db) },
  async sealed(db) {
    const since = (await databaseNow(db)) - limits.signInTtlMs;
    // Nobody reads an ended sign-in; it stays until its server begins another one.
    const isOver = ({ name, at }: StoredSecret) => name.startsWith(signInPrefix) && at < since;
    return (await secrets.list(db)).filter((secret) => !isOver(secret)).map(({ sealed }) => sealed);
  },
  open: ({ read, write }) => ({
    listSecrets: (prefix) => read((db) => selectSecrets(db, prefix)),
    replaceSecrets: (prefix, present, term) =>
      write(async (db, tell) => {
        if (term) await checkTerm(db, term);
        await replaceSecrets(db, prefix, present, tell);
      }),
    removeSecret: (name) =>
      write(async (db, tell) => {
        const isGone = (await secrets.remove(db, { name })) > 0;
        if (isGone) tell({ type: 'secrets', prefix: name });
        return isGone;
      }),
  }),
};

async function selectSecrets(db: AnyDatabase, prefix: string): Promise<StoredSecret[]> {
  return (await secrets.listFrom(db, prefix)).sort((a, b) => b.at - a.at);
}

export async function replaceSecrets(
  db: AnyTransaction,
  prefix: string,
  present: readonly StoredSecret[],
  tell: Tell,
): Promise<void> {
  const before = await selectSecrets(db, prefix);
  for (const { name } of before) await secrets.remove(db, { name });
  await secrets.save(db, present);
  if (before.length + present.length > 0) tell({ type: 'secrets', prefix });
}

/** The queries on secrets. */

import type { Kysely, Transaction } from 'kysely';
import { fromText, toText } from '../rows.ts';
import type { Schema } from '../schema.ts';
import type { StoredSecret } from './secret.ts';

export async function selectSecrets(db: Kysely<Schema>, prefix: string): Promise<StoredSecret[]> {
  // There are few of them, and a pattern would have signs of its own that names may hold.
  const rows = await db.selectFrom('secret').selectAll().execute();
  const secrets = rows.map(({ name, sealed, at }) => ({ name: fromText(name), sealed, at }));
  return secrets.filter(({ name }) => name.startsWith(prefix)).sort((a, b) => b.at - a.at);
}

export async function replaceSecrets(
  db: Transaction<Schema>,
  prefix: string,
  secrets: readonly StoredSecret[],
): Promise<void> {
  const old = await selectSecrets(db, prefix);
  for (const { name } of old) await db.deleteFrom('secret').where('name', '=', toText(name)).execute();
  const rows = secrets.map(({ name, sealed, at }) => ({ name: toText(name), sealed, at }));
  if (rows.length > 0) await db.insertInto('secret').values(rows).execute();
}

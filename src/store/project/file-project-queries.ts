/** The queries on projects that the config file has had. */

import type { Kysely, Transaction } from 'kysely';
import { fromText, toText } from '../rows.ts';
import type { Schema } from '../schema.ts';

export async function selectFileProjects(db: Kysely<Schema>): Promise<string[]> {
  const rows = await db.selectFrom('file_project').selectAll().execute();
  return rows.map(({ name }) => fromText(name)).sort();
}

export async function insertFileProject(db: Transaction<Schema>, name: string): Promise<void> {
  await db
    .insertInto('file_project')
    .values({ name: toText(name) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function deleteFileProject(db: Transaction<Schema>, name: string): Promise<void> {
  await db.deleteFrom('file_project').where('name', '=', toText(name)).execute();
}

/** The queries on projects. */

import type { Kysely, Transaction } from 'kysely';
import { fromJson, fromText, toJson, toText } from '../rows.ts';
import type { Schema } from '../schema.ts';
import type { StoredProject } from './project.ts';

/** Ordered by name. */
export async function selectProjects(db: Kysely<Schema>): Promise<StoredProject[]> {
  const rows = await db.selectFrom('project').selectAll().execute();
  return rows.map(toProject).sort((a, b) => (a.name < b.name ? -1 : 1));
}

export async function upsertProject(db: Transaction<Schema>, project: StoredProject): Promise<void> {
  const { name, ...rest } = fromProject(project);
  await db
    .insertInto('project')
    .values({ name, ...rest })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(rest))
    .execute();
}

/** False where there was none. */
export async function deleteProject(db: Transaction<Schema>, name: string): Promise<boolean> {
  const removed = await db.deleteFrom('project').where('name', '=', toText(name)).returning('name').execute();
  return removed.length > 0;
}

function toProject(row: Schema['project']): StoredProject {
  return { name: fromText(row.name), settings: fromJson(row.settings), createdAt: row.created_at };
}

function fromProject({ name, settings, createdAt }: StoredProject): Schema['project'] {
  return { name: toText(name), settings: toJson(settings), created_at: createdAt };
}

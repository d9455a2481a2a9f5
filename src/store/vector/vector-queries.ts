/** The queries on vectors: thousands of small rows that are read and written together. */

import { setImmediate as giveWay } from 'node:timers/promises';
import type { Kysely, Transaction } from 'kysely';
import type { Schema } from '../schema.ts';
import type { StoredVector } from '../store.ts';
import { workInChunks } from '../work-in-chunks.ts';

/** Reading or removing more at once would hold up the event loop for longer than a few milliseconds. */
const rowsPerPage = 1000;

export async function selectVectors(db: Kysely<Schema>, model: string): Promise<StoredVector[]> {
  const vectors: StoredVector[] = [];
  for (;;) {
    const page = await selectPage(db, model, vectors.at(-1)?.fingerprint);
    for (const { fingerprint, values, scale } of page) vectors.push({ fingerprint, values, scale });
    if (page.length < rowsPerPage) return vectors;
    await giveWay();
  }
}

function selectPage(db: Kysely<Schema>, model: string, after: string | undefined): Promise<StoredVector[]> {
  const select = db
    .selectFrom('vector')
    .select(['fingerprint', 'values', 'scale'])
    .where('model', '=', model)
    .orderBy('fingerprint')
    .limit(rowsPerPage);
  return (after === undefined ? select : select.where('fingerprint', '>', after)).execute();
}

export async function upsertVectors(
  db: Transaction<Schema>,
  model: string,
  vectors: readonly StoredVector[],
): Promise<void> {
  await workInChunks(vectors, async (chunk) => {
    await db
      .insertInto('vector')
      .values(chunk.map(({ fingerprint, values, scale }) => ({ fingerprint, model, scale, values })))
      .onConflict((conflict) =>
        conflict.columns(['fingerprint', 'model']).doUpdateSet((set) => ({
          scale: set.ref('excluded.scale'),
          values: set.ref('excluded.values'),
        })),
      )
      .execute();
  });
}

export async function deleteVectors(
  db: Transaction<Schema>,
  model: string,
  fingerprints: readonly string[],
): Promise<void> {
  await workInChunks(fingerprints, async (chunk) => {
    await db.deleteFrom('vector').where('model', '=', model).where('fingerprint', 'in', chunk).execute();
  });
}

export async function deleteVectorsOfOtherModels(db: Transaction<Schema>, model: string): Promise<number> {
  for (let count = 0; ; await giveWay()) {
    const page = await db
      .selectFrom('vector')
      .select(['fingerprint', 'model'])
      .where('model', '!=', model)
      .limit(rowsPerPage)
      .execute();
    for (const [other, rows] of Map.groupBy(page, (row) => row.model)) {
      const fingerprints = rows.map(({ fingerprint }) => fingerprint);
      await deleteVectors(db, other, fingerprints);
    }
    count += page.length;
    if (page.length < rowsPerPage) return count;
  }
}

/** The queries on uses: what was executed after which query. */

import type { Kysely, Transaction } from 'kysely';
import { fromUse, toText, toUse } from '../rows.ts';
import type { Schema } from '../schema.ts';
import type { StoredUse, UseKey } from '../store.ts';
import { workInChunks } from '../work-in-chunks.ts';

export async function selectUses(db: Kysely<Schema>): Promise<StoredUse[]> {
  return (await db.selectFrom('tool_use').selectAll().execute()).map(toUse);
}

export async function upsertUses(db: Transaction<Schema>, uses: readonly StoredUse[]): Promise<void> {
  await workInChunks(uses, async (chunk) => {
    await db
      .insertInto('tool_use')
      .values(chunk.map(fromUse))
      .onConflict((conflict) =>
        conflict.columns(['query', 'tool_key']).doUpdateSet((set) => ({
          good: set.ref('excluded.good'),
          bad: set.ref('excluded.bad'),
          at: set.ref('excluded.at'),
        })),
      )
      .execute();
  });
}

export async function deleteUses(db: Transaction<Schema>, uses: readonly UseKey[]): Promise<void> {
  await workInChunks(uses, async (chunk) => {
    const keys = chunk.map(({ query, toolKey }) => ({ query: toText(query), tool_key: toText(toolKey) }));
    await db
      .deleteFrom('tool_use')
      .where((row) => row.or(keys.map((key) => row.and(key))))
      .execute();
  });
}

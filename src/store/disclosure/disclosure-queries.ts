/** The queries on disclosure: what agents were shown on each surface, as sums by day. */

import type { Kysely, Transaction } from 'kysely';
import { fromDisclosure, toDisclosure } from '../rows.ts';
import type { Schema } from '../schema.ts';
import type { DisclosureSum } from '../store.ts';

export async function selectDisclosure(db: Kysely<Schema>, since: number): Promise<DisclosureSum[]> {
  return (await db.selectFrom('disclosure_day').selectAll().where('day', '>=', since).execute()).map(toDisclosure);
}

/** Singly: PostgreSQL refuses a statement that meets the same row twice. There are a handful at a time. */
export async function addDisclosure(db: Transaction<Schema>, sums: readonly DisclosureSum[]): Promise<void> {
  for (const sum of sums) {
    await db
      .insertInto('disclosure_day')
      .values(fromDisclosure(sum))
      .onConflict((conflict) =>
        conflict.columns(['day', 'project', 'surface', 'kind']).doUpdateSet((set) => ({
          count: set('disclosure_day.count', '+', set.ref('excluded.count')),
          tokens: set('disclosure_day.tokens', '+', set.ref('excluded.tokens')),
          calls: set('disclosure_day.calls', '+', set.ref('excluded.calls')),
          direct_tokens: set('disclosure_day.direct_tokens', '+', set.ref('excluded.direct_tokens')),
        })),
      )
      .execute();
  }
}

/** Sums of what agents were shown, by day, project, surface and kind. */

import type { Transaction } from 'kysely';
import { asKeyText, asNumber, asText, asWord, type RowIn, rowsOf } from '../columns.ts';
import { createTable, type StoreRecord } from '../record.ts';

export const disclosureKinds = ['list', 'find', 'execute', 'chain', 'direct'] as const;
export type DisclosureKind = (typeof disclosureKinds)[number];

/** One day (since 1970, in UTC) of one surface, of one kind; tokens are estimates. */
export interface DisclosureSum {
  readonly day: number;
  /** null: at doors that are of no project. */
  readonly project: string | null;
  readonly surface: string;
  readonly kind: DisclosureKind;
  readonly count: number;
  /** Written and read by models. */
  readonly tokens: number;
  /** Tools that were called inside of chains. */
  readonly calls: number;
  /** The tokens that models would have read on the surface `direct` instead. */
  readonly directTokens: number;
}

export interface DisclosureStore {
  /** Adds to what is there for the same day, project, surface and kind; kept for ever. All or none. */
  addDisclosure(sums: readonly DisclosureSum[]): Promise<void>;
  /** The sums of each day from `since` on. In no order. */
  listDisclosure(since: number): Promise<DisclosureSum[]>;
}

const disclosureRows = rowsOf<DisclosureSum>()({
  day: asNumber,
  project: asKeyText,
  surface: asText,
  kind: asWord<DisclosureKind>(),
  count: asNumber,
  tokens: asNumber,
  calls: asNumber,
  directTokens: asNumber,
});

interface DisclosureTables {
  disclosure_day: RowIn<typeof disclosureRows>;
}

export const disclosureRecord: StoreRecord<DisclosureTables, DisclosureStore> = {
  migrations: {
    '0004-disclosure': (db) =>
      createTable(
        db,
        'disclosure_day',
        disclosureRows,
        'constraint "disclosure_day_key" primary key ("day", "project", "surface", "kind")',
      ),
  },
  open: ({ read, write }) => ({
    addDisclosure: (sums) => write((db) => addSums(db, sums)),
    listDisclosure: (since) =>
      read(async (db) => {
        const rows = await db.selectFrom('disclosure_day').selectAll().where('day', '>=', since).execute();
        return rows.map(disclosureRows.toRecord);
      }),
  }),
};

/** Singly: PostgreSQL refuses a statement that meets the same row twice. There are a handful at a time. */
async function addSums(db: Transaction<DisclosureTables>, sums: readonly DisclosureSum[]): Promise<void> {
  for (const sum of sums)
    await db
      .insertInto('disclosure_day')
      .values(disclosureRows.toRow(sum))
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

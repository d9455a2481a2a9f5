/** The tools that were executed after a query, and how they did. */

import { asFraction, asNumber, asText, type RowIn, rowsOf, toText } from '../columns.ts';
import { createTable, type StoreRecord, upsert, workInChunks } from '../record.ts';

/** Names one use; unique. */
export interface UseKey {
  readonly query: string;
  readonly toolKey: string;
}

/** How often a tool that was executed after a query did well or badly; good and bad have faded up to `at`. */
export interface StoredUse extends UseKey {
  readonly good: number;
  readonly bad: number;
  /** The time of the last use. */
  readonly at: number;
}

export interface UseStore {
  /** In no order. */
  listUses(): Promise<StoredUse[]>;
  /** Adds or replaces, in one transaction; of a use that is given twice the last one counts. */
  saveUses(uses: readonly StoredUse[]): Promise<void>;
  removeUses(uses: readonly UseKey[]): Promise<void>;
}

const useRows = rowsOf<StoredUse>()({
  query: asText,
  toolKey: asText,
  good: asFraction,
  bad: asFraction,
  at: asNumber,
});

interface UseTables {
  tool_use: RowIn<typeof useRows>;
}

export const useRecord: StoreRecord<UseTables, UseStore> = {
  migrations: {
    '0002-vectors-and-uses': (db) =>
      createTable(db, 'tool_use', useRows, 'constraint "tool_use_key" primary key ("query", "tool_key")'),
  },
  open: ({ read, write }) => ({
    listUses: () => read(async (db) => (await db.selectFrom('tool_use').selectAll().execute()).map(useRows.toRecord)),
    saveUses: (uses) => write((db) => upsert(db, 'tool_use', ['query', 'tool_key'], uses.map(useRows.toRow))),
    removeUses: (uses) =>
      write((db) =>
        workInChunks(uses, (chunk) => {
          const keys = chunk.map(({ query, toolKey }) => ({ query: toText(query), tool_key: toText(toolKey) }));
          return db
            .deleteFrom('tool_use')
            .where((row) => row.or(keys.map((key) => row.and(key))))
            .execute();
        }),
      ),
  }),
};

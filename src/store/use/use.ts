/** The tools that were executed after a query, and how they did. */

import { asFraction, asNumber, asText, rowsOf } from '../columns.ts';
import { RecordTable, type StoreRecord, workInChunks } from '../record.ts';

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

const uses = new RecordTable('tool_use', useRows, ['query', 'tool_key']);

export const useRecord: StoreRecord<unknown, UseStore> = {
  migrations: {
    '0002-vectors-and-uses': (db) => uses.create(db, 'constraint "tool_use_key" primary key ("query", "tool_key")'),
  },
  open: ({ read, write }) => ({
    listUses: () => read((db) => uses.list(db)),
    saveUses: (used) => write((db) => uses.save(db, used)),
    removeUses: (keys) =>
      write((db) =>
        workInChunks(keys, async (chunk) => {
          for (const { query, toolKey } of chunk) await uses.remove(db, { query, toolKey });
        }),
      ),
  }),
};

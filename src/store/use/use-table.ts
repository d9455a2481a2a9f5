/** The table of uses. */

import { asNumber, asText, type RowIn, rowsOf, toText } from '../columns.ts';
import { createTable, type StoreRecord, upsert, workInChunks } from '../record.ts';
import type { StoredUse, UseStore } from './use.ts';

const useRows = rowsOf<StoredUse>()({ query: asText, toolKey: asText, good: asNumber, bad: asNumber, at: asNumber });

interface UseTables {
  tool_use: RowIn<typeof useRows>;
}

export const useRecord: StoreRecord<UseTables, UseStore> = {
  migrations: {
    '0002-vectors-and-uses': (db) =>
      createTable(
        db,
        'tool_use',
        `query text not null, tool_key text not null, good double precision not null, bad double precision not null,
         at bigint not null`,
        'constraint "tool_use_key" primary key ("query", "tool_key")',
      ),
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

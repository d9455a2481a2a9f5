/** The protocol eras that servers were seen to speak. */

import type { JsonObject } from '../../base/json.ts';
import { asFlag, asJson, asNumber, asText, orNull, primary, type RowIn, rowsOf, toText } from '../columns.ts';
import { createTable, type StoreRecord, upsert } from '../record.ts';

/** Keyed by the command line or URL, not by the name of the server. */
export interface EraVerdict {
  readonly key: string;
  readonly modern: boolean;
  /** null: not tried yet. */
  readonly legacy: boolean | null;
  /** The answer to `server/discover`, for modern servers. */
  readonly discover: JsonObject | null;
  readonly decidedAt: number;
}

export interface VerdictStore {
  findVerdict(key: string): Promise<EraVerdict | undefined>;
  saveVerdict(verdict: EraVerdict): Promise<void>;
  removeVerdict(key: string): Promise<void>;
}

const verdictRows = rowsOf<EraVerdict>()({
  key: primary(asText),
  modern: asFlag,
  legacy: orNull(asFlag),
  discover: orNull(asJson),
  decidedAt: asNumber,
});

interface VerdictTables {
  verdict: RowIn<typeof verdictRows>;
}

export const verdictRecord: StoreRecord<VerdictTables, VerdictStore> = {
  migrations: {
    '0001-servers-and-listings': (db) => createTable(db, 'verdict', verdictRows),
  },
  open: ({ read, write }) => ({
    findVerdict: (key) =>
      read(async (db) => {
        const row = await db.selectFrom('verdict').selectAll().where('key', '=', toText(key)).executeTakeFirst();
        return row && verdictRows.toRecord(row);
      }),
    saveVerdict: (verdict) => write((db) => upsert(db, 'verdict', ['key'], [verdictRows.toRow(verdict)])),
    removeVerdict: (key) =>
      write(async (db) => {
        await db.deleteFrom('verdict').where('key', '=', toText(key)).execute();
      }),
  }),
};

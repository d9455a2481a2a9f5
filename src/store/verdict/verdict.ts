/** The protocol eras that servers were seen to speak. */

import type { JsonObject } from '../../base/json.ts';
import { asFlag, asJson, asNumber, asText, orNull, primary, rowsOf } from '../columns.ts';
import { RecordTable, type StoreRecord } from '../record.ts';

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

const verdicts = new RecordTable('verdict', verdictRows, ['key']);

export const verdictRecord: StoreRecord<unknown, VerdictStore> = {
  migrations: { '0001-servers-and-listings': (db) => verdicts.create(db) },
  open: ({ read, write }) => ({
    findVerdict: async (key) => (await read((db) => verdicts.list(db, { key })))[0],
    saveVerdict: (verdict) => write((db) => verdicts.save(db, [verdict])),
    async removeVerdict(key) {
      await write((db) => verdicts.remove(db, { key }));
    },
  }),
};

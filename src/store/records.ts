/** The list of the store's records: a new table is a folder beside the others and a line here. */

import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { approvalRecord } from './approval/approval.ts';
import { approvalNoteRecord } from './approval/approval-note.ts';
import { auditRecord } from './audit/audit.ts';
import { browserRecord } from './browser/browser.ts';
import { callRecord } from './call/call-queries.ts';
import { disclosureRecord } from './disclosure/disclosure.ts';
import { listingRecord } from './listing/listing.ts';
import { optimizerRecord } from './optimizer/optimizer.ts';
import { pinRecord } from './pin/pin.ts';
import { projectRecord } from './project/project.ts';
import type { RecordDatabase, SqlDatabase } from './record.ts';
import { replicaRecord } from './replica/replica.ts';
import { resultRecord } from './result/result.ts';
import { secretRecord } from './secret/secret.ts';
import { serverRecord } from './server/server.ts';
import { tokenRecord } from './token/token.ts';
import { useRecord } from './use/use.ts';
import { vectorRecord } from './vector/vector.ts';
import { verdictRecord } from './verdict/verdict.ts';

/** In the order in which the parts of a shared step make their tables. */
const records = [
  serverRecord,
  listingRecord,
  verdictRecord,
  vectorRecord,
  useRecord,
  callRecord,
  disclosureRecord,
  tokenRecord,
  projectRecord,
  approvalRecord,
  pinRecord,
  auditRecord,
  secretRecord,
  optimizerRecord,
  browserRecord,
  replicaRecord,
  resultRecord,
  approvalNoteRecord,
] as const;

type Together<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;
/** The methods of every record. */
export type Records = Together<ReturnType<(typeof records)[number]['open']>>;

export function openRecords(database: SqlDatabase<never>): Records {
  const opened: Omit<RecordDatabase<never>, 'sealer'> = {
    read: (act) => database.read(act),
    write: (act, lock) => database.write(act, lock),
    change: (type, act) =>
      database.write(async (db, tell) => {
        const result = await act(db);
        if (result !== false && result !== 0) tell({ type });
        return result;
      }),
  };
  // Every table is in the one database, and each record knows only its own: none of their types fits the whole.
  const parts = records.map((record) => record.open({ ...opened, sealer: record.sealed && database.sealer } as never));
  return Object.assign({}, ...parts);
}

/** Lists every sealed text of all records. A gateway without their keys must not start. */
export async function sealedTexts(db: Kysely<never>): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { sealed } of records) if (sealed) found.push(...(await sealed(db as never)));
  return found;
}

/** Every step from an empty database to the present tables, by name and in order. */
export const migrations: Readonly<Record<string, Migration>> = Object.fromEntries(
  [...new Set(records.flatMap((record) => Object.keys(record.migrations)))].sort().map((name) => [
    name,
    {
      async up(db) {
        for (const { migrations: steps } of records) await (steps as Partial<typeof steps>)[name]?.(db);
      },
    },
  ]),
);

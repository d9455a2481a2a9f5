/** The meaning of texts, as a model saw them: thousands of small rows that are read and written together. */

import { setImmediate as giveWay } from 'node:timers/promises';
import type { Kysely, Transaction } from 'kysely';
import { asBytes, asFraction, asWord, type RowIn, rowsOf } from '../columns.ts';
import { RecordTable, type StoreRecord, workInChunks } from '../record.ts';

export interface StoredVector {
  /** Of the text; unique by model. */
  readonly fingerprint: string;
  /** Whole numbers from -128 to 127, one in each byte. */
  readonly values: Uint8Array;
  /** The worth of one of the numbers. */
  readonly scale: number;
}

export interface VectorStore {
  /** In no order. */
  listVectors(model: string): Promise<StoredVector[]>;
  /** Adds or replaces, in one transaction; of a fingerprint that is given twice the last one counts. */
  saveVectors(model: string, vectors: readonly StoredVector[]): Promise<void>;
  removeVectors(model: string, fingerprints: readonly string[]): Promise<void>;
  /** Says how many were removed. */
  removeVectorsOfOtherModels(model: string): Promise<number>;
}

/** Reading or removing more at once would hold up the event loop for longer than a few milliseconds. */
const rowsPerPage = 1000;

const vectorRows = rowsOf<StoredVector & { readonly model: string }>()({
  fingerprint: asWord(),
  model: asWord(),
  scale: asFraction,
  values: asBytes,
});

const vectorTable = new RecordTable('vector', vectorRows, ['fingerprint', 'model']);

interface VectorTables {
  vector: RowIn<typeof vectorRows>;
}

export const vectorRecord: StoreRecord<VectorTables, VectorStore> = {
  migrations: {
    '0002-vectors-and-uses': (db) =>
      vectorTable.create(db, 'constraint "vector_key" primary key ("fingerprint", "model")'),
  },
  open: ({ read, write }) => ({
    listVectors: (model) => read((db) => selectVectors(db, model)),
    saveVectors: (model, vectors) =>
      write((db) =>
        vectorTable.save(
          db,
          vectors.map((vector) => ({ ...vector, model })),
        ),
      ),
    removeVectors: (model, fingerprints) => write((db) => deleteVectors(db, model, fingerprints)),
    removeVectorsOfOtherModels: (model) => write((db) => deleteVectorsOfOtherModels(db, model)),
  }),
};

async function selectVectors(db: Kysely<VectorTables>, model: string): Promise<StoredVector[]> {
  const vectors: StoredVector[] = [];
  const ofModel = db.selectFrom('vector').select(['fingerprint', 'values', 'scale']).where('model', '=', model);
  for (;;) {
    const last = vectors.at(-1)?.fingerprint;
    const rest = last === undefined ? ofModel : ofModel.where('fingerprint', '>', last);
    const page = await rest.orderBy('fingerprint').limit(rowsPerPage).execute();
    for (const { fingerprint, values, scale } of page) vectors.push({ fingerprint, values, scale });
    if (page.length < rowsPerPage) return vectors;
    await giveWay();
  }
}

function deleteVectors(db: Transaction<VectorTables>, model: string, fingerprints: readonly string[]): Promise<void> {
  return workInChunks(fingerprints, (chunk) =>
    db.deleteFrom('vector').where('model', '=', model).where('fingerprint', 'in', chunk).execute(),
  );
}

async function deleteVectorsOfOtherModels(db: Transaction<VectorTables>, model: string): Promise<number> {
  const others = db.selectFrom('vector').select(['fingerprint', 'model']).where('model', '!=', model);
  for (let count = 0; ; await giveWay()) {
    const page = await others.limit(rowsPerPage).execute();
    for (const [other, rows] of Map.groupBy(page, (row) => row.model)) {
      const fingerprints = rows.map(({ fingerprint }) => fingerprint);
      await deleteVectors(db, other, fingerprints);
    }
    count += page.length;
    if (page.length < rowsPerPage) return count;
  }
}

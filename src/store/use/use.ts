/** The tools that were executed after a query, and how they did. */

import { asFraction, asNumber, asText, rowsOf } from '../columns.ts';
import { type AnyTransaction, RecordTable, type StoreRecord, workInChunks } from '../record.ts';

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

export type UseCounts = Omit<StoredUse, keyof UseKey>;

/** The time after which a call counts half. */
export const halfLifeMs = 14 * 24 * 60 * 60 * 1_000;

/** The share that is left after a time; a clock that was set back takes nothing away. */
export function fading(ms: number): number {
  return 0.5 ** (Math.max(0, ms) / halfLifeMs);
}

/** Both, faded to the later of their times. */
export function sumOfUses(a: UseCounts, b: UseCounts): UseCounts {
  const at = Math.max(a.at, b.at);
  const [fadedA, fadedB] = [fading(at - a.at), fading(at - b.at)];
  return { good: a.good * fadedA + b.good * fadedB, bad: a.bad * fadedA + b.bad * fadedB, at };
}

export interface UseStore {
  /** In no order. */
  listUses(): Promise<StoredUse[]>;
  /** Adds the counts to those that are stored, in one transaction: several gateways may learn at once. */
  addUses(uses: readonly StoredUse[]): Promise<void>;
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
    addUses: (added) => write((db) => addUses(db, added)),
    removeUses: (keys) =>
      write((db) =>
        workInChunks(keys, async (chunk) => {
          for (const { query, toolKey } of chunk) await uses.remove(db, { query, toolKey });
        }),
      ),
  }),
};

async function addUses(db: AnyTransaction, added: readonly StoredUse[]): Promise<void> {
  for (const [query, more] of Map.groupBy(added, (use) => use.query)) {
    const sums = new Map((await uses.list(db, { query })).map((use) => [use.toolKey, use]));
    for (const use of more) {
      const before = sums.get(use.toolKey);
      sums.set(use.toolKey, before ? { ...before, ...sumOfUses(before, use) } : use);
    }
    await uses.save(
      db,
      [...new Set(more.map(({ toolKey }) => toolKey))].flatMap((key) => sums.get(key) ?? []),
    );
  }
}

/** A store's record of numbered calls after a kill, in sums and in rows. */

import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { createSqliteStore } from '../../src/store/store.ts';

const mostTools = 1_000_000;

export interface KeptCalls {
  readonly integrity: string;
  /** All calls, by the sums of tools, of days and of queries. */
  readonly count: number;
  readonly dayCount: number;
  readonly pairCount: number;
  /** How often each call with a tool of its own was counted. */
  readonly singles: ReadonlyMap<number, number>;
  /** How many calls of shared tools were counted, and which of them have a row. */
  readonly sharedCount: number;
  readonly shared: ReadonlySet<number>;
  readonly isMidBatch: boolean;
}

export async function readCalls(file: string): Promise<KeptCalls> {
  const store = createSqliteStore({ file, clock: systemClock, log: silentLog });
  await store.open();
  const { tools } = await store.listCallTallies(mostTools);
  const days = await store.listCallDays({}, 0);
  const pairs = await store.listCallPairs('query', {});
  await store.close();
  const singles = tools.filter(({ server }) => server === 'single');
  const countOf = (sums: readonly { readonly tally: { readonly count: number } }[]) =>
    sums.reduce((all, { tally }) => all + tally.count, 0);
  return {
    count: countOf(tools),
    dayCount: countOf(days),
    pairCount: pairs.reduce((all, { count }) => all + count, 0),
    singles: new Map(singles.map(({ tool, tally }) => [Number(tool), tally.count])),
    sharedCount: countOf(tools.filter(({ server }) => server === 'shared')),
    ...readRows(file),
  };
}

function readRows(file: string): Pick<KeptCalls, 'integrity' | 'shared' | 'isMidBatch'> {
  using connection = new DatabaseSync(file, { readOnly: true });
  const rows = connection.prepare(`select session from call where server = 'shared'`).all();
  const ahead = connection
    .prepare('select count(*) as n from call_total where upto > (select watermark from roll_up)')
    .get();
  return {
    integrity: String(connection.prepare('pragma integrity_check').get()?.integrity_check),
    shared: new Set(rows.map(({ session }) => Number(session))),
    isMidBatch: Number(ahead?.n) > 0,
  };
}

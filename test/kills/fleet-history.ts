/** Compares what agents were told with what servers wrote down and with what the database says. */

import { countOfSums } from '../../src/store/call/forget-calls.ts';
import { queryRows } from '../kit/postgres.ts';
import { eventually } from '../kit/processes.ts';
import type { Attempt } from './fleet-agent.ts';

/** Far longer than a minute, and than another gateway needs to take over. */
const rollUpLimitMs = 180_000;
const lookEveryMs = 500;

export interface FleetFindings {
  /** Values whose call was acknowledged. */
  readonly acknowledged: number;
  /** Values that servers wrote down, and those that are done by the audit. */
  readonly executed: number;
  readonly recorded: number;
  /** Those of them that no server wrote down, and those that are not in the audit. */
  readonly unexecuted: readonly string[];
  readonly unrecorded: readonly string[];
  /** Values that servers wrote down more than once, and those that are more than once in the audit as done. */
  readonly executedTwice: readonly string[];
  readonly recordedTwice: readonly string[];
  /** Values that the audit has as done, and that no server wrote down. */
  readonly invented: readonly string[];
  /** Events of the audit without their call, and calls without their event. */
  readonly unpaired: number;
  /** Rows of calls, and those of them that are in the sums. */
  readonly rows: number;
  readonly rolledUp: number;
  /** Tools, and days of tools, whose sum is not that of its rows. */
  readonly wrongSums: number;
}

export async function findHistory(
  attempts: readonly Attempt[],
  executions: ReadonlyMap<string, number>,
  storeUrl: string,
): Promise<FleetFindings> {
  const acknowledged = attempts.filter(({ outcome }) => outcome === 'acknowledged').map(({ value }) => value);
  const recorded = await recordedValues(storeUrl);
  const [sums] = await queryRows(storeUrl, sumsSql);
  const [pairs] = await queryRows(storeUrl, unpairedSql);
  return {
    acknowledged: acknowledged.length,
    executed: executions.size,
    recorded: recorded.size,
    unexecuted: acknowledged.filter((value) => !executions.has(value)),
    unrecorded: acknowledged.filter((value) => !recorded.has(value)),
    executedTwice: moreThanOnce(executions),
    recordedTwice: moreThanOnce(recorded),
    invented: [...recorded.keys()].filter((value) => !executions.has(value)),
    unpaired: Number(pairs?.unpaired),
    rows: Number(sums?.rows),
    rolledUp: Number(sums?.rolled_up),
    wrongSums: Number(sums?.wrong),
  };
}

/** Resolves when every call is in the sums, which one of the gateways sees to every minute. */
export async function whenRolledUp(storeUrl: string): Promise<void> {
  await eventually(
    'every call is in the sums',
    async () => {
      const [found] = await queryRows(
        storeUrl,
        'select watermark >= (select max(id) from call) as is_done from roll_up',
      );
      return found?.is_done === true || undefined;
    },
    rollUpLimitMs,
    lookEveryMs,
  );
}

function moreThanOnce(counts: ReadonlyMap<string, number>): string[] {
  return [...counts].filter(([, count]) => count > 1).map(([value]) => value);
}

/** How often the audit says that a call with a value was done. Other calls are not those of agents. */
async function recordedValues(storeUrl: string): Promise<ReadonlyMap<string, number>> {
  const rows = await queryRows(
    storeUrl,
    `select arguments::json ->> 'value' as value, count(*) as count from audit
      where action = 'tools.call' and outcome = 'ok' and arguments::json ->> 'value' is not null group by 1`,
  );
  return new Map(rows.map(({ value, count }) => [String(value), Number(count)]));
}

/** A call and its event have the same author, tool, outcome and time to the microsecond. */
const paired = 'principal, server, tool, outcome, micros';
const unpairedSql = `with calls as (select ${paired}, count(*) from call group by ${paired}),
    events as (select ${paired}, count(*) from audit where action = 'tools.call' group by ${paired})
  select (select count(*) from (select * from calls except select * from events) as lonely)
    + (select count(*) from (select * from events except select * from calls) as lonely) as unpaired`;

/** Up to the watermark every call is in the sums, once. Nothing is so old that its row is gone. */
const rolledUp = 'select * from call where id <= (select watermark from roll_up)';
const dayMs = 24 * 60 * 60 * 1_000;
const sumsSql = `with rolled as (${rolledUp}),
    tools as (select server, tool, count(*) from rolled group by 1, 2),
    tool_sums as (select server, tool, ${countOfSums} from call_total),
    days as (select at / ${dayMs} as day, server, tool, count(*) from rolled group by 1, 2, 3),
    day_sums as (select day, server, tool, ${countOfSums} from call_day)
  select (select count(*) from call) as rows, (select count(*) from rolled) as rolled_up,
    (select count(*) from (select * from tools except select * from tool_sums) as wrong)
    + (select count(*) from (select * from tool_sums except select * from tools) as wrong)
    + (select count(*) from (select * from days except select * from day_sums) as wrong)
    + (select count(*) from (select * from day_sums except select * from days) as wrong) as wrong`;

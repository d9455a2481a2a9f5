/** Calls by the steps of a span of time, added up from their rows: a few at a time, the newest first. */

import { setImmediate as giveWay } from 'node:timers/promises';
import type { ExpressionBuilder, Kysely } from 'kysely';
import { toText } from '../columns.ts';
import type { CallScope, CallSpan, StepTallies } from './call.ts';
import { type CallTables, toTally } from './call-table.ts';
import { type IdRange, nothingLast, sumsOf } from './fresh-calls.ts';
import { Tally } from './tally.ts';

/** Reading more at once would hold up the event loop for longer than a few milliseconds. */
const callsPerRange = 2_000;
/** Calls that are looked at for one answer, in about a second. */
const mostCalls = 500_000;

export async function selectSteps(db: Kysely<CallTables>, scope: CallScope, span: CallSpan): Promise<StepTallies> {
  const steps = Array.from({ length: span.count }, () => new Tally());
  let range = await rangeBelow(db, Number.MAX_SAFE_INTEGER);
  for (let looked = 0; range.latest >= span.since; looked += callsPerRange) {
    if (looked >= mostCalls) return { steps, isComplete: false };
    for (const row of await sumRange(db, scope, span, range)) steps[row.step]?.merge(toTally(row));
    await giveWay();
    range = await rangeBelow(db, range.after + 1);
  }
  return { steps, isComplete: true };
}

/** Calls are written in the order of their ends. After a clock was set back, some of a range may still be in the span. */
async function rangeBelow(db: Kysely<CallTables>, id: number): Promise<IdRange & { readonly latest: number }> {
  const found = await db
    .selectFrom((from) =>
      from
        .selectFrom('call')
        .select(['id', 'at'])
        .where('id', '<', id)
        .orderBy('id', 'desc')
        .limit(callsPerRange)
        .as('newest'),
    )
    .select(({ fn }) => [fn.min('id').as('first'), fn.max('id').as('last'), fn.max('at').as('latest')])
    .executeTakeFirstOrThrow();
  // Of no rows they are null.
  return { after: (found.first ?? 1) - 1, upto: found.last ?? 0, latest: found.latest ?? Number.NEGATIVE_INFINITY };
}

async function sumRange(db: Kysely<CallTables>, scope: CallScope, span: CallSpan, { after, upto }: IdRange) {
  const { sql } = await import('kysely');
  const { since, stepMs, count } = span;
  // As literals: a bound number would make it a fraction.
  const step = sql<number>`(call.at - ${sql.raw(String(since))}) / ${sql.raw(String(stepMs))}`;
  let calls = db
    .selectFrom('call')
    .selectAll('call')
    .select(step.as('step'))
    .where('call.id', '>', after)
    .where('call.id', '<=', upto)
    .where('call.at', '>=', since)
    .where('call.at', '<', since + stepMs * count)
    .where(isRemembered);
  if (scope.server !== undefined) calls = calls.where('call.server', '=', scope.server);
  if (scope.tool !== undefined) calls = calls.where('call.tool', '=', toText(scope.tool));
  const sums = sql<CallTables['call_total'] & { step: number }>`with fresh as ${calls}
    ${sql.raw(sumsOf('step', nothingLast))}`;
  return (await sums.execute(db)).rows;
}

/** Rows of forgotten calls may still be there until the next roll-up. */
export function isRemembered({ not, exists, selectFrom }: ExpressionBuilder<CallTables, 'call'>) {
  return not(
    exists(
      selectFrom('call_reset')
        .select('call_reset.id')
        .whereRef('call.id', '<=', 'call_reset.upto')
        .where((reset) => reset.or([reset('server', 'is', null), reset('server', '=', reset.ref('call.server'))]))
        .where((reset) => reset.or([reset('tool', 'is', null), reset('tool', '=', reset.ref('call.tool'))])),
    ),
  );
}

/** Forgets the calls of a tool, of a server or of all, in one transaction that also overtakes a roll-up under way. */

import type { ExpressionBuilder, ExpressionWrapper, Transaction } from 'kysely';
import { toText } from '../rows.ts';
import type { Schema } from '../schema.ts';
import type { CallScope } from './call-queries.ts';
import { toolKeyOf } from './call-record.ts';

/**
 * Says how many calls were forgotten. The rows of calls that are in the sums already are left to the next roll-up:
 * there may be a million of them, and once the sums are gone nobody reads them.
 */
export async function forgetCalls(db: Transaction<Schema>, scope: CallScope): Promise<number> {
  const { watermark } = await db
    .updateTable('roll_up')
    .set((row) => ({ generation: row('generation', '+', 1) }))
    .returning('watermark')
    .executeTakeFirstOrThrow();
  await leaveRest(db, scope);
  const summed = await countSummed(db, scope);
  const ahead = await selectAhead(db, scope, watermark);
  await db.deleteFrom('call_total').where(isIn(scope)).execute();
  await db.deleteFrom('call_day').where(isIn(scope)).execute();
  await db.deleteFrom('call_pair').where(isIn(scope)).execute();
  await deletePairsAfter(db, scope);
  const rows = await db
    .deleteFrom('call')
    .where('id', '>', watermark)
    .where(isIn(scope))
    .returning(['id', 'server', 'tool'])
    .execute();
  await cutLeads(db, scope, watermark);
  const isUnsummed = (row: { id: number; server: string; tool: string }) => row.id > (ahead.get(toolKeyOf(row)) ?? 0);
  return summed + rows.filter(isUnsummed).length;
}

/** The part of each table that is about calls of these tools. */
function isIn(scope: CallScope) {
  return (row: ExpressionBuilder<Schema, 'call' | 'call_total' | 'call_day' | 'call_pair'>) => {
    const parts = [];
    if (scope.server !== undefined) parts.push(row('server', '=', scope.server));
    if (scope.tool !== undefined) parts.push(row('tool', '=', toText(scope.tool)));
    return row.and(parts);
  };
}

async function leaveRest(db: Transaction<Schema>, scope: CallScope): Promise<void> {
  const newest = await db.selectFrom('call').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst();
  if (newest === undefined) return;
  const tool = scope.tool === undefined ? null : toText(scope.tool);
  await db
    .insertInto('call_reset')
    .values({ server: scope.server ?? null, tool, upto: newest.id })
    .execute();
}

async function countSummed(db: Transaction<Schema>, scope: CallScope): Promise<number> {
  const sums = await db
    .selectFrom('call_total')
    .select(({ fn }) => [
      fn.sum<number | null>('ok_count').as('ok'),
      fn.sum<number | null>('arguments_count').as('arguments'),
      fn.sum<number | null>('tool_count').as('tool'),
      fn.sum<number | null>('server_count').as('server'),
      fn.sum<number | null>('timeout_count').as('timeout'),
      fn.sum<number | null>('cancelled_count').as('cancelled'),
      fn.sum<number | null>('refused_count').as('refused'),
    ])
    .where(isIn(scope))
    .executeTakeFirstOrThrow();
  return Object.values(sums).reduce<number>((all, sum) => all + Number(sum ?? 0), 0);
}

/** Totals that are ahead of the watermark, because a roll-up was stopped half way: those calls are counted already. */
async function selectAhead(db: Transaction<Schema>, scope: CallScope, watermark: number): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('call_total')
    .select(['server', 'tool', 'upto'])
    .where('upto', '>', watermark)
    .where(isIn(scope))
    .execute();
  return new Map(rows.map((row) => [toolKeyOf(row), row.upto]));
}

/** What was called after these tools, or instead of them. */
async function deletePairsAfter(db: Transaction<Schema>, scope: CallScope): Promise<void> {
  await db
    .deleteFrom('call_pair')
    .where('kind', '!=', 'query')
    .where((row) => isLead(row, row.ref('first'), scope))
    .execute();
}

/** Calls of other tools that are not in the sums yet forget that these came before. */
async function cutLeads(db: Transaction<Schema>, scope: CallScope, watermark: number): Promise<void> {
  for (const column of ['previous', 'suggested_for'] as const) {
    await db
      .updateTable('call')
      .set({ [column]: null })
      .where('id', '>', watermark)
      .where((row) => isLead(row, row.ref(column), scope))
      .execute();
  }
}

/** Whether a column holds the toolKey of one of these tools: they begin alike, in the plain form and in the escaped one. */
function isLead(
  { eb, fn, val, or }: ExpressionBuilder<Schema, 'call' | 'call_pair'>,
  toolKey: ExpressionWrapper<Schema, 'call' | 'call_pair', string | null>,
  { server, tool }: CallScope,
) {
  if (server === undefined) return eb(toolKey, 'is not', null);
  if (tool !== undefined) return eb(toolKey, '=', toText(toolKeyOf({ server, tool })));
  const beginsWith = (start: string) => eb(fn<string>('substr', [toolKey, val(1), val(start.length)]), '=', start);
  return or([beginsWith(`${server}:`), beginsWith(`"${server}:`)]);
}

/** The queries on approvals that last. */

import type { Kysely, Transaction } from 'kysely';
import { fromText, toText } from '../rows.ts';
import type { Schema } from '../schema.ts';
import type { StoredApproval } from './approval.ts';

/** The oldest first. */
export async function selectApprovals(db: Kysely<Schema>): Promise<StoredApproval[]> {
  const rows = await db.selectFrom('approval').selectAll().execute();
  return rows.map(toApproval).sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
}

/** Takes the place of the one for the same principal, project and tool. */
export async function upsertApproval(db: Transaction<Schema>, approval: StoredApproval): Promise<void> {
  const row = fromApproval(approval);
  await db
    .insertInto('approval')
    .values(row)
    .onConflict((conflict) => conflict.columns(['principal', 'project', 'tool_key']).doUpdateSet(row))
    .execute();
}

/** False where there was none. */
export async function deleteApproval(db: Transaction<Schema>, id: string): Promise<boolean> {
  const removed = await db.deleteFrom('approval').where('id', '=', toText(id)).returning('id').execute();
  return removed.length > 0;
}

function toApproval(row: Schema['approval']): StoredApproval {
  return {
    id: fromText(row.id),
    principal: fromText(row.principal),
    principalName: fromText(row.principal_name),
    project: row.project === '' ? null : fromText(row.project),
    toolKey: fromText(row.tool_key),
    definition: fromText(row.definition),
    at: row.at,
    by: fromText(row.approved_by),
  };
}

function fromApproval(approval: StoredApproval): Schema['approval'] {
  return {
    id: toText(approval.id),
    principal: toText(approval.principal),
    principal_name: toText(approval.principalName),
    project: toText(approval.project ?? ''),
    tool_key: toText(approval.toolKey),
    definition: toText(approval.definition),
    at: approval.at,
    approved_by: toText(approval.by),
  };
}

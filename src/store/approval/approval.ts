/** Standing approvals: an owner lets a principal always call a tool which otherwise needs approval for each call. */

import { asKeyText, asNumber, asText, named, primary, type RowIn, rowsOf, toText } from '../columns.ts';
import { createTable, type StoreRecord, upsert } from '../record.ts';

export interface StoredApproval {
  readonly id: string;
  /** The caller: the id of the principal, and the name that it had then. */
  readonly principal: string;
  readonly principalName: string;
  /** The project by which it came in; null: none. */
  readonly project: string | null;
  /** `server:tool`; with principal and project it is unique. */
  readonly toolKey: string;
  /** The server and definition behind that name: the approval holds for no other. */
  readonly definition: string;
  readonly at: number;
  /** The name of who said it. */
  readonly by: string;
}

export interface ApprovalStore {
  /** The oldest first. */
  listApprovals(): Promise<StoredApproval[]>;
  /** Adds it, or replaces the one for the same principal, project and tool. */
  saveApproval(approval: StoredApproval): Promise<void>;
  /** False when there was none. */
  removeApproval(id: string): Promise<boolean>;
}

const approvalRows = rowsOf<StoredApproval>()({
  id: primary(asText),
  principal: asText,
  principalName: asText,
  project: asKeyText,
  toolKey: asText,
  definition: asText,
  at: asNumber,
  by: named('approved_by', asText),
});

interface ApprovalTables {
  approval: RowIn<typeof approvalRows>;
}

export const approvalRecord: StoreRecord<ApprovalTables, ApprovalStore> = {
  migrations: {
    '0006-approvals': (db) =>
      createTable(
        db,
        'approval',
        approvalRows,
        'constraint "approval_key" unique ("principal", "project", "tool_key")',
      ),
  },
  open: ({ read, write }) => ({
    listApprovals: () =>
      read(async (db) => {
        const approvals = (await db.selectFrom('approval').selectAll().execute()).map(approvalRows.toRecord);
        return approvals.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
      }),
    saveApproval: (approval) =>
      write(async (db, tell) => {
        await upsert(db, 'approval', ['principal', 'project', 'tool_key'], [approvalRows.toRow(approval)]);
        tell({ type: 'access' });
      }),
    removeApproval: (id) =>
      write(async (db, tell) => {
        const removed = await db.deleteFrom('approval').where('id', '=', toText(id)).returning('id').execute();
        if (removed.length > 0) tell({ type: 'access' });
        return removed.length > 0;
      }),
  }),
};

/** Standing approvals: an owner lets a principal always call a tool which otherwise needs approval for each call. */

import { asKeyText, asNumber, asText, named, primary, rowsOf } from '../columns.ts';
import { RecordTable, type StoreRecord } from '../record.ts';

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

export const approvalTable = new RecordTable('approval', approvalRows, ['principal', 'project', 'tool_key']);

export const approvalRecord: StoreRecord<unknown, ApprovalStore> = {
  migrations: {
    '0006-approvals': (db) =>
      approvalTable.create(db, 'constraint "approval_key" unique ("principal", "project", "tool_key")'),
  },
  open: ({ read, change }) => ({
    async listApprovals() {
      const all = await read((db) => approvalTable.list(db));
      return all.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
    },
    saveApproval: (approval) => change('access', (db) => approvalTable.save(db, [approval])),
    removeApproval: (id) => change('access', async (db) => (await approvalTable.remove(db, { id })) > 0),
  }),
};

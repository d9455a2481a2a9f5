/** An owner's word that a principal may always call a tool which otherwise needs approval for each call. */

export interface StoredApproval {
  readonly id: string;
  /** Whose calls are meant: the id of the principal, and the name that it had then. */
  readonly principal: string;
  readonly principalName: string;
  /** The project by which it came in; null: none. */
  readonly project: string | null;
  /** `server:tool`; with principal and project it is unique. */
  readonly toolKey: string;
  /** What stood behind that name: of another server or definition nothing has been said. */
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

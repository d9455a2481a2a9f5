/** One event of the audit as it is written down, and the queries on them. */

import type { JsonObject } from '../../base/json.ts';

export const auditKinds = ['discovery', 'execution', 'administration', 'access'] as const;
export type AuditKind = (typeof auditKinds)[number];

export interface AuditRecord {
  /** Wall clock, when it ended. */
  readonly at: number;
  readonly kind: AuditKind;
  readonly action: string;
  /** The id of who did it, and the name that it had then. */
  readonly principal: string;
  readonly principalName: string;
  readonly client: string | null;
  /** Our id of the request: every record that it caused has the same. */
  readonly requestId: string | null;
  /** The id of the request as the agent gave it, and the trace that came with it. */
  readonly rpcId: string | null;
  readonly trace: string | null;
  /** The project in which it was done. */
  readonly project: string | null;
  readonly session: string | null;
  readonly server: string | null;
  readonly tool: string | null;
  readonly outcome: string;
  readonly errorType: string | null;
  /** Fractions are kept to the microsecond. */
  readonly ms: number | null;
  /** SHA-256 over the canonical JSON of what it was called with. */
  readonly argumentsHash: string | null;
  /** The same in full, where the owner wants it kept: masked and short. */
  readonly arguments: JsonObject | null;
  readonly detail: JsonObject | null;
}

export interface StoredAuditRecord extends AuditRecord {
  /** Grows with every record and is never given twice. */
  readonly id: number;
}

/** Everything that is named has to hold. */
export interface AuditFilter {
  readonly kind?: AuditKind | undefined;
  /** Its id or its name. */
  readonly principal?: string | undefined;
  readonly project?: string | undefined;
  readonly server?: string | undefined;
  readonly tool?: string | undefined;
  /** Our id of a request, or the trace that came with it. */
  readonly request?: string | undefined;
  readonly outcome?: string | undefined;
  /** Part of the action. */
  readonly action?: string | undefined;
  /** From this time on. */
  readonly since?: number | undefined;
  /** Before this time. */
  readonly until?: number | undefined;
}

export interface AuditQuery {
  readonly filter: AuditFilter;
  /** `newest`: backwards from `from`, which is left out; `oldest`: forwards from behind it. */
  readonly order: 'newest' | 'oldest';
  readonly from?: number | undefined;
  readonly limit: number;
}

/** The result of one look: there is a limit on how many records are looked at, so that it may be less than there is. */
export interface AuditPage {
  readonly records: readonly StoredAuditRecord[];
  /** Everything up to this id was looked at: the next look goes on from here. */
  readonly upto: number;
  /** Something is left in this direction. */
  readonly isMore: boolean;
}

export interface AuditRemoval {
  readonly removed: number;
  /** Behind which id the next step begins; null: nothing is left to be removed. */
  readonly next: number | null;
}

export interface AuditStore {
  /** One look at the audit; the next one goes on where it ended. Events are never changed, and removed only by age or number. */
  listAudit(query: AuditQuery): Promise<AuditPage>;
  /** The id of the event that was written last; 0 where there is none. */
  lastAudit(): Promise<number>;
  /** One step: removes some of the events from before a time that lie behind the id `after`. The last one always stays. */
  removeAudit(before: number, after: number): Promise<AuditRemoval>;
  /** One step: removes some of the events up to an id, whatever their time, and says how many. The last one always stays. */
  removeAuditUpto(id: number): Promise<number>;
}

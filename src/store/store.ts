/** The store's interface, in domain words: everything that survives a restart. Each record has a folder with its part, its tables and its contract. */

import type { Signal } from '../base/signal.ts';
import type { CallStore, RecordAppender } from './call/call.ts';
import type { StoreEvent } from './record.ts';
import type { Records } from './records.ts';

export type { ApprovalStore, StoredApproval } from './approval/approval.ts';
export type { ApprovalChange, ApprovalNote, ApprovalNoteStore } from './approval/approval-note.ts';
export {
  type AuditFilter,
  type AuditKind,
  type AuditPage,
  type AuditQuery,
  type AuditRecord,
  type AuditRemoval,
  type AuditStore,
  anyFailure,
  auditKinds,
  type StoredAuditRecord,
} from './audit/audit.ts';
export type { BrowserStore, StoredBrowser } from './browser/browser.ts';
export {
  type CallRecord,
  type CallScope,
  type CallSpan,
  type CallStore,
  type DayTally,
  type OutcomeKind,
  outcomeKinds,
  type RollUpOrder,
  type RollUpReport,
  type ToolTally,
  toolKeyOf,
} from './call/call.ts';
export { dayOf, reachedTool, Tally } from './call/tally.ts';
export { type CopyReport, copyStore } from './copy/copy-store.ts';
export {
  type DisclosureKind,
  type DisclosureStore,
  type DisclosureSum,
  disclosureKinds,
} from './disclosure/disclosure.ts';
export { type DiskProblem, DiskWatch } from './disk-watch.ts';
export {
  type CatalogChange,
  type CatalogChangeMark,
  type ItemKind,
  type ListedItem,
  type Listing,
  type ListingDiff,
  type ListingStore,
  mostCatalogChanges,
  type StoredListing,
} from './listing/listing.ts';
export { planListing } from './listing/plan-listing.ts';
export { acquireDataLock, type DataLock, type LockHolder } from './lock/lock.ts';
export {
  type ChangeWatch,
  type ModelAuthor,
  modelAuthors,
  type OptimizerStore,
  type PromotionMetrics,
  type PromptCategory,
  promptCategories,
  type StoredCandidate,
  type StoredEvalRun,
  type StoredJob,
  type StoredPromotion,
  type StoredPrompt,
} from './optimizer/optimizer.ts';
export { CoalescedReads, OrderedReads } from './ordered-reads.ts';
export {
  isSamePin,
  OutdatedPinsError,
  type PinAct,
  type PinBase,
  type PinBefore,
  type PinChanges,
  type PinEvent,
  type PinKey,
  type PinKind,
  type PinnedWording,
  type PinReason,
  type PinState,
  type PinStore,
  pinKinds,
  type StoredPin,
  type StoredPinEvent,
} from './pin/pin.ts';
export { createPostgresStore } from './postgres/postgres-database.ts';
export type { ProjectStore, StoredProject } from './project/project.ts';
export type { StoreEvent } from './record.ts';
export { RecordWriter } from './record-writer.ts';
export {
  isTermOver,
  type ReplicaFacts,
} from './replica/replica.ts';
export { Replicas, type Turn, type Turns } from './replica/replicas.ts';
export type { FoundCopy, ResultCopy, ResultStore } from './result/result.ts';
export { type SecretStore, type StoredSecret, signInPrefix } from './secret/secret.ts';
export type { ServerStore, StoredServer } from './server/server.ts';
export { createSqliteStore } from './sqlite/sqlite-database.ts';
export { StoreFollower } from './store-follower.ts';
export type { StoredToken, TokenStore } from './token/token.ts';
export {
  fading,
  halfLifeMs,
  type StoredUse,
  sumOfUses,
  type UseCounts,
  type UseKey,
  type UseStore,
} from './use/use.ts';
export type { StoredVector, VectorStore } from './vector/vector.ts';
export type { EraVerdict, VerdictStore } from './verdict/verdict.ts';

/** Every record's part, and the life of the whole. A layer asks for the parts that it uses. */
export type Store = Records & CallStore & RecordAppender & StoreChanges & StoreSharing & StoreLife;

interface StoreLife {
  /** Idempotent. Throws STORE_BROKEN when the data cannot be used; never recreates it. */
  open(): Promise<void>;
  /** Idempotent; waits for writes that were accepted. */
  close(): Promise<void>;
}

export interface StoreSharing {
  /** True if other gateways may use the same database. */
  readonly isShared: boolean;
  /** Since when changes by other gateways may go unnoticed, in monotonic time; null: they are noticed. */
  readonly unheardSince: number | null;
}

export interface StoreChanges {
  /** Tells of committed changes; on a shared database also of those of other gateways. */
  readonly events: Signal<StoreEvent>;
}

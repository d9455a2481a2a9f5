/** The store's contract, in domain words: what survives a restart. SQLite implements it; every implementation passes the contracts beside the records. */

import type { JsonObject } from '../base/json.ts';
import type { Signal } from '../base/signal.ts';
import type { StoredApproval } from './approval/approval.ts';
import type { AuditPage, AuditQuery, AuditRecord, AuditRemoval } from './audit/audit.ts';
import type { CallRecord } from './call/call.ts';
import type { DayTally } from './call/call-days.ts';
import type { CallPair, PairKind } from './call/call-pair.ts';
import type { CallScope, PairFilter, ToolTallies } from './call/call-queries.ts';
import type { ForgetReport } from './call/forget-calls.ts';
import type { RollUpOrder, RollUpReport } from './call/roll-up.ts';
import type { PinChanges, PinEventQuery, StoredPin, StoredPinEvent } from './pin/pin.ts';
import type { StoredProject } from './project/project.ts';
import type { SecretStore } from './secret/secret.ts';
import type { StoredToken } from './token/token.ts';

export type { StoredApproval } from './approval/approval.ts';
export {
  type AuditFilter,
  type AuditKind,
  type AuditPage,
  type AuditQuery,
  type AuditRecord,
  type AuditRemoval,
  auditKinds,
  type StoredAuditRecord,
} from './audit/audit.ts';
export { type CallRecord, type OutcomeKind, outcomeKinds, toolKeyOf } from './call/call.ts';
export type { DayTally } from './call/call-days.ts';
export type { CallPair, PairKind } from './call/call-pair.ts';
export type { CallScope, PairFilter, ToolTallies, ToolTally } from './call/call-queries.ts';
export type { ForgetReport } from './call/forget-calls.ts';
export type { RollUpOrder, RollUpReport } from './call/roll-up.ts';
export { dayOf, Tally } from './call/tally.ts';
export { type DiskProblem, DiskWatch } from './disk-watch.ts';
export { planListing } from './listing/plan-listing.ts';
export { acquireDataLock, type LockResult, readLock } from './lock/data-lock.ts';
export type { DataLock } from './lock/held-lock.ts';
export type { LockHolder } from './lock/lock-holder.ts';
export {
  type PinAct,
  type PinBefore,
  type PinChanges,
  type PinEvent,
  type PinKey,
  type PinKind,
  type PinnedWording,
  type PinReason,
  type PinState,
  pinKinds,
  type StoredPin,
  type StoredPinEvent,
} from './pin/pin.ts';
export type { StoredProject } from './project/project.ts';
export { RecordWriter } from './record-writer.ts';
export type { SecretStore, StoredSecret } from './secret/secret.ts';
export { createSqliteStore } from './sqlite/sqlite-store.ts';
export type { StoredToken } from './token/token.ts';

/** A server that was added at run time; servers of the config file are not stored. */
export interface StoredServer {
  readonly name: string;
  /** The server in the form of one `mcpServers` member, as it was given. */
  readonly spec: JsonObject;
  readonly addedAt: number;
}

export const itemKinds = ['tool', 'resource', 'template', 'prompt'] as const;
export type ItemKind = (typeof itemKinds)[number];

/** One thing a server offers, as the server gave it. */
export interface ListedItem {
  readonly kind: ItemKind;
  /** A tool's or prompt's name, a resource's URI, a template's URI template. Unique by kind within a listing. */
  readonly name: string;
  readonly fingerprint: string;
  readonly definition: JsonObject;
}

/** What a server said about itself when it was last listed in full. */
export interface ListingHead {
  readonly serverInfo: JsonObject | null;
  readonly capabilities: JsonObject;
  readonly instructions: string | null;
  /** What was listed, whatever its name: another one under the same name is not described by this. */
  readonly source: string;
}

/** A complete, successful listing of one server. */
export interface Listing extends ListingHead {
  readonly items: readonly ListedItem[];
  readonly listedAt: number;
}

/** A listing as the store knows it. `staleSince` is set while the server could not be listed again. */
export interface StoredListing extends Listing {
  readonly server: string;
  readonly staleSince: number | null;
  readonly staleReason: string | null;
}

export type ChangeKind = 'added' | 'updated' | 'removed';

/** That an item changed, without what it was and is. */
export interface CatalogChangeMark {
  readonly id: number;
  readonly server: string;
  readonly kind: ItemKind;
  readonly name: string;
  readonly change: ChangeKind;
  /** All changes of one listing have the same time. */
  readonly at: number;
}

/** Changes of one server that are kept as history; older ones make room. */
export const mostCatalogChanges = 5_000;

/** One change of one item. */
export interface CatalogChange extends CatalogChangeMark {
  readonly oldFingerprint: string | null;
  readonly newFingerprint: string | null;
  readonly oldDefinition: JsonObject | null;
  readonly newDefinition: JsonObject | null;
}

/** How many items of a listing were new, changed, gone or the same. */
export interface ListingDiff {
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly removed: readonly string[];
  readonly unchanged: number;
}

/** Which protocol eras a server was seen to speak; keyed by what is connected to (command line or URL), not by name. */
export interface EraVerdict {
  readonly key: string;
  readonly modern: boolean;
  /** null: not tried yet. */
  readonly legacy: boolean | null;
  /** The answer to `server/discover`, for modern servers. */
  readonly discover: JsonObject | null;
  readonly decidedAt: number;
}

/** What a text means, as a model saw it. */
export interface StoredVector {
  /** Of the text; unique by model. */
  readonly fingerprint: string;
  /** Whole numbers from -128 to 127, one in each byte. */
  readonly values: Uint8Array;
  /** What one of the numbers is worth. */
  readonly scale: number;
}

/** Names one use; unique. */
export interface UseKey {
  readonly query: string;
  readonly toolKey: string;
}

/** How often a tool that was executed after a query did well or badly; good and bad have faded up to `at`. */
export interface StoredUse extends UseKey {
  readonly good: number;
  readonly bad: number;
  /** The time of the last use. */
  readonly at: number;
}

export const disclosureKinds = ['list', 'find', 'execute', 'chain', 'direct'] as const;
export type DisclosureKind = (typeof disclosureKinds)[number];

/** What agents were shown on one surface in one day (since 1970, in UTC), of one kind; tokens are estimates. */
export interface DisclosureSum {
  readonly day: number;
  /** null: at doors that are of no project. */
  readonly project: string | null;
  readonly surface: string;
  readonly kind: DisclosureKind;
  readonly count: number;
  /** What models wrote and read. */
  readonly tokens: number;
  /** Tools that were called inside of chains. */
  readonly calls: number;
  /** What models would have read on the surface `direct` instead. */
  readonly directTokens: number;
}

export interface ChangeQuery {
  readonly server?: string | undefined;
  readonly name?: string | undefined;
  /** Only changes with a smaller id: pages backwards. */
  readonly before?: number | undefined;
  readonly limit?: number | undefined;
}

/** `access`: tokens, projects or approvals. */
export type StoreEvent =
  | { readonly type: 'servers' | 'access' }
  | { readonly type: 'catalog'; readonly server: string };

export interface Store extends SecretStore {
  /** Idempotent. Throws STORE_BROKEN when the data cannot be used; never recreates it. */
  open(): Promise<void>;
  /** Idempotent; waits for writes that were accepted. */
  close(): Promise<void>;

  listServers(): Promise<StoredServer[]>;
  /** Adds or replaces. */
  saveServer(server: StoredServer): Promise<void>;
  /** Removes the server with its listing and switch; its history and the uses of its tools stay. False when there was none. */
  removeServer(name: string): Promise<boolean>;

  /** Servers, from the file or added, that the owner switched off or on at run time: overrides `enabled` of the spec. */
  listSwitches(): Promise<ReadonlyMap<string, boolean>>;
  saveSwitch(server: string, isEnabled: boolean): Promise<void>;

  /** Every listing with its items, ordered by server, kind and name. */
  listListings(): Promise<StoredListing[]>;
  /** Replaces a server's listing in one transaction, with what was judged of it; records each change as history, touches no unchanged row. */
  applyListing(server: string, listing: Listing, pins?: PinChanges): Promise<ListingDiff>;
  /** Keeps the last good listing and says that it may be out of date. No-op for an unknown server. */
  markStale(server: string, reason: string, at: number): Promise<void>;
  removeListing(server: string): Promise<void>;

  /** Approvals outlive the listing of what was approved. In no order. */
  listPins(): Promise<StoredPin[]>;
  /** Adds or replaces pins, adds to their history; all or none. */
  savePins(changes: PinChanges): Promise<void>;
  /** Newest first. */
  listPinEvents(query: PinEventQuery): Promise<StoredPinEvent[]>;

  /** Newest first. */
  listChanges(query: ChangeQuery): Promise<CatalogChange[]>;
  listChangeMarks(query: ChangeQuery): Promise<CatalogChangeMark[]>;

  findVerdict(key: string): Promise<EraVerdict | undefined>;
  saveVerdict(verdict: EraVerdict): Promise<void>;
  removeVerdict(key: string): Promise<void>;

  /** The oldest first, with those that were revoked. */
  listTokens(): Promise<StoredToken[]>;
  /** Throws NAME_TAKEN where another one that is not revoked has the name. */
  addToken(token: StoredToken): Promise<void>;
  /** False where there is none with this id that is not revoked yet. */
  revokeToken(id: string, at: number): Promise<boolean>;
  /** Removes those that were revoked or expired before; says how many. */
  removeEndedTokens(before: number): Promise<number>;
  /** When each was last used, by id; a later time that is known stays. */
  saveTokenUses(uses: ReadonlyMap<string, number>): Promise<void>;

  /** Ordered by name. */
  listProjects(): Promise<StoredProject[]>;
  /** Adds or replaces. */
  saveProject(project: StoredProject): Promise<void>;
  /** False when there was none. */
  removeProject(name: string): Promise<boolean>;
  /** Names of projects that the config file has had, ordered. */
  listFileProjects(): Promise<string[]>;
  addFileProject(name: string): Promise<void>;
  removeFileProject(name: string): Promise<void>;

  /** The oldest first. */
  listApprovals(): Promise<StoredApproval[]>;
  /** Adds it, or replaces the one for the same principal, project and tool. */
  saveApproval(approval: StoredApproval): Promise<void>;
  /** False when there was none. */
  removeApproval(id: string): Promise<boolean>;

  /** In no order. */
  listVectors(model: string): Promise<StoredVector[]>;
  /** Adds or replaces, in one transaction; of a fingerprint that is given twice the last one counts. */
  saveVectors(model: string, vectors: readonly StoredVector[]): Promise<void>;
  removeVectors(model: string, fingerprints: readonly string[]): Promise<void>;
  /** Says how many were removed. */
  removeVectorsOfOtherModels(model: string): Promise<number>;

  /** In no order. */
  listUses(): Promise<StoredUse[]>;
  /** Adds or replaces, in one transaction; of a use that is given twice the last one counts. */
  saveUses(uses: readonly StoredUse[]): Promise<void>;
  removeUses(uses: readonly UseKey[]): Promise<void>;

  /** Adds to what is there for the same day, project, surface and kind; kept for ever. All or none. */
  addDisclosure(sums: readonly DisclosureSum[]): Promise<void>;
  /** The sums of each day from `since` on. In no order. */
  listDisclosure(since: number): Promise<DisclosureSum[]>;

  /**
   * Calls, and events of the audit. Resolves once they are committed, all or none, in the order in which they were given.
   * Never waits for a lock: rejects at once, with STORE_BUSY or STORE_BROKEN, where they cannot be written.
   */
  appendRecords(calls: readonly CallRecord[], events?: readonly AuditRecord[]): Promise<void>;

  /** One look at the audit; the next one goes on where it ended. Events are never changed, and removed only by age or number. */
  listAudit(query: AuditQuery): Promise<AuditPage>;
  /** The id of the event that was written last; 0 where there is none. */
  lastAudit(): Promise<number>;
  /** One step: removes some of the events from before a time that lie behind the id `after`. The last one always stays. */
  removeAudit(before: number, after: number): Promise<AuditRemoval>;
  /** One step: removes some of the events up to an id, whatever their time, and says how many. The last one always stays. */
  removeAuditUpto(id: number): Promise<number>;

  /** The sums of every call of each tool: up to `most` tools, those that were called last, and of them the last one last. */
  listCallTallies(most: number): Promise<ToolTallies>;
  /** The sums of each day from `since` on, the oldest first; days without calls are left out. */
  listCallDays(scope: CallScope, since: number): Promise<DayTally[]>;
  /** What led to which call. Of very many pairs the rare and old ones may have been forgotten. In no order. */
  listCallPairs(kind: PairKind, filter: PairFilter): Promise<CallPair[]>;
  /** Forgets the calls of a tool, a server or all, and what came of them in pairs. All or none. */
  forgetCalls(scope: CallScope): Promise<ForgetReport>;
  /**
   * Adds each call to the sums exactly once, whatever happens on the way, and removes the rows of old calls. Changes no
   * answer of the methods above. One at a time: asked again meanwhile, it gives the result of the one under way.
   */
  rollUpCalls(order: RollUpOrder): Promise<RollUpReport>;

  /** Tells of committed changes; on a shared database also of those of other gateways. */
  readonly events: Signal<StoreEvent>;
}

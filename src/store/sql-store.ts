/** The store on any SQL database that Kysely speaks to. How the database is opened, locked and kept healthy is the `SqlDatabase`'s affair. */

import type { Kysely, Transaction } from 'kysely';
import { Signal } from '../base/signal.ts';
import type { StoredApproval } from './approval/approval.ts';
import { deleteApproval, selectApprovals, upsertApproval } from './approval/approval-queries.ts';
import type { AuditPage, AuditQuery, AuditRecord, AuditRemoval } from './audit/audit.ts';
import { deleteAuditBefore, deleteAuditUpto, selectAudit, selectLastAudit } from './audit/audit-queries.ts';
import type { CallRecord } from './call/call.ts';
import { type DayTally, selectDays } from './call/call-days.ts';
import type { CallPair, PairKind } from './call/call-pair.ts';
import { type CallScope, type PairFilter, selectPairs, selectTallies, type ToolTallies } from './call/call-queries.ts';
import type { ForgetReport } from './call/forget-calls.ts';
import type { RollUpOrder, RollUpReport } from './call/roll-up.ts';
import { addDisclosure, selectDisclosure } from './disclosure/disclosure-queries.ts';
import { applyListing, selectChangeMarks, selectChanges, selectListings } from './listing/listing-queries.ts';
import type { PinChanges, PinEventQuery, StoredPin, StoredPinEvent } from './pin/pin.ts';
import { selectPinEvents, selectPins, upsertPins } from './pin/pin-queries.ts';
import { deleteFileProject, insertFileProject, selectFileProjects } from './project/file-project-queries.ts';
import type { StoredProject } from './project/project.ts';
import { deleteProject, selectProjects, upsertProject } from './project/project-queries.ts';
import { fromVerdict, toJson, toServer, toText, toVerdict } from './rows.ts';
import type { Schema } from './schema.ts';
import type { StoredSecret } from './secret/secret.ts';
import { replaceSecrets, selectSecrets } from './secret/secret-queries.ts';
import { type Sealer, sealSpec, unsealRow } from './server/sealed-servers.ts';
import type {
  CatalogChange,
  CatalogChangeMark,
  ChangeQuery,
  DisclosureSum,
  EraVerdict,
  Listing,
  ListingDiff,
  Store,
  StoredListing,
  StoredServer,
  StoredUse,
  StoredVector,
  StoreEvent,
  UseKey,
} from './store.ts';
import type { StoredToken } from './token/token.ts';
import { deleteEndedTokens, insertToken, markRevoked, selectTokens, updateTokenUses } from './token/token-queries.ts';
import { deleteUses, selectUses, upsertUses } from './use/use-queries.ts';
import { deleteVectors, deleteVectorsOfOtherModels, selectVectors, upsertVectors } from './vector/vector-queries.ts';

export interface SqlDatabase {
  open(): Promise<void>;
  close(): Promise<void>;
  /** Runs `act` on one unchanging state of the database; may run it again from the start. */
  read<T>(act: (db: Kysely<Schema>) => Promise<T>): Promise<T>;
  /** Runs `act` as one transaction, alone; may run it again from the start. Resolves once it is committed. */
  write<T>(act: (db: Transaction<Schema>) => Promise<T>): Promise<T>;
  /** As `Store` promises it. */
  appendRecords(calls: readonly CallRecord[], events: readonly AuditRecord[]): Promise<void>;
  forgetCalls(scope: CallScope): Promise<ForgetReport>;
  rollUpCalls(order: RollUpOrder): Promise<RollUpReport>;
}

type Tell = (event: StoreEvent) => void;

export class SqlStore implements Store {
  readonly events = new Signal<StoreEvent>();
  readonly #database: SqlDatabase;
  readonly #sealer: Sealer | undefined;

  constructor(database: SqlDatabase, sealer?: Sealer) {
    this.#database = database;
    this.#sealer = sealer;
  }

  open(): Promise<void> {
    return this.#database.open();
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  async listServers(): Promise<StoredServer[]> {
    const rows = await this.#database.read((db) => db.selectFrom('server').selectAll().execute());
    const plain = await Promise.all(rows.map((row) => unsealRow(this.#sealer, row)));
    return plain.map(toServer).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async saveServer(server: StoredServer): Promise<void> {
    const spec = await sealSpec(this.#sealer, server.name, toJson(server.spec));
    const row = { spec, added_at: server.addedAt };
    return this.#write(async (db, tell) => {
      await db
        .insertInto('server')
        .values({ name: server.name, ...row })
        .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
        .execute();
      tell({ type: 'servers' });
    });
  }

  removeServer(name: string): Promise<boolean> {
    return this.#write(async (db, tell) => {
      const removed = await db.deleteFrom('server').where('name', '=', name).returning('name').execute();
      if (removed.length === 0) return false;
      await db.deleteFrom('switch').where('server', '=', name).execute();
      await replaceSecrets(db, `oauth/${name}/`, []);
      tell({ type: 'servers' });
      await deleteListing(db, name, tell);
      return true;
    });
  }

  listSwitches(): Promise<ReadonlyMap<string, boolean>> {
    return this.#database.read(async (db) => {
      const rows = await db.selectFrom('switch').selectAll().execute();
      return new Map(rows.map((row) => [row.server, row.is_enabled === 1]));
    });
  }

  saveSwitch(server: string, isEnabled: boolean): Promise<void> {
    const row = { is_enabled: isEnabled ? 1 : 0 };
    return this.#write(async (db, tell) => {
      await db
        .insertInto('switch')
        .values({ server, ...row })
        .onConflict((conflict) => conflict.column('server').doUpdateSet(row))
        .execute();
      tell({ type: 'servers' });
    });
  }

  listListings(): Promise<StoredListing[]> {
    return this.#database.read(selectListings);
  }

  applyListing(server: string, listing: Listing, pins?: PinChanges): Promise<ListingDiff> {
    return this.#write(async (db, tell) => {
      const { diff, isChanged } = await applyListing(db, server, listing);
      if (pins) await upsertPins(db, pins);
      if (isChanged) tell({ type: 'catalog', server });
      return diff;
    });
  }

  markStale(server: string, reason: string, at: number): Promise<void> {
    return this.#write(async (db, tell) => {
      const old = await db
        .selectFrom('listing')
        .select(['stale_since', 'stale_reason'])
        .where('server', '=', server)
        .executeTakeFirst();
      const stale_reason = toText(reason);
      if (old === undefined || (old.stale_since !== null && old.stale_reason === stale_reason)) return;
      // The first failure says since when; the last one says why.
      const stale_since = old.stale_since ?? at;
      await db.updateTable('listing').set({ stale_since, stale_reason }).where('server', '=', server).execute();
      tell({ type: 'catalog', server });
    });
  }

  removeListing(server: string): Promise<void> {
    return this.#write((db, tell) => deleteListing(db, server, tell));
  }

  listPins(): Promise<StoredPin[]> {
    return this.#database.read(selectPins);
  }

  savePins(changes: PinChanges): Promise<void> {
    return this.#write((db) => upsertPins(db, changes));
  }

  listPinEvents(query: PinEventQuery): Promise<StoredPinEvent[]> {
    return this.#database.read((db) => selectPinEvents(db, query));
  }

  listChanges(query: ChangeQuery): Promise<CatalogChange[]> {
    return this.#database.read((db) => selectChanges(db, query));
  }

  listChangeMarks(query: ChangeQuery): Promise<CatalogChangeMark[]> {
    return this.#database.read((db) => selectChangeMarks(db, query));
  }

  findVerdict(key: string): Promise<EraVerdict | undefined> {
    return this.#database.read(async (db) => {
      const row = await db.selectFrom('verdict').selectAll().where('key', '=', toText(key)).executeTakeFirst();
      return row && toVerdict(row);
    });
  }

  saveVerdict(verdict: EraVerdict): Promise<void> {
    const { key, ...row } = fromVerdict(verdict);
    return this.#write(async (db) => {
      await db
        .insertInto('verdict')
        .values({ key, ...row })
        .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
        .execute();
    });
  }

  removeVerdict(key: string): Promise<void> {
    return this.#write(async (db) => {
      await db.deleteFrom('verdict').where('key', '=', toText(key)).execute();
    });
  }

  listTokens(): Promise<StoredToken[]> {
    return this.#database.read(selectTokens);
  }

  addToken(token: StoredToken): Promise<void> {
    return this.#write(async (db, tell) => {
      await insertToken(db, token);
      tell({ type: 'access' });
    });
  }

  revokeToken(id: string, at: number): Promise<boolean> {
    return this.#write(async (db, tell) => {
      const isRevoked = await markRevoked(db, id, at);
      if (isRevoked) tell({ type: 'access' });
      return isRevoked;
    });
  }

  removeEndedTokens(before: number): Promise<number> {
    return this.#write((db) => deleteEndedTokens(db, before));
  }

  saveTokenUses(uses: ReadonlyMap<string, number>): Promise<void> {
    return this.#write((db) => updateTokenUses(db, uses));
  }

  listSecrets(prefix: string): Promise<StoredSecret[]> {
    return this.#database.read((db) => selectSecrets(db, prefix));
  }

  replaceSecrets(prefix: string, secrets: readonly StoredSecret[]): Promise<void> {
    return this.#write((db) => replaceSecrets(db, prefix, secrets));
  }

  listProjects(): Promise<StoredProject[]> {
    return this.#database.read(selectProjects);
  }

  saveProject(project: StoredProject): Promise<void> {
    return this.#write(async (db, tell) => {
      await upsertProject(db, project);
      tell({ type: 'access' });
    });
  }

  removeProject(name: string): Promise<boolean> {
    return this.#write(async (db, tell) => {
      const isRemoved = await deleteProject(db, name);
      if (isRemoved) tell({ type: 'access' });
      return isRemoved;
    });
  }

  listFileProjects(): Promise<string[]> {
    return this.#database.read(selectFileProjects);
  }

  addFileProject(name: string): Promise<void> {
    return this.#write((db) => insertFileProject(db, name));
  }

  removeFileProject(name: string): Promise<void> {
    return this.#write(async (db, tell) => {
      await deleteFileProject(db, name);
      tell({ type: 'access' });
    });
  }

  listApprovals(): Promise<StoredApproval[]> {
    return this.#database.read(selectApprovals);
  }

  saveApproval(approval: StoredApproval): Promise<void> {
    return this.#write(async (db, tell) => {
      await upsertApproval(db, approval);
      tell({ type: 'access' });
    });
  }

  removeApproval(id: string): Promise<boolean> {
    return this.#write(async (db, tell) => {
      const isRemoved = await deleteApproval(db, id);
      if (isRemoved) tell({ type: 'access' });
      return isRemoved;
    });
  }

  listVectors(model: string): Promise<StoredVector[]> {
    return this.#database.read((db) => selectVectors(db, model));
  }

  saveVectors(model: string, vectors: readonly StoredVector[]): Promise<void> {
    return this.#write((db) => upsertVectors(db, model, vectors));
  }

  removeVectors(model: string, fingerprints: readonly string[]): Promise<void> {
    return this.#write((db) => deleteVectors(db, model, fingerprints));
  }

  removeVectorsOfOtherModels(model: string): Promise<number> {
    return this.#write((db) => deleteVectorsOfOtherModels(db, model));
  }

  listUses(): Promise<StoredUse[]> {
    return this.#database.read(selectUses);
  }

  saveUses(uses: readonly StoredUse[]): Promise<void> {
    return this.#write((db) => upsertUses(db, uses));
  }

  removeUses(uses: readonly UseKey[]): Promise<void> {
    return this.#write((db) => deleteUses(db, uses));
  }

  addDisclosure(sums: readonly DisclosureSum[]): Promise<void> {
    return this.#write((db) => addDisclosure(db, sums));
  }

  listDisclosure(since: number): Promise<DisclosureSum[]> {
    return this.#database.read((db) => selectDisclosure(db, since));
  }

  appendRecords(calls: readonly CallRecord[], events: readonly AuditRecord[] = []): Promise<void> {
    return this.#database.appendRecords(calls, events);
  }

  listAudit(query: AuditQuery): Promise<AuditPage> {
    return this.#database.read((db) => selectAudit(db, query));
  }

  lastAudit(): Promise<number> {
    return this.#database.read(selectLastAudit);
  }

  removeAudit(before: number, after: number): Promise<AuditRemoval> {
    return this.#write((db) => deleteAuditBefore(db, before, after));
  }

  removeAuditUpto(id: number): Promise<number> {
    return this.#write((db) => deleteAuditUpto(db, id));
  }

  listCallTallies(most: number): Promise<ToolTallies> {
    return this.#database.read((db) => selectTallies(db, most));
  }

  listCallDays(scope: CallScope, since: number): Promise<DayTally[]> {
    return this.#database.read((db) => selectDays(db, scope, since));
  }

  listCallPairs(kind: PairKind, filter: PairFilter): Promise<CallPair[]> {
    return this.#database.read((db) => selectPairs(db, kind, filter));
  }

  forgetCalls(scope: CallScope): Promise<ForgetReport> {
    return this.#database.forgetCalls(scope);
  }

  rollUpCalls(order: RollUpOrder): Promise<RollUpReport> {
    return this.#database.rollUpCalls(order);
  }

  /** Events wait for the commit, and those of an attempt that was rolled back are forgotten. */
  async #write<T>(act: (db: Transaction<Schema>, tell: Tell) => Promise<T>): Promise<T> {
    let events: StoreEvent[] = [];
    const result = await this.#database.write((db) => {
      events = [];
      return act(db, (event) => events.push(event));
    });
    for (const event of events) this.events.emit(event);
    return result;
  }
}

/** Items go with their listing. Not part of the history: it tells what servers changed, not what their owner did. */
async function deleteListing(db: Transaction<Schema>, server: string, tell: Tell): Promise<void> {
  const removed = await db.deleteFrom('listing').where('server', '=', server).returning('server').execute();
  if (removed.length > 0) tell({ type: 'catalog', server });
}

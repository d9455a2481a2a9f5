/** A PostgreSQL database that any number of gateways share: one writes at a time, all read, and each hears of the others' changes. */

import assert from 'node:assert/strict';
import type { Kysely, Transaction } from 'kysely';
import type { Clock, Timer } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { redactText } from '../../base/redact.ts';
import { Signal } from '../../base/signal.ts';
import type { AuditRecord } from '../audit/audit.ts';
import type { CallRecord, CallScope, ForgetReport, RollUpOrder, RollUpReport } from '../call/call.ts';
import { copyMark } from '../copy/copy-mark.ts';
import type { SqlDatabase, StoreEvent, Tell, WriteLock } from '../record.ts';
import { openRecords, sealedTexts } from '../records.ts';
import type { Sealer } from '../server/server.ts';
import type { Store } from '../store.ts';
import { WriteQueue } from '../write-queue.ts';
import type { PostgresBus } from './postgres-bus.ts';
import { PostgresCalls } from './postgres-calls.ts';
import { isLocked, isMetByOther, isOutOfReach, postgresTrouble } from './postgres-errors.ts';
import { lockOf } from './postgres-locks.ts';
import type { StorePool } from './postgres-pool.ts';

interface PostgresOptions {
  /** `postgres://…`. */
  readonly url: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Seals the specs of stored servers; without one they are stored as they are. */
  readonly sealer?: Sealer | undefined;
  /** It is filled by a copy, and may be half full. */
  readonly isCopying?: boolean | undefined;
  /** Its statements may take long: each is about very many rows. */
  readonly isPatient?: boolean | undefined;
}

/** Tries of a transaction that met another one. */
const mostTries = 5;

/** How often other gateways are told of calls and events of the audit. */
const recordsEveryMs = 250;

/** Closing waits so long for what is under way and for goodbyes; then the connections are cut. */
export const storeCloseMs = 5_000;

interface Opened {
  readonly pool: StorePool;
  readonly db: Kysely<never>;
  readonly calls: PostgresCalls;
  readonly bus: PostgresBus;
}

export class PostgresDatabase implements SqlDatabase<never> {
  /** Told once it is committed, here or by another gateway. */
  readonly events = new Signal<StoreEvent>();
  readonly isShared = true;
  readonly sealer: Sealer | undefined;
  readonly #options: PostgresOptions;
  readonly #place: string;
  readonly #writes = new WriteQueue();
  /** Else many at once would wait for their lock with all connections. */
  readonly #resultWrites = new WriteQueue();
  readonly #running = new Set<Promise<unknown>>();
  #opening: Promise<Opened> | undefined;
  #closing: Promise<void> | undefined;
  #opened: Opened | undefined;
  #telling: Timer | undefined;

  constructor(options: PostgresOptions) {
    this.#options = options;
    this.#place = redactText(options.url);
    this.sealer = options.sealer;
  }

  async open(): Promise<void> {
    await this.#closing;
    this.#opening ??= this.#open();
    const opening = this.#opening;
    try {
      const opened = await opening;
      // Closed again meanwhile, otherwise.
      if (this.#opening === opening) this.#opened = opened;
    } catch (error) {
      if (this.#opening === opening) this.#opening = undefined;
      throw postgresTrouble(error, this.#place);
    }
  }

  async close(): Promise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    this.#opened = undefined;
    this.#telling?.cancel();
    this.#telling = undefined;
    if (opening !== undefined) this.#closing = this.#close(opening);
    await this.#closing;
  }

  get unheardSince(): number | null {
    return this.#use().bus.unheardSince;
  }

  async read<T>(act: (db: Kysely<never>) => Promise<T>): Promise<T> {
    const { db } = this.#use();
    const reading = () => db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(act);
    // A connection that was cut while nobody used it is noticed by the next one who does; another one does as well.
    const isPassing = (error: unknown, tries: number) => tries === 1 && isOutOfReach(error);
    return this.#track(retryPassing(reading, isPassing));
  }

  async write<T>(act: (db: Transaction<never>, tell: Tell) => Promise<T>, lock: WriteLock = 'write'): Promise<T> {
    const { db, bus } = this.#use();
    /** Of the attempt whose commit was sent. */
    let told: readonly StoreEvent[] = [];
    const attempt = async (transaction: Transaction<never>) => {
      const { CompiledQuery } = await import('kysely');
      const run = (sql: string, ...values: string[]) => transaction.executeQuery(CompiledQuery.raw(sql, values));
      await run(`select ${lockOf(lock, 'exclusive')}`);
      // Those of an attempt that was rolled back are forgotten.
      told = [];
      const events: StoreEvent[] = [];
      const result = await act(transaction, (event) => events.push(event));
      for (const event of events) await run(...bus.tell(event));
      told = events;
      return result;
    };
    const writing = () => retryPassing(() => db.transaction().execute(attempt));
    try {
      const result = await this.#track(this.#queueOf(lock)?.run(writing) ?? writing());
      for (const event of told) this.events.emit(event);
      return result;
    } catch (error) {
      // Whoever asked believes that nothing was changed: all who keep what the store has must look.
      if (told.length > 0) bus.doubt(told);
      throw error;
    }
  }

  #queueOf(lock: WriteLock): WriteQueue | undefined {
    if (lock === 'replicas') return undefined;
    return lock === 'write' ? this.#writes : this.#resultWrites;
  }

  async appendRecords(calls: readonly CallRecord[], events: readonly AuditRecord[] = []): Promise<readonly number[]> {
    const ids = await this.#track(this.#use().calls.append(calls, events));
    this.#tellOfRecords();
    return ids;
  }

  async forgetCalls(scope: CallScope): Promise<ForgetReport> {
    const { calls } = this.#use();
    const report = await this.#track(this.#writes.run(() => calls.forget(scope)));
    this.#tellOfRecords();
    return report;
  }

  async rollUpCalls(order: RollUpOrder): Promise<RollUpReport> {
    return this.#track(this.#use().calls.rollUp(order));
  }

  /** Once for all of a short time, and not in their transactions: those that notify wait for each other. */
  #tellOfRecords(): void {
    this.#telling ??= this.#options.clock.after(recordsEveryMs, () => {
      this.#telling = undefined;
      const opened = this.#opened;
      if (!opened) return;
      const [sql, ...values] = opened.bus.tell({ type: 'records' });
      // Where that fails, the next ones are told, or the others have lost their lines too.
      this.#track(opened.pool.query(sql, values)).catch(() => {});
    });
  }

  #use(): Opened {
    assert(this.#opened !== undefined, `The store ${this.#place} is not open.`);
    return this.#opened;
  }

  /** Remembers what `close` has to wait for. */
  async #track<T>(running: Promise<T>): Promise<T> {
    this.#running.add(running);
    try {
      return await running;
    } catch (error) {
      throw postgresTrouble(error, this.#place);
    } finally {
      this.#running.delete(running);
    }
  }

  async #open(): Promise<Opened> {
    const { url, clock, log, sealer, isCopying = false, isPatient = false } = this.#options;
    // Loaded where it is used: most gateways have a file.
    const { kyselyOn, migratePostgres } = await import('./postgres-dialect.ts');
    const { PostgresBus } = await import('./postgres-bus.ts');
    const { StorePool } = await import('./postgres-pool.ts');
    const pool = new StorePool(url);
    // Of a connection that nobody uses at the moment: the next question gets another one.
    pool.on('error', (error) => log.warn('A connection to the store was lost.', { error: messageOf(error) }));
    try {
      const db = kyselyOn(isPatient ? pool.patient : pool);
      // The steps change tables that other gateways use meanwhile.
      await retryPassing(() => migratePostgres(kyselyOn(pool.patient)), isLocked);
      if (!isCopying) await copyMark.check(db, this.#place);
      await sealer?.holdKeysOf(await sealedTexts(db));
      const bus = new PostgresBus({ url, clock, log, hear: (event) => this.events.emit(event) });
      await bus.open();
      return { pool, db, calls: new PostgresCalls(pool), bus };
    } catch (error) {
      await pool.end();
      throw error;
    }
  }

  async #close(opening: Promise<Opened>): Promise<void> {
    const opened = await opening.catch(() => undefined);
    if (opened === undefined) return;
    const { pool, calls, bus } = opened;
    calls.stop();
    const late = Promise.withResolvers<void>();
    // Goodbyes may go on after this method: only this ends them on a silent line.
    this.#options.clock.after(storeCloseMs, () => {
      late.resolve();
      bus.cut();
      pool.cutAll();
    });
    await Promise.race([Promise.allSettled(this.#running), late.promise]);
    await Promise.all([bus.close(), pool.end()]);
    // Those that were cut fail soon.
    await Promise.allSettled(this.#running);
  }
}

async function retryPassing<T>(
  act: () => Promise<T>,
  isPassing: (error: unknown, tries: number) => boolean = () => false,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await act();
    } catch (error) {
      if (tries >= mostTries || !(isMetByOther(error) || isPassing(error, tries))) throw error;
    }
  }
}

/** Nothing happens before `open()`, which also makes the tables where they are missing. */
export function createPostgresStore(options: PostgresOptions): Store {
  const database = new PostgresDatabase(options);
  return Object.assign(database, openRecords(database));
}

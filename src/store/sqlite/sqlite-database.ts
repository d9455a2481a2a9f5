/** One SQLite file, opened with care: checked before use, written by one transaction at a time, never waited for on the event loop. */

import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Kysely, Transaction } from 'kysely';
import type { Clock } from '../../base/clock.ts';
import { GatewayError, messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { Signal } from '../../base/signal.ts';
import type { AuditRecord } from '../audit/audit.ts';
import type { CallRecord, CallScope, ForgetReport, RollUpOrder, RollUpReport } from '../call/call.ts';
import { CallWriter } from '../call/call-writer.ts';
import { copyMark } from '../copy/copy-mark.ts';
import type { SqlDatabase, StoreEvent, Tell } from '../record.ts';
import { openRecords, sealedTexts } from '../records.ts';
import { type Sealer, scrubbed, sealPlainServers } from '../server/server.ts';
import type { Store } from '../store.ts';
import { WriteQueue } from '../write-queue.ts';
import { checkDatabase } from './check-database.ts';
import { checkPages } from './check-pages.ts';
import { Checkpointer } from './checkpointer.ts';
import { createDatabase } from './create-database.ts';
import { retryBusy } from './retry-busy.ts';
import { type RunningJob, runStoreJob } from './run-store-job.ts';
import { type Connection, connect, loadDialect } from './sqlite-connection.ts';
import { brokenStore, toTrouble } from './sqlite-errors.ts';

interface SqliteOptions {
  readonly file: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Seals the specs of stored servers; without one they are stored as they are. */
  readonly sealer?: Sealer | undefined;
  /** A file up to this size is checked in full before it is used; a bigger one while it is in use. */
  readonly smallFileBytes?: number | undefined;
  /** It is filled by a copy, and may be half full. */
  readonly isCopying?: boolean | undefined;
}

const defaultSmallFileBytes = 64 * 1024 * 1024;
/** Up to here the check is done in a few milliseconds and needs no thread. */
const inlineCheckBytes = 4 * 1024 * 1024;

export class SqliteDatabase implements SqlDatabase<never> {
  /** Told once it is committed. */
  readonly events = new Signal<StoreEvent>();
  readonly isShared = false;
  readonly unheardSince = null;
  readonly sealer: Sealer | undefined;
  readonly #options: SqliteOptions;
  readonly #writes = new WriteQueue();
  readonly #checkpointer: Checkpointer;
  readonly #running = new Set<Promise<unknown>>();
  readonly #calls: CallWriter;
  #opening: Promise<Connection> | undefined;
  #closing: Promise<void> | undefined;
  #connection: Connection | undefined;
  #check: RunningJob<'check'> | undefined;
  #damage: GatewayError | undefined;

  constructor(options: SqliteOptions) {
    this.#options = options;
    this.sealer = options.sealer;
    this.#checkpointer = new Checkpointer(options.file, options.log);
    this.#calls = new CallWriter(options.file, this.#checkpointer);
  }

  async open(): Promise<void> {
    await this.#closing;
    this.#opening ??= this.#open();
    const opening = this.#opening;
    try {
      const connection = await opening;
      // Closed again meanwhile, otherwise.
      if (this.#opening === opening) this.#connection = connection;
    } catch (error) {
      // The next call tries again: the owner may have mended the file.
      if (this.#opening === opening) this.#opening = undefined;
      throw toTrouble(error, this.#options.file);
    }
  }

  async close(): Promise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    this.#connection = undefined;
    if (opening !== undefined) this.#closing = this.#close(opening);
    await this.#closing;
  }

  async read<T>(act: (db: Kysely<never>) => Promise<T>): Promise<T> {
    const { db } = this.#openConnection();
    return this.#track(this.#retry(() => db.transaction().setAccessMode('read only').execute(act)));
  }

  async write<T>(act: (db: Transaction<never>, tell: Tell) => Promise<T>): Promise<T> {
    const { db } = this.#openConnection();
    const since = this.#options.clock.elapsed();
    let events: StoreEvent[] = [];
    const attempt = (transaction: Transaction<never>) => {
      // Those of an attempt that was rolled back are forgotten.
      events = [];
      return act(transaction, (event) => events.push(event));
    };
    const write = async () => {
      if (this.#damage !== undefined) throw this.#damage;
      const result = await this.#retry(() => db.transaction().execute(attempt), since);
      this.#checkpointer.noteWrite();
      return result;
    };
    const result = await this.#track(this.#writes.run(write));
    for (const event of events) this.events.emit(event);
    return result;
  }

  async appendRecords(calls: readonly CallRecord[], events: readonly AuditRecord[] = []): Promise<readonly number[]> {
    this.#openConnection();
    if (this.#damage !== undefined) throw this.#damage;
    try {
      return this.#calls.append(calls, events);
    } catch (error) {
      throw toTrouble(error, this.#options.file);
    }
  }

  async forgetCalls(scope: CallScope): Promise<ForgetReport> {
    this.#openConnection();
    const forget = async () => {
      if (this.#damage !== undefined) throw this.#damage;
      return this.#calls.forget(scope);
    };
    return this.#track(this.#writes.run(forget));
  }

  async rollUpCalls(order: RollUpOrder): Promise<RollUpReport> {
    this.#openConnection();
    if (this.#damage !== undefined) throw this.#damage;
    return this.#track(this.#calls.rollUp(order));
  }

  #openConnection(): Connection {
    assert(this.#connection !== undefined, `The store ${this.#options.file} is not open.`);
    return this.#connection;
  }

  /** Remembers what `close` has to wait for. */
  async #track<T>(running: Promise<T>): Promise<T> {
    this.#running.add(running);
    try {
      return await running;
    } catch (error) {
      throw toTrouble(error, this.#options.file);
    } finally {
      this.#running.delete(running);
    }
  }

  #retry<T>(act: () => Promise<T>, since = this.#options.clock.elapsed()): Promise<T> {
    const { file, clock } = this.#options;
    return retryBusy({ file, clock, since }, act);
  }

  async #open(): Promise<Connection> {
    const { file, sealer, log, isCopying = false } = this.#options;
    this.#damage = undefined;
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const found = await this.#retry(() => checkDatabase(file));
    if (found === undefined) await createDatabase(file, sealer && scrubbed);
    // A check that runs in a thread of its own leaves time to load Kysely.
    else await Promise.all([this.#retry(() => this.#checkPages(found.sizeBytes)), loadDialect()]);
    const connection = await this.#retry(() => connect(file, { isBehind: found?.isBehind ?? false }));
    try {
      if (!isCopying) await copyMark.check(connection.db, file);
      if (sealer !== undefined) {
        await this.#retry(async () => sealer.holdKeysOf(await sealedTexts(connection.db)));
        await this.#retry(() => sealPlainServers(file, sealer, log));
      }
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  async #checkPages(sizeBytes: number): Promise<void> {
    const { file, smallFileBytes = defaultSmallFileBytes } = this.#options;
    const judge = (problems: readonly string[]) => {
      if (problems.length > 0) throw brokenStore(file, `it is damaged (${problems.join('; ')})`);
    };
    // A few milliseconds here; a thread for it would cost ten times that and 15 MB.
    if (sizeBytes <= Math.min(smallFileBytes, inlineCheckBytes)) return judge(checkPages(file, 0));
    const check = runStoreJob('check', file, null);
    const judged = check.result.then(judge);
    if (sizeBytes <= smallFileBytes) return judged;
    check.detach();
    this.#check = check;
    judged.catch((error) => this.#judge(check, error));
  }

  /** Takes the result of the check beside the running gateway. Reads go on, so that calls keep working; writing would make it worse. */
  #judge(check: RunningJob<'check'>, error: unknown): void {
    const { file, log } = this.#options;
    if (this.#check !== check) return;
    const fields = { file, error: messageOf(error) };
    if (error instanceof GatewayError) {
      this.#damage = error;
      log.error('The store is damaged; nothing more is written to it.', fields);
    } else log.warn('The store could not be checked.', fields);
  }

  async #close(opening: Promise<Connection>): Promise<void> {
    const connection = await opening.catch(() => undefined);
    this.#calls.stop();
    await Promise.allSettled(this.#running);
    await this.#checkpointer.settle();
    this.#check?.cancel();
    this.#check = undefined;
    this.#calls.close();
    connection?.close();
  }
}

/** Nothing happens before `open()`, which also makes the folder and the file where they are missing. */
export function createSqliteStore(options: SqliteOptions): Store {
  const database = new SqliteDatabase(options);
  return Object.assign(database, openRecords(database));
}

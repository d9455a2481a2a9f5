/** Writes calls and events of the audit to an SQLite file, and has calls rolled up and forgotten in a thread. */

import { GatewayError } from '../../base/errors.ts';
import type { AuditRecord } from '../audit/audit.ts';
import type { Checkpointer } from '../sqlite/checkpointer.ts';
import { type RunningJob, runStoreJob } from '../sqlite/run-store-job.ts';
import { connectForCalls } from '../sqlite/sqlite-connection.ts';
import { isBusy } from '../sqlite/sqlite-errors.ts';
import type { CallRecord, CallScope, ForgetReport, RollUpOrder, RollUpReport } from './call.ts';
import type { CallConnection } from './call-connection.ts';

/** A call is a small write: the log's size need not be thought of after each one. */
const appendsPerNote = 16;

export class CallDesk {
  readonly #file: string;
  readonly #checkpointer: Checkpointer;
  /** Opened with the first record: many runs have none. */
  #connection: CallConnection | undefined;
  #rollingUp: RunningJob<'roll-up'> | undefined;
  #appends = 0;

  constructor(file: string, checkpointer: Checkpointer) {
    this.#file = file;
    this.#checkpointer = checkpointer;
  }

  append(calls: readonly CallRecord[], events: readonly AuditRecord[]): void {
    if (calls.length + events.length === 0) return;
    try {
      this.#connection ??= connectForCalls(this.#file);
      this.#connection.append(calls, events);
    } catch (error) {
      throw this.#asBusy(error);
    }
    this.#appends += calls.length + events.length;
    if (this.#appends < appendsPerNote) return;
    this.#appends = 0;
    this.#checkpointer.noteWrite();
  }

  async rollUp(order: RollUpOrder): Promise<RollUpReport> {
    this.#rollingUp ??= runStoreJob('roll-up', this.#file, order);
    const running = this.#rollingUp;
    try {
      return await running.result;
    } catch (error) {
      throw this.#asBusy(error);
    } finally {
      if (this.#rollingUp === running) this.#rollingUp = undefined;
      this.#checkpointer.noteWrite();
    }
  }

  /** Within the store's turn to write: the file is locked until all of it is done. */
  async forget(scope: CallScope): Promise<ForgetReport> {
    try {
      return await runStoreJob('forget', this.#file, scope).result;
    } catch (error) {
      throw this.#asBusy(error);
    } finally {
      this.#checkpointer.noteWrite();
    }
  }

  /** A roll-up under way ends soon, with what it has done. */
  stop(): void {
    this.#rollingUp?.stop();
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }

  #asBusy(error: unknown): unknown {
    if (!isBusy(error)) return error;
    const file = this.#file;
    return new GatewayError('STORE_BUSY', `The store ${file} is locked by another writer.`, {
      cause: error,
      data: { file },
    });
  }
}

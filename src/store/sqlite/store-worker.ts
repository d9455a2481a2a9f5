/** The thread for long work on an SQLite file: checks, checkpoints, roll-ups and forgetting, which would stop the event loop on a big file or a slow disk. */

import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { forgetCalls } from '../call/forget-calls.ts';
import { rollUp } from '../call/roll-up.ts';
import { checkPages } from './check-pages.ts';
import type { JobData, StoreJob, StoreJobResult } from './run-store-job.ts';

/** This thread may wait for a lock: nobody else runs on it. */
const lockWaitMs = 5_000;

/** Writers of calls stand still so long at most: an answer must not leave before its row, and does not wait for long. */
const truncateWaitMs = 20;

// `runStoreJob` is the only one that starts this file.
parentPort?.postMessage(attempt(workerData as JobData));

function attempt(data: JobData): StoreJobResult {
  try {
    return { result: work(data) };
  } catch (error) {
    // Errors lose their own fields on the way to another thread.
    const { message, errcode } = error as Error & { errcode?: number };
    return { error: { message, errcode } };
  }
}

function work(data: JobData) {
  if (isJob(data, 'check')) return checkPages(data.file, lockWaitMs);
  if (isJob(data, 'roll-up')) return change(data.file, (connection) => rollUp(connection, data.order, data.stop));
  if (isJob(data, 'forget')) return change(data.file, (connection) => forgetCalls(connection, data.order));
  return checkpoint(data.file);
}

function isJob<Job extends StoreJob>(data: JobData, job: Job): data is JobData<Job> {
  return data.job === job;
}

/**
 * The first, gentle pass does the slow part beside writers; the second, which keeps them out, finds little left to do. It
 * keeps them out also while it waits for readers, so it hardly waits: what is left is done the next time.
 */
function checkpoint(file: string): null {
  using connection = new DatabaseSync(file, { timeout: truncateWaitMs });
  connection.exec('pragma synchronous = normal; pragma wal_checkpoint(passive); pragma wal_checkpoint(truncate)');
  return null;
}

function change<T>(file: string, act: (connection: DatabaseSync) => T): T {
  using connection = new DatabaseSync(file, { timeout: lockWaitMs });
  connection.exec('pragma synchronous = normal; pragma wal_autocheckpoint = 0; pragma trusted_schema = off');
  return act(connection);
}

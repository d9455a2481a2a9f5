/** The thread for long work on an SQLite file: checks, checkpoints and roll-ups, which would stop the event loop on a big file or a slow disk. */

import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { type RollUpReport, rollUp } from './calls/roll-up.ts';
import { checkPages } from './check-pages.ts';
import type { JobData, StoreJob, StoreJobResult } from './run-store-job.ts';

/** This thread may wait for a lock: nobody else runs on it. */
const lockWaitMs = 5_000;

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
  if (isJob(data, 'roll-up')) return rollUpFile(data);
  return checkpoint(data.file);
}

function isJob<Job extends StoreJob>(data: JobData, job: Job): data is JobData<Job> {
  return data.job === job;
}

/** The first, gentle pass does the slow part beside writers; the second, which keeps them out, finds little left to do. */
function checkpoint(file: string): null {
  using connection = new DatabaseSync(file, { timeout: lockWaitMs });
  connection.exec('pragma synchronous = normal; pragma wal_checkpoint(passive); pragma wal_checkpoint(truncate)');
  return null;
}

function rollUpFile({ file, order, stop }: JobData<'roll-up'>): RollUpReport {
  using connection = new DatabaseSync(file, { timeout: lockWaitMs });
  connection.exec('pragma synchronous = normal; pragma wal_autocheckpoint = 0; pragma trusted_schema = off');
  return rollUp(connection, order, stop);
}

/** The thread for long work on an SQLite file: checks and checkpoints, which would stop the event loop on a big file or a slow disk. */

import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { checkPages } from './check-pages.ts';
import type { StoreJob, StoreJobResult } from './run-store-job.ts';

/** This thread may wait for a lock: nobody else runs on it. */
const lockWaitMs = 5_000;

// `runStoreJob` is the only one that starts this file.
const { job, file } = workerData as { job: StoreJob; file: string };
const acts: Record<StoreJob, () => string[]> = { check: () => checkPages(file, lockWaitMs), checkpoint };
parentPort?.postMessage(attempt(acts[job]));

function attempt(act: () => string[]): StoreJobResult {
  try {
    return { problems: act() };
  } catch (error) {
    // Errors lose their own fields on the way to another thread.
    const { message, errcode } = error as Error & { errcode?: number };
    return { error: { message, errcode } };
  }
}

/** The first, gentle pass does the slow part beside writers; the second, which keeps them out, finds little left to do. */
function checkpoint(): string[] {
  using connection = new DatabaseSync(file, { timeout: lockWaitMs });
  connection.exec('pragma synchronous = normal; pragma wal_checkpoint(passive); pragma wal_checkpoint(truncate)');
  return [];
}

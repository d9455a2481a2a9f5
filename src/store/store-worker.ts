/** The thread for long work on an SQLite file: checks and checkpoints, which would stop the event loop on a big file or a slow disk. */

import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../base/errors.ts';
import type { StoreJob, StoreJobResult } from './run-store-job.ts';
import { isDamage } from './sqlite-errors.ts';

/** This thread may wait for a lock: nobody else runs on it. */
const lockWaitMs = 5_000;
const mostProblems = 5;

// `runStoreJob` is the only one that starts this file.
const { job, file } = workerData as { job: StoreJob; file: string };
const acts: Record<StoreJob, () => string[]> = { check, checkpoint };
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

/** Reads only: a damaged file must stay as it is. */
function check(): string[] {
  using connection = new DatabaseSync(file, { readOnly: true, timeout: lockWaitMs });
  try {
    const rows = connection.prepare(`pragma quick_check(${mostProblems})`).all();
    return rows.map((row) => String(Object.values(row)[0])).filter((line) => line !== 'ok');
  } catch (error) {
    if (isDamage(error)) return [messageOf(error)];
    throw error;
  }
}

/** The first, gentle pass does the slow part beside writers; the second, which keeps them out, finds little left to do. */
function checkpoint(): string[] {
  using connection = new DatabaseSync(file, { timeout: lockWaitMs });
  connection.exec('pragma synchronous = normal; pragma wal_checkpoint(passive); pragma wal_checkpoint(truncate)');
  return [];
}

/** Starts one job in a thread of its own and waits for its end. */

import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

export type StoreJob = 'check' | 'checkpoint';

export type StoreJobResult =
  | { readonly problems: readonly string[] }
  | { readonly error: { readonly message: string; readonly errcode: number | undefined } };

export interface RunningJob {
  /** What is wrong with the file, in SQLite's words; empty when nothing is. */
  readonly problems: Promise<readonly string[]>;
  /** Lets the process end before the job has. */
  detach(): void;
  cancel(): void;
}

/** The source runs as it is and also compiled: the worker's file ends like this one. */
const workerFile = new URL(`./store-worker${extname(import.meta.url)}`, import.meta.url);

export function runStoreJob(job: StoreJob, file: string): RunningJob {
  // Not with the options of this process: some, such as `--input-type`, would keep the thread from starting.
  const worker = new Worker(workerFile, { workerData: { job, file }, execArgv: [] });
  const problems = new Promise<readonly string[]>((resolve, reject) => {
    worker.once('message', (result: StoreJobResult) => {
      if ('problems' in result) resolve(result.problems);
      else reject(Object.assign(new Error(result.error.message), { errcode: result.error.errcode }));
    });
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error(`The ${job} of ${file} ended without a result.`)));
  });
  // Settled or not, nobody may be listening any more after `cancel`.
  problems.catch(() => {});
  return { problems, detach: () => worker.unref(), cancel: () => void worker.terminate() };
}

/** Starts one job in a thread of its own and waits for its end. */

import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { CallScope, ForgetReport, RollUpOrder, RollUpReport } from '../call/call.ts';
import type { StopFlag } from '../call/paced-writer.ts';

/** Each job's order and result. */
interface StoreJobs {
  /** The damage of the file, in SQLite's words; empty when there is none. */
  check: { readonly order: null; readonly result: readonly string[] };
  checkpoint: { readonly order: null; readonly result: null };
  forget: { readonly order: CallScope; readonly result: ForgetReport };
  'roll-up': { readonly order: RollUpOrder; readonly result: RollUpReport };
}
export type StoreJob = keyof StoreJobs;

export interface JobData<Job extends StoreJob = StoreJob> {
  readonly job: Job;
  readonly file: string;
  readonly order: StoreJobs[Job]['order'];
  readonly stop: StopFlag;
}

export type StoreJobResult<Job extends StoreJob = StoreJob> =
  | { readonly result: StoreJobs[Job]['result'] }
  | { readonly error: { readonly message: string; readonly errcode: number | undefined } };

export interface RunningJob<Job extends StoreJob> {
  readonly result: Promise<StoreJobs[Job]['result']>;
  /** Lets the process end before the job has. */
  detach(): void;
  /** Asks a job that works in steps to end after the present one; `result` says how far it came. */
  stop(): void;
  cancel(): void;
}

/** The source runs as it is and also compiled: the worker's file ends like this one. */
const workerFile = new URL(`./store-worker${extname(import.meta.url)}`, import.meta.url);

export function runStoreJob<Job extends StoreJob>(
  job: Job,
  file: string,
  order: StoreJobs[Job]['order'],
): RunningJob<Job> {
  const stop: StopFlag = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const workerData: JobData<Job> = { job, file, order, stop };
  // Not with the options of this process: some, such as `--input-type`, would keep the thread from starting.
  const worker = new Worker(workerFile, { workerData, execArgv: [] });
  const result = new Promise<StoreJobs[Job]['result']>((resolve, reject) => {
    worker.once('message', (told: StoreJobResult<Job>) => {
      if ('result' in told) resolve(told.result);
      else reject(Object.assign(new Error(told.error.message), { errcode: told.error.errcode }));
    });
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error(`The ${job} of ${file} ended without a result.`)));
  });
  // Settled or not, nobody may be listening any more after `cancel`.
  result.catch(() => {});
  return { result, detach: () => worker.unref(), stop: () => raise(stop), cancel: () => void worker.terminate() };
}

/** Also wakes a job that pauses. */
function raise(stop: StopFlag): void {
  Atomics.store(stop, 0, 1);
  Atomics.notify(stop, 0);
}

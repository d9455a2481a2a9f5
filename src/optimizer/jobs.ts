/** Long work as jobs: one at a time, kept with its progress, resumed after a restart where it ended, and cancelled at any time. */

import { GatewayError, messageOf } from '../base/errors.ts';
import { randomId } from '../base/ids.ts';
import type { JsonObject } from '../base/json.ts';
import type { Log } from '../base/log.ts';
import { Signal } from '../base/signal.ts';
import type { StoredJob } from '../store/store.ts';
import { estimateJob, type JobEstimate } from './estimate-job.ts';
import { noJob, noPrompts } from './find-records.ts';
import { type JobProgress, progressBefore, progressOf, sayProgress } from './job-progress.ts';
import { type JobOrder, type JobOutcome, JobRun, type JobRunOptions, orderOf, type TellJob } from './job-run.ts';
import { PauseError } from './model-budget.ts';

export interface JobsOptions extends JobRunOptions {
  readonly log: Log;
}

/** More jobs that wait are refused. */
const mostWaiting = 20;
const mostUnstored = 20;
/** Progress older than this is stored, or told, with the next prompt. A change of tool, phase or state is stored and told at once. */
const storeProgressMs = 500;
const tellProgressMs = 100;
/** An agent that follows a job has its answer by then, even if the job goes on. */
const longestFollowMs = 600_000;

/** Whether somebody may know of a server; `projects` are those that it named itself, for one that is gone. */
export type KnowsServer = (server: string, projects: readonly string[]) => boolean;

const isActive = ({ state }: StoredJob) => state === 'queued' || state === 'running';

export class Jobs {
  readonly #options: JobsOptions;
  /** Progress of jobs, at most every `tellProgressMs`; a job that ended comes once more. */
  readonly changed = new Signal<StoredJob>();
  /** Those that wait or run, in their order. */
  readonly #active = new Map<string, { job: StoredJob; readonly abort: AbortController }>();
  /** Those whose last state could not be stored, as they are. */
  readonly #unstored = new Map<string, StoredJob>();
  #working: Promise<void> | undefined;
  #starting: Promise<unknown> = Promise.resolve();
  #isOpen = false;
  #closing = new AbortController();

  constructor(options: JobsOptions) {
    this.#options = options;
  }

  /** Goes on with the jobs that a restart or `close` interrupted. */
  async open(): Promise<void> {
    if (this.#isOpen) return;
    const stored = await this.#options.store.listJobs();
    this.#isOpen = true;
    this.#closing = new AbortController();
    for (const job of stored) if (isActive(job) && !this.#active.has(job.id)) this.#enqueue(job);
  }

  /** Jobs that run stay as they are in the store: the next `open` goes on with them. */
  async close(): Promise<void> {
    this.#isOpen = false;
    this.#closing.abort();
    for (const { abort } of this.#active.values()) abort.abort(new Error('The optimizer is stopping.'));
    await this.#working;
    this.#active.clear();
  }

  /** `knows`: only jobs that touch no other servers than these. */
  async list(knows?: KnowsServer): Promise<StoredJob[]> {
    const stored = await this.#options.store.listJobs();
    const jobs = stored.map((job) => this.#active.get(job.id)?.job ?? this.#unstored.get(job.id) ?? job);
    return knows ? jobs.filter((job) => this.isWithin(job, knows)) : jobs;
  }

  isWithin(job: StoredJob, knows: KnowsServer): boolean {
    return orderOf(job).tools.every(({ server }) => knows(server, job.projects?.[server] ?? []));
  }

  /** The most that a job may cost. */
  estimate(order: JobOrder): Promise<JobEstimate> {
    return estimateJob(order, this.#options, this.#closing.signal);
  }

  /** Those that wait or run. */
  get activeCount(): number {
    return [...this.#active.values()].filter(({ job }) => isActive(job)).length;
  }

  /** The same order while it is active or paused is the same job, which goes on. Refused where another job has one of its tools. */
  start(order: JobOrder, by: string, reach?: readonly string[]): Promise<StoredJob> {
    // One after the other, so that none begins between the checks of another and its place among the active.
    const started = this.#starting.then(() => this.#start(order, by, reach));
    this.#starting = started.catch(() => {}); // told to the one that started it
    return started;
  }

  async #start(order: JobOrder, by: string, reach: StoredJob['reach']): Promise<StoredJob> {
    const stored = asJson(order);
    // One that has just ended is still among them for a moment.
    for (const job of [...this.#active.values()].flatMap(({ job }) => (isActive(job) ? [job] : []))) {
      if (JSON.stringify(job.order) === JSON.stringify(stored)) return job;
      const shared = orderOf(job).tools.find((tool) => order.tools.some((one) => isSameTool(one, tool)));
      if (shared)
        throw new GatewayError('NAME_TAKEN', `Job "${job.id}" is at work on "${shared.server}:${shared.tool}".`, {
          hint: 'Wait for it, or stop it with cancel_job.',
          ownerHint: `Wait for it, or stop it: toolcrib optimize cancel ${job.id}`,
          data: { jobId: job.id },
        });
    }
    if (this.#active.size >= mostWaiting)
      throw new GatewayError('RATE_LIMITED', `${mostWaiting} jobs are waiting already: wait for one, or cancel one.`);
    const estimate = await this.estimate(order);
    const { prompts, calls, maxCalls } = estimate;
    if (prompts === 0) throw noPrompts();
    if (calls > maxCalls)
      throw new GatewayError('TOO_LARGE', `The job may take ${calls} judgements; the limit is ${maxCalls}.`, {
        hint: 'Choose fewer tools, prompts or repeats, or raise "optimize.maxCalls".',
      });
    const paused = (await this.#options.store.listJobs()).findLast(
      (job) => job.state === 'paused' && JSON.stringify(job.order) === JSON.stringify(stored),
    );
    if (paused) {
      const { error: _, ...outcome } = paused.outcome ?? {};
      return this.#begin({ ...paused, by, reach, state: 'queued', outcome });
    }
    const now = this.#now();
    const servers = new Set(order.tools.map(({ server }) => server));
    const server = servers.size === 1 ? ([...servers][0] ?? '') : '';
    const projectsOf = (name: string) => this.#options.catalog.snapshot.servers.get(name)?.spec.projects ?? [];
    const projects = Object.fromEntries([...servers].map((name) => [name, projectsOf(name)]));
    const progress = { ...progressBefore(order) };
    const job: StoredJob = {
      id: `job_${randomId()}`,
      server,
      state: 'queued',
      createdAt: now,
      updatedAt: now,
      by,
      reach,
      order: stored,
      progress,
      projects,
      ...(order.judge === 'search' ? {} : { estimate }),
    };
    return this.#begin(job);
  }

  async #begin(job: StoredJob): Promise<StoredJob> {
    await this.#options.store.saveJob(job);
    this.#enqueue(job);
    return job;
  }

  /** Its finished runs stay, and a job that has ended stays as it is. */
  async cancel(job: StoredJob): Promise<StoredJob> {
    const { id } = job;
    const active = this.#active.get(id);
    const now = active?.job ?? job;
    if (now.state === 'paused') return this.#keep({ ...now, state: 'cancelled' });
    if (!active || !isActive(now)) return now;
    active.abort.abort(new GatewayError('CANCELLED', `Job "${id}" was cancelled.`));
    return this.#keep({ ...active.job, state: 'cancelled' });
  }

  /** Calls `onStep` with each step. Resolves with the job when it has ended, or as it is when the signal aborts or it takes too long. */
  async follow(id: string, onStep: (job: StoredJob) => void, signal: AbortSignal): Promise<StoredJob> {
    const { clock } = this.#options;
    const given = new AbortController();
    const timer = clock.after(longestFollowMs, () => given.abort());
    const within = AbortSignal.any([signal, given.signal, this.#closing.signal]);
    const over = Promise.withResolvers<void>();
    within.addEventListener('abort', () => over.resolve(), { once: true });
    const stop = this.changed.on((job) => {
      if (job.id !== id) return;
      onStep(job);
      if (!isActive(job)) over.resolve();
    });
    try {
      if (this.#active.has(id) && !within.aborted) await over.promise;
      return findJob(await this.list(), id);
    } finally {
      timer.cancel();
      stop();
    }
  }

  #enqueue(job: StoredJob): void {
    if (this.#closing.signal.aborted) return; // the next `open` finds it in the store
    this.#active.set(job.id, { job, abort: new AbortController() });
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  async #work(): Promise<void> {
    for (;;) {
      const [next] = this.#active.values();
      if (!next || this.#closing.signal.aborted) return;
      await this.#run(next.job, next.abort.signal);
      // One that was paused may be among them again.
      if (this.#active.get(next.job.id) === next) this.#active.delete(next.job.id);
    }
  }

  async #run(job: StoredJob, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const run = new JobRun(this.#options, job, signal, (...step) => this.#advance(job.id, ...step));
    try {
      const running = await this.#keep({ ...job, state: 'running' });
      const outcome = await run.run();
      signal.throwIfAborted();
      const progress = {
        ...(this.#active.get(job.id)?.job ?? running).progress,
        phase: 'complete',
        currentProgress: 100,
      };
      await this.#keep({ ...running, state: 'done', progress, outcome: asJson(outcome) });
    } catch (error) {
      // A cancelled one is stored as such, and one that the gateway stops is resumed.
      if (signal.aborted) return;
      const isPaused = error instanceof PauseError;
      this.#options.log.warn(`A job of the optimizer ${isPaused ? 'is paused' : 'failed'}`, {
        job: job.id,
        error: messageOf(error),
      });
      const { progress } = this.#active.get(job.id)?.job ?? job;
      const again = isPaused ? ' Then start the same job again: it continues where it stopped.' : '';
      const outcome = { error: `${messageOf(error)}${again}`, ...(isPaused ? run.outcome : {}) };
      const state = isPaused ? 'paused' : 'failed';
      await this.#keep({ ...job, state, progress, outcome: asJson(outcome) }).catch(() => {});
    }
  }

  #lastStored = Number.NEGATIVE_INFINITY;
  #lastTold = Number.NEGATIVE_INFINITY;

  async #advance(id: string, ...[progress, isUrgent, outcome]: Parameters<TellJob>): Promise<void> {
    const active = this.#active.get(id);
    if (!active || !isActive(active.job)) return;
    const done = outcome && { outcome: asJson(outcome) };
    const job = { ...active.job, updatedAt: this.#now(), progress: { ...progress }, ...done };
    const elapsed = this.#options.clock.elapsed();
    if (isUrgent || elapsed - this.#lastStored >= storeProgressMs) {
      this.#lastStored = elapsed;
      await this.#keep(job);
      return;
    }
    active.job = job;
    if (elapsed - this.#lastTold < tellProgressMs) return;
    this.#lastTold = elapsed;
    this.changed.emit(job);
  }

  async #keep(changed: StoredJob): Promise<StoredJob> {
    const job = { ...changed, updatedAt: this.#now() };
    const active = this.#active.get(job.id);
    if (active) active.job = job;
    try {
      await this.#options.store.saveJob(job);
      this.#unstored.delete(job.id);
    } catch (error) {
      if (job.state === 'done') throw error; // it has failed then, and is kept as such
      this.#unstored.set(job.id, job);
      for (const id of [...this.#unstored.keys()].slice(0, -mostUnstored)) this.#unstored.delete(id);
      this.changed.emit(job); // its followers wait for the end
      throw error;
    }
    this.changed.emit(job);
    return job;
  }

  #now(): string {
    return new Date(this.#options.clock.now()).toISOString();
  }
}

/** As the store keeps it: without members that are undefined. */
function asJson(value: JobOrder | JobOutcome): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

function isSameTool(a: JobOrder['tools'][number], b: JobOrder['tools'][number]): boolean {
  return a.server === b.server && a.tool === b.tool;
}

/** Throws where it is not among them. */
export function findJob(jobs: readonly StoredJob[], id: string): StoredJob {
  const job = jobs.find((one) => one.id === id);
  if (job) return job;
  throw noJob(id);
}

export interface OwnedJob extends Omit<StoredJob, 'order' | 'progress' | 'outcome'> {
  readonly order: JobOrder;
  readonly progress: JobProgress;
  readonly outcome?: JobOutcome;
}

/** As the owner sees it: whole, its parts as runs wrote them. */
export function ownedJob(job: StoredJob): OwnedJob {
  return job as unknown as OwnedJob;
}

/** As agents see it. */
export function shownJob(job: StoredJob) {
  const { id, state, estimate, outcome } = job;
  const progress = progressOf(job);
  const shown = { jobId: id, state, progress: { ...progress }, message: sayProgress(progress) };
  return { ...shown, ...(estimate && { estimate }), ...(outcome === undefined ? {} : { outcome }) };
}

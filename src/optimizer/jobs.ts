/** Long work as jobs: one at a time, kept with its progress, resumed after a restart where it ended, and cancelled at any time. */

import { GatewayError, isStoreAway, messageOf } from '../base/errors.ts';
import { randomId } from '../base/ids.ts';
import type { JsonObject } from '../base/json.ts';
import { Signal } from '../base/signal.ts';
import {
  isTermOver,
  type Replicas,
  type StoreChanges,
  type StoredJob,
  type StoreEvent,
  StoreFollower,
  type Turn,
} from '../store/store.ts';
import { estimateJob, type JobEstimate } from './estimate-job.ts';
import { noJob, noPrompts } from './find-records.ts';
import { type JobProgress, progressBefore, progressOf, sayProgress } from './job-progress.ts';
import { type JobOrder, type JobOutcome, JobRun, type JobRunOptions, orderOf, type TellJob } from './job-run.ts';
import { PauseError } from './model-budget.ts';
import { untilStoreAnswers, waitForStore } from './wait-for-store.ts';

export interface JobsOptions extends JobRunOptions {
  readonly store: JobRunOptions['store'] & StoreChanges;
  /** One of them works on jobs at a time, and goes on with those of one that is gone. */
  readonly replicas: Pick<Replicas, 'id' | 'inTurn' | 'isPresent' | 'changed'>;
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

/** One that this gateway has in its queue. */
interface ActiveJob {
  job: StoredJob;
  readonly abort: AbortController;
}

export class Jobs {
  readonly #options: JobsOptions;
  /** Progress of jobs, at most every `tellProgressMs`, and as it is stored of those that others run; a job that ended comes once more. */
  readonly changed = new Signal<StoredJob>();
  /** Those that wait or run, in their order. */
  readonly #active = new Map<string, ActiveJob>();
  /** Those whose last state could not be stored, as they are. */
  readonly #unstored = new Map<string, StoredJob>();
  /** Jobs of others that were seen here while they waited or ran: their end is still to be told. */
  readonly #awaited = new Set<string>();
  #working: Promise<void> | undefined;
  #starting: Promise<unknown> = Promise.resolve();
  #isOpen = false;
  #stopWatching = () => {};
  #closing = new AbortController();
  readonly #follower: StoreFollower;

  constructor(options: JobsOptions) {
    this.#options = options;
    this.#follower = new StoreFollower({
      ...options,
      subject: 'Jobs of the optimizer',
      isMeant: ({ type, isOthers }) => type === 'jobs' && isOthers === true,
      read: (told) => this.#readOthers(told),
    });
  }

  /** Goes on with the jobs that a restart or `close` interrupted, and with those of replicas that are gone. */
  async open(): Promise<void> {
    if (this.#isOpen) return;
    let stored: readonly StoredJob[] = [];
    await this.#follower.open(async () => {
      stored = await this.#options.store.listJobs();
    });
    this.#isOpen = true;
    this.#closing = new AbortController();
    this.#stopWatching = this.#options.replicas.changed.on(() => void this.#takeLeft());
    this.#adopt(stored);
  }

  #adopt(stored: readonly StoredJob[]): void {
    for (const job of stored) if (isActive(job) && this.#isFree(job) && !this.#active.has(job.id)) this.#enqueue(job);
  }

  async #takeLeft(): Promise<void> {
    try {
      // Nobody tells again that it is gone.
      const signal = this.#closing.signal;
      this.#adopt(await untilStoreAnswers(() => this.#options.store.listJobs(), { ...this.#options, signal }));
    } catch (error) {
      this.#options.log.warn('Jobs of a gateway that is gone cannot be read', { error: messageOf(error) });
    }
  }

  /** True for a job that no other replica has. */
  #isFree({ runner }: StoredJob): boolean {
    const { replicas } = this.#options;
    return runner === undefined || runner === replicas.id || !replicas.isPresent(runner);
  }

  /** Jobs that run stay as they are in the store: the next `open` goes on with them. */
  async close(): Promise<void> {
    this.#isOpen = false;
    this.#stopWatching();
    this.#closing.abort();
    for (const { abort } of this.#active.values()) abort.abort(new Error('The optimizer is stopping.'));
    await this.#follower.close();
    await this.#working;
    this.#active.clear();
  }

  /** After a time in which nothing was heard, the latest ones, and those whose end may have been missed. */
  async #readOthers(told: readonly StoreEvent[]): Promise<void> {
    const { store } = this.#options;
    const ids = told.flatMap((event) => (event.type === 'jobs' ? [event.id] : []));
    const read = ids.map(async (id) => {
      if (id !== null) return store.listJobs(id);
      const jobs = await store.listJobs();
      return jobs.filter((job, at) => at >= jobs.length - mostWaiting || this.#awaited.has(job.id));
    });
    for (const job of (await Promise.all(read)).flat()) this.#hear(job);
  }

  /** Another replica may run it, or has cancelled one that is run here. */
  #hear(job: StoredJob): void {
    const here = this.#here(job);
    if (!here) this.#tell(job);
    else if (isActive(here) && job.state === 'cancelled') this.#endAs(job);
  }

  /** `knows`: only jobs that touch no other servers than these. */
  async list(knows?: KnowsServer): Promise<StoredJob[]> {
    const stored = await this.#options.store.listJobs();
    for (const job of stored) this.#await(job);
    const jobs = stored.map((job) => this.#here(job) ?? this.#unstored.get(job.id) ?? job);
    return knows ? jobs.filter((job) => this.isWithin(job, knows)) : jobs;
  }

  #await(job: StoredJob): void {
    if (isActive(job) && !this.#here(job)) this.#awaited.add(job.id);
  }

  #tell(job: StoredJob): void {
    this.#await(job);
    if (!isActive(job)) this.#awaited.delete(job.id);
    this.changed.emit(job);
  }

  /** As it is here; undefined where it is not, or another replica has gone on with it. */
  #here({ id, runner }: StoredJob): StoredJob | undefined {
    const { job } = this.#active.get(id) ?? {};
    return job?.runner === runner ? job : undefined;
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
    // One after the other, at all replicas, so that none begins between the checks of another and its place among the active.
    const { replicas } = this.#options;
    const act = ({ term }: Turn) => this.#start(order, by, reach, term);
    const started = this.#starting.then(() => replicas.inTurn('optimizer-start', act, this.#closing.signal));
    this.#starting = started.catch(() => {}); // told to the one that started it
    return started;
  }

  async #start(order: JobOrder, by: string, reach: StoredJob['reach'], term: Turn['term']): Promise<StoredJob> {
    const stored = asJson(order);
    // One that has just ended is still among them for a moment.
    for (const job of (await this.list()).filter(isActive)) {
      if (JSON.stringify(job.order) === JSON.stringify(stored)) {
        this.#adopt([job]);
        return job;
      }
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
      return this.#begin({ ...paused, by, reach, state: 'queued', outcome }, term);
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
    return this.#begin(job, term);
  }

  async #begin(job: StoredJob, term: Turn['term']): Promise<StoredJob> {
    const queued = { ...job, runner: this.#options.replicas.id };
    try {
      const begun = await this.#options.store.saveJob(queued, term);
      // A paused one may have been cancelled meanwhile.
      if (isActive(begun)) this.#enqueue(begun);
      return begun;
    } catch (error) {
      // It may be stored all the same, where only the answer was lost: its turn finds out.
      this.#enqueue(queued);
      throw error;
    }
  }

  /**
   * Its finished runs stay. Refused where it has ended, perhaps at another replica a moment ago. Where that cannot be stored, the
   * job goes on.
   */
  async cancel(job: StoredJob): Promise<StoredJob> {
    let now = this.#active.get(job.id)?.job ?? job;
    if (isActive(now) || now.state === 'paused') {
      const updatedAt = this.#now();
      // Without a term, because others may cancel any job; the replica that has it hears of that.
      now = this.#endAs(await this.#options.store.saveJob({ ...now, updatedAt, state: 'cancelled' }));
    }
    if (now.state !== 'cancelled') throw hasEnded(now);
    return now;
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
      if (isActive(findJob(await this.list(), id)) && !within.aborted) await over.promise;
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

  /** A turn that is lost is waited for again: the job may still be ours then. */
  async #work(): Promise<void> {
    const { replicas } = this.#options;
    const { signal } = this.#closing;
    while (this.#active.size > 0 && !signal.aborted) {
      try {
        await replicas.inTurn('optimizer', (turn) => this.#workInTurn(turn), signal);
      } catch (error) {
        await waitForStore(error, { ...this.#options, signal }).catch(() => {}); // closed meanwhile
      }
    }
  }

  async #workInTurn(turn: Turn): Promise<void> {
    try {
      for (;;) {
        const [next] = this.#active.values();
        if (!next || this.#closing.signal.aborted) return;
        if (await this.#isStillOurs(next)) await this.#run(next, turn);
        if (turn.signal.aborted) return;
        // One that was paused may be among them again.
        if (this.#active.get(next.job.id) === next) this.#active.delete(next.job.id);
      }
    } catch (error) {
      if (!isTermOver(error)) throw error;
    }
  }

  /** While this one waited for its turn, another replica may have gone on with the job, or ended it; or it was never stored. */
  async #isStillOurs(active: ActiveJob): Promise<boolean> {
    const [stored] = await this.#options.store.listJobs(active.job.id);
    if (!stored || !this.#isFree(stored)) return false;
    active.job = stored;
    if (isActive(stored)) return true;
    this.#tell(stored); // the answer to its last save may have been lost here, and its followers wait for the end
    return false;
  }

  /** Throws where the turn is over, or the store is away: the next turn goes on with the job. */
  async #run(active: ActiveJob, turn: Turn): Promise<void> {
    const { job } = active;
    const signal = AbortSignal.any([active.abort.signal, turn.signal]);
    if (signal.aborted) return;
    const within = { ...turn, signal };
    const run = new JobRun(this.#options, job, within, (...step) => this.#advance(active, within, ...step));
    try {
      const { id: runner } = this.#options.replicas;
      const running = await this.#keep(active, { ...job, runner, state: 'running' }, within);
      const outcome = await run.run();
      signal.throwIfAborted();
      const progress = { ...active.job.progress, phase: 'complete', currentProgress: 100 };
      await this.#keep(active, { ...running, state: 'done', progress, outcome: asJson(outcome) }, within);
    } catch (error) {
      // A cancelled one is stored as such, and one that the gateway stops is resumed.
      if (signal.aborted) return;
      if (isStoreAway(error)) throw error;
      const isPaused = error instanceof PauseError;
      this.#options.log.warn(`A job of the optimizer ${isPaused ? 'is paused' : 'failed'}`, {
        job: job.id,
        error: messageOf(error),
      });
      const { progress } = active.job;
      const again = isPaused ? ' Then start the same job again: it continues where it stopped.' : '';
      const outcome = { error: `${messageOf(error)}${again}`, ...(isPaused ? run.outcome : {}) };
      const state = isPaused ? 'paused' : 'failed';
      await this.#keepEnd(active, { ...job, state, progress, outcome: asJson(outcome) }, within);
    }
  }

  /** One that the store can never take counts as ended here. */
  async #keepEnd(active: ActiveJob, end: StoredJob, within: Turn): Promise<void> {
    try {
      await this.#keep(active, end, within);
    } catch (error) {
      if (within.signal.aborted) return;
      if (isTermOver(error)) throw error;
      this.#unstored.set(end.id, active.job);
      for (const id of [...this.#unstored.keys()].slice(0, -mostUnstored)) this.#unstored.delete(id);
      this.#tell(active.job); // its followers wait for the end
    }
  }

  #lastStored = Number.NEGATIVE_INFINITY;
  #lastTold = Number.NEGATIVE_INFINITY;

  async #advance(
    active: ActiveJob,
    within: Turn,
    ...[progress, isUrgent, outcome]: Parameters<TellJob>
  ): Promise<void> {
    if (this.#active.get(active.job.id) !== active || !isActive(active.job)) return;
    const done = outcome && { outcome: asJson(outcome) };
    const job = { ...active.job, updatedAt: this.#now(), progress: { ...progress }, ...done };
    const elapsed = this.#options.clock.elapsed();
    if (isUrgent || elapsed - this.#lastStored >= storeProgressMs) {
      this.#lastStored = elapsed;
      await this.#keep(active, job, within);
      return;
    }
    active.job = job;
    if (elapsed - this.#lastTold < tellProgressMs) return;
    this.#lastTold = elapsed;
    this.#tell(job);
  }

  /** Waits for a store that is away: only then is a step done. */
  #keep(active: ActiveJob, changed: StoredJob, { term, signal }: Turn): Promise<StoredJob> {
    active.job = { ...changed, updatedAt: this.#now() };
    const save = async () => {
      const { job } = active; // after a wait, it may be a later one
      const now = await this.#options.store.saveJob(job, term);
      this.#unstored.delete(job.id);
      if (now.state !== job.state) return this.#endAs(now);
      this.#tell(job);
      return job;
    };
    return untilStoreAnswers(save, { ...this.#options, signal });
  }

  /** It was ended elsewhere: whatever is done for it here stops. */
  #endAs(job: StoredJob): StoredJob {
    const active = this.#active.get(job.id);
    if (active) active.job = job;
    active?.abort.abort(cancelled(job.id));
    this.#tell(job);
    return job;
  }

  #now(): string {
    return new Date(this.#options.clock.now()).toISOString();
  }
}

function hasEnded({ id, state }: StoredJob): GatewayError {
  return new GatewayError('ARGUMENTS_INVALID', `Job "${id}" has ended already (${state}).`, {
    hint: 'Read its outcome with get_job.',
    ownerHint: `See its outcome: toolcrib optimize jobs ${id}`,
  });
}

function cancelled(id: string): GatewayError {
  return new GatewayError('CANCELLED', `Job "${id}" was cancelled.`);
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

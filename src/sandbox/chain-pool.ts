/** The threads that run programs: started when they are needed, kept warm for a while, replaced where one was spoilt. */

import type { Timer } from '../base/clock.ts';
import { GatewayError, messageOf } from '../base/errors.ts';
import { limits as named } from '../config/config.ts';
import { FairQueue } from './fair-queue.ts';
import { HostedRun } from './hosted-run.ts';
import { type ChainThread, type Loss, type StartThread, startThread } from './pool-thread.ts';
import type { ChainFailure, ChainHost, ChainLimits, ChainProgram, ChainReport, SandboxOptions } from './sandbox.ts';
import type { FromThread, RunEnd } from './thread-messages.ts';
import { TurnPace } from './turn-pace.ts';

interface Job {
  readonly number: number;
  readonly principal: string | undefined;
  readonly program: ChainProgram;
  readonly limits: ChainLimits;
  readonly deadline: number;
  readonly hosted: HostedRun;
  thread: PooledThread | undefined;
  readonly finish: (report: ChainReport) => void;
  readonly refuse: (error: GatewayError) => void;
}

/** A thread and its job. */
interface PooledThread {
  readonly thread: ChainThread;
  job: Job | undefined;
  idle: Timer | undefined;
  /** Memory of its machines beyond the usual; the thread may give it back only after a while. */
  grownBytes: number;
}

/** After these the machine's thread may hold more than a fresh one. */
const spoiling: ReadonlySet<ChainFailure['reason']> = new Set(['timeout', 'memory', 'crashed']);

export class ChainPool {
  readonly #options: SandboxOptions;
  readonly #start: StartThread;
  readonly #threads = new Set<PooledThread>();
  readonly #queue = new FairQueue<Job>(named.chainThreadsEach);
  /** Jobs whose program has ended while calls of it are under way. */
  readonly #settling = new Set<Job>();
  readonly #starts = new Set<Promise<void>>();
  readonly #endings = new Set<Promise<unknown>>();
  readonly #pace: TurnPace;
  #starting = 0;
  /** Runs after a thread could not be started, so that not every waiting job tries again at once. */
  #startPause: Timer | undefined;
  #lastNumber = 0;
  #isClosed = false;

  constructor(options: SandboxOptions, start: StartThread = startThread) {
    this.#options = options;
    this.#start = start;
    this.#pace = new TurnPace(options.clock);
  }

  async run(program: ChainProgram, limits: ChainLimits, host: ChainHost, signal: AbortSignal): Promise<ChainReport> {
    const { clock, log } = this.#options;
    const refusal = this.#refusal(program, signal);
    if (refusal !== undefined) return { failure: refusal, logs: [], lostLogs: 0, notes: [] };
    const { principal } = program;
    if (this.#queue.length >= named.chainQueue) throw tooMany(named.chainQueue);
    if (this.#queue.countOf(principal) >= named.chainQueueEach) throw tooMany(named.chainQueueEach);
    const deadline = clock.elapsed() + limits.timeoutMs;
    this.#lastNumber += 1;
    const number = this.#lastNumber;
    return new Promise((resolve, reject) => {
      const answer = (id: number, text: string) => job.thread?.thread.tell({ kind: 'answer', run: number, id, text });
      const hosted = new HostedRun({ limits, host, log, pace: this.#pace, answer });
      const overdue = clock.after(limits.timeoutMs + named.chainKillGraceMs, () => this.#giveUp(job, timedOut(limits)));
      const onAbort = () => this.#giveUp(job, cancelled(signal));
      const leave = () => {
        overdue.cancel();
        signal.removeEventListener('abort', onAbort);
      };
      const finish = (report: ChainReport) => {
        leave();
        resolve(report);
      };
      const refuse = (error: GatewayError) => {
        leave();
        reject(error);
      };
      const job: Job = { number, principal, program, limits, deadline, hosted, thread: undefined, finish, refuse };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#queue.push(job);
      this.#startNext();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#startPause?.cancel();
    for (const job of this.#queue.clear()) job.finish(job.hosted.ended(closing, 0));
    for (const job of this.#settling) job.hosted.giveUp();
    for (const pooled of [...this.#threads]) {
      if (pooled.job !== undefined) this.#giveUp(pooled.job, closing);
      else this.#remove(pooled);
    }
    await Promise.all(this.#starts);
    await Promise.all(this.#endings);
  }

  #refusal(program: ChainProgram, signal: AbortSignal): ChainFailure | undefined {
    if (this.#isClosed) return closing;
    if (signal.aborted) return cancelled(signal);
    if (program.code.length <= named.chainCodeChars) return undefined;
    const message = `The code is ${program.code.length} characters long; at most ${named.chainCodeChars} are read.`;
    const hint = 'Put large data into a tool or keep() it, and load(uri) it in the program.';
    return { reason: 'syntax', name: 'SyntaxError', message, hint };
  }

  #startNext(): void {
    for (;;) {
      const idle = [...this.#threads].find((pooled) => pooled.job === undefined);
      if (idle === undefined) break;
      const job = this.#queue.take(this.#running());
      if (job === undefined) break;
      // With no time left it would only spoil a thread.
      if (job.deadline <= this.#options.clock.elapsed()) this.#giveUp(job, timedOut(job.limits));
      else this.#begin(idle, job);
    }
    if (this.#startPause !== undefined && this.#threads.size + this.#starts.size > 0) return;
    const wanted = Math.min(this.#queue.startable(this.#running()), named.chainThreads - this.#threads.size);
    while (this.#starts.size < wanted) this.#addThread();
  }

  #running(): Job[] {
    return [...this.#threads].flatMap((pooled) => pooled.job ?? []);
  }

  #begin(pooled: PooledThread, job: Job): void {
    pooled.idle?.cancel();
    pooled.job = job;
    job.thread = pooled;
    const { program, number, hosted } = job;
    const leftMs = job.deadline - this.#options.clock.elapsed();
    pooled.thread.begin({ kind: 'run', run: number, program, limits: job.limits, leftMs }, (message) => {
      if (message.kind === 'ready' || message.run !== number) return;
      if (message.kind === 'request') hosted.requested(message.id, message.text);
      else if (message.kind === 'log') hosted.logged(message.line);
      else if (message.kind === 'returned') hosted.returned(message.calls, message.end);
      else if (message.kind === 'taken') hosted.taken(message.id);
      else this.#ended(pooled, job, message);
    });
  }

  #ended(pooled: PooledThread, job: Job, { end, machineBytes }: FromThread & { kind: 'end' }): void {
    void this.#settle(job, end, pooled.thread.lostLogs);
    const isSpoilt = end.failure !== undefined && spoiling.has(end.failure.reason);
    pooled.grownBytes += Math.max(machineBytes - named.chainMachineUsualBytes, 0);
    if (isSpoilt || pooled.grownBytes > named.chainThreadGrowthBytes) this.#replace(pooled);
    else this.#rest(pooled);
  }

  /** Calls of an ended program may still have an effect: those that end soon are reported with their real outcome. */
  async #settle(job: Job, end: RunEnd, lostLogs: number): Promise<void> {
    const { clock } = this.#options;
    const leftMs = end.failure?.reason === 'timeout' ? 0 : job.deadline - clock.elapsed();
    const giveUp = () => job.hosted.giveUp();
    const grace = leftMs > 0 ? clock.after(Math.min(leftMs, named.chainSettleMs), giveUp) : undefined;
    if (grace === undefined) giveUp();
    this.#settling.add(job);
    const report = await job.hosted.over(end, lostLogs);
    this.#settling.delete(job);
    grace?.cancel();
    job.finish(report);
  }

  /** Ends a program from outside, at any point. */
  #giveUp(job: Job, failure: ChainFailure): void {
    if (this.#settling.has(job)) return job.hosted.giveUp();
    this.#queue.delete(job);
    const pooled = job.thread;
    if (pooled === undefined && failure.reason === 'timeout')
      return job.refuse(neverBegan(job.limits, this.#running().length));
    const lostLogs = pooled?.thread.lostLogs ?? 0;
    if (pooled?.job === job) this.#replace(pooled);
    job.finish(job.hosted.ended(failure, lostLogs));
  }

  #rest(pooled: PooledThread): void {
    pooled.thread.release();
    pooled.job = undefined;
    const idle = [...this.#threads].filter((one) => one.job === undefined).length;
    const idleMs = idle > named.chainWarmThreads ? named.chainSpareThreadIdleMs : named.chainThreadIdleMs;
    pooled.idle = this.#options.clock.after(idleMs, () => this.#remove(pooled));
    this.#startNext();
  }

  /** Starts another at once, so that the next program need not wait for it. */
  #replace(pooled: PooledThread): void {
    this.#remove(pooled);
    const hasIdle = [...this.#threads].some((one) => one.job === undefined);
    if (!this.#isClosed && !hasIdle && this.#starts.size === 0 && !this.#startPause) this.#addThread();
    this.#startNext();
  }

  #remove(pooled: PooledThread): void {
    pooled.idle?.cancel();
    pooled.job = undefined;
    this.#threads.delete(pooled);
    const ending = pooled.thread.end().finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
  }

  #addThread(): void {
    const start = this.#openThread().finally(() => {
      this.#starts.delete(start);
      this.#startNext();
    });
    this.#starts.add(start);
  }

  async #openThread(): Promise<void> {
    let pooled: PooledThread | undefined;
    this.#starting += 1;
    try {
      const thread = await this.#start((loss) => pooled && this.#lost(pooled, loss));
      pooled = { thread, job: undefined, idle: undefined, grownBytes: 0 };
    } catch (error) {
      this.#starting -= 1;
      return this.#cannotStart(messageOf(error));
    }
    this.#starting -= 1;
    this.#threads.add(pooled);
    if (this.#isClosed) this.#remove(pooled);
    else this.#rest(pooled);
  }

  #lost(pooled: PooledThread, { message, wasReady, isOutOfMemory }: Loss): void {
    const job = pooled.job;
    this.#threads.delete(pooled);
    pooled.idle?.cancel();
    if (!wasReady) return this.#cannotStart(message, job);
    this.#options.log.warn('chains: a thread has ended unexpectedly', { message });
    const failure: ChainFailure = isOutOfMemory ? threadFull : { ...crash, message: `${crash.message} ${message}` };
    if (job !== undefined) job.finish(job.hosted.ended(failure, pooled.thread.lostLogs));
    this.#startNext();
  }

  /**
   * If other threads run or start, waiting jobs go on waiting for them. Else all of them fail: another try for each would fail the same
   * way.
   */
  #cannotStart(message: string, job?: Job): void {
    this.#options.log.error('chains: no thread could be started', { message });
    if (job !== undefined) {
      // Nothing of it has run.
      job.thread = undefined;
      this.#queue.unshift(job);
    }
    if (this.#threads.size + this.#starting > 0) {
      this.#startPause ??= this.#options.clock.after(named.chainStartRetryMs, () => {
        this.#startPause = undefined;
        this.#startNext();
      });
      return this.#startNext();
    }
    this.#startPause?.cancel();
    this.#startPause = undefined;
    const failure: ChainFailure = {
      reason: 'crashed',
      name: 'Error',
      message: `No thread could be started for the program: ${message}`,
    };
    for (const one of this.#queue.clear()) one.finish(one.hosted.ended(failure, 0));
  }
}

const closing: ChainFailure = {
  reason: 'cancelled',
  name: 'AbortError',
  message: 'The gateway is closing, so the program was ended.',
};
const crash: ChainFailure = {
  reason: 'crashed',
  name: 'Error',
  message: 'The thread of the program has ended unexpectedly.',
};
const threadFull: ChainFailure = {
  reason: 'memory',
  name: 'RangeError',
  message: 'The program needed more memory than its thread may have.',
};

function timedOut({ timeoutMs }: ChainLimits): ChainFailure {
  const message = `The program did not end within ${timeoutMs} ms.`;
  return {
    reason: 'timeout',
    name: 'TimeoutError',
    message,
  };
}

function cancelled(signal: AbortSignal): ChainFailure {
  const why = signal.reason instanceof Error ? ` ${signal.reason.message}` : '';
  return { reason: 'cancelled', name: 'AbortError', message: `The program was cancelled.${why}` };
}

function tooMany(most: number): GatewayError {
  return new GatewayError('RATE_LIMITED', `${most} programs already wait for their turn.`, {
    hint: 'Try again in a few seconds.',
  });
}

function neverBegan({ timeoutMs }: ChainLimits, running: number): GatewayError {
  const others = running === 1 ? 'another one was running' : `${running} others were running`;
  const message = `The program did not start: it waited ${timeoutMs} ms for its turn while ${others}. None of it ran.`;
  return new GatewayError('RATE_LIMITED', message, {
    hint: 'Try again in a few seconds; waiting counts toward timeoutMs.',
  });
}

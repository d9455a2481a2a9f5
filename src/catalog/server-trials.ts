/** Trials of servers: each is connected to and judged like a kept server, but nobody except its owner knows of it. */

import { abortable, type Clock, sleep, type Timer } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import { idAt } from '../base/ids.ts';
import { limits, type Permission, type ServerSpec } from '../config/config.ts';
import type { Downstream, ServerTrial } from '../downstream/downstream.ts';
import type { Preview } from '../trust/trust.ts';
import type { Catalog } from './catalog.ts';

interface ServerTrialsOptions {
  readonly downstream: Pick<Downstream, 'tryOut'>;
  readonly catalog: Pick<Catalog, 'preview'>;
  readonly clock: Clock;
  /** The id of this replica; null without replicas. */
  readonly replica: string | null;
}

/** A trial as its owner saw it: keeping the server takes over its process and its judged definitions. */
export interface JudgedTrial {
  readonly trial: ServerTrial;
  /** null: there was no offer. */
  readonly preview: Preview | null;
}

/** The server to try, and how to keep it. */
interface TrialPlan {
  readonly spec: ServerSpec;
  readonly keep: (tried: JudgedTrial, permissions: Readonly<Record<string, Permission>>) => Promise<unknown>;
}

export interface OpenTrial extends JudgedTrial {
  readonly id: string;
  /** Its latest end, in milliseconds since 1970. */
  readonly endsAt: number;
}

/** How the owner names a trial. */
interface TrialAddress {
  readonly name: string;
  readonly trial: string;
}

export class ServerTrials {
  readonly #options: ServerTrialsOptions;
  readonly #open = new Map<string, PendingTrial>();
  readonly #ended = new AbortController();
  /** The number of trials whose server is not listed yet. */
  #beginning = 0;

  constructor(options: ServerTrialsOptions) {
    this.#options = options;
  }

  /** Connects to the server and judges its offer. Then the trial is open, and ends soon unless somebody stays with it. */
  async begin(plan: TrialPlan, signal: AbortSignal): Promise<OpenTrial> {
    if (this.#ended.signal.aborted) throw this.#ended.signal.reason;
    if (this.#open.size + this.#beginning >= limits.trials) throw tooMany();
    const { clock, replica } = this.#options;
    const endsAt = clock.now() + limits.trialMs;
    const late = new AbortController();
    const expiry = clock.after(limits.trialMs, () => late.abort(tooLate(plan.spec.name)));
    this.#beginning += 1;
    try {
      const tried = await this.#try(plan.spec, AbortSignal.any([signal, late.signal, this.#ended.signal]));
      const id = idAt(replica);
      const pending = new PendingTrial(plan, tried, clock, () => this.#open.delete(id));
      this.#open.set(id, pending);
      pending.begin(late.signal);
      void pending.over.then(() => expiry.cancel());
      return { ...tried, id, endsAt };
    } catch (error) {
      expiry.cancel();
      throw error;
    } finally {
      this.#beginning -= 1;
    }
  }

  async #try(spec: ServerSpec, within: AbortSignal): Promise<JudgedTrial> {
    const { downstream, catalog } = this.#options;
    const trial = await downstream.tryOut(spec, within);
    if (trial.offer === null) return { trial, preview: null };
    try {
      return { trial, preview: await abortable(catalog.preview(spec, trial.offer), within) };
    } catch (error) {
      await trial.end();
      throw error;
    }
  }

  /** Resolves after a while: true if the trial is still open. The trial ends when the signal aborts, because its page was closed. */
  async stay(address: TrialAddress, signal: AbortSignal): Promise<boolean> {
    await this.#find(address)?.stay(signal);
    return this.#find(address) !== undefined;
  }

  /** Keeps the server as it was shown. If that fails, the trial stays open. */
  async keep(address: TrialAddress, permissions: Readonly<Record<string, Permission>>): Promise<void> {
    const pending = this.#find(address);
    if (pending === undefined) throw hasEnded(address.name);
    await pending.keep(permissions);
  }

  #find({ name, trial }: TrialAddress): PendingTrial | undefined {
    const pending = this.#open.get(trial);
    return pending?.name === name ? pending : undefined;
  }

  /** Starts no more trials; resolves when no process of a trial is running. */
  async close(): Promise<void> {
    this.#ended.abort(new GatewayError('SERVER_NOT_RUNNING', 'The gateway is closing.'));
    await Promise.all([...this.#open.values()].map((pending) => pending.end()));
  }
}

/** A trial that is neither kept nor discarded. */
class PendingTrial {
  readonly #plan: TrialPlan;
  readonly #tried: JudgedTrial;
  readonly #clock: Clock;
  readonly #onEnd: () => void;
  readonly #over = Promise.withResolvers<void>();
  #staying = 0;
  #grace: Timer | undefined;
  /** Nothing ends a trial while it is being kept. */
  #isKeeping = false;
  #isDue = false;

  constructor(plan: TrialPlan, tried: JudgedTrial, clock: Clock, onEnd: () => void) {
    this.#plan = plan;
    this.#tried = tried;
    this.#clock = clock;
    this.#onEnd = onEnd;
  }

  get name(): string {
    return this.#plan.spec.name;
  }

  /** Resolves when the trial has ended. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /** From now on it ends by itself: at its latest end, or soon if nobody stays. */
  begin(late: AbortSignal): void {
    late.addEventListener('abort', () => this.#endNow());
    this.#waitForSomebody();
  }

  #waitForSomebody(): void {
    this.#grace = this.#clock.after(limits.trialGraceMs, () => this.#endNow());
  }

  async stay(signal: AbortSignal): Promise<void> {
    this.#staying += 1;
    this.#grace?.cancel();
    const waiting = new AbortController();
    const pause = sleep(this.#clock, limits.trialStayMs, AbortSignal.any([signal, waiting.signal]));
    await Promise.race([this.over, pause.catch(() => {})]);
    waiting.abort();
    this.#staying -= 1;
    if (this.#staying > 0) return;
    if (signal.aborted) this.#endNow();
    else this.#waitForSomebody();
  }

  async keep(permissions: Readonly<Record<string, Permission>>): Promise<void> {
    if (this.#isKeeping) throw hasEnded(this.name);
    this.#isKeeping = true;
    try {
      await this.#plan.keep(this.#tried, permissions);
      this.#isDue = true;
    } finally {
      this.#isKeeping = false;
      // A server that was kept goes on.
      if (this.#isDue) await this.end();
    }
  }

  #endNow(): void {
    this.#isDue = true;
    // Its process ends in any case, and nobody waits for it.
    if (!this.#isKeeping) void this.end().catch(() => {});
  }

  async end(): Promise<void> {
    this.#onEnd();
    this.#grace?.cancel();
    this.#over.resolve();
    await this.#tried.trial.end();
  }
}

function hasEnded(name: string): GatewayError {
  return new GatewayError('SERVER_NOT_FOUND', `The trial of "${name}" has ended.`, {
    hint: `See if "${name}" was kept already. If not, try it again, and keep it while its page is open.`,
  });
}

function tooLate(name: string): GatewayError {
  const minutes = limits.trialMs / 60_000;
  return new GatewayError('TIMEOUT', `The trial of "${name}" has ended: it took longer than ${minutes} minutes.`);
}

function tooMany(): GatewayError {
  return new GatewayError('RATE_LIMITED', `${limits.trials} servers are being tried already.`, {
    hint: 'Keep or discard one of them, or close its page.',
  });
}

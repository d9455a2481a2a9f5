/**
 * Sums by day of the text that agents were shown on each surface. Counted in memory and written every few seconds and at the
 * end, so that no answer waits for it: a gateway that is killed loses the last seconds of these sums, and nothing else.
 */

import type { Clock, Timer } from '../base/clock.ts';
import { GatewayError, messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { type DisclosureKind, type DisclosureStore, type DisclosureSum, dayOf } from '../store/store.ts';

export interface DisclosureNote {
  readonly surface: string;
  /** Where the agent came in through the door of a project. */
  readonly project?: string | undefined;
  /** A list of tools; an answer that helps to find one; a call by its key; a chain; a call by its public name. */
  readonly kind: DisclosureKind;
  /** Tokens that the model writes and reads for it, beyond those of the call itself on any surface. */
  readonly tokens: number;
  /** Of a chain: how many tools it called. */
  readonly calls?: number | undefined;
  /** Tokens that the model would have read on `direct`: the list of all tools; of a chain, the results that only it has seen. */
  readonly directTokens?: number | undefined;
}

/** Where it is noted what agents are shown. */
export interface DisclosureNotes {
  note(note: DisclosureNote): void;
}

interface DisclosureMetricsOptions {
  readonly store: DisclosureStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** The most that a killed gateway loses while its store works. */
export const disclosureWriteMs = 5_000;
/** Sums that wait to be written: by far more than there are projects, surfaces and kinds. What is beyond is not counted. */
export const mostWaitingSums = 2_000;
const mostDays = 3_660;

type WaitingSum = { -readonly [Member in keyof DisclosureSum]: DisclosureSum[Member] };

export class DisclosureMetrics implements DisclosureNotes {
  readonly #options: DisclosureMetricsOptions;
  #waiting = new Map<string, WaitingSum>();
  #timer: Timer | undefined;
  /** Writes and reads take turns, so that what is being written is never counted twice or not at all. */
  #turn: Promise<unknown> = Promise.resolve();
  #isFailing = false;
  #isClosed = false;
  #dropped = 0;

  constructor(options: DisclosureMetricsOptions) {
    this.#options = options;
  }

  /** Notes that found no room, since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  note({ surface, project, kind, tokens, calls = 0, directTokens = 0 }: DisclosureNote): void {
    const day = dayOf(this.#options.clock.now());
    const sum = { day, project: project ?? null, surface, kind, count: 1, tokens, calls, directTokens };
    if (this.#isClosed || !this.#add(sum)) this.#dropped += 1;
    this.#writeLater();
  }

  /** The sums of the last days, today among them, in no order. Rejects where the store cannot be read. */
  async of({ days }: { readonly days: number }): Promise<DisclosureSum[]> {
    await this.#write();
    return this.#inTurn(async () => {
      const since = dayOf(this.#options.clock.now()) - Math.min(mostDays, Math.max(1, Math.floor(days))) + 1;
      const written = await this.#options.store.listDisclosure(since);
      // Those that the store did not take, and what was noted while it was read.
      const others = [...this.#waiting.values()].filter(({ day }) => day >= since);
      return sumUp([...written, ...others]);
    });
  }

  /** Idempotent. Tries once more to write what waits. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#write();
    const lost = [...this.#waiting.values()].reduce((all, { count }) => all + count, 0);
    if (lost > 0)
      this.#options.log.warn('What agents were shown is lost, because the store refuses it', { notes: lost });
    this.#waiting.clear();
  }

  /** False where there is no room. */
  #add(sum: DisclosureSum): boolean {
    const key = keyOf(sum);
    const known = this.#waiting.get(key);
    if (known === undefined && this.#waiting.size >= mostWaitingSums) return false;
    if (known === undefined) this.#waiting.set(key, { ...sum });
    else addTo(known, sum);
    return true;
  }

  /** Nobody waits for it, so trouble is only logged, once; what was not written waits for the next time. */
  #write(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    return this.#inTurn(async () => {
      if (this.#waiting.size === 0) return;
      const writing = this.#waiting;
      this.#waiting = new Map();
      try {
        await this.#options.store.addDisclosure([...writing.values()]);
        this.#isFailing = false;
      } catch (error) {
        this.#refused([...writing.values()], error);
      }
    });
  }

  #refused(sums: readonly DisclosureSum[], error: unknown): void {
    const { log } = this.#options;
    const isTrouble = error instanceof GatewayError;
    // Sums that no store could take are a bug of ours, and must not hold up the others for ever.
    for (const sum of sums) if (!isTrouble || !this.#add(sum)) this.#dropped += sum.count;
    if (!isTrouble) log.error('What agents were shown cannot be written down', { error: messageOf(error) });
    else if (!this.#isFailing)
      log.warn('Metrics of what agents are shown cannot be stored for now; they wait', { error: error.message });
    this.#isFailing = isTrouble;
    this.#writeLater();
  }

  #writeLater(): void {
    if (this.#isClosed || this.#waiting.size === 0) return;
    this.#timer ??= this.#options.clock.after(disclosureWriteMs, () => void this.#write());
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(act);
    // The failure of one is its caller's affair and must not stop the next.
    this.#turn = result.catch(() => {});
    return result;
  }
}

function sumUp(sums: readonly DisclosureSum[]): DisclosureSum[] {
  const byKey = new Map<string, WaitingSum>();
  for (const sum of sums) {
    const known = byKey.get(keyOf(sum));
    if (known === undefined) byKey.set(keyOf(sum), { ...sum });
    else addTo(known, sum);
  }
  return [...byKey.values()];
}

function keyOf({ day, project, surface, kind }: DisclosureSum): string {
  return JSON.stringify([day, project, surface, kind]);
}

function addTo(known: WaitingSum, { count, tokens, calls, directTokens }: DisclosureSum): void {
  known.count += count;
  known.tokens += tokens;
  known.calls += calls;
  known.directTokens += directTokens;
}

/** Watches promotions in real use: success and confusion before and after, compared at a few looks. A clearly worse one is reverted. */

import { messageOf } from '../base/errors.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import type { Log } from '../base/log.ts';
import type { CallMetrics, CallRecord } from '../metrics/metrics.ts';
import { type StoredPromotion, toolKeyOf } from '../store/store.ts';
import { isTelling, type LiveFigures, mostCallsRead, noFigures, Successions, trafficIn } from './traffic.ts';

/** The promotions in effect, as far as the watch needs them. */
interface PromotionsInUse {
  /** Undefined where none is in effect. */
  active(server: string, toolName: string): StoredPromotion | undefined;
  revert(promotion: StoredPromotion, by: null, why: JsonObject): Promise<unknown>;
  keepWatch(promotion: StoredPromotion, watch: JsonObject): Promise<void>;
}

interface WatchOptions {
  readonly promotions: PromotionsInUse;
  readonly metrics: Pick<CallMetrics, 'recorded' | 'recentCalls'>;
  /** Calls after a promotion during which it is watched; 0: none are. */
  readonly watchCalls: () => number;
  readonly log: Log;
}

/** Of promotions that are no worse than before, at most this share is reverted by mistake. */
const falseReverts = 0.05;
/** Both figures share it. */
const figuresTested = 2;
const firstLook = 10;

export class Watch {
  readonly #options: WatchOptions;
  /** Counts of the promotions in effect, by toolKey. */
  readonly #watched = new Map<string, Watched>();
  readonly #successions = new Successions();
  readonly #pending = new Set<Promise<void>>();
  #stop: (() => void) | undefined;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  open(): void {
    this.#stop ??= this.#options.metrics.recorded.on((call) => this.#take(call));
  }

  /** Keeps what was counted since the last look. */
  async close(): Promise<void> {
    this.#stop?.();
    for (const watched of this.#watched.values()) if (!watched.isDone) this.#keep(watched);
    await Promise.all(this.#pending);
  }

  /** The record to keep with a new promotion: how its tool did until now. */
  async begin({ server, toolName }: Pick<StoredPromotion, 'server' | 'toolName'>): Promise<JsonObject | undefined> {
    if (this.#options.watchCalls() === 0) return undefined;
    const traffic = trafficIn(await this.#options.metrics.recentCalls(mostCallsRead));
    const { calls, ok, followed, confused } = traffic.get(toolKeyOf({ server, tool: toolName })) ?? noFigures;
    return { state: 'watching', before: { calls, ok, followed, confused }, after: { ...noFigures } };
  }

  #take(call: CallRecord): void {
    if (!isTelling(call)) return;
    const watched = this.#watchedOf(call);
    const ended = this.#successions.take(call, watched !== undefined);
    const before = ended && this.#watchedOf(ended.first);
    if (before) {
      before.after.followed += 1;
      if (ended.isConfused) before.after.confused += 1;
      if (this.#isLook(before.after.followed)) this.#look(before, ['confusion']);
    }
    if (!watched || watched.isDone) return;
    watched.after.calls += 1;
    if (call.outcome === 'ok') watched.after.ok += 1;
    const isLast = watched.after.calls >= this.#options.watchCalls();
    if (isLast) this.#look(watched, ['success', 'confusion']);
    else if (this.#isLook(watched.after.calls)) this.#look(watched, ['success']);
  }

  /** Undefined where nothing was promoted, or it is not watched any more. */
  #watchedOf({ server, tool }: Pick<CallRecord, 'server' | 'tool'>): Watched | undefined {
    const { promotions } = this.#options;
    const promotion = promotions.active(server, tool);
    const key = toolKeyOf({ server, tool });
    if (!promotion) return undefined;
    const known = this.#watched.get(key);
    const isSame = known?.promotion.candidateId === promotion.candidateId;
    const watched = isSame && known.promotion.promotedAt === promotion.promotedAt ? known : watchedFrom(promotion);
    if (watched) this.#watched.set(key, watched);
    else this.#watched.delete(key);
    return watched?.isDone ? undefined : watched;
  }

  #isLook(count: number): boolean {
    return looksUpTo(this.#options.watchCalls()).includes(count);
  }

  #look(watched: Watched, figures: readonly Figure[]): void {
    const most = this.#options.watchCalls();
    const found = figures
      .map((figure) => ({ figure, pValue: chanceOf(figure, watched.before, watched.after) }))
      .find(({ pValue }) => pValue <= levelOfLook(most));
    watched.isDone = found !== undefined || watched.after.calls >= most;
    if (found) this.#revert(watched, found);
    else this.#keep(watched);
  }

  #revert({ promotion, before, after }: Watched, { figure, pValue }: Finding): void {
    const { promotions, log } = this.#options;
    const { server, toolName: tool } = promotion;
    log.warn('A promoted description did worse in real use and was reverted', { server, tool, figure });
    this.#do(
      promotions.revert(promotion, null, { why: `live ${figure}`, before: { ...before }, after: { ...after }, pValue }),
      promotion,
    );
  }

  #keep({ promotion, before, after, isDone }: Watched): void {
    const state = isDone ? 'kept' : 'watching';
    const watch = { state, before: { ...before }, after: { ...after } };
    this.#do(this.#options.promotions.keepWatch(promotion, watch), promotion);
  }

  /** Nobody waits for it: a store that fails must not fail the call that was counted. */
  #do(work: Promise<unknown>, { server, toolName: tool }: StoredPromotion): void {
    const pending = work.then(
      () => {},
      (error) => {
        this.#watched.delete(toolKeyOf({ server, tool }));
        this.#options.log.warn('The watch over a promotion could not be kept', {
          ...{ server, tool, error: messageOf(error) },
        });
      },
    );
    this.#pending.add(pending);
    void pending.finally(() => this.#pending.delete(pending));
  }
}

interface Watched {
  readonly promotion: StoredPromotion;
  readonly before: LiveFigures;
  readonly after: { -readonly [Figure in keyof LiveFigures]: LiveFigures[Figure] };
  isDone: boolean;
}

function watchedFrom(promotion: StoredPromotion): Watched | undefined {
  const { watch } = promotion;
  if (!watch) return undefined;
  const [before, after] = [figuresIn(watch.before), figuresIn(watch.after)];
  return { promotion, before, after, isDone: watch.state !== 'watching' };
}

function figuresIn(kept: unknown): Watched['after'] {
  const { calls, ok, followed, confused } = { ...noFigures, ...(isObject(kept) ? kept : {}) };
  return { calls, ok, followed, confused };
}

/** Counts at which the figures are compared: 10, 20, 40 and so on, and the last. */
function looksUpTo(most: number): number[] {
  const looks: number[] = [];
  for (let look = firstLook; look < most; look *= 2) looks.push(look);
  return [...looks, most];
}

type Figure = 'success' | 'confusion';

interface Finding {
  readonly figure: Figure;
  readonly pValue: number;
}

/**
 * The mistakes that are allowed in all are divided among the figures and the looks at each (one more at confusion when the watch
 * ends), so that looking often reverts nothing by chance.
 */
function levelOfLook(most: number): number {
  return falseReverts / figuresTested / (looksUpTo(most).length + 1);
}

/** How probable a figure as bad as this one is, if nothing changed. */
function chanceOf(figure: Figure, before: LiveFigures, after: LiveFigures): number {
  return figure === 'success'
    ? fisherLess(after.ok, after.calls, before.ok, before.calls)
    : fisherLess(after.followed - after.confused, after.followed, before.followed - before.confused, before.followed);
}

/**
 * Fisher's exact test, one-sided: how probable it is that of `all` draws at most `right` succeed, if both samples have the same
 * share of successes. 1 where either is empty.
 */
export function fisherLess(right: number, all: number, rightBefore: number, allBefore: number): number {
  if (all === 0 || allBefore === 0) return 1;
  const [successes, total] = [right + rightBefore, all + allBefore];
  let some = Math.max(0, successes - allBefore);
  // In logarithms: the coefficients of a thousand calls are beyond any number.
  let log = logChoose(successes, some) + logChoose(total - successes, all - some) - logChoose(total, all);
  let sum = 0;
  for (; some <= right; some += 1) {
    sum += Math.exp(log);
    log += Math.log(((successes - some) * (all - some)) / ((some + 1) * (total - successes - all + some + 1)));
  }
  return Math.min(1, sum);
}

function logChoose(of: number, some: number): number {
  let sum = 0;
  for (let at = 1; at <= Math.min(some, of - some); at += 1) sum += Math.log((of - at + 1) / at);
  return sum;
}

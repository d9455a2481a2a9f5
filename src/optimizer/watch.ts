/**
 * Watches promotions in real use: success and confusion before and after, compared at a few looks. A clearly worse one is reverted.
 * Each gateway adds the calls that it served; the one whose calls reach a look compares.
 */

import { messageOf } from '../base/errors.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import type { Log } from '../base/log.ts';
import type { CallMetrics, CallRecord } from '../metrics/metrics.ts';
import { type ChangeWatch, type StoredPromotion, toolKeyOf } from '../store/store.ts';
import { isTelling, type LiveFigures, mostCallsRead, noFigures, Successions, trafficIn } from './traffic.ts';

/** The promotions in effect, as far as the watch needs them. */
interface PromotionsInUse {
  /** Undefined where none is in effect. */
  active(server: string, toolName: string): StoredPromotion | undefined;
  revert(promotion: StoredPromotion, by: null, why: JsonObject): Promise<unknown>;
  changeWatch(promotion: StoredPromotion, change: ChangeWatch): Promise<void>;
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
      before.fresh.followed += 1;
      if (ended.isConfused) before.fresh.confused += 1;
      if (this.#isLook(before.counted.followed + before.fresh.followed)) this.#keep(before);
    }
    if (!watched || watched.isDone) return;
    watched.fresh.calls += 1;
    if (call.outcome === 'ok') watched.fresh.ok += 1;
    const isLook = this.#isLook(watched.counted.calls + watched.fresh.calls);
    // Where they could not be added, they wait for as many more.
    if (isLook || watched.fresh.calls % firstLook === 0) this.#keep(watched);
  }

  /** Undefined where nothing was promoted, or it is not watched any more. */
  #watchedOf({ server, tool }: Pick<CallRecord, 'server' | 'tool'>): Watched | undefined {
    const { promotions } = this.#options;
    const promotion = promotions.active(server, tool);
    const key = toolKeyOf({ server, tool });
    if (!promotion) return undefined;
    const known = this.#watched.get(key);
    const stored = watchedFrom(promotion);
    const isSame = known?.promotion.candidateId === promotion.candidateId;
    const watched = isSame && known.promotion.promotedAt === promotion.promotedAt ? known : stored;
    if (watched) this.#watched.set(key, watched);
    else this.#watched.delete(key);
    if (watched && stored && stored.counted.calls > watched.counted.calls) {
      // Others have added theirs.
      watched.counted = stored.counted;
      watched.isDone ||= stored.isDone;
    }
    return watched?.isDone ? undefined : watched;
  }

  #isLook(count: number): boolean {
    return looksUpTo(this.#options.watchCalls()).includes(count);
  }

  /** Adds what was counted here to what all have counted, and compares where that reaches a look. */
  #keep(watched: Watched): void {
    const { promotion, fresh } = watched;
    watched.fresh = { ...noFigures };
    watched.counted = sumOf(watched.counted, fresh);
    watched.isDone ||= watched.counted.calls >= this.#options.watchCalls();
    let looked: Looked | undefined;
    let mayBeAdded = false;
    const keeping = async () => {
      await this.#options.promotions.changeWatch(promotion, (watch) => {
        // Their answer may get lost though they are stored: a few that are lost are better than a few that count twice.
        mayBeAdded = true;
        looked = this.#look(watch, fresh);
        return looked?.watch ?? watch;
      });
      if (!looked?.finding || watched.isReverted) return;
      watched.isDone = true;
      watched.isReverted = true;
      await this.#revert(promotion, looked, looked.finding);
    };
    this.#do(keeping(), promotion, () => {
      // A later call tries again, on top of what is stored by then.
      if (!mayBeAdded) watched.fresh = sumOf(watched.fresh, fresh);
      watched.counted = noFigures;
      watched.isDone = false;
      watched.isReverted = false;
    });
  }

  /** Undefined where the watch is over. */
  #look(watch: JsonObject, fresh: LiveFigures): Looked | undefined {
    if (watch.state !== 'watching') return undefined;
    const most = this.#options.watchCalls();
    const [before, counted] = [figuresIn(watch.before), figuresIn(watch.after)];
    const after = sumOf(counted, fresh);
    const isReached = (figure: 'calls' | 'followed') =>
      looksUpTo(most).some((look) => counted[figure] < look && look <= after[figure]);
    const isLast = after.calls >= most;
    const finding = [
      ...(isReached('calls') || isLast ? (['success'] as const) : []),
      ...(isReached('followed') || isLast ? (['confusion'] as const) : []),
    ]
      .map((figure) => ({ figure, pValue: chanceOf(figure, before, after) }))
      .find(({ pValue }) => pValue <= levelOfLook(most));
    const state = isLast && !finding ? 'kept' : 'watching';
    return { before, after, finding, watch: { state, before: { ...before }, after: { ...after } } };
  }

  #revert(promotion: StoredPromotion, { before, after }: Looked, { figure, pValue }: Finding): Promise<unknown> {
    const { promotions, log } = this.#options;
    const { server, toolName: tool } = promotion;
    log.warn('A promoted description did worse in real use and was reverted', { server, tool, figure });
    const why = { why: `live ${figure}`, before: { ...before }, after: { ...after }, pValue };
    return promotions.revert(promotion, null, why);
  }

  /** Nobody waits for it: a store that fails must not fail the call that was counted. */
  #do(work: Promise<unknown>, { server, toolName: tool }: StoredPromotion, onFailure: () => void): void {
    const pending = work.then(
      () => {},
      (error) => {
        onFailure();
        this.#options.log.warn('The watch over a promotion could not be kept', {
          ...{ server, tool, error: messageOf(error) },
        });
      },
    );
    this.#pending.add(pending);
    void pending.finally(() => this.#pending.delete(pending));
  }
}

type Counted = { -readonly [Figure in keyof LiveFigures]: LiveFigures[Figure] };

interface Watched {
  readonly promotion: StoredPromotion;
  /** By all gateways, as far as it is known here. */
  counted: LiveFigures;
  /** Counted here, and not added yet. */
  fresh: Counted;
  isDone: boolean;
  isReverted: boolean;
}

/** The figures that all have counted, and one of them that shows the promotion to be worse. */
interface Looked {
  readonly before: LiveFigures;
  readonly after: LiveFigures;
  readonly finding: Finding | undefined;
  readonly watch: JsonObject;
}

function watchedFrom(promotion: StoredPromotion): Watched | undefined {
  const { watch } = promotion;
  if (!watch) return undefined;
  const isDone = watch.state !== 'watching';
  return { promotion, counted: figuresIn(watch.after), fresh: { ...noFigures }, isDone, isReverted: false };
}

function sumOf(a: LiveFigures, b: LiveFigures): LiveFigures {
  return {
    calls: a.calls + b.calls,
    ok: a.ok + b.ok,
    followed: a.followed + b.followed,
    confused: a.confused + b.confused,
  };
}

function figuresIn(kept: unknown): LiveFigures {
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

/** Calls, how they ended and how long they took: written down before the answer leaves, and at hand for every question. */

import type { Clock } from '../base/clock.ts';
import { GatewayError, messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { Signal } from '../base/signal.ts';
import {
  type AuditRecord,
  type CallRecord,
  type CallScope,
  type CallStore,
  type DayTally,
  dayOf,
  type RecordWriter,
  type Replicas,
  type RollUpReport,
  type StoreChanges,
  Tally,
  type ToolTally,
  toolKeyOf,
} from '../store/store.ts';
import { CallCounts, LastHour } from './call-counts.ts';
import type {
  CallFigures,
  DayMetrics,
  MinuteMetrics,
  QueryMetrics,
  SequenceMetrics,
  SeriesMetrics,
  SuggestionMetrics,
  ToolMetrics,
} from './call-record.ts';
import { everyDay, type SeriesSpan, spanUpTo, startOf } from './call-series.ts';
import { Recount } from './recount.ts';
import { RollUpPlan } from './roll-up-plan.ts';

interface CallMetricsOptions {
  readonly store: CallStore & StoreChanges;
  /** Shared with the audit, and closed by its maker. */
  readonly writer: RecordWriter;
  readonly clock: Clock;
  readonly log: Log;
  /** How long single calls are kept; sums are kept for ever. */
  readonly retentionDays: () => number;
  /** One of them adds up the calls of all. */
  readonly replicas: Pick<Replicas, 'hasUpkeep' | 'isShared'>;
}

interface CallMetricsStatus {
  /** Records that wait for a store that refuses them, those of the audit too. */
  readonly queued: number;
  /** Records that were never written down, since the start. */
  readonly dropped: number;
  readonly isRefusing: boolean;
  readonly unrolled: number;
  readonly tools: number;
  /** Tools that are not at hand any more, because there are too many. */
  readonly toolsLetGo: number;
}

/** How many rows a question gets that does not say. */
const defaultLimit = 100;
const mostDays = 3_660;

export class CallMetrics {
  /** A call was recorded, and is or will soon be written down. */
  readonly recorded = new Signal<CallRecord>();
  /** Calls were forgotten by a reset. */
  readonly forgotten = new Signal<CallScope>();
  /** Other gateways recorded calls, which `refresh` counts. */
  readonly outdated = new Signal<void>();
  /** Calls of other gateways were counted. */
  readonly recounted = new Signal<void>();
  /** Since the start, whatever is forgotten. */
  readonly counts = new CallCounts();
  readonly #store: CallStore & StoreChanges;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #writer: RecordWriter;
  readonly #plan: RollUpPlan;
  readonly #tools = new KnownTools();
  readonly #lastHour = new LastHour();
  readonly #recount: Recount;
  #stopHearing: (() => void) | undefined;
  #opening: Promise<void> | undefined;
  #isOpen = false;

  constructor({ store, writer, clock, log, retentionDays, replicas }: CallMetricsOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#plan = new RollUpPlan({ store, clock, log, retentionDays, replicas });
    this.#writer = writer;
    this.#recount = new Recount({ clock, log, count: () => this.#count() });
    writer.written.on((count) => this.#plan.noteWritten(count));
  }

  get status(): CallMetricsStatus {
    const { queued, dropped, isRefusing } = this.#writer;
    const { size: tools, letGo: toolsLetGo } = this.#tools;
    return { queued, dropped, isRefusing, unrolled: this.#plan.unrolled, tools, toolsLetGo };
  }

  /** Why calls and events of the audit wait to be written; null: they are written. */
  get recordsProblem(): { readonly message: string; readonly hint: string } | null {
    const { trouble } = this.#writer;
    if (trouble === null) return null;
    const message = `Records of calls and of the audit wait in memory: ${trouble.message}`;
    return {
      message,
      hint: `${trouble.hint ?? ''} Keep the gateway running: it loses waiting records when it stops.`.trim(),
    };
  }

  /** Reads what the store knows; without a store the figures begin with nothing. */
  open(): Promise<void> {
    this.#stopHearing ??= this.#store.events.on(({ type, isOthers }) => {
      if (type !== 'records' || !isOthers) return;
      this.#recount.note();
      this.outdated.emit();
    });
    this.#opening ??= this.#load();
    return this.#opening;
  }

  async close(): Promise<void> {
    this.#stopHearing?.();
    await this.#recount.close();
    await this.#opening;
    this.#plan.close();
  }

  /** Resolves once the call is committed, with its event in the audit, or waits for a store that refuses. Never rejects. */
  async record(record: CallRecord, event?: AuditRecord): Promise<void> {
    // The sums that are read while it opens must not hold this call too.
    if (!this.#isOpen && this.#opening !== undefined) await this.#opening;
    const call = tidyCall(record, this.#clock.now());
    this.#tools.add(call);
    this.#lastHour.add(call);
    this.counts.add(call);
    this.recorded.emit(call);
    await this.#writer.write({ call, event });
  }

  /** Counts what other gateways recorded, unless that was done a moment ago. Never rejects. */
  refresh(): Promise<void> {
    return this.#recount.run();
  }

  async #count(): Promise<void> {
    // Meanwhile calls wait: each is in the store, or waits for it.
    await this.#writer.hold();
    try {
      const { tools } = await this.#store.listCallTallies(mostTools);
      this.#tools.load(tools);
      for (const call of this.#writer.waiting()) this.#tools.add(call);
      await this.#loadLastHour();
    } finally {
      this.#writer.release();
    }
    this.recounted.emit();
  }

  /** Of everything that was recorded so far. */
  of(toolKey: string): ToolMetrics | undefined {
    const tool = this.#tools.get(toolKey);
    return tool && toolMetricsOf(tool);
  }

  /** How often a tool was called, for those who need no other figure of very many tools. */
  callCountOf(toolKey: string): number {
    return this.#tools.get(toolKey)?.tally.count ?? 0;
  }

  query(query: ToolQuery): ToolMetrics[] {
    return chooseTools(this.#tools.all(), query).map(toolMetricsOf);
  }

  /** Of a tool (by its toolKey), of a server or of all; the oldest first, without the days on which nothing was called. */
  async days(target: string | undefined, lastDays: number): Promise<DayMetrics[]> {
    return (await this.#store.listCallDays(scopeOf(target), this.#firstOf(lastDays))).map(dayMetricsOf);
  }

  /** By minute, hour or day: of one tool, of one server or of all. Calls that are not committed yet may be missing. */
  async series(scope: CallScope, name: SeriesSpan): Promise<SeriesMetrics> {
    const span = spanUpTo(this.#clock.now(), name);
    const { steps, isComplete } =
      name === 'month'
        ? { steps: everyDay(span, await this.#store.listCallDays(scope, dayOf(span.since))), isComplete: true }
        : await this.#store.listCallSteps(scope, span);
    return { steps: steps.map((tally, at) => ({ start: startOf(span, at), ...countsOf(tally) })), isComplete };
  }

  /** Every minute of the last hour, with everything that was recorded so far; the oldest first. */
  lastHour(): MinuteMetrics[] {
    return this.#lastHour.list(this.#clock.now());
  }

  /** Of the last days together, today included: of all of these (toolKeys or names of servers). */
  async recent(targets: readonly string[], lastDays: number): Promise<CallFigures> {
    const since = this.#firstOf(lastDays);
    const found = await Promise.all(targets.map((target) => this.#store.listCallDays(scopeOf(target), since)));
    return sumFigures(found.flat().map(({ tally }) => tally));
  }

  /** The tools that usually follow a tool, or any; the most frequent first. */
  async sequences({ toolKey, limit = defaultLimit }: PairQuery): Promise<SequenceMetrics[]> {
    const pairs = await this.#store.listCallPairs('sequence', { first: toolKey });
    const sums = new Map<string, number>();
    for (const { first, count } of pairs) sums.set(first, (sums.get(first) ?? 0) + count);
    return mostFrequent(pairs, limit).map((pair) => ({
      before: pair.first,
      after: toolKeyOf(pair),
      count: pair.count,
      share: pair.count / (sums.get(pair.first) ?? pair.count),
    }));
  }

  /** The tools executed after each query; the most frequent first. */
  async queries({ toolKey, limit = defaultLimit }: PairQuery): Promise<QueryMetrics[]> {
    const pairs = await this.#store.listCallPairs('query', scopeOf(toolKey));
    return mostFrequent(pairs, limit).map((pair) => ({
      query: pair.first,
      toolKey: toolKeyOf(pair),
      count: pair.count,
      ok: pair.ok,
    }));
  }

  /** The newest calls, up to `most`, the oldest of these first. */
  recentCalls(most: number): Promise<CallRecord[]> {
    return this.#store.listRecentCalls(most);
  }

  /** Which alternatives were taken for which failed tools; the most frequent first. */
  async suggestions({ limit = defaultLimit }: { readonly limit?: number | undefined }): Promise<SuggestionMetrics[]> {
    const pairs = await this.#store.listCallPairs('suggestion', {});
    return mostFrequent(pairs, limit).map((pair) => ({
      failed: pair.first,
      suggested: toolKeyOf(pair),
      taken: pair.count,
      worked: pair.ok,
    }));
  }

  /** Forgets the calls of a tool, of a server or of all, and says how many there were. Rejects where the store cannot. */
  async reset(scope: CallScope): Promise<number> {
    if (scope.tool !== undefined && scope.server === undefined)
      throw new GatewayError(
        'USAGE',
        'The calls of a tool can only be forgotten together with the name of its server.',
      );
    const isMeant = (one: { readonly server: string; readonly tool: string }) =>
      (scope.server ?? one.server) === one.server && (scope.tool ?? one.tool) === one.tool;
    await this.#opening;
    // Meanwhile calls wait, so that what was recorded since then stays, here and in the store.
    await this.#writer.hold();
    try {
      const unwritten = new Set(this.#writer.waiting().filter(isMeant));
      const { forgotten, unrolled } = await this.#store.forgetCalls(scope);
      this.#plan.noteForgotten(unrolled);
      this.#writer.remove(unwritten);
      this.#tools.remove(isMeant);
      for (const call of this.#writer.waiting().filter(isMeant)) this.#tools.add(call);
      await this.#loadLastHour();
      this.forgotten.emit(scope);
      return forgotten + unwritten.size;
    } finally {
      this.#writer.release();
    }
  }

  /** Adds up what is not added up yet; happens by itself now and then. */
  rollUp(): Promise<RollUpReport> {
    return this.#plan.run();
  }

  /** The first day of a span that ends today. */
  #firstOf(lastDays: number): number {
    return dayOf(this.#clock.now()) - Math.min(mostDays, Math.max(1, Math.floor(lastDays))) + 1;
  }

  async #load(): Promise<void> {
    let unrolled = 0;
    try {
      const found = await this.#store.listCallTallies(mostTools);
      this.#tools.load(found.tools);
      unrolled = found.unrolled;
      await this.#loadLastHour();
    } catch (error) {
      this.#log.warn('Earlier calls cannot be read', { error: messageOf(error) });
    }
    for (const call of this.#writer.waiting()) this.#tools.add(call);
    this.#isOpen = true;
    this.#plan.open(unrolled);
  }

  /** While nothing is written: a call is in the store, or waits for it. */
  async #loadLastHour(): Promise<void> {
    const span = spanUpTo(this.#clock.now(), 'hour');
    const { steps } = await this.#store.listCallSteps({}, span);
    this.#lastHour.load(span, steps);
    for (const call of this.#writer.waiting()) this.#lastHour.add(call);
  }
}

interface PairQuery {
  readonly toolKey?: string | undefined;
  readonly limit?: number | undefined;
}

/** A server's name holds no colon, so that the first one ends it. */
function scopeOf(target: string | undefined): CallScope {
  if (target === undefined) return {};
  const at = target.indexOf(':');
  return at < 0 ? { server: target } : { server: target.slice(0, at), tool: target.slice(at + 1) };
}

function mostFrequent<T extends { readonly count: number }>(pairs: readonly T[], limit: number): T[] {
  return pairs.toSorted((a, b) => b.count - a.count).slice(0, Math.max(0, limit));
}

/** Characters of an error and of a query that are kept. */
const mostErrorCharacters = 200;
const mostQueryCharacters = 300;
/** The latest time that a date can hold. */
const latestTime = 8.64e15;

function tidyCall(call: CallRecord, now: number): CallRecord {
  return {
    ...call,
    at: call.at >= 0 && call.at <= latestTime ? Math.floor(call.at) : now,
    ms: Number.isFinite(call.ms) ? Math.max(0, call.ms) : 0,
    error: shortened(call.error, mostErrorCharacters),
    requestBytes: wholeNumber(call.requestBytes),
    resultBytes: wholeNumber(call.resultBytes),
    query: shortened(call.query, mostQueryCharacters),
  };
}

function wholeNumber(value: number): number {
  return value > 0 && value <= Number.MAX_SAFE_INTEGER ? Math.floor(value) : 0;
}

/** Never ends in half a character. */
function shortened(text: string | null, most: number): string | null {
  if (text === null || text.length <= most) return text;
  return text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
}

/**
 * Tools whose figures are at hand, at about half a kilobyte each. Beyond it the ones that were not called for longest
 * are let go: the store has them, but what is shown of them begins anew until the next start.
 */
export const mostTools = 50_000;

export class KnownTools {
  /** The one that was called last comes last. */
  readonly #tools = new Map<string, ToolTally>();
  #letGo = 0;

  get size(): number {
    return this.#tools.size;
  }

  /** Tools that were let go since the start. */
  get letGo(): number {
    return this.#letGo;
  }

  load(tools: readonly ToolTally[]): void {
    this.#tools.clear();
    for (const tool of tools) this.#put(toolKeyOf(tool), tool);
  }

  add(call: CallRecord): void {
    const key = toolKeyOf(call);
    const { server, tool } = call;
    const known = this.#tools.get(key) ?? { server, tool, tally: new Tally() };
    known.tally.add(call);
    this.#tools.delete(key);
    this.#put(key, known);
  }

  get(toolKey: string): ToolTally | undefined {
    return this.#tools.get(toolKey);
  }

  all(): IterableIterator<ToolTally> {
    return this.#tools.values();
  }

  remove(isMeant: (tool: ToolTally) => boolean): void {
    for (const [key, tool] of this.#tools) if (isMeant(tool)) this.#tools.delete(key);
  }

  #put(key: string, tool: ToolTally): void {
    this.#tools.set(key, tool);
    if (this.#tools.size <= mostTools) return;
    const [oldest] = this.#tools.keys();
    if (oldest === undefined) return;
    this.#tools.delete(oldest);
    this.#letGo += 1;
  }
}

const dayMs = 24 * 60 * 60 * 1_000;

function toolMetricsOf({ server, tool, tally }: ToolTally): ToolMetrics {
  return {
    toolKey: toolKeyOf({ server, tool }),
    server,
    tool,
    ...countsOf(tally),
    lastCalledAt: tally.calledAt,
    lastOkAt: tally.okAt,
    lastError: tally.error,
    failuresInARow: tally.failuresInARow,
  };
}

function dayMetricsOf({ day, tally }: DayTally): DayMetrics {
  return { day: new Date(day * dayMs).toISOString().slice(0, 10), ...countsOf(tally) };
}

/** The figures of many sums together. */
function sumFigures(tallies: readonly Tally[]): CallFigures {
  const sum = new Tally();
  for (const tally of tallies) sum.merge(tally);
  return countsOf(sum);
}

/** null before the first call that says something about the tool. */
function successRateOf(tally: Tally): number | null {
  return tally.judged === 0 ? null : tally.outcomes.ok / tally.judged;
}

function countsOf(tally: Tally) {
  const { latency, sumMicros } = tally;
  return {
    callCount: tally.count,
    // A copy: the figures are those of this moment.
    outcomes: { ...tally.outcomes },
    successRate: successRateOf(tally),
    avgLatencyMs: latency.count === 0 ? null : toMs(sumMicros / latency.count),
    p50Ms: toMs(latency.quantile(0.5)),
    p95Ms: toMs(latency.quantile(0.95)),
    p99Ms: toMs(latency.quantile(0.99)),
    cachedCount: tally.cached,
  };
}

function toMs(micros: number): number;
function toMs(micros: number | null): number | null;
function toMs(micros: number | null): number | null {
  return micros === null ? null : Math.round(micros) / 1_000;
}

interface ToolQuery {
  readonly server?: string | undefined;
  /** The server's own name for it. */
  readonly tool?: string | undefined;
  /** The most to return. */
  readonly top?: number | undefined;
  readonly minCalls?: number | undefined;
  /** Only tools that succeed less often than this, the worst first. */
  readonly failingBelow?: number | undefined;
  /** The order of `top`: by calls unless something else is asked for. */
  readonly by?: 'calls' | 'reliability' | undefined;
}

function chooseTools(tools: Iterable<ToolTally>, query: ToolQuery): ToolTally[] {
  const chosen: ToolTally[] = [];
  for (const tool of tools) if (fits(tool, query)) chosen.push(tool);
  return chosen.sort(orderOf(query)).slice(0, query.top);
}

function fits({ server, tool, tally }: ToolTally, query: ToolQuery): boolean {
  if (server !== (query.server ?? server) || tool !== (query.tool ?? tool)) return false;
  if (tally.count < (query.minCalls ?? 0)) return false;
  if (query.failingBelow === undefined) return query.by !== 'reliability' || tally.judged > 0;
  return (successRateOf(tally) ?? 1) < query.failingBelow;
}

function orderOf({ failingBelow, by }: ToolQuery): (a: ToolTally, b: ToolTally) => number {
  const byCalls = (a: ToolTally, b: ToolTally) => b.tally.count - a.tally.count;
  if (failingBelow !== undefined)
    return (a, b) => (successRateOf(a.tally) ?? 1) - (successRateOf(b.tally) ?? 1) || byCalls(a, b);
  if (by === 'reliability') return (a, b) => reliabilityOf(b.tally) - reliabilityOf(a.tally) || byCalls(a, b);
  return byCalls;
}

/** As if every tool had failed once and succeeded once before: a hundred good calls are worth more than one. */
function reliabilityOf(tally: Tally): number {
  return (tally.outcomes.ok + 1) / (tally.judged + 2);
}

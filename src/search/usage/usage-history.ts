/** The history of use: which tool was called after which query, and how it ended. It lifts tools that served such queries before. */

import { setImmediate as giveWay } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { ToolVerdict } from '../../caller/caller.ts';
import type { Vector } from '../../meaning/meaning.ts';
import {
  fading,
  halfLifeMs,
  type StoredUse,
  type StoreSharing,
  sumOfUses,
  type UseCounts,
  type UseKey,
  type UseStore,
} from '../../store/store.ts';
import { AskedQueries, type VectorOf } from './asked-queries.ts';
import { boostOf } from './boost-of.ts';
import { normaliseQuery } from './recent-queries.ts';
import { UseWriter } from './use-writer.ts';

/** Pairs of a query and a tool that are remembered; beyond it those that count least are forgotten. */
export const mostUses = 5_000;
/** Evidence that has faded below this share of a call is dropped. */
const leastWeight = 0.01;
/** Rows that are read in between two turns of the event loop. */
const rowsPerTurn = 100;
/** How old the rows of a shared store may be when a search reads them again. */
export const rereadMs = 60_000;

export interface UsageHistoryOptions {
  readonly store: UseStore & Partial<Pick<StoreSharing, 'isShared'>>;
  readonly clock: Clock;
  readonly log: Log;
  readonly vectorOf: VectorOf;
}

export interface Boost {
  /** To be added to a score between 0 and 1. */
  readonly boost: number;
  /** Numbers of calls after such queries, faded and weighted by how like the queries are. */
  readonly good: number;
  readonly bad: number;
  /** The remembered query that speaks most for or against the tool. */
  readonly likeQuery: string;
}

/** A row of the store that changes with every use; its counts have faded up to `at`. */
type Use = { -readonly [Name in keyof StoredUse]: StoredUse[Name] };

interface Evidence {
  good: number;
  bad: number;
  heaviest: number;
  likeQuery: string;
}

const nothing: ReadonlyMap<string, Boost> = new Map();

export class UsageHistory {
  readonly #store: UsageHistoryOptions['store'];
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #writer: UseWriter;
  /** By query, then by tool. */
  readonly #queries: AskedQueries<Map<string, Use>>;
  readonly #uses = new Set<Use>();
  #opening: Promise<void> | undefined;
  /** In monotonic time, when the rows were last read. */
  #readAt = Number.POSITIVE_INFINITY;
  #rereading: Promise<void> | undefined;
  #isClosed = false;
  #isWithoutMeaning = false;

  constructor({ store, clock, log, vectorOf }: UsageHistoryOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#writer = new UseWriter(store, clock, log);
    // One more than is kept: room is made after a use was added.
    this.#queries = new AskedQueries((text) => this.#meaningOf(text, vectorOf), mostUses + 1);
  }

  /** Pairs of a query and a tool. */
  get size(): number {
    return this.#uses.size;
  }

  /** Reads what the store knows. Searches and records may come meanwhile; without a store the history starts empty. */
  open(): Promise<void> {
    this.#opening ??= this.#load();
    return this.#opening;
  }

  /** Writes what is not written yet; later records are ignored. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opening;
    await this.#rereading;
    await this.#writer.close();
  }

  /** A call of the tool followed this query and ended so. */
  record(query: string, toolKey: string, outcome: ToolVerdict): void {
    this.recordCall([query], toolKey, outcome);
  }

  /** One call that several queries led to: they share it, so that it never counts for more than one call. */
  recordCall(queries: readonly string[], toolKey: string, outcome: ToolVerdict): void {
    if (this.#isClosed) return;
    const distinct = new Set(queries.map(normaliseQuery).filter((query) => query !== ''));
    const share = 1 / distinct.size;
    const at = this.#clock.now();
    const counts = outcome === 'good' ? { good: share, bad: 0, at } : { good: 0, bad: share, at };
    for (const query of distinct) {
      this.#add(query, toolKey, counts);
      this.#writer.add({ query, toolKey, ...counts });
    }
  }

  /** By tool: how far to lift or lower it for this query, because of what came after queries like it. */
  boosts(query: string): ReadonlyMap<string, Boost> {
    this.#reread();
    if (this.#uses.size === 0) return nothing;
    const now = this.#clock.now();
    const evidence = new Map<string, Evidence>();
    for (const { item, likeness } of this.#queries.likeTo(normaliseQuery(query))) {
      for (const use of item.values()) weigh(evidence, use, likeness * fading(now - use.at));
    }
    const boosts = new Map<string, Boost>();
    for (const [toolKey, { good, bad, likeQuery }] of evidence)
      boosts.set(toolKey, { boost: boostOf(good, bad), good, bad, likeQuery });
    return boosts;
  }

  /** Without a model only the same query counts: what was used is too little to fail for. */
  #meaningOf(text: string, vectorOf: VectorOf): Vector | null {
    try {
      return vectorOf(text);
    } catch (error) {
      if (!this.#isWithoutMeaning)
        this.#log.warn('Queries cannot be compared by meaning, so only the same ones count', {
          error: messageOf(error),
        });
      this.#isWithoutMeaning = true;
      return null;
    }
  }

  /** In the background, where others learn too. */
  #reread(): void {
    const age = this.#clock.elapsed() - this.#readAt;
    if (!this.#store.isShared || this.#isClosed || this.#rereading || age < rereadMs) return;
    this.#rereading = this.#load().finally(() => {
      this.#rereading = undefined;
    });
  }

  async #load(): Promise<void> {
    try {
      await this.#writer.list((rows, unlisted) => this.#readAll(rows, unlisted));
    } catch (error) {
      this.#log.warn('Past use cannot be read', { error: messageOf(error) });
    }
    this.#readAt = this.#clock.elapsed();
  }

  async #readAll(rows: readonly StoredUse[], unlisted: (use: UseKey) => UseCounts | undefined): Promise<void> {
    const [kept, dropped] = chosen(rows, this.#clock.now());
    for (const row of dropped) this.#writer.remove(row);
    this.#leaveAllBut(kept, unlisted);
    for (const [done, row] of kept.entries()) {
      if (this.#isClosed) return;
      this.#read(row, unlisted(row));
      if (done % rowsPerTurn === rowsPerTurn - 1) await giveWay();
    }
  }

  /** Others have forgotten what is in no row, unless it was used a moment ago. */
  #leaveAllBut(rows: readonly StoredUse[], unlisted: (use: UseKey) => UseCounts | undefined): void {
    const byQuery = Map.groupBy(rows, ({ query }) => query);
    for (const use of this.#uses) {
      const isListed = byQuery.get(use.query)?.some(({ toolKey }) => toolKey === use.toolKey) === true;
      if (!isListed && !unlisted(use)) this.#leave(use);
    }
  }

  /** `added`: on top of what the row has. */
  #read(row: StoredUse, added: UseCounts | undefined): void {
    if (!isNamed(row)) return this.#writer.remove(row);
    const { good, bad, at } = added ? sumOfUses(row, added) : row;
    const known = this.#queries.get(row.query)?.get(row.toolKey);
    if (known) Object.assign(known, { good, bad, at });
    else this.#add(row.query, row.toolKey, { good, bad, at });
  }

  #add(query: string, toolKey: string, counts: UseCounts): Use {
    const uses = this.#usesAfter(query);
    const known = uses.get(toolKey);
    if (known) return Object.assign(known, sumOfUses(known, counts));
    const use: Use = { query, toolKey, good: counts.good, bad: counts.bad, at: counts.at };
    uses.set(toolKey, use);
    this.#uses.add(use);
    if (this.#uses.size > mostUses) this.#forgetLeast(use);
    return use;
  }

  #usesAfter(query: string): Map<string, Use> {
    const known = this.#queries.get(query);
    if (known) return known;
    const uses = new Map<string, Use>();
    this.#queries.add(query, uses);
    return uses;
  }

  /** The newest stays whatever it counts, or a full history could learn nothing new. */
  #forgetLeast(newest: Use): void {
    let least: Use | undefined;
    let leastStanding = Number.POSITIVE_INFINITY;
    for (const use of this.#uses) {
      const standing = use === newest ? Number.POSITIVE_INFINITY : standingOf(use);
      if (standing < leastStanding) [least, leastStanding] = [use, standing];
    }
    if (least) this.#forget(least);
  }

  #forget(use: Use): void {
    this.#leave(use);
    this.#writer.remove(use);
  }

  #leave(use: Use): void {
    this.#uses.delete(use);
    const uses = this.#queries.get(use.query);
    uses?.delete(use.toolKey);
    if (uses?.size === 0) this.#queries.remove(use.query);
  }
}

function weigh(evidence: Map<string, Evidence>, use: Use, weight: number): void {
  const total = (use.good + use.bad) * weight;
  if (total < leastWeight) return;
  const sum = evidence.get(use.toolKey) ?? { good: 0, bad: 0, heaviest: 0, likeQuery: '' };
  evidence.set(use.toolKey, sum);
  sum.good += use.good * weight;
  sum.bad += use.bad * weight;
  if (total <= sum.heaviest) return;
  sum.heaviest = total;
  sum.likeQuery = use.query;
}

/** Orders uses by their faded weight; all fade alike, so that it is the same at every time. */
function standingOf({ good, bad, at }: UseCounts): number {
  return Math.log2(good + bad) + at / halfLifeMs;
}

/** The rows to read, and those whose counts make no sense or that are too many. */
function chosen(rows: readonly StoredUse[], now: number): [StoredUse[], StoredUse[]] {
  const kept: StoredUse[] = [];
  const dropped: StoredUse[] = [];
  for (const row of rows) {
    if (isCounted(row)) kept.push({ ...row, at: Math.min(row.at, now) });
    else dropped.push(row);
  }
  if (kept.length > mostUses) kept.sort((a, b) => standingOf(b) - standingOf(a));
  return [kept.slice(0, mostUses), [...dropped, ...kept.slice(mostUses)]];
}

function isCounted({ good, bad, at }: UseCounts): boolean {
  return good >= 0 && bad >= 0 && good + bad > 0 && Number.isFinite(good + bad) && Number.isFinite(at) && at >= 0;
}

/** True for a row that we would write. */
function isNamed({ query, toolKey }: StoredUse): boolean {
  return query !== '' && query === normaliseQuery(query) && toolKey !== '';
}

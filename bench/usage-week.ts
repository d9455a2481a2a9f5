/** A week of one owner, simulated: needs that come back in other words, searches, calls that mostly succeed. */

import type { Clock } from '../src/base/clock.ts';
import { silentLog } from '../src/base/log.ts';
import { RecentQueries } from '../src/search/usage/recent-queries.ts';
import { type Boost, UsageHistory, type UsageHistoryOptions } from '../src/search/usage/usage-history.ts';
import type { LabelledQuery } from './search-figures.ts';

export type Random = () => number;
export type Boosts = ReadonlyMap<string, Boost>;
/** The gateway's answer to a query: the best tools first. */
export type Rank = (query: string, boosts: Boosts) => string[];

/** The habits of an owner. */
export const habits = {
  /** Things this owner needs at all, the most frequent first. */
  needs: 60,
  searchesPerDay: 40,
  teachingDays: 5,
  measuredDays: 2,
  /** Things never needed before that are looked for at the end of the week. */
  newNeeds: 60,
  /** How often the agent calls another tool of the answer than the right one. */
  wrongShare: 0.1,
  successShare: 0.85,
  /** Tools of an answer that the agent sees. */
  offered: 10,
  /** Wordings that are tried before the agent gives up. */
  tries: 3,
  minutesBetween: 12,
};

/** How a need is reworded. */
const wording = { dropShare: 0.15, swapShare: 0.5, fewestWords: 3 };
const minuteMs = 60_000;

export interface Measured {
  readonly query: LabelledQuery;
  readonly without: readonly string[];
  readonly with: readonly string[];
  /** True if past use affected the ranking. */
  readonly isTouched: boolean;
}

export interface Week {
  readonly seen: readonly Measured[];
  readonly unseen: readonly Measured[];
  readonly calls: number;
  readonly remembered: number;
}

export async function liveWeek(
  queries: readonly LabelledQuery[],
  rank: Rank,
  vectorOf: UsageHistoryOptions['vectorOf'],
  seed: number,
): Promise<Week> {
  // Needs do not depend on what is found: another ranking meets the same needs.
  const random = seededRandom(2 * seed);
  const shuffled = shuffle(queries, random);
  const needs = shuffled.slice(0, Math.min(habits.needs, Math.floor(queries.length / 2)));
  const newNeeds = shuffled.slice(needs.length, needs.length + habits.newNeeds);
  const clock = new WeekClock();
  const history = await openHistory(clock, vectorOf);
  const owner = new Owner(rank, history, new RecentQueries(clock), seededRandom(2 * seed + 1));
  const taught = new Set<LabelledQuery>();
  for (let day = 0; day < habits.teachingDays; day += 1) {
    for (let search = 0; search < habits.searchesPerDay; search += 1) {
      const need = drawByZipf(needs, random);
      taught.add(need);
      owner.meet(need, `day ${day}`);
      clock.pass(habits.minutesBetween * minuteMs);
    }
    clock.pass((24 * 60 - habits.searchesPerDay * habits.minutesBetween) * minuteMs);
  }
  const again = Array.from({ length: habits.measuredDays * habits.searchesPerDay }, () => drawByZipf(needs, random));
  return {
    seen: again.filter((need) => taught.has(need)).flatMap((need) => owner.measure(need, reword(need.query, random))),
    unseen: newNeeds.flatMap((need) => owner.measure(need, reword(need.query, random))),
    calls: owner.calls,
    remembered: history.size,
  };
}

export async function openHistory(clock: Clock, vectorOf: UsageHistoryOptions['vectorOf']): Promise<UsageHistory> {
  const store = { listUses: async () => [], addUses: async () => {}, removeUses: async () => {} };
  const history = new UsageHistory({ store, clock, log: silentLog, vectorOf });
  await history.open();
  return history;
}

class Owner {
  readonly #rank: Rank;
  readonly #history: UsageHistory;
  readonly #recent: RecentQueries;
  readonly #random: Random;
  readonly #wordings = new Set<string>();
  calls = 0;

  constructor(rank: Rank, history: UsageHistory, recent: RecentQueries, random: Random) {
    this.#rank = rank;
    this.#history = history;
    this.#recent = recent;
    this.#random = random;
  }

  /** Searches in new words until the right tool is offered, and calls it; sometimes calls another one. */
  meet(need: LabelledQuery, session: string): void {
    for (let tried = 0; tried < habits.tries; tried += 1) {
      const query = reword(need.query, this.#random);
      this.#wordings.add(query);
      const offered = this.#rank(query, this.#history.boosts(query)).slice(0, habits.offered);
      this.#recent.asked(session, [query], offered);
      if (this.#random() < habits.wrongShare) this.#call(session, pick(wrongOnes(need, offered), this.#random));
      const right = rightOnes(need, offered);
      for (const toolKey of right) this.#call(session, toolKey);
      if (right.size > 0) return;
    }
  }

  /** Nothing for words that were used before: those prove little. */
  measure(need: LabelledQuery, query: string): Measured[] {
    if (this.#wordings.has(query)) return [];
    const boosts = this.#history.boosts(query);
    const [without, withUsage] = [this.#rank(query, new Map()), this.#rank(query, boosts)];
    return [{ query: need, without, with: withUsage, isTouched: boosts.size > 0 }];
  }

  /** A wrong tool works as well as a right one: nobody tells the gateway that it was not what was needed. */
  #call(session: string, toolKey: string | undefined): void {
    if (toolKey === undefined) return;
    this.calls += 1;
    const outcome = this.#random() < habits.successShare ? 'good' : 'bad';
    this.#history.recordCall(this.#recent.queriesBehind(session, toolKey), toolKey, outcome);
  }
}

/** The first offered tool of each need of the query. */
function rightOnes({ relevant, relevantGroups }: LabelledQuery, offered: readonly string[]): Set<string> {
  const groups = relevantGroups ?? relevant.map((id) => [id]);
  return new Set(groups.flatMap((group) => offered.find((key) => group.includes(key)) ?? []));
}

function wrongOnes({ relevant, relevantGroups }: LabelledQuery, offered: readonly string[]): string[] {
  const right = new Set([...relevant, ...(relevantGroups ?? []).flat()]);
  return offered.filter((key) => !right.has(key));
}

/** Some words left out, some neighbours swapped. */
export function reword(text: string, random: Random): string {
  const words = text.split(/\s+/).filter(Boolean);
  const kept = words.filter(() => random() >= wording.dropShare);
  const out = kept.length >= Math.min(words.length, wording.fewestWords) ? kept : words;
  if (out.length > 1 && random() < wording.swapShare) {
    const at = Math.floor(random() * (out.length - 1));
    [out[at], out[at + 1]] = [out[at + 1] ?? '', out[at] ?? ''];
  }
  return out.join(' ');
}

/** The n-th most frequent need comes up 1/n times as often as the first. */
function drawByZipf<T>(items: readonly T[], random: Random): T {
  const weights = items.map((_, place) => 1 / (place + 1));
  let left = random() * weights.reduce((sum, weight) => sum + weight, 0);
  const place = weights.findIndex((weight) => {
    left -= weight;
    return left <= 0;
  });
  return items.at(place) as T; // -1, by rounding, is the last
}

function pick<T>(items: readonly T[], random: Random): T | undefined {
  return items[Math.floor(random() * items.length)];
}

function shuffle<T>(items: readonly T[], random: Random): T[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

/** The same numbers for the same seed, on every machine. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Time that passes when the week says so; nothing waits for it. */
export class WeekClock implements Clock {
  #elapsed = 0;

  now(): number {
    return Date.UTC(2026, 0, 5) + this.#elapsed;
  }

  elapsed(): number {
    return this.#elapsed;
  }

  after(): { cancel(): void } {
    return { cancel() {} };
  }

  pass(ms: number): void {
    this.#elapsed += ms;
  }
}

/** Adds many calls to their sums in memory: each sum is read once, and takes only the calls that are not in it yet. */

import { type CallPair, type CallRecord, leadsOf, mostPairs, type PairLead, pairKeyOf, toolKeyOf } from './call.ts';
import { dayOf, Tally } from './tally.ts';

export interface KnownTally {
  readonly tally: Tally;
  readonly upto: number;
}

export interface KnownPair {
  readonly count: number;
  readonly ok: number;
  readonly upto: number;
}

/** Where sums come from; undefined for one that is not there yet. */
export interface SumSource {
  total(server: string, tool: string): KnownTally | undefined;
  day(day: number, server: string, tool: string): KnownTally | undefined;
  pair(lead: PairLead, server: string, tool: string): KnownPair | undefined;
}

interface Sum {
  /** Calls up to this id were in it when it was read; 0 where it was not there. */
  readonly upto: number;
  /** The same with those that were added since. */
  last: number;
}

export interface TallySum extends Sum {
  readonly server: string;
  readonly tool: string;
  /** null: since ever. */
  readonly day: number | null;
  readonly tally: Tally;
}

export interface PairSum extends Sum, CallPair {
  count: number;
  ok: number;
}

export class CallFold {
  readonly #source: SumSource;
  readonly #tallies = new Map<string, TallySum>();
  readonly #pairs = new Map<string, PairSum>();

  constructor(source: SumSource) {
    this.#source = source;
  }

  /** Sums that were touched. */
  get size(): number {
    return this.#tallies.size + this.#pairs.size;
  }

  /** Calls come in the order of their ids. */
  add(id: number, call: CallRecord): void {
    addCall(this.#total(call), id, call);
    addCall(this.#day(call), id, call);
    for (const lead of leadsOf(call)) {
      const pair = this.#pair(lead, call);
      if (id <= pair.upto) continue;
      pair.count += 1;
      pair.ok += call.outcome === 'ok' ? 1 : 0;
      pair.last = id;
    }
  }

  get changedTallies(): TallySum[] {
    return changedOf(this.#tallies);
  }

  /** Of more pairs of one kind than are remembered, the most frequent ones: the others would only be written to be removed. */
  get changedPairs(): PairSum[] {
    const changed = changedOf(this.#pairs);
    if (changed.length <= mostPairs) return changed;
    const kept = new Set<PairSum>();
    for (const ofKind of Map.groupBy(changed, ({ kind }) => kind).values())
      for (const pair of ofKind.sort((a, b) => b.count - a.count).slice(0, mostPairs)) kept.add(pair);
    return changed.filter((pair) => kept.has(pair));
  }

  #total(call: CallRecord): TallySum {
    const key = toolKeyOf(call);
    const known = this.#tallies.get(key);
    if (known !== undefined) return known;
    const { server, tool } = call;
    const { tally, upto } = this.#source.total(server, tool) ?? { tally: new Tally(), upto: 0 };
    const sum: TallySum = { server, tool, day: null, tally, upto, last: upto };
    this.#tallies.set(key, sum);
    return sum;
  }

  #day(call: CallRecord): TallySum {
    const day = dayOf(call.at);
    // No server's name begins with a space.
    const key = ` ${day} ${toolKeyOf(call)}`;
    const known = this.#tallies.get(key);
    if (known !== undefined) return known;
    const { server, tool } = call;
    const { tally, upto } = this.#source.day(day, server, tool) ?? { tally: new Tally(), upto: 0 };
    const sum: TallySum = { server, tool, day, tally, upto, last: upto };
    this.#tallies.set(key, sum);
    return sum;
  }

  #pair(lead: PairLead, { server, tool }: CallRecord): PairSum {
    const key = pairKeyOf({ ...lead, server, tool });
    const known = this.#pairs.get(key);
    if (known !== undefined) return known;
    const { count, ok, upto } = this.#source.pair(lead, server, tool) ?? { count: 0, ok: 0, upto: 0 };
    const sum: PairSum = { ...lead, server, tool, count, ok, upto, last: upto };
    this.#pairs.set(key, sum);
    return sum;
  }
}

function addCall(sum: TallySum, id: number, call: CallRecord): void {
  if (id <= sum.upto) return;
  sum.tally.add(call);
  sum.last = id;
}

/** By their keys: neighbours lie on the same page of the file, so that fewer are written. */
function changedOf<T extends Sum>(sums: ReadonlyMap<string, T>): T[] {
  const changed = [...sums].filter(([, { upto, last }]) => last > upto);
  return changed.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}

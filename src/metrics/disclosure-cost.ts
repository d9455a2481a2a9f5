/** The cost of a surface in real traffic, and of the same traffic on others: in tokens, all of them estimates. */

import type { DisclosureKind, DisclosureSum } from '../store/store.ts';

/**
 * Tokens that a model writes and reads around one use of a tool: the request to use it and the result, both empty, with their ids. In
 * the request bodies of a real agent these are about 70 tokens with the shortest ids, and 100 with ids of the usual length.
 */
export const turnTokens = 100;
/** The extra tokens of a call by key: "toolKey" and "arguments" around the same text. */
export const executeTokens = 9;
/** Fewer calls than this on surfaces where tools are looked for say nothing about how often an agent looks. */
export const leastCallsToJudge = 20;
/** Until there are enough: one search for every call, with ten tools in the answer. That is more than most agents do. */
export const assumedSearch = { perCall: 1, tokens: 600 };

export interface DisclosureCost {
  /** Lists of tools that were served. Some agents list often, so these are not sessions. */
  readonly lists: number;
  /** Answers that helped to find a tool. */
  readonly finds: number;
  /** Tools that were called, those inside of chains not among them. */
  readonly calls: number;
  readonly chains: number;
  /** Tools that were called inside of chains. */
  readonly chainCalls: number;
  /** On the surfaces that were used. */
  readonly usedTokens: number;
  readonly directTokens: number;
  readonly searchTokens: number;
  /** How often a search would have come before a call on `search`; null where no call was made on `direct`. */
  readonly search: SearchHabit | null;
}

interface SearchHabit {
  readonly perCall: number;
  /** Of one search and its answer. */
  readonly tokens: number;
  /** Seen in this traffic; otherwise assumed. */
  readonly isSeen: boolean;
}

/** `searchListTokens`: what the surface `search` lists at present. Undefined where there was no traffic. */
export function costOf(sums: readonly DisclosureSum[], searchListTokens: number): DisclosureCost | undefined {
  if (sums.length === 0) return undefined;
  const all = sumOf(sums);
  const search = searchHabit(sums);
  const bySurface = [...Map.groupBy(sums, ({ surface }) => surface)].map(([surface, of]) => ({
    surface,
    of: sumOf(of),
  }));
  const total = (cost: (surface: string, of: Sums) => number) =>
    Math.round(bySurface.reduce((sum, { surface, of }) => sum + cost(surface, of), 0));
  return {
    lists: all.list.count,
    finds: all.find.count,
    calls: callsOf(all),
    chains: all.chain.count,
    chainCalls: all.chain.calls,
    usedTokens: total((_, of) => usedTokens(of)),
    directTokens: total((surface, of) => (surface === 'direct' ? usedTokens(of) : tokensOnDirect(of))),
    searchTokens: total((surface, of) => tokensOnSearch(surface, of, searchListTokens, search)),
    search: sums.some(({ surface, kind }) => surface === 'direct' && kind === 'direct') ? search : null,
  };
}

type Sums = Readonly<Record<DisclosureKind, { count: number; tokens: number; calls: number; directTokens: number }>>;

function sumOf(sums: readonly DisclosureSum[]): Sums {
  const none = () => ({ count: 0, tokens: 0, calls: 0, directTokens: 0 });
  const all: Sums = { list: none(), find: none(), execute: none(), chain: none(), direct: none() };
  for (const { kind, count, tokens, calls, directTokens } of sums) {
    const sum = all[kind];
    sum.count += count;
    sum.tokens += tokens;
    sum.calls += calls;
    sum.directTokens += directTokens;
  }
  return all;
}

function callsOf({ execute, direct }: Sums): number {
  return execute.count + direct.count;
}

/** Lists are read once; everything else is a turn. */
function usedTokens({ list, find, execute, chain, direct }: Sums): number {
  const turns = find.count + execute.count + chain.count + direct.count;
  return list.tokens + find.tokens + chain.tokens + turns * turnTokens + execute.count * executeTokens;
}

/** Nothing has to be found, but everything is listed; calls of chains are made one by one, and their results read. */
function tokensOnDirect(sums: Sums): number {
  const { list, chain } = sums;
  return list.directTokens + (callsOf(sums) + chain.calls) * turnTokens + chain.directTokens;
}

function tokensOnSearch(surface: string, sums: Sums, searchListTokens: number, search: SearchHabit): number {
  if (surface === 'search') return usedTokens(sums);
  const { list, direct } = sums;
  const withOtherList = usedTokens(sums) - list.tokens + list.count * searchListTokens;
  if (surface !== 'direct') return withOtherList;
  return withOtherList + direct.count * (executeTokens + search.perCall * (turnTokens + search.tokens));
}

/** How often agents look for a tool, on the surfaces where they have to. */
function searchHabit(sums: readonly DisclosureSum[]): SearchHabit {
  const looking = sumOf(sums.filter(({ surface }) => surface !== 'direct'));
  const calls = callsOf(looking) + looking.chain.calls;
  const { find } = looking;
  if (calls < leastCallsToJudge || find.count === 0) return { ...assumedSearch, isSeen: false };
  return { perCall: find.count / calls, tokens: Math.round(find.tokens / find.count), isSeen: true };
}

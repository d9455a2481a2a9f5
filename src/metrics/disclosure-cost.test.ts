/** The cost of surfaces: each figure is worked out by hand. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DisclosureKind, DisclosureSum } from '../store/store.ts';
import { assumedSearch, costOf, executeTokens, leastCallsToJudge, turnTokens } from './disclosure-cost.ts';

type Figures = Partial<Pick<DisclosureSum, 'count' | 'tokens' | 'calls' | 'directTokens'>>;

function sum(surface: string, kind: DisclosureKind, figures: Figures = {}): DisclosureSum {
  return { day: 1, project: null, surface, kind, count: 1, tokens: 0, calls: 0, directTokens: 0, ...figures };
}

const searchList = 700;

test('no traffic has no cost, rather than one of nothing', () => {
  assert.equal(costOf([], searchList), undefined);
});

test('on search, a list, a search and two calls cost their tokens and a turn each; on direct the whole list and the calls', () => {
  const cost = costOf(
    [
      sum('search', 'list', { tokens: 720, directTokens: 40_000 }),
      sum('search', 'find', { tokens: 500 }),
      sum('search', 'execute', { count: 2 }),
    ],
    searchList,
  );
  assert.deepEqual(cost, {
    lists: 1,
    finds: 1,
    calls: 2,
    chains: 0,
    chainCalls: 0,
    usedTokens: 720 + 500 + 3 * turnTokens + 2 * executeTokens,
    directTokens: 40_000 + 2 * turnTokens,
    searchTokens: 720 + 500 + 3 * turnTokens + 2 * executeTokens,
    search: null,
  });
});

test('days are added up, and a list that grew counts as long as it was', () => {
  const lists = [
    sum('search', 'list', { count: 2, tokens: 1_400, directTokens: 2_000 }),
    { ...sum('search', 'list', { tokens: 700, directTokens: 50_000 }), day: 2 },
  ];
  const cost = costOf(lists, searchList);
  assert.deepEqual([cost?.lists, cost?.usedTokens, cost?.directTokens], [3, 2_100, 52_000]);
});

test('calls on direct need a search first on search: as often as assumed while no better figure is known', () => {
  const cost = costOf(
    [sum('direct', 'list', { tokens: 2_000, directTokens: 2_000 }), sum('direct', 'direct', { count: 4 })],
    searchList,
  );
  const search = assumedSearch.perCall * (turnTokens + assumedSearch.tokens);
  assert.equal(cost?.usedTokens, 2_000 + 4 * turnTokens);
  assert.equal(cost?.directTokens, cost?.usedTokens);
  assert.equal(cost?.searchTokens, searchList + 4 * (turnTokens + executeTokens + search));
  assert.deepEqual(cost?.search, { ...assumedSearch, isSeen: false });
});

test('once there are enough calls where tools are looked for, the habit of these agents is taken', () => {
  const seen = [
    sum('search', 'find', { count: 5, tokens: 2_000 }),
    sum('search', 'execute', { count: leastCallsToJudge - 4 }),
    sum('code', 'chain', { calls: 4 }),
  ];
  const direct = sum('direct', 'direct', { count: 100 });
  const perCall = 5 / leastCallsToJudge;
  const cost = costOf([...seen, direct], searchList);
  assert.deepEqual(cost?.search, { perCall, tokens: 400, isSeen: true });
  const without = costOf(seen, searchList);
  const more = 100 * (turnTokens + executeTokens + perCall * (turnTokens + 400));
  assert.equal(Number(cost?.searchTokens) - Number(without?.searchTokens), more);
  assert.equal(costOf([...seen.slice(0, 2), direct], searchList)?.search?.isSeen, false);
});

test('a chain is one turn; on direct its calls are a turn each and their results are read', () => {
  const cost = costOf([sum('code', 'chain', { count: 2, tokens: 800, calls: 50, directTokens: 30_000 })], searchList);
  assert.deepEqual([cost?.chains, cost?.chainCalls, cost?.calls], [2, 50, 0]);
  assert.equal(cost?.usedTokens, 800 + 2 * turnTokens);
  assert.equal(cost?.directTokens, 50 * turnTokens + 30_000);
  assert.equal(cost?.searchTokens, cost?.usedTokens);
});

test('code and full differ from search by their lists alone', () => {
  for (const [surface, tokens] of [
    ['code', 400],
    ['full', 1_300],
  ] as const) {
    const cost = costOf([sum(surface, 'list', { count: 3, tokens: 3 * tokens }), sum(surface, 'find')], searchList);
    assert.equal(cost?.usedTokens, 3 * tokens + turnTokens);
    assert.equal(cost?.searchTokens, 3 * searchList + turnTokens);
  }
});

test('a tool of ours that is used on direct counts there too', () => {
  const cost = costOf([sum('direct', 'find', { tokens: 500 })], searchList);
  assert.deepEqual([cost?.usedTokens, cost?.directTokens], [600, 600]);
});

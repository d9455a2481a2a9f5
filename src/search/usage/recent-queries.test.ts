/** Recent queries: a call is credited to those that offered its tool, within time and bounds. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../../test/kit/any-character.ts';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { normaliseQuery, RecentQueries, recentLimits, rememberedQueryChars } from './recent-queries.ts';

test('a call is credited to the queries whose answer offered the tool, the newest first', () => {
  const recent = new RecentQueries(new ManualClock());
  recent.asked('s', ['first'], ['a:x', 'a:y']);
  recent.asked('s', ['second'], ['a:z']);
  recent.asked('s', ['Third  one'], ['a:x']);
  assert.deepEqual(recent.queriesBehind('s', 'a:x'), ['third one', 'first']);
  assert.deepEqual(recent.queriesBehind('s', 'a:z'), ['second']);
  assert.deepEqual(recent.queriesBehind('s', 'a:unknown'), []);
  assert.deepEqual(recent.queriesBehind('other', 'a:x'), []);
});

test('each query of one search has its own answer, or all share one', () => {
  const recent = new RecentQueries(new ManualClock());
  recent.asked('own', ['one', 'two', 'three'], [['a:x'], ['a:y', 'a:x']]);
  assert.deepEqual(recent.queriesBehind('own', 'a:x'), ['two', 'one']);
  assert.deepEqual(recent.queriesBehind('own', 'a:y'), ['two']);
  recent.asked('shared', ['one', 'two'], ['a:x']);
  assert.deepEqual(recent.queriesBehind('shared', 'a:x'), ['two', 'one']);
});

test('at most three queries are credited, and one that was asked again only once', () => {
  const recent = new RecentQueries(new ManualClock());
  for (const query of ['a', 'b', 'c', 'd', 'B ']) recent.asked('s', [query], ['t']);
  assert.deepEqual(recent.queriesBehind('s', 't'), ['b', 'd', 'c']);
});

test('asked again without the tool, a query no longer stands behind it', () => {
  const recent = new RecentQueries(new ManualClock());
  recent.asked('s', ['a'], ['t']);
  recent.asked('s', ['a'], ['u']);
  assert.deepEqual(recent.queriesBehind('s', 't'), []);
  recent.asked('s', ['a'], []);
  assert.deepEqual(recent.queriesBehind('s', 'u'), []);
});

test('after half an hour a query no longer counts', async () => {
  const clock = new ManualClock();
  const recent = new RecentQueries(clock);
  recent.asked('s', ['old'], ['t']);
  await clock.advance(recentLimits.ageMs);
  recent.asked('s', ['new'], ['t']);
  assert.deepEqual(recent.queriesBehind('s', 't'), ['new', 'old']);
  await clock.advance(1);
  assert.deepEqual(recent.queriesBehind('s', 't'), ['new']);
});

test('a session keeps its last ten queries', () => {
  const recent = new RecentQueries(new ManualClock());
  recent.asked('s', ['the first'], ['t']);
  for (let at = 1; at < recentLimits.queries; at += 1) recent.asked('s', [`query ${at}`], ['u']);
  assert.deepEqual(recent.queriesBehind('s', 't'), ['the first']);
  recent.asked('s', ['one more'], ['u']);
  assert.deepEqual(recent.queriesBehind('s', 't'), []);
});

test('of too many sessions the one unused for longest is forgotten', () => {
  const recent = new RecentQueries(new ManualClock());
  for (let at = 0; at < recentLimits.sessions; at += 1) recent.asked(`s${at}`, ['q'], ['t']);
  assert.deepEqual(recent.queriesBehind('s0', 't'), ['q']);
  recent.asked('one more', ['q'], ['t']);
  assert.deepEqual(recent.queriesBehind('s0', 't'), ['q']);
  assert.deepEqual(recent.queriesBehind('s1', 't'), []);
  assert.deepEqual(recent.queriesBehind('s2', 't'), ['q']);
});

test('of a very long answer the first tools count', () => {
  const recent = new RecentQueries(new ManualClock());
  recent.asked(
    's',
    ['q'],
    Array.from({ length: recentLimits.offers + 1 }, (_, at) => `t${at}`),
  );
  assert.deepEqual(recent.queriesBehind('s', `t${recentLimits.offers - 1}`), ['q']);
  assert.deepEqual(recent.queriesBehind('s', `t${recentLimits.offers}`), []);
});

test('capitals and spaces make no difference', () => {
  assert.equal(normaliseQuery('  Create\n an   ISSUE\t'), 'create an issue');
  assert.equal(normaliseQuery(' \n '), '');
});

test('a long query is cut, and never through a character', () => {
  assert.equal(normaliseQuery('ab '.repeat(5_000)).length, rememberedQueryChars - 1);
  const cut = normaliseQuery(`${'a'.repeat(rememberedQueryChars - 1)}😀`);
  assert.equal(cut, 'a'.repeat(rememberedQueryChars - 1));
});

test('a secret in a query is not remembered', () => {
  const kept = normaliseQuery(`log in with ghp_${'a1B2'.repeat(8)} and password  =  hunter22`);
  assert.equal(kept, 'log in with *** and password = ***');
});

test('reading does not change what is remembered', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 400 }), (query) => {
      const once = normaliseQuery(query);
      assert.ok(once.length <= rememberedQueryChars);
      assert.equal(normaliseQuery(once), once);
    }),
  );
});

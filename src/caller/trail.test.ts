/** A session's last calls, for sequences and for suggestions that were taken. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { Trail } from './trail.ts';

test('the tool that worked last is remembered for each session, for a while', async () => {
  const clock = new ManualClock();
  const trail = new Trail(clock);
  assert.equal(trail.before('s1'), null);
  trail.worked('s1', 'a:one');
  trail.worked('s2', 'b:two');
  trail.worked('s1', 'a:three');
  assert.equal(trail.before('s1'), 'a:three');
  assert.equal(trail.before('s2'), 'b:two');
  await clock.advance(31 * 60_000);
  assert.equal(trail.before('s1'), null);
});

test('a suggestion is taken once, and only by the session that got it', () => {
  const trail = new Trail(new ManualClock());
  trail.suggested('s1', 'a:broken', ['b:fine', 'c:fine']);
  assert.equal(trail.takeSuggestion('s2', 'b:fine'), null);
  assert.equal(trail.takeSuggestion('s1', 'b:fine'), 'a:broken');
  assert.equal(trail.takeSuggestion('s1', 'b:fine'), null);
  trail.suggested('s1', 'd:broken', ['c:fine']);
  assert.equal(trail.takeSuggestion('s1', 'c:fine'), 'd:broken');
  assert.equal(trail.before('s1'), null);
});

test('suggestions do not make it forget what worked, nor the other way round', () => {
  const trail = new Trail(new ManualClock());
  trail.worked('s', 'a:one');
  trail.suggested('s', 'a:broken', ['b:fine']);
  trail.worked('s', 'a:two');
  assert.equal(trail.before('s'), 'a:two');
  assert.equal(trail.takeSuggestion('s', 'b:fine'), 'a:broken');
});

test('the oldest sessions are forgotten when there are very many', () => {
  const trail = new Trail(new ManualClock());
  for (let at = 0; at < 2_500; at += 1) trail.worked(`s${at}`, 'a:one');
  assert.equal(trail.before('s0'), null);
  assert.equal(trail.before('s2499'), 'a:one');
});

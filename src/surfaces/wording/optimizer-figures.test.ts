/** Figures of the optimizer in words and signs. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dotsOf, figuresFor, nameWithin, sayGain, signOf } from './optimizer-figures.ts';

test('dots show something as soon as there is something, and all only when all is done', () => {
  assert.deepEqual(
    [dotsOf(0, 0), dotsOf(0, 9), dotsOf(1, 100), dotsOf(3, 5), dotsOf(99, 100), dotsOf(5, 5)],
    ['○○○○○', '○○○○○', '●○○○○', '●●●○○', '●●●●○', '●●●●●'],
  );
});

test('a gain is told in points, with its sign', () => {
  assert.deepEqual([sayGain(0.117), sayGain(-0.01), sayGain(null)], ['+12 points', '−1 point', '–']);
});

test('a candidate is compared with the own description by the same judge', () => {
  const row = (candidateId: string, judge: string) => ({ candidateId, judge });
  const results = [row('canonical', 'search'), row('c', 'model'), row('canonical', 'model'), row('c', 'search')];
  assert.deepEqual(
    figuresFor('c', results as never).map(({ now, before }) => [now.judge, before?.judge]),
    [
      ['model', 'model'],
      ['search', 'search'],
    ],
  );
});

test('each answer has a sign and a word', () => {
  assert.deepEqual(
    [1, 0, null, 0.5].map((right) => Object.values(signOf(right)).join(' ')),
    ['✓ right', '✗ wrong', '∅ void', '~ right in 50 % of runs'],
  );
  assert.deepEqual([nameWithin('a', 'a:b:c'), nameWithin('a', 'b:c')], ['b:c', 'b:c']);
});

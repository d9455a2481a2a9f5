/** Figures of candidates from runs. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { goldenPrompts, runsOf } from '../../test/kit/eval-records.ts';
import { comparePrompts, measure } from './measure.ts';

const prompts = [...goldenPrompts('direct', 3), ...goldenPrompts('negative', 1)];

test('[OPT-21] repeats of a prompt are one value, and void runs are none', () => {
  const runs = [
    ...runsOf('direct-0', 'a', true, false, true),
    ...runsOf('direct-1', 'a', true, null),
    ...runsOf('direct-2', 'a', null, null),
    ...runsOf('direct-0', 'b', false),
  ];
  const { byCategory, overall, voids, missing } = measure(prompts, runs, 'a');
  const { right, all, share } = byCategory.direct ?? assert.fail('there are runs');
  assert.deepEqual([all, voids, missing], [2, 1, 1]);
  assert.ok(Math.abs(right - 5 / 3) < 1e-6 && Math.abs(share - 5 / 6) < 1e-6);
  assert.deepEqual([overall.right, overall.all], [right, 2]);
  assert.equal(byCategory.negative, undefined);
});

test('thirds of prompts that add up to a whole number are that number', () => {
  const runs = [0, 1, 2].flatMap((at) => runsOf(`direct-${at}`, 'a', true, false, false));
  assert.equal(measure(prompts, runs, 'a').overall.right, 1);
});

test('[OPT-21] runs of prompts that were deleted do not count', () => {
  const runs = [...runsOf('gone', 'a', false), ...runsOf('direct-0', 'a', true), ...runsOf('gone', 'canonical', true)];
  assert.deepEqual(measure(prompts, runs, 'a').overall.all, 1);
  assert.deepEqual(comparePrompts(prompts, runs, 'a', 'canonical'), { better: 0, worse: 0, same: 0 });
});

test('a pair needs a value on both sides, and is better or worse by its mean', () => {
  const runs = [
    ...runsOf('direct-0', 'a', true, true, false),
    ...runsOf('direct-0', 'canonical', true, false, false),
    ...runsOf('direct-1', 'a', null),
    ...runsOf('direct-1', 'canonical', true),
    ...runsOf('direct-2', 'a', false),
    ...runsOf('direct-2', 'canonical', true),
    ...runsOf('negative-0', 'a', true),
    ...runsOf('negative-0', 'canonical', true, true),
  ];
  assert.deepEqual(comparePrompts(prompts, runs, 'a', 'canonical'), { better: 1, worse: 1, same: 1 });
});

test('without runs nothing is known', () => {
  assert.deepEqual(measure(prompts, [], 'a'), {
    byCategory: {},
    overall: { right: 0, all: 0, share: 0, low: 0, high: 1 },
    voids: 0,
    missing: 4,
  });
});

/** Where judges disagree about a candidate. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { goldenPrompts, runsOf } from '../../test/kit/eval-records.ts';
import { gateSettings } from '../../test/kit/played-jobs.ts';
import type { StoredEvalRun } from '../store/store.ts';
import { compareJudges } from './compare-judges.ts';

const prompts = [...goldenPrompts('direct', 12), ...goldenPrompts('negative', 4)];

/** Right on so many direct prompts, and on all negatives. */
function runsBy(judge: StoredEvalRun['judge'], candidateId: string, right: number): StoredEvalRun[] {
  return prompts
    .flatMap(({ id, category }, at) => runsOf(id, candidateId, category === 'negative' || at < right))
    .map((run) => ({ ...run, id: `${judge} ${run.id}`, judge, jobId: judge }));
}

function saidOf(...runs: readonly StoredEvalRun[][]): string[] {
  return compareJudges(prompts, runs.flat(), gateSettings).map(({ sentence }) => sentence);
}

test('[OPT-35] judges that see a change go both ways disagree, and it is said who sees what', () => {
  const model = [runsBy('model', 'canonical', 4), runsBy('model', 'a', 12)];
  assert.deepEqual(saidOf(...model, runsBy('search', 'canonical', 12), runsBy('search', 'a', 9)), [
    'Judges disagree on a: by "model" better on 8 and worse on 0 prompts, passes; by "search" better on 0 and worse on 3 prompts, does not pass.',
  ]);
});

test('[OPT-35] a candidate that only one judge lets through is told, and one judge alone never disagrees', () => {
  const model = [runsBy('model', 'canonical', 4), runsBy('model', 'a', 12)];
  assert.deepEqual(saidOf(...model), []);
  assert.deepEqual(saidOf(...model, runsBy('agent', 'canonical', 3), runsBy('agent', 'a', 12)), []);
  assert.equal(saidOf(...model, runsBy('agent', 'canonical', 11), runsBy('agent', 'a', 12)).length, 1);
  const unfinished = [runsBy('search', 'canonical', 12).slice(0, 3), runsBy('search', 'b', 12)];
  assert.deepEqual(saidOf(...model, ...unfinished), []);
});

/** Jobs whose store is away for a moment, or loses an answer: they go on where they were, and every gateway knows how they stand. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryOptimizer } from '../../test/kit/memory-optimizer.ts';
import { bothHalves, evaluating, PlayedJudge, playedJobs } from '../../test/kit/played-jobs.ts';
import { GatewayError } from '../base/errors.ts';
import type { StoredJob } from '../store/store.ts';

/** `refused`: nothing is done. `lost`: it is done, and its answer is not heard. */
type Fault = 'refused' | 'lost';

const away = () => new GatewayError('STORE_BROKEN', 'The store cannot be reached.');

/** Records that answer each access as `faultOf` says. */
function unsteady(faultOf: (name: string, job?: StoredJob) => Fault | undefined): MemoryOptimizer {
  const store = new MemoryOptimizer();
  store.prompts = bothHalves('direct', 2);
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return async (...given: unknown[]) => {
        const fault = faultOf(String(name), given[0] as StoredJob); // only read where the name is saveJob
        if (fault === 'refused') throw away();
        const answer: unknown = await member.apply(target, given);
        if (fault === 'lost') throw away();
        return answer;
      };
    },
  });
}

/** The fault, once, where a job is saved in this state. */
function onceAt(state: StoredJob['state'], fault: Fault) {
  let left = 1;
  return (name: string, job?: StoredJob) =>
    name === 'saveJob' && job?.state === state && left-- > 0 ? fault : undefined;
}

test('a job goes on where its cancellation cannot be stored, and can be cancelled again', async () => {
  const store = unsteady(onceAt('cancelled', 'refused'));
  const { jobs, judge, steps, ended } = playedJobs(new PlayedJudge(), store);
  const [isAsked, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  judge.before = () => {
    isAsked.resolve();
    return goesOn.promise;
  };
  const job = await jobs.start(evaluating, 'owner');
  const end = ended(job.id);
  await isAsked.promise;
  await assert.rejects(jobs.cancel(job), { code: 'STORE_BROKEN' });
  assert.equal((await jobs.list())[0]?.state, 'running');
  assert.equal((await jobs.cancel(job)).state, 'cancelled');
  goesOn.resolve();
  assert.equal((await end).state, 'cancelled');
  assert.deepEqual(await store.listJobs(job.id), [steps.at(-1)]);
  await jobs.close();
});

/** Jobs whose store is away for a moment, or loses an answer: they go on where they were, and every gateway knows how they stand. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { MemoryOptimizer } from '../../test/kit/memory-optimizer.ts';
import { bothHalves, evaluating, PaidJudge, PlayedJudge, playedJobs } from '../../test/kit/played-jobs.ts';
import { soleReplica } from '../../test/kit/sole-replica.ts';
import { GatewayError } from '../base/errors.ts';
import type { StoredJob } from '../store/store.ts';
import { progressOf } from './job-progress.ts';

/** `refused`: nothing is done. `lost`: it is done, and its answer is not heard. */
type Fault = 'refused' | 'lost';

const retryMs = 1_000;
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

/** Three at once, so that what one of them has to say waits while the others go on. */
class ThreeAtOnce extends PaidJudge {
  readonly atOnce = 3;
}

/** A job of six judgements, with this fault at one of its accesses to the store; says how many there were. */
async function runWithFault(fault: Fault, faultAt: number): Promise<number> {
  let accesses = 0;
  let isRunning = false;
  const store = unsteady(() => {
    if (!isRunning) return undefined;
    accesses += 1;
    return accesses === faultAt ? fault : undefined;
  });
  const { jobs, clock, judge, steps, ended, optimize } = playedJobs(new ThreeAtOnce(), store);
  Object.assign(optimize, { timeoutMs: 10 * retryMs });
  const { id } = await jobs.start({ ...evaluating, judge: 'model', repeats: 3 }, 'owner');
  isRunning = true;
  const end = ended(id);
  if (faultAt > 0) {
    await Promise.race([clock.awaited(retryMs), end]);
    await clock.advance(retryMs);
  }
  const job = await end;
  isRunning = false;
  const where = `${fault} at ${faultAt}`;
  assert.deepEqual([job.state, job.outcome?.calls, judge.asked.length], ['done', 6, 6], where);
  assert.deepEqual(await store.listJobs(id), [job], where);
  assert.ok(
    [...store.runs.values()].every(({ result }) => result.correct),
    where,
  );
  const used = steps.map((step) => progressOf(step).model?.calls ?? 0);
  assert.deepEqual([used.at(-1), used], [6, used.toSorted((a, b) => a - b)], where);
  assert.deepEqual(new Set(steps.map(({ state }) => state)), new Set(['running', 'done']), where);
  await jobs.close();
  return accesses;
}

test('[OPT-24] a job waits for a store that is away for a moment at any step, and asks nothing twice', async () => {
  const accesses = await runWithFault('refused', 0);
  assert.ok(accesses > 20);
  for (const fault of ['refused', 'lost'] as const)
    for (let at = 1; at <= accesses; at += 1) await runWithFault(fault, at);
});

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

test('[REP-33] an end that was stored is told where its answer is lost together with the turn', async () => {
  let lost = new AbortController();
  const isDone = onceAt('done', 'lost');
  const store = unsteady((name, job) => {
    const fault = isDone(name, job);
    if (fault) lost.abort();
    return fault;
  });
  const replicas = soleReplica(new ManualClock());
  replicas.inTurn = (work, act) => {
    lost = new AbortController();
    const term = { work, replica: replicas.id, term: 'one of some' };
    return act({ signal: lost.signal, term });
  };
  const { jobs, judge, ended } = playedJobs(new PlayedJudge(), store, replicas);
  assert.equal((await ended((await jobs.start(evaluating, 'owner')).id)).state, 'done');
  assert.equal(judge.asked.length, 2);
  await jobs.close();
});

test('[REP-33] a job whose failure is refused because the turn is over is not forgotten', async () => {
  let isOver = true;
  const store = unsteady((name, job) => {
    if (name !== 'saveJob' || job?.state !== 'failed' || !isOver) return undefined;
    isOver = false;
    throw new GatewayError('STORE_BUSY', 'Another gateway has taken over.', { data: { reason: 'term-over' } });
  });
  const { jobs, ended, optimize } = playedJobs(new PlayedJudge(), store);
  const { id } = await jobs.start(evaluating, 'owner');
  Object.assign(optimize, { maxCalls: 1 });
  const job = await ended(id);
  assert.deepEqual([job.state, await store.listJobs(id)], ['failed', [job]]);
  await jobs.close();
});

test('[REP-33] jobs of a replica that is gone are taken over once the store can be read again', async () => {
  let isAway = false;
  const store = unsteady((name) => (name === 'listJobs' && isAway ? 'refused' : undefined));
  const { jobs: gone } = playedJobs(new PlayedJudge(), store);
  const { id } = await gone.start(evaluating, 'owner');
  await gone.close();
  const replicas = soleReplica(new ManualClock());
  let isThere = true;
  replicas.isPresent = () => isThere;
  store.jobs.set(id, { ...(store.jobs.get(id) ?? assert.fail()), runner: 'another' });
  const { jobs, clock, ended } = playedJobs(new PlayedJudge(), store, replicas);
  await jobs.open();
  const end = ended(id);
  [isThere, isAway] = [false, true];
  replicas.changed.emit();
  await clock.awaited(retryMs);
  isAway = false;
  await clock.advance(retryMs);
  assert.equal((await end).state, 'done');
  await jobs.close();
});

test('[REP-33] a job that is stored runs, also where the answer to its order was lost', async () => {
  const store = unsteady(onceAt('queued', 'lost'));
  const { jobs, steps } = playedJobs(new PlayedJudge(), store);
  await assert.rejects(jobs.start(evaluating, 'owner'), { code: 'STORE_BROKEN' });
  assert.equal(jobs.activeCount, 1);
  while (jobs.activeCount > 0) await new Promise(setImmediate);
  assert.deepEqual(await store.listJobs(), [steps.at(-1)]);
  assert.equal(steps.at(-1)?.state, 'done');
  await jobs.close();
});

test('a job that was not stored does not run, and the same order starts one that is stored late', async () => {
  let late: StoredJob | undefined;
  const isBegun = onceAt('queued', 'refused');
  const store = unsteady((name, job) => {
    const fault = isBegun(name, job);
    if (fault) late = job;
    return fault;
  });
  const { jobs, judge, ended } = playedJobs(new PlayedJudge(), store);
  await assert.rejects(jobs.start(evaluating, 'owner'), { code: 'STORE_BROKEN' });
  while (jobs.activeCount > 0) await new Promise(setImmediate);
  assert.deepEqual([await store.listJobs(), judge.asked], [[], []]);
  const { id } = await store.saveJob(late ?? assert.fail('it was refused'));
  assert.equal((await jobs.start(evaluating, 'owner')).id, id);
  assert.equal((await ended(id)).state, 'done');
  await jobs.close();
});

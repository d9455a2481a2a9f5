/** Jobs: progress, resuming, cancelling and limits. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runsOf } from '../../test/kit/eval-records.ts';
import { MemoryOptimizer } from '../../test/kit/memory-optimizer.ts';
import {
  bothHalves,
  candidateOf,
  evaluating,
  optimizing,
  PlayedJudge,
  playedJobs,
} from '../../test/kit/played-jobs.ts';
import { replicaOn } from '../../test/kit/sole-replica.ts';
import { storeTest } from '../../test/kit/store-test.ts';
import { writtenSnapshot } from '../../test/kit/written-catalog.ts';
import { everybody, projectOf } from '../access/access.ts';
import { decidePromotion, figuresOf } from './decide-promotion.ts';
import { findJob, shownJob } from './jobs.ts';
import { knowsJobsOn } from './reach.ts';

test('[OPT-24] every prompt is judged with every wording, and progress is told in its agreed form', async () => {
  const { jobs, store, judge, clock, steps, ended } = playedJobs();
  judge.before = () => clock.advance(100);
  store.prompts = [...bothHalves('direct', 3), ...bothHalves('negative', 2)];
  await store.saveCandidates([candidateOf('a')]);
  const job = await jobs.start(evaluating, 'owner');
  const { state, outcome, progress } = await ended(job.id);
  assert.deepEqual([state, store.runs.size, judge.asked.length], ['done', 10, 10]);
  assert.deepEqual(progress, {
    serverName: 'weather',
    phase: 'complete',
    currentTool: 'forecast',
    totalTools: 1,
    completedTools: 1,
    currentProgress: 100,
    candidate: 1,
    candidates: 1,
    prompts: { judged: 10, all: 10 },
    byCategory: { direct: { right: 3, all: 3 }, negative: { right: 2, all: 2 } },
  });
  const percents = steps.map(({ progress: { phase, currentProgress } }) => `${phase} ${currentProgress}`);
  assert.ok(
    ['generating 0', 'evaluating 0', 'evaluating 50', 'evaluating 100'].every((step) => percents.includes(step)),
  );
  assert.equal(outcome?.calls, 10);
  assert.equal(findJob(await jobs.list(), job.id).state, 'done');
});

test('[OPT-24] a job that was interrupted at any prompt goes on, without judging a stored prompt again', async () => {
  const store = new MemoryOptimizer();
  store.prompts = bothHalves('direct', 20);
  await store.saveCandidates([candidateOf('a')]);
  const judge = new PlayedJudge();
  let [starts, id] = [0, ''];
  for (;;) {
    const { jobs, ended } = playedJobs(judge, store);
    starts += 1;
    const until = judge.asked.length + 7;
    const stopped = Promise.withResolvers<void>();
    judge.before = () => {
      if (judge.asked.length === until) stopped.resolve(jobs.close());
    };
    if (starts === 1) id = (await jobs.start(evaluating, 'owner')).id;
    else await jobs.open();
    await Promise.race([ended(id), stopped.promise]);
    const job = store.jobs.get(id) ?? assert.fail('the job is stored');
    if (job.state === 'done') break;
    assert.equal(job.state, 'running');
    await jobs.close();
  }
  assert.ok(starts > 3);
  assert.equal(store.runs.size, 40);
  assert.equal(store.jobs.get(id)?.outcome?.calls, 40, 'the limit on calls counts those before a restart');
  // The prompt at which each start was stopped had no answer that counts.
  assert.equal(judge.asked.length - (starts - 1), 40);
});

test('a job is cancelled between two prompts, and what it has done stays', async () => {
  const { jobs, store, judge, ended } = playedJobs();
  store.prompts = bothHalves('direct', 10);
  const job = await jobs.start(evaluating, 'owner');
  const end = ended(job.id);
  judge.before = () => {
    if (judge.asked.length === 4) void jobs.cancel(job);
  };
  assert.equal((await end).state, 'cancelled');
  await jobs.close();
  assert.equal(findJob(await jobs.list(), job.id).state, 'cancelled');
  assert.ok(store.runs.size >= 4 && store.runs.size < 10);
});

test('a tool has one job: the same order joins it, and another is refused', async () => {
  const { jobs, store, ended } = playedJobs();
  store.prompts = bothHalves('direct', 10);
  const job = await jobs.start(evaluating, 'owner');
  assert.equal((await jobs.start(evaluating, 'other')).id, job.id);
  await assert.rejects(jobs.start({ ...evaluating, repeats: 2 }, 'owner'), { code: 'NAME_TAKEN' });
  await ended(job.id);
  assert.notEqual((await jobs.start(evaluating, 'owner')).id, job.id, 'one that has ended is over');
});

test('the estimate is known before, and a job above the limit does not start', async () => {
  const { jobs, store, optimize } = playedJobs();
  await assert.rejects(jobs.start(evaluating, 'owner'), /no golden prompts/);
  store.prompts = [...bothHalves('direct', 30), ...bothHalves('negative', 5)];
  await store.saveCandidates([candidateOf('a'), candidateOf('b')]);
  const { prompts, wordings, calls } = await jobs.estimate({ ...evaluating, promptsPerCategory: 12, repeats: 2 });
  assert.deepEqual([prompts, wordings, calls], [17, 3, 102]);
  Object.assign(optimize, { maxCalls: 104 });
  await assert.rejects(jobs.start(evaluating, 'owner'), /105 judgements; the limit is 104/);
  assert.equal(store.jobs.size, 0);
});

test('a failed sanity check decides nothing and says so', async () => {
  const judge = new PlayedJudge();
  judge.insanity = 'It finds nothing.';
  const { jobs, store, ended } = playedJobs(judge);
  store.prompts = bothHalves('direct', 4);
  const { outcome } = await ended((await jobs.start(evaluating, 'owner')).id);
  assert.match(JSON.stringify(outcome), /sanity check failed, so nothing is decided: It finds nothing/);
  assert.equal(store.runs.size, 0);
});

test('[OPT-25] the best of generated candidates is promoted by the half that it was not chosen by', async () => {
  const judge = new PlayedJudge(
    ({ description }, prompt) => description === 'Says made-2.' || prompt.includes('negative') || prompt.endsWith('1'),
  );
  const { jobs, store, promoted, ended, optimize: settings } = playedJobs(judge);
  store.prompts = [...bothHalves('direct', 14), ...bothHalves('indirect', 14), ...bothHalves('negative', 14)];
  const order = { ...optimizing, promptsPerCategory: 12 };
  const { state, outcome } = await ended((await jobs.start(order, 'owner')).id);
  assert.deepEqual([state, promoted], ['done', ['made-2']], JSON.stringify(outcome));
  const question = { prompts: store.prompts, runs: [...store.runs.values()], settings, stolen: [] };
  const decide = (candidateId: string) => decidePromotion({ ...question, candidateId }).refusals;
  assert.deepEqual(decide('made-2'), [], 'it can be promoted later too, by the prompts that the job took');
  assert.deepEqual(decide('made-0'), [
    'It lost on the choosing prompts: 10 of 18 (55.6 %) right, 18 of 18 (100 %) with candidate "made-2". Only the winner is tried on the deciding prompts.',
  ]);
  const { metrics, baseline } = decidePromotion({ ...question, candidateId: 'made-0' });
  assert.deepEqual(baseline, metrics, 'it gains and loses nothing where it was not tried');
  const half = (candidateId: string) => figuresOf({ ...question, candidateId })?.half;
  assert.deepEqual([half('made-2'), half('made-0')], ['deciding', 'choosing']);
  const byOthers = [...store.runs.values()].filter(({ candidateId }) => candidateId === 'made-0');
  const deciding = new Set(store.prompts.filter(({ part }) => part === 'deciding').map(({ id }) => id));
  assert.ok(byOthers.length > 0 && !byOthers.some(({ promptId }) => deciding.has(promptId)));
});

test('a job that another replica cancels stops at once, without storing anything first', async () => {
  const { jobs, store, judge, ended } = playedJobs();
  store.prompts = bothHalves('direct', 10);
  await jobs.open();
  const { id } = await jobs.start(evaluating, 'owner');
  const end = ended(id);
  const isStopped = Promise.withResolvers<void>();
  judge.before = async () => {
    if (judge.asked.length !== 4) return;
    store.jobs.set(id, { ...(store.jobs.get(id) ?? assert.fail()), state: 'cancelled' });
    store.events.emit({ type: 'jobs', id, isOthers: true });
    await isStopped.promise;
  };
  assert.equal((await end).state, 'cancelled');
  isStopped.resolve();
  await jobs.close();
  assert.equal(judge.asked.length, 5);
});

/** A job that another replica runs, and that is followed here. */
async function followElsewhere() {
  const { jobs, store, steps } = playedJobs();
  store.prompts = bothHalves('direct', 3);
  await jobs.open();
  const { jobs: elsewhere } = playedJobs(new PlayedJudge(), store);
  const { id } = await elsewhere.start(evaluating, 'owner');
  await elsewhere.close();
  const stored = { ...(store.jobs.get(id) ?? assert.fail()), runner: 'another', state: 'running' as const };
  store.jobs.set(id, stored);
  const followed = jobs.follow(id, () => {}, new AbortController().signal);
  return { jobs, store, steps, id, stored, followed };
}

test('a job that another replica runs is told of as it is stored, and followed to its end', async () => {
  const { jobs, store, steps, id, stored, followed } = await followElsewhere();
  for (const state of ['running', 'done'] as const) {
    store.jobs.set(id, { ...stored, state });
    store.events.emit({ type: 'jobs', id, isOthers: true });
    while (steps.at(-1)?.state !== state) await new Promise(setImmediate);
  }
  assert.equal((await followed).state, 'done');
  await jobs.close();
});

test('[REP-33] an end that was missed is told after a silence, however many jobs began since', async () => {
  const { jobs, store, steps, id, stored, followed } = await followElsewhere();
  await new Promise(setImmediate);
  store.jobs.set(id, { ...stored, state: 'done' });
  for (let at = 0; at < 30; at += 1) store.jobs.set(`job_${at}`, { ...stored, id: `job_${at}`, state: 'done' });
  store.events.emit({ type: 'jobs', id: null, isOthers: true });
  while (steps.at(-1)?.id !== 'job_29') await new Promise(setImmediate);
  assert.equal(steps.find((job) => job.id === id)?.state, 'done');
  assert.equal((await followed).state, 'done');
  const before = steps.length;
  store.events.emit({ type: 'jobs', id: null, isOthers: true });
  while (steps.length === before) await new Promise(setImmediate);
  assert.equal(steps.filter((job) => job.id === id).length, 1, 'it is told once');
  await jobs.close();
});

test('[OPT-24] authors hear of the servers in reach of the one who started the job, also after a restart', async () => {
  const { jobs, store, reached } = playedJobs();
  store.prompts = bothHalves('direct', 4);
  const { id } = await jobs.start(optimizing, 'guest', ['weather', 'maps']);
  await jobs.close();
  assert.deepEqual(reached, []);
  const { jobs: restarted, ended, reached: since } = playedJobs(new PlayedJudge(), store);
  const end = ended(id);
  await restarted.open();
  await end;
  assert.deepEqual(since, ['weather', 'maps']);
});

test('the same order that is started twice at once is one job', async () => {
  const { jobs, store, ended } = playedJobs();
  store.prompts = bothHalves('direct', 3);
  const [one, other] = await Promise.all([jobs.start(evaluating, 'owner'), jobs.start(evaluating, 'owner')]);
  assert.deepEqual([other.id, store.jobs.size, jobs.activeCount], [one.id, 1, 1]);
  await ended(one.id);
  assert.equal(jobs.activeCount, 0);
});

storeTest('[REP-33] a job that is ordered at two replicas at once is one job', async (shared) => {
  const judge = new PlayedJudge();
  const store = new MemoryOptimizer();
  store.prompts = bothHalves('direct', 3);
  const replicas = [replicaOn(shared), replicaOn(shared)];
  const played = replicas.map((replica) => playedJobs(judge, store, replica));
  const isOrdered = Promise.withResolvers<void>();
  judge.before = () => isOrdered.promise;
  const ordered = await Promise.all(played.map(({ jobs }) => jobs.start(evaluating, 'owner')));
  isOrdered.resolve();
  assert.deepEqual(
    ordered.map(({ id }) => id),
    [...store.jobs.keys(), ...store.jobs.keys()],
  );
  for (const { jobs } of played) await jobs.close();
  for (const replica of replicas) await replica.close();
});

test('[REP-33] a job that another replica has ended meanwhile is not cancelled', async () => {
  const { jobs, store } = playedJobs();
  store.prompts = bothHalves('direct', 3);
  const { jobs: elsewhere } = playedJobs(new PlayedJudge(), store);
  const { id } = await elsewhere.start(evaluating, 'owner');
  await elsewhere.close();
  const running = { ...(store.jobs.get(id) ?? assert.fail()), runner: 'another', state: 'running' as const };
  const done = { ...running, state: 'done' as const, outcome: { calls: 3 } };
  store.jobs.set(id, done);
  await assert.rejects(jobs.cancel(running), { message: `Job "${id}" has ended already (done).` });
  assert.deepEqual(await jobs.list(), [done]);
});

test('a job that has ended is not cancelled while its end is being stored', async () => {
  const { jobs, store, ended } = playedJobs();
  store.prompts = bothHalves('direct', 3);
  const save = store.saveJob.bind(store);
  store.saveJob = async (job) => {
    if (job.state === 'done') await assert.rejects(jobs.cancel(job), /has ended already/);
    return save(job);
  };
  const job = await ended((await jobs.start(evaluating, 'owner')).id);
  assert.deepEqual([job.state, store.jobs.get(job.id)?.state], ['done', 'done']);
  assert.equal(shownJob(job).message, 'complete: 1 of 1 tool');
});

test('followers hear of an end that cannot be stored, and it stays the state of the job', async () => {
  const { jobs, store, steps } = playedJobs();
  store.prompts = bothHalves('direct', 3);
  const save = store.saveJob.bind(store);
  store.saveJob = async (job) => {
    if (job.state === 'done' || job.state === 'failed') throw new Error('The disk is full.');
    return save(job);
  };
  const { id } = await jobs.start(evaluating, 'owner');
  const given = new AbortController();
  const followed = jobs.follow(id, () => {}, given.signal);
  while (jobs.activeCount > 0) await new Promise(setImmediate);
  await jobs.close(); // a follower that has heard nothing is let go
  await followed;
  assert.deepEqual([steps.at(-1)?.state, steps.some((job) => job.state === 'done')], ['failed', false]);
  const { state, outcome } = findJob(await jobs.list(), id);
  assert.deepEqual([state, outcome], ['failed', { error: 'The disk is full.' }]);
});

test('a job decides by its own runs, whatever agents have recorded since', async () => {
  const judge = new PlayedJudge(({ description }, prompt) => description === 'Says a.' && /[0-4]$/.test(prompt));
  const { jobs, store, promoted, ended } = playedJobs(judge);
  store.prompts = [...bothHalves('direct', 20), ...bothHalves('negative', 20)];
  await store.saveCandidates([candidateOf('a')]);
  const recorded = store.prompts.flatMap(({ id }) => [...runsOf(id, 'a', true), ...runsOf(id, 'canonical', false)]);
  const later = { judge: 'self', jobId: null, timestamp: '2100-01-01T00:00:00.000Z' } as const;
  await store.addEvalRuns(recorded.map((run) => ({ ...run, ...later })));
  for (const order of [optimizing, evaluating]) {
    const { outcome } = await ended((await jobs.start(order, 'owner')).id);
    assert.match(JSON.stringify(outcome), /Overall success is/);
  }
  assert.deepEqual(promoted, []);
});

test('a job that promotes nothing never says that it does', async () => {
  const { jobs, store, judge, clock, steps, ended } = playedJobs(
    new PlayedJudge(({ description }) => description.startsWith('Says')),
  );
  let neighbours = 0;
  judge.before = (_, prompt) => {
    clock.advance(600);
    if (prompt.startsWith('history')) neighbours += 1;
  };
  const others = bothHalves('direct', 8).map((prompt) => ({
    ...prompt,
    id: `other-${prompt.id}`,
    toolName: 'history',
  }));
  store.prompts = [
    ...bothHalves('direct', 20),
    ...others.map((prompt) => ({ ...prompt, prompt: `history ${prompt.id}` })),
  ];
  await store.saveCandidates([candidateOf('a')]);
  await ended((await jobs.start({ ...optimizing, autoPromote: false }, 'owner')).id);
  assert.ok(neighbours > 0);
  assert.deepEqual([...new Set(steps.map(({ progress }) => progress.phase))], ['generating', 'evaluating', 'complete']);
});

test('a job on a server that is gone is known in the projects that the server named', async () => {
  const { jobs, store, ended } = playedJobs();
  store.prompts = bothHalves('direct', 3);
  const { order, ...job } = await ended((await jobs.start(evaluating, 'owner')).id);
  assert.deepEqual(job.projects, { weather: [] });
  const kept = { ...job, order, projects: { weather: ['ours'] } };
  const isKnown = (name: string) =>
    jobs.isWithin(kept, knowsJobsOn(writtenSnapshot({}), { ...everybody, project: projectOf(name) }));
  assert.deepEqual([isKnown('ours'), isKnown('theirs')], [true, false]);
});

test('[OPT-24] jobs that are closed and opened again go on, and let their followers go', async () => {
  const { jobs, store, judge, ended } = playedJobs();
  store.prompts = bothHalves('direct', 10);
  const stopped = Promise.withResolvers<void>();
  judge.before = () => {
    if (judge.asked.length === 4) stopped.resolve(jobs.close());
  };
  const { id } = await jobs.start(evaluating, 'owner');
  const followed = jobs.follow(id, () => {}, new AbortController().signal);
  await stopped.promise;
  assert.deepEqual([(await followed).state, jobs.activeCount], ['running', 0]);
  judge.before = () => {};
  const end = ended(id);
  await Promise.all([jobs.open(), jobs.open()]);
  assert.deepEqual([(await end).state, store.runs.size, jobs.activeCount], ['done', 10, 0]);
});

test('[OPT-24] a job that is stopped while it promotes does not promote again', async () => {
  const judge = new PlayedJudge(({ description }, prompt) => description === 'Says a.' || prompt.includes('negative'));
  const { jobs, store, promoted, steps, ended } = playedJobs(judge);
  store.prompts = [...bothHalves('direct', 20), ...bothHalves('negative', 20)];
  await store.saveCandidates([candidateOf('a')]);
  const stopped = Promise.withResolvers<void>();
  jobs.changed.on(({ progress }) => {
    if (progress.phase === 'promoting') stopped.resolve(jobs.close());
  });
  const tools = [...optimizing.tools, { server: 'weather', tool: 'gone' }];
  const { id } = await jobs.start({ ...optimizing, tools }, 'owner');
  await stopped.promise;
  assert.deepEqual([promoted, steps.at(-1)?.state], [['a'], 'running']);
  const end = ended(id);
  await jobs.open();
  assert.deepEqual([(await end).state, promoted], ['done', ['a']]);
});

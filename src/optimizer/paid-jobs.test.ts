/** Jobs of a judge that costs something: estimates, counters, limits, answers that are used again. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryOptimizer } from '../../test/kit/memory-optimizer.ts';
import { bothHalves, candidateOf, evaluating, optimizing, PaidJudge, playedJobs } from '../../test/kit/played-jobs.ts';
import type { StoredJob } from '../store/store.ts';
import { evalResults } from './eval-results.ts';
import { progressOf } from './job-progress.ts';
import { shownJob } from './jobs.ts';
import { reportTools } from './report.ts';

const order = { ...evaluating, judge: 'model', repeats: 3 } as const;

async function paid(judge = new PaidJudge(), store = new MemoryOptimizer()) {
  if (store.prompts.length === 0) {
    store.prompts = [...bothHalves('direct', 4), ...bothHalves('negative', 2)];
    await store.saveCandidates([candidateOf('a')]);
  }
  return { ...playedJobs(judge, store), judge };
}

function usedBy(job: StoredJob) {
  return progressOf(job).model;
}

test('[OPT-33] the cost is estimated before and counted during a job', async () => {
  const { jobs, store, judge, ended } = await paid();
  const estimate = await jobs.estimate(order);
  assert.deepEqual(
    [estimate.calls, estimate.modelCalls, estimate.tokens, estimate.reused, estimate.minutes],
    [36, 36, 3_600, 0, 1.8],
  );
  assert.equal(judge.asked.length, 0);
  const begun = await jobs.start(order, 'owner');
  assert.equal(shownJob(begun).estimate?.modelCalls, 36);
  const job = await ended(begun.id);
  assert.deepEqual([job.state, usedBy(job), store.runs.size], ['done', { calls: 36, tokens: 3_240 }, 36]);
  assert.match(shownJob(job).message, /36 requests to a model, 3240 tokens$/);
  const decided = await jobs.estimate({ ...optimizing, judge: 'model', repeats: 3 });
  assert.deepEqual([decided.modelCalls, decided.reused], [0, 36]);
});

test('[OPT-33] answers to the same question are used again, whatever the prompt expects by now', async () => {
  const { jobs, store, judge, ended } = await paid();
  await ended((await jobs.start(order, 'owner')).id);
  store.prompts = store.prompts.map((prompt) =>
    prompt.id === 'negative-0' ? { ...prompt, expectedBehavior: { shouldCallTool: true } } : prompt,
  );
  const again = await ended((await jobs.start(order, 'owner')).id);
  assert.deepEqual([again.state, usedBy(again), judge.asked.length, store.runs.size], ['done', undefined, 36, 72]);
  const runs = [...store.runs.values()].filter((run) => run.promptId === 'negative-0');
  const corrects = (jobId: string | null) =>
    runs.filter((run) => run.jobId === jobId).map(({ result }) => result.correct);
  assert.deepEqual(new Set(corrects(again.id)), new Set([false]));
  judge.model = 'two';
  const other = await ended((await jobs.start(order, 'owner')).id);
  assert.deepEqual([usedBy(other)?.calls, judge.asked.length], [36, 72]);
});

test('[OPT-32] the sanity check of a judge that costs something is asked once a job, and again after a void run', async () => {
  const { jobs, judge, ended } = await paid();
  let asked = 0;
  judge.checkSanity = async () => {
    asked += 1;
    return null;
  };
  await ended((await jobs.start(order, 'owner')).id);
  assert.equal(asked, 1);
  judge.model = 'two';
  judge.before = () => {
    judge.before = () => {};
    throw new Error('It fails once.');
  };
  await ended((await jobs.start(order, 'owner')).id);
  assert.equal(asked, 3);
});

test('[OPT-33] an answer that is used again counts once, and another model is not averaged with it', async () => {
  let model = 'one';
  const judge = new PaidJudge(() => model === 'one');
  const { jobs, store, ended, optimize } = await paid(judge);
  const { prompts } = store;
  const results = () => {
    const runs = [...store.runs.values()];
    const [row] = evalResults({ prompts, runs }, optimize, 'a');
    const facts = { server: 'weather', tools: [], candidates: [], promotions: new Map(), findings: new Map() };
    const source = { ...facts, prompts, runs, traffic: new Map(), notTaken: new Map(), settings: optimize };
    return [row?.metrics.overall, row?.runs, reportTools(source).totalEvals];
  };
  for (let times = 0; times < 2; times += 1) await ended((await jobs.start(order, 'owner')).id);
  assert.deepEqual(results(), [1, 18, 36]);
  model = 'two';
  judge.model = model;
  await ended((await jobs.start(order, 'owner')).id);
  assert.deepEqual(results(), [0, 18, 72]);
});

for (const [setting, limit, raised] of [
  ['maxModelCalls', 16, 36],
  ['maxModelTokens', 1_600, 3_600],
] as const)
  test(`[OPT-34] a job stops at ${setting}, and the same order goes on with a higher one`, async () => {
    const { jobs, store, judge, promoted, optimize, ended } = await paid();
    Object.assign(optimize, { [setting]: limit });
    const { id } = await jobs.start(order, 'owner');
    const paused = await ended(id);
    assert.equal(paused.state, 'paused');
    assert.match(String(paused.outcome?.error), new RegExp(`"optimize.${setting}".*start the same job again`));
    const before = usedBy(paused) ?? assert.fail('it was counted');
    const key = setting === 'maxModelCalls' ? 'calls' : 'tokens';
    assert.ok(before[key] <= limit && before.calls > 10, JSON.stringify(before));
    assert.equal(store.runs.size, before.calls, 'every answer is kept');
    assert.deepEqual([promoted, paused.outcome?.tools], [[], []]);
    const still = await ended((await jobs.start(order, 'owner')).id);
    assert.deepEqual([still.id, still.state, usedBy(still)], [id, 'paused', before]);
    Object.assign(optimize, { [setting]: raised });
    const done = await ended((await jobs.start(order, 'another')).id);
    assert.deepEqual([done.id, done.state, usedBy(done)], [id, 'done', { calls: 36, tokens: 3_240 }]);
    assert.equal(done.by, 'another', 'it acts for the one who went on with it');
    assert.deepEqual([judge.asked.length, store.runs.size], [36, 36], 'nothing is asked twice');
  });

test('[OPT-34] a paused job is not resumed by a restart, keeps the tools that are done, and can be cancelled', async () => {
  const { jobs, store, judge, optimize, ended } = await paid();
  const others = store.prompts.map((prompt) => ({ ...prompt, id: `other-${prompt.id}`, toolName: 'history' }));
  store.prompts.push(...others);
  Object.assign(optimize, { maxModelCalls: 40 });
  const both = { ...order, tools: [...order.tools, { server: 'weather', tool: 'history' }] };
  const { id, outcome } = await ended((await jobs.start(both, 'owner')).id);
  const done = outcome?.tools as { readonly tool: string }[];
  assert.deepEqual(
    done.map(({ tool }) => tool),
    ['weather:forecast'],
  );
  await jobs.close();
  const { jobs: restarted, ended: over } = await paid(judge, store);
  await restarted.open();
  assert.equal(restarted.activeCount, 0);
  const resumed = await over((await restarted.start(both, 'owner')).id);
  const { tools = [] } = (resumed.outcome ?? {}) as { readonly tools?: readonly unknown[] };
  assert.deepEqual([resumed.id, resumed.state, tools.length], [id, 'done', 2]);
  judge.model = 'two';
  const { jobs: last, ended: end, optimize: tight } = await paid(judge, store);
  Object.assign(tight, { maxModelCalls: 0 });
  const stopped = await end((await last.start(order, 'owner')).id);
  assert.deepEqual([stopped.state, (await last.cancel(stopped)).state], ['paused', 'cancelled']);
});

test('[OPT-24] a job that was interrupted decides nothing twice', async () => {
  const judge = new PaidJudge(
    ({ description }, prompt) => description.startsWith('Says') || prompt.includes('negative'),
  );
  const { jobs, store, promoted } = await paid(judge);
  store.prompts = [...bothHalves('direct', 20), ...bothHalves('negative', 20)];
  const others = store.prompts.map((prompt) => ({ ...prompt, id: `other-${prompt.id}`, toolName: 'history' }));
  store.prompts.push(...others);
  await store.saveCandidates([{ ...candidateOf('b'), toolName: 'history' }]);
  const tools = [...order.tools, { server: 'weather', tool: 'history' }];
  const stopped = Promise.withResolvers<void>();
  judge.before = ({ toolName }) => {
    if (toolName === 'history') stopped.resolve(jobs.close());
  };
  const { id } = await jobs.start({ ...optimizing, judge: 'model', tools }, 'owner');
  await stopped.promise;
  assert.deepEqual(promoted, ['a']);
  judge.before = () => {};
  const { jobs: restarted, promoted: since, ended } = await paid(judge, store);
  const end = ended(id);
  await restarted.open();
  const { state, outcome } = await end;
  const { tools: decided = [] } = (outcome ?? {}) as { readonly tools?: readonly { readonly tool: string }[] };
  assert.deepEqual([state, since, decided.length], ['done', [], 2], JSON.stringify(outcome));
});

test('[OPT-33] only what was asked counts as a judgement, also after a pause', async () => {
  const { jobs, judge, clock, optimize, ended } = await paid();
  judge.before = () => clock.advance(1);
  const run = async (repeats: number) => {
    const { state, outcome } = await ended((await jobs.start({ ...order, repeats }, 'owner')).id);
    return [state, outcome?.calls];
  };
  assert.deepEqual(await run(2), ['done', 24]);
  Object.assign(optimize, { maxModelCalls: 6 });
  assert.deepEqual(await run(3), ['paused', 7], 'the last one was refused');
  Object.assign(optimize, { maxModelCalls: 600 });
  assert.deepEqual(await run(3), ['done', 12]);
});

test('[OPT-34] a job whose judge stops answering is paused, and goes on when it answers again', async () => {
  const { jobs, judge, ended } = await paid();
  const tools = [...order.tools, { server: 'weather', tool: 'history' }];
  judge.before = () => {
    if (judge.asked.length < 20) return;
    judge.insanity = 'The model is down.';
    throw new Error('503');
  };
  const paused = await ended((await jobs.start({ ...order, tools }, 'owner')).id);
  assert.deepEqual([paused.state, paused.outcome?.tools], ['paused', []]);
  assert.match(String(paused.outcome?.error), /The model is down\. Wait.*start the same job again/);
  judge.before = () => {};
  judge.insanity = null;
  const done = await ended((await jobs.start({ ...order, tools }, 'owner')).id);
  assert.deepEqual([done.id, done.state], [paused.id, 'done']);
});

test('[OPT-34] a job whose questions have changed decides nothing', async () => {
  const { jobs, judge, optimize, ended } = await paid();
  Object.assign(optimize, { maxModelCalls: 16 });
  await ended((await jobs.start(order, 'owner')).id);
  judge.model = 'two';
  Object.assign(optimize, { maxModelCalls: 100 });
  const { state, outcome } = await ended((await jobs.start(order, 'owner')).id);
  assert.equal(state, 'failed');
  assert.match(String(outcome?.error), /have changed since the job began/);
});

test('[OPT-33] neighbours are judged by the search, which costs nothing', async () => {
  const judge = new PaidJudge(({ description }, prompt) => description === 'Says a.' || prompt.includes('negative'));
  const { jobs, store, promoted, ended } = await paid(judge);
  store.prompts = [...bothHalves('direct', 20), ...bothHalves('negative', 20)];
  const { outcome, ...job } = await ended((await jobs.start({ ...optimizing, judge: 'model' }, 'owner')).id);
  assert.deepEqual(promoted, ['a'], JSON.stringify(outcome));
  assert.equal(usedBy(job)?.calls, 80, 'two wordings and 40 prompts');
});

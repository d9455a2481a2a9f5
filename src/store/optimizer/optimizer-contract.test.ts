/** The store's promises about the records of the optimizer. */

import assert from 'node:assert/strict';
import { oddNames, storeTest } from '../../../test/kit/store-test.ts';
import type { StoredCandidate, StoredEvalRun, StoredJob, StoredPromotion, StoredPrompt, StoreEvent } from '../store.ts';

const at = '2026-01-01T00:00:00.000Z';

storeTest('candidates are kept in the order in which they were first saved, and survive', async (store, reopen) => {
  const [first, second, elsewhere] = [
    candidate('z'),
    candidate('a', { example: 'like this' }),
    candidate('b', { server: 'other' }),
  ];
  await store.saveCandidates([first, second, elsewhere]);
  const renewed = { ...first, description: 'Another description.' };
  await store.saveCandidates([renewed]);
  const opened = await reopen();
  assert.deepEqual(await opened.listCandidates('weather'), [renewed, second]);
  assert.deepEqual(await opened.listCandidates('weather', 'unknown'), []);
  assert.equal(await opened.removeCandidate('weather', 'z'), true);
  assert.equal(await opened.removeCandidate('weather', 'z'), false);
  assert.deepEqual(await opened.listCandidates('weather', 'forecast'), [second]);
});

storeTest('saving prompts replaces those of the tool and of no other', async (store, reopen) => {
  const other = prompt('o', { toolName: 'history' });
  await store.replacePrompts('weather', 'forecast', [prompt('a'), prompt('b')]);
  await store.replacePrompts('weather', 'history', [other]);
  await store.replacePrompts('weather', 'forecast', [prompt('c')]);
  const opened = await reopen();
  assert.deepEqual(await opened.listPrompts('weather'), [other, prompt('c')]);
  await opened.replacePrompts('weather', 'forecast', []);
  assert.deepEqual(await opened.listPrompts('weather', 'forecast'), []);
});

storeTest('a run that is known stays as it was', async (store, reopen) => {
  await store.addEvalRuns([run('a'), run('b', { repeat: 1 })]);
  await store.addEvalRuns([run('b', { repeat: 7 }), run('c', { toolName: 'history' })]);
  const opened = await reopen();
  assert.deepEqual(await opened.listEvalRuns('weather', 'forecast'), [run('a'), run('b', { repeat: 1 })]);
  assert.equal((await opened.listEvalRuns('weather')).length, 3);
});

storeTest('a tool has one promotion, and every change of it is told', async (store, reopen) => {
  const told: StoreEvent[] = [];
  store.events.on((event) => told.push(event));
  await store.savePromotion(promotion());
  const last = promotion({ candidateId: 'c2', forced: true, why: 'The server is ours.' });
  await store.savePromotion(last);
  assert.equal(await store.removePromotion('weather', 'unknown'), false);
  assert.deepEqual(await store.listPromotions(), [last]);
  assert.deepEqual(told, [{ type: 'promotions' }, { type: 'promotions' }]);
  const opened = await reopen();
  assert.equal(await opened.removePromotion('weather', 'forecast'), true);
  assert.deepEqual(await opened.listPromotions(), []);
});

storeTest('of two who add to the watch over a promotion, neither loses what the other counted', async (store) => {
  const watched = promotion({ watch: { calls: 0 } });
  await store.savePromotion(watched);
  const told: StoreEvent[] = [];
  store.events.on((event) => told.push(event));
  const count = () => store.changeWatch(watched, ({ calls }) => ({ calls: Number(calls) + 1 }));
  await Promise.all(Array.from({ length: 10 }, count));
  assert.deepEqual(await store.listPromotions('weather'), [{ ...watched, watch: { calls: 10 } }]);
  assert.deepEqual(await store.listPromotions('other'), []);
  assert.deepEqual(told, Array(10).fill({ type: 'promotions', server: 'weather' }));
  for (const other of [{ candidateId: 'c2' }, { promotedAt: 'later' }, { toolName: 'unknown' }])
    await store.changeWatch({ ...watched, ...other }, () => assert.fail('it is another one'));
  assert.equal(told.length, 10);
});

storeTest('a job is replaced by its newer state', async (store, reopen) => {
  const job: StoredJob = {
    id: 'job_1',
    server: '',
    state: 'queued',
    createdAt: at,
    updatedAt: at,
    by: 'owner',
    order: { tools: ['forecast'] },
    progress: {},
  };
  const done: StoredJob = { ...job, state: 'done', outcome: { promoted: 1 } };
  await store.saveJob(job);
  await store.saveJob({ ...job, id: 'job_2' });
  await store.saveJob(done);
  const again = await reopen();
  assert.deepEqual(await again.listJobs(), [done, { ...job, id: 'job_2' }]);
  assert.deepEqual([await again.listJobs('job_1'), await again.listJobs('job_3')], [[done], []]);
});

storeTest('a job that has ended stays as it ended', async (store) => {
  const facts = { server: '', createdAt: at, updatedAt: at, by: 'owner', order: {}, progress: {} };
  const states = ['queued', 'running', 'paused', 'done', 'failed', 'cancelled'] as const;
  for (const [before, isFinal] of [...states.entries()].map(([number, state]) => [state, number > 2] as const))
    for (const after of states) {
      const job: StoredJob = { ...facts, id: `job_${before}_${after}`, state: before };
      const late = { ...job, state: after, updatedAt: 'later' };
      assert.deepEqual(await store.saveJob(job), job);
      const stays = isFinal ? job : late;
      assert.deepEqual(
        [await store.saveJob(late), await store.listJobs(job.id)],
        [stays, [stays]],
        `${before}, ${after}`,
      );
    }
});

storeTest('odd names of tools stay apart and come back to the letter', async (store, reopen) => {
  for (const toolName of oddNames) {
    await store.savePromotion(promotion({ toolName, description: toolName }));
    await store.replacePrompts('weather', toolName, [
      prompt(`id-${oddNames.indexOf(toolName)}`, { toolName, prompt: toolName }),
    ]);
  }
  const opened = await reopen();
  assert.deepEqual(
    (await opened.listPromotions()).map((one) => one.description),
    oddNames,
  );
  for (const toolName of oddNames) {
    const kept = await opened.listPrompts('weather', toolName);
    assert.deepEqual(
      kept.map((one) => one.prompt),
      [toolName],
    );
  }
});

function candidate(id: string, parts: Partial<StoredCandidate> = {}): StoredCandidate {
  const tool = { server: 'weather', toolName: 'forecast' };
  return { id, ...tool, description: `As ${id}.`, charCount: 5, createdAt: at, author: 'hand', ...parts };
}

function prompt(id: string, parts: Partial<StoredPrompt> = {}): StoredPrompt {
  return {
    id,
    server: 'weather',
    toolName: 'forecast',
    category: 'direct',
    prompt: 'Will it rain tomorrow?',
    expectedBehavior: { shouldCallTool: true },
    part: 'choosing',
    author: 'hand',
    createdAt: at,
    ...parts,
  };
}

function run(id: string, parts: Partial<StoredEvalRun> = {}): StoredEvalRun {
  return {
    id,
    server: 'weather',
    toolName: 'forecast',
    candidateId: 'canonical',
    promptId: 'p',
    timestamp: at,
    judge: 'search',
    jobId: null,
    repeat: 0,
    result: { toolCalled: true, correct: true, durationMs: 3 },
    ...parts,
  };
}

function promotion(parts: Partial<StoredPromotion> = {}): StoredPromotion {
  const metrics = { directSuccess: 1, indirectSuccess: null, negativeSuccess: 0.9, overall: 0.95 };
  return {
    server: 'weather',
    toolName: 'forecast',
    candidateId: 'c1',
    promotedAt: at,
    description: 'Tells the weather of the next days.',
    metrics,
    baseline: { ...metrics, overall: 0.7 },
    counts: { direct: { right: 6, all: 6 } },
    judge: 'search',
    fingerprint: 'f1',
    by: 'owner',
    evidence: 'paired',
    ...parts,
  };
}

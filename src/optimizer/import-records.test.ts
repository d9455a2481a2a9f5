/** Imported runs: graded by what was called, marked, and never as good as runs that were made here. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryOptimizer } from '../../test/kit/memory-optimizer.ts';
import {
  bothHalves,
  candidateOf,
  evaluating,
  gateSettings,
  PaidJudge,
  PlayedJudge,
  playedJobs,
} from '../../test/kit/played-jobs.ts';
import { decidePromotion } from './decide-promotion.ts';
import { exportRecords, type RecordFile } from './export-records.ts';
import { importRecords } from './import-records.ts';

const prompts = [...bothHalves('direct', 20), ...bothHalves('negative', 20)];
const own = { tool: 'weather:forecast', arguments: {} };
const other = { tool: 'weather:history', arguments: {} };

async function filledStore(): Promise<MemoryOptimizer> {
  const store = new MemoryOptimizer();
  store.prompts = prompts;
  await store.saveCandidates([candidateOf('a')]);
  return store;
}

function read(file: RecordFile, store: MemoryOptimizer) {
  const limits = { maxChars: 280, maxCandidatesPerTool: 50, maxPromptsPerTool: 200 };
  const asked = { promotionOf: () => undefined, sayReverted: async () => '', definitionOf: () => ({}) };
  return importRecords(file, {
    ...asked,
    server: 'weather',
    store,
    replaces: false,
    tools: new Map(),
    limits,
    now: '',
  });
}

/** Runs of one text, each as its file tells it. */
function written(candidateId: string, result: object, jobId = 'job_elsewhere') {
  const told = { candidateId, timestamp: '2026-01-01T00:00:00Z', judge: 'agent', jobId, key: 'k' };
  return prompts.map(({ id: promptId }) => ({ ...told, id: `${candidateId}-${promptId}`, promptId, result }));
}

const decided = { candidateId: 'a', settings: gateSettings, stolen: [] };

test('[OPT-05] the word of a file on what is right does not count', async () => {
  const store = await filledStore();
  const claimed = { toolCalled: false, correct: true, strict: true, calls: [other] };
  const content = [...written('a', claimed), ...written('canonical', { ...claimed, calls: [own], correct: false })];
  const { runs: kept, refused } = await read({ path: 'eval-runs/a.json', content }, store);
  assert.deepEqual([kept, refused], [80, []]);
  for (const { candidateId, promptId, result, ...run } of store.runs.values()) {
    assert.equal(result.correct, promptId.startsWith('direct') === (candidateId === 'canonical'), promptId);
    assert.equal(result.strict, promptId.startsWith('direct') && candidateId === 'canonical');
    assert.deepEqual([run.imported, run.key], [true, undefined]);
  }
});

test('[OPT-05] a promotion by imported runs has weak evidence', async () => {
  const store = await filledStore();
  const { jobs, ended } = playedJobs(
    new PlayedJudge(({ description }, prompt) => description === 'Says a.' || prompt.includes('negative')),
    store,
  );
  await ended((await jobs.start(evaluating, 'owner')).id);
  const here = decidePromotion({ ...decided, prompts, runs: [...store.runs.values()] });
  assert.deepEqual([here.refusals, here.evidence], [[], 'paired']);
  const elsewhere = await filledStore();
  for (const file of exported(store)) await read(file, elsewhere);
  const there = decidePromotion({ ...decided, prompts, runs: [...elsewhere.runs.values()] });
  assert.deepEqual([there.refusals, there.evidence, there.metrics], [[], 'weak', here.metrics]);
  assert.match(there.warnings.join(), /imported/);
});

test('[OPT-05] runs of a judge are the same after an export and an import', async () => {
  for (const judge of [new PlayedJudge(), new PaidJudge((_, prompt) => !prompt.includes('-1'))]) {
    const [store, elsewhere] = [await filledStore(), await filledStore()];
    const { jobs, ended } = playedJobs(judge, store);
    await ended((await jobs.start({ ...evaluating, judge: judge.name }, 'owner')).id);
    for (const file of exported(store)) assert.deepEqual((await read(file, elsewhere)).refused, []);
    assert.deepEqual(exported(elsewhere), exported(store));
  }
});

test('[OPT-05] an import adds no run to a job of this gateway, and none that names no call of its tool', async () => {
  const store = await filledStore();
  const { jobs, ended } = playedJobs(new PlayedJudge(), store);
  const { id } = await ended((await jobs.start(evaluating, 'owner')).id);
  const { size } = store.runs;
  const [mine] = written('a', { toolCalled: false }, id);
  const [renamed] = written('a', { toolCalled: true, tool: 'meteo:forecast' });
  const { runs, refused } = await read({ path: 'eval-runs/a.json', content: [mine, renamed] }, store);
  assert.deepEqual([runs, store.runs.size], [0, size]);
  assert.match(refused[0]?.why ?? '', /ran here, and not this/);
  assert.match(refused[1]?.why ?? '', /no call of "weather:forecast"/);
});

function exported({ runs, candidates }: MemoryOptimizer): RecordFile[] {
  return exportRecords({ tools: [], candidates, prompts, runs: [...runs.values()], promotions: [] }).filter(
    ({ path }) => path.startsWith('eval-runs/'),
  );
}

/**
 * Compares what a job is estimated to cost with what it uses: one batch over 66 tools of eight real servers with the judge `model`, which
 * asks a stand-in on this machine. Then the same batch again, which must ask nothing.
 *
 *   npm run real:optimize-cost [-- --prefix DIR]
 */

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { ModelApi } from '../servers/model-api.ts';
import { providePackages } from './kit/packages.ts';
import { openScratch } from './kit/scratch.ts';
import { Experiment } from './optimize/experiment.ts';
import { promptedPackages, startPromptedServers } from './optimize/prompted-servers.ts';
import { readCandidates, readPrompts } from './optimize/records.ts';

const packages = await providePackages(promptedPackages);
await using api = await ModelApi.open();
await using scratch = await openScratch();
const llm = { provider: 'openai-compatible', model: 'stand-in', baseUrl: `${api.url}/v1` };
const optimize = { enabled: true, judge: 'model', maxModelCalls: 100_000, maxModelTokens: 1_000_000_000 };
await using gateway = await startPromptedServers(scratch, packages, { llm, optimize });
const { admin } = gateway;
const experiment = new Experiment(gateway);
await experiment.open(readPrompts('open'));
await experiment.propose(readCandidates());
const order = { promptsPerCategory: 4, repeats: 1 };
for (const round of ['first', 'second']) {
  const planned = await admin.run('optimize.run', { ...order, dryRun: true });
  assert.ok(!('jobId' in planned), 'a dry run begins no job');
  const { modelCalls, tokens, minutes, reused } = planned.estimate;
  const since = performance.now();
  const begun = await admin.run('optimize.run', order);
  assert.ok('jobId' in begun);
  let [job] = (await admin.run('optimize.jobs', { id: begun.jobId })).jobs;
  while (job?.state === 'queued' || job?.state === 'running') {
    await pause(500);
    [job] = (await admin.run('optimize.jobs', { id: begun.jobId })).jobs;
  }
  const used = job?.progress.model ?? { calls: 0, tokens: 0 };
  const took = Math.round((performance.now() - since) / 6_000) / 10;
  console.table([
    { round, figures: 'estimate', calls: modelCalls, tokens, minutes, reused },
    { round, figures: job?.state, calls: used.calls, tokens: used.tokens, minutes: took },
  ]);
}

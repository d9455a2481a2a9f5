/** The judge that asks a model, at a real gateway: what it needs, what it costs, where it stops, and where its key is not. */

import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { connectAdmin } from '../../src/admin/client/client.ts';
import { type Agent, connectAgent } from '../kit/agents.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { startGatewayProcess } from '../kit/gateway-process.ts';
import { ask, manyPrompts, refusal, weather } from '../kit/optimizing-agent.ts';
import { eventually } from '../kit/processes.ts';
import { ModelApi } from '../servers/model-api.ts';

const key = 'sk-test-0123456789abcdef';
const tool = { server: 'weather', tool: 'get_current' };
const description = 'Weather of a city at this moment: sun, rain, wind and how warm it is outside.';
const order = { server: 'weather', judge: 'model', promptsPerCategory: 4 };

/** Questions that the stand-in was asked about tools of the server, each as its text. */
function questionsTo(api: ModelApi): string[] {
  return api.requests.map(({ body }) => JSON.stringify(body)).filter((body) => body.includes('everyday sentence'));
}

test('[OPT-32] [OPT-33] [OPT-34] a job asks a model within its budget, and its key is nowhere', async () => {
  await using api = await ModelApi.open();
  api.key = key;
  const servers = { weather };
  const llm = { provider: 'anthropic', model: 'some-model', baseUrl: api.url, apiKeyEnv: 'MODEL_KEY' };
  const settings = (optimize: object, more: object = { llm }) => ({
    optimize: { enabled: true, ...optimize },
    ...more,
  });
  const env = { ...process.env, MODEL_KEY: key };
  await using gateway = await openTestGateway({ servers, config: settings({}, {}), env });
  const change = async (optimize: object) => {
    const file = { ...settings(optimize), access: { keyring: 'off' }, mcpServers: servers };
    await writeFile(gateway.configFile, JSON.stringify(file));
  };
  const { ownerHeaders: headers } = gateway;
  await using agent = await connectAgent('v2 modern', `${gateway.url}/gateway/mcp`, { headers });
  await ask(agent, 'save_golden_prompts', { ...tool, prompts: manyPrompts(4) });
  await ask(agent, 'propose_candidate', { ...tool, description });
  assert.match(await refusal(agent, 'optimize', { ...order, dryRun: true }), /llm\.provider.*is not set/s);
  assert.match(await refusal(agent, 'run_evaluation', { ...tool, judge: 'model' }), /llm\.provider/);

  await change({ maxModelCalls: 20 });
  const estimate = await allowing(agent, 20);
  // Two wordings, twelve prompts, three repeats.
  assert.deepEqual([estimate.modelCalls, estimate.reused, api.requests.length], [72, 0, 0]);

  // With a progress token, the answer is the end of the job.
  const ended = () => ask(agent, 'optimize', order, { onprogress: () => {} });
  const paused = await ended();
  assert.equal(paused.state, 'paused', JSON.stringify(paused));
  assert.match(JSON.stringify(paused), /optimize\.maxModelCalls.*start the same job again/);
  assert.equal(api.requests.length, 20);

  await change({ maxModelCalls: 100 });
  assert.equal((await allowing(agent, 100)).reused, 19, 'all but the sanity check');
  const done = await ended();
  assert.deepEqual([done.jobId, done.state], [paused.jobId, 'done'], JSON.stringify(done));
  const asked = questionsTo(api);
  const each = Map.groupBy(asked, (text) => text);
  assert.ok(
    [...each.values()].every(({ length }) => length === 3),
    'each question has its repeats, and no more',
  );
  const { model } = done.progress as { readonly model: { readonly calls: number; readonly tokens: number } };
  assert.equal(model.calls, api.requests.length);
  const perCall = (estimate.tokens ?? 0) / 72;
  assert.ok(model.tokens > (model.calls * perCall) / 2 && model.tokens < model.calls * perCall * 2, `${model.tokens}`);

  const { length: before } = api.requests;
  const evaluated = await ask(agent, 'run_evaluation', { ...tool, judge: 'model' }, { onprogress: () => {} });
  assert.equal(evaluated.state, 'done');
  const fresh = questionsTo(api).length - asked.length;
  assert.ok(api.requests.length - before <= fresh + 1, 'nothing but fresh questions and a sanity check');
  assert.ok([...Map.groupBy(questionsTo(api), (text) => text).values()].every(({ length }) => length === 3));
  const { candidates } = await ask(agent, 'get_eval_results', { ...tool });
  const rows = candidates as {
    readonly judge: string;
    readonly counts: { readonly overall: { readonly strict?: number } };
  }[];
  assert.ok(
    rows.length === 2 && rows.every(({ judge, counts }) => judge === 'model' && counts.overall.strict !== undefined),
  );
  await checkSwitch(agent, api, change);
  api.fault = { kind: 'status', status: 401, body: { error: { message: `Incorrect API key provided: ${key}` } } };
  await ask(agent, 'propose_candidate', { ...tool, description: `${description} Now.` });
  const failed = await ended();
  assert.match(JSON.stringify(failed), /sanity check failed, so nothing is decided.*401/);
  await checkForKey(gateway, failed);
});

/** Switched off, a job asks no more, and its followers are let go. Switched on, it goes on. */
async function checkSwitch(agent: Agent, api: ModelApi, change: (optimize: object) => Promise<void>): Promise<void> {
  api.fault = { kind: 'delay', until: new Promise(() => {}) };
  await ask(agent, 'propose_candidate', { ...tool, description: `${description} Today.` });
  const { length: known } = api.requests;
  const followed = ask(agent, 'optimize', order, { onprogress: () => {} });
  await api.arrived(known + 1);
  await change({ enabled: false });
  const { jobId, state } = await followed;
  assert.equal(state, 'running');
  api.fault = undefined;
  await change({ maxModelCalls: 100 });
  await allowing(agent, 100);
  await eventually(
    'the job is done',
    async () => (await ask(agent, 'get_job', { jobId })).state === 'done' || undefined,
  );
}

/** The estimate of the job, once a change of the settings counts. */
function allowing(agent: Agent, calls: number): Promise<Record<string, number>> {
  return eventually('the changed settings count', async () => {
    const { structuredContent } = await agent.call('optimize', { ...order, dryRun: true });
    const { estimate } = (structuredContent ?? {}) as { readonly estimate?: Record<string, number> };
    return estimate?.maxModelCalls === calls ? estimate : undefined;
  });
}

/** Neither told nor kept. */
async function checkForKey({ gateway: { admin }, logged, dataDir }: TestGateway, told: unknown): Promise<void> {
  const shown = [await admin.run('optimize.export', { server: 'weather' }), await admin.run('optimize.jobs', {})];
  assert.ok(!JSON.stringify([logged, told, ...shown]).includes(key));
  for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    assert.ok(!(await readFile(join(entry.parentPath, entry.name))).includes(key), entry.name);
  }
}

test('[OPT-28] [OPT-34] a gateway that is killed in a model job goes on, and counts every request', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-model-'));
  await using api = await ModelApi.open();
  const llm = { provider: 'openai-compatible', model: 'some-model', baseUrl: `${api.url}/v1` };
  const open = () =>
    startGatewayProcess({ servers: { weather }, config: { llm, optimize: { enabled: true } }, dataDir });
  const adminOf = ({ url, ownerHeaders }: Awaited<ReturnType<typeof open>>) =>
    connectAdmin(url, (ownerHeaders.authorization ?? '').replace('Bearer ', ''));
  try {
    let id = '';
    for (const kills of [30, 60]) {
      await using gateway = await open();
      const admin = adminOf(gateway);
      if (id === '') {
        await admin.run('servers.refresh', {});
        await admin.run('optimize.prompts', { ...tool, prompts: manyPrompts(8) });
        await admin.run('optimize.candidates', { ...tool, description });
        const begun = await admin.run('optimize.run', { server: 'weather', judge: 'model', promptsPerCategory: 8 });
        assert.ok('jobId' in begun);
        id = begun.jobId;
      }
      await api.arrived(kills);
      gateway.kill('SIGKILL');
      await gateway.exited;
    }
    await using gateway = await open();
    const admin = adminOf(gateway);
    const job = await eventually('the job ends', async () => {
      const [now] = (await admin.run('optimize.jobs', { id })).jobs;
      return now?.state === 'done' ? now : undefined;
    });
    const each = [...Map.groupBy(questionsTo(api), (text) => text).values()].map(({ length }) => length);
    const twice = each.reduce((sum, length) => sum + Math.max(0, length - 3), 0);
    assert.ok(each.every((length) => length >= 3));
    assert.ok(twice <= 6, `${twice} asked again: at most those that were on their way at the two kills`);
    const { model } = job.progress;
    assert.ok(model && model.calls >= api.requests.length && model.calls <= api.requests.length + 6);
    const { files } = await admin.run('optimize.export', { server: 'weather' });
    const runs = files
      .filter(({ path }) => path.startsWith('eval-runs/'))
      .flatMap(({ content }) => content as object[]);
    assert.equal(runs.length, 3 * each.length);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});

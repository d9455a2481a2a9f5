/** Models of others in search: one that ranks, and one that makes vectors. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { eventually } from '../kit/processes.ts';
import { discover, keysOf, loggedWith, officeKeys, officeServers } from '../kit/search-requests.ts';
import { ShiftedClock } from '../kit/shifted-clock.ts';
import { ModelApi } from '../servers/model-api.ts';

const env = { ...process.env, MODEL_KEY: 'the-key' };

for (const provider of ['openai-compatible', 'anthropic'] as const) {
  const baseUrl = (api: ModelApi) => (provider === 'anthropic' ? api.url : `${api.url}/v1`);

  test(`[FIND-08] a model behind the ${provider} API ranks what search here found`, async () => {
    await using api = await ModelApi.open();
    api.key = 'the-key';
    const llm = { provider, model: 'ranker-1', baseUrl: baseUrl(api), apiKeyEnv: 'MODEL_KEY' };
    const clock = new ShiftedClock();
    const config = { search: { mode: 'llm' }, llm };
    await using gateway = await openTestGateway({ servers: officeServers(), config, env, clock });
    const query = 'lists the appointments of a day';
    const ranked = await discover(gateway, query);
    assert.deepEqual([ranked.metadata.mode, ranked.metadata.notice], ['llm', undefined]);
    assert.equal(keysOf(ranked)[0], 'calendar:list_events');
    assert.equal(api.requests.length, 1);
    assert.doesNotMatch(JSON.stringify(api.requests[0]?.body), /erase/, 'a denied tool is not shown to a model');
    api.fault = { kind: 'status', status: 503 };
    const without = await discover(gateway, 'send an e-mail');
    assert.deepEqual([without.metadata.mode, keysOf(without)[0]], ['hybrid', 'mail:send_mail']);
    assert.match(without.metadata.notice ?? '', /model that ranks tools cannot be used for now.*searched here/i);
    await discover(gateway, 'send an e-mail');
    assert.equal(loggedWith(gateway, 'ranks tools cannot be used').length, 1);
    assert.deepEqual(loggedWith(gateway, 'the-key'), []);
    api.fault = undefined;
    clock.shift(31_000);
    assert.equal((await discover(gateway, query)).metadata.mode, 'llm');
  });
}

test('[FIND-08] the order of a model is what counts, for discovery and for recommendations', async () => {
  await using api = await ModelApi.open();
  const reversed = { choices: [{ index: 0, message: { role: 'assistant', content: '[3, 2, 1]' } }] };
  const llm = { provider: 'openai-compatible', model: 'ranker-1', baseUrl: `${api.url}/v1` };
  await using gateway = await openTestGateway({ servers: officeServers(), config: { llm }, env });
  const query = 'mail to somebody';
  const usual = keysOf(await discover(gateway, query, { minSimilarity: 0 }));
  api.fault = { kind: 'answer', body: reversed };
  const agent = new ModernAgent(gateway);
  const { result } = await agent.call('recommend_tools', { task: query, mode: 'llm', limit: 5 });
  const { recommendations, metadata } = result.structuredContent as {
    recommendations: { toolKey: string; reason: string }[];
    metadata: { mode: string };
  };
  assert.equal(metadata.mode, 'llm');
  const both = usual.slice(0, 2);
  const order = recommendations.map(({ toolKey }) => toolKey).filter((key) => both.includes(key));
  assert.deepEqual(order, both.toReversed());
  assert.match(recommendations[0]?.reason ?? '', /a model ranked it/i);
});

function embeddingConfig(api: ModelApi, dimensions = 64) {
  const embedding = { provider: 'openai', model: 'text-embedding-3-small', baseUrl: `${api.url}/v1`, dimensions };
  return { search: { embedding: { ...embedding, apiKeyEnv: 'MODEL_KEY' } } };
}

test('[FIND-09] vectors of a service are used, made once for each tool, and kept', async () => {
  await using api = await ModelApi.open();
  api.key = 'the-key';
  await using gateway = await openTestGateway({ servers: officeServers(), config: embeddingConfig(api), env });
  await discover(gateway, 'send an e-mail');
  const status = await eventually('every tool has a vector', async () => {
    const now = await gateway.gateway.admin.run('search.status', {});
    return now.vectors?.ready === officeKeys.length + 1 ? now : undefined;
  });
  assert.match(status.model ?? '', /text-embedding-3-small/);
  assert.deepEqual([status.problems, status.vectors?.made], [[], officeKeys.length + 1]);
  const found = await discover(gateway, 'sends an e-mail to somebody', { detailLevel: 'full' });
  assert.equal(keysOf(found)[0], 'mail:send_mail');
  assert.ok((found.tools[0]?.explanation?.meaning ?? 0) > 0.5);
  const embedded = await gateway.gateway.admin.run('tools.embed', { texts: ['one text', 'another'] });
  assert.deepEqual([embedded.dimensions, embedded.vectors.length, embedded.vectors[0]?.length], [64, 2, 64]);
  assert.deepEqual(loggedWith(gateway, 'the-key'), []);
});

test('[FIND-09] vectors of a wrong length are refused: words go on alone, told once, until the service is right again', async () => {
  await using api = await ModelApi.open();
  api.fault = { kind: 'dimensions', dimensions: 32 };
  const clock = new ShiftedClock();
  const config = embeddingConfig(api);
  await using gateway = await openTestGateway({ servers: officeServers(), config, env, clock });
  const meaningNow = async () => {
    const found = await discover(gateway, 'send an e-mail', { detailLevel: 'full' });
    assert.equal(keysOf(found)[0], 'mail:send_mail');
    return found.tools[0]?.explanation?.meaning;
  };
  assert.equal(await meaningNow(), null);
  const { problems } = await eventually('the trouble is known', async () => {
    const now = await gateway.gateway.admin.run('search.status', {});
    return now.problems.length === 0 ? undefined : now;
  });
  assert.match(problems[0] ?? '', /32 numbers.*64/);
  const { findings } = await gateway.gateway.admin.run('gateway.doctor', { connect: false });
  assert.deepEqual(
    findings.filter(({ severity }) => severity === 'problem').map(({ subject }) => subject),
    ['search'],
  );
  assert.equal(await meaningNow(), null);
  const [told, ...more] = loggedWith(gateway, 'search by meaning cannot be used');
  assert.match(told ?? '', /32 numbers.*64/);
  assert.deepEqual(more, []);
  api.fault = undefined;
  clock.shift(31_000);
  await eventually('meaning counts again', async () => ((await meaningNow()) === null ? undefined : true));
  assert.equal(loggedWith(gateway, 'answers again').length, 1);
  assert.equal((await gateway.gateway.admin.run('search.status', {})).problems.length, 0);
});

test('[FIND-09] without a model search goes by words, and asking for vectors says why there are none', async () => {
  const config = { search: { embedding: { provider: 'off' } } };
  await using gateway = await openTestGateway({ servers: officeServers(), config });
  const found = await discover(gateway, 'send an e-mail', { detailLevel: 'full' });
  assert.deepEqual([keysOf(found)[0], found.tools[0]?.explanation?.meaning], ['mail:send_mail', null]);
  await assert.rejects(
    gateway.gateway.admin.run('tools.embed', { texts: ['x'] }),
    /"search.embedding.provider" is "off"/,
  );
});

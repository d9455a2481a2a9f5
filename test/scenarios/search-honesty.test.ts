/** Search reports its doubts, needs that nothing meets, and whose failure is whose. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { discover, keysOf, loggedWith, officeServers, untilCompared } from '../kit/search-requests.ts';
import { ModelApi } from '../servers/model-api.ts';

test('[FIND-22] of several needs, the one that nothing fits is named, and its least unlike tools are left out', async () => {
  await using gateway = await openTestGateway({ servers: officeServers() });
  await untilCompared(gateway);
  const found = await discover(gateway, ['send an e-mail', 'tune a grand piano']);
  assert.equal(keysOf(found)[0], 'mail:send_mail');
  assert.deepEqual(found.metadata.unmet, ['tune a grand piano']);
  const both = await discover(gateway, ['send an e-mail', 'send an email']);
  assert.equal(both.metadata.unmet, undefined, 'a need whose tools another need found first is met');
});

test('[FIND-22] a doubtful answer says so, and a measure of the caller that leaves nothing is named as the cause', async () => {
  await using gateway = await openTestGateway({ servers: officeServers() });
  await untilCompared(gateway);
  const doubtful = await discover(gateway, 'save my draft');
  assert.deepEqual([doubtful.metadata.code, doubtful.tools.length > 0], ['UNSURE', true], JSON.stringify(doubtful));
  const strict = await discover(gateway, 'send an e-mail', { minSimilarity: 0.999 });
  assert.deepEqual([strict.tools.length, strict.metadata.code], [0, undefined]);
  assert.match(strict.metadata.notice ?? '', /minSimilarity.*left out/);
});

test('[FIND-22] a context does not take the place of the need', async () => {
  await using gateway = await openTestGateway({ servers: officeServers() });
  await untilCompared(gateway);
  const context = 'Later the newest messages of the mailbox are listed. Then the appointments of the day are listed.';
  assert.equal(keysOf(await discover(gateway, 'send an e-mail', { context }))[0], 'mail:send_mail');
});

test('[FIND-22] meaning alone, where there is none, becomes words and says so', async () => {
  const config = { search: { embedding: { provider: 'off' } } };
  await using gateway = await openTestGateway({ servers: officeServers(), config });
  const { result } = await new ModernAgent(gateway).call('recommend_tools', {
    task: 'send an e-mail',
    mode: 'semantic',
  });
  const text = JSON.stringify(result.structuredContent);
  assert.match(text, /mail:send_mail/);
  assert.match(text, /searched by words/);
});

test('[FIND-23] an agent that leaves does not put the model that ranks to rest, and what a service says stays with the owner', async () => {
  await using api = await ModelApi.open();
  const config = {
    search: { mode: 'llm' },
    llm: { provider: 'openai-compatible', model: 'm', baseUrl: `${api.url}/v1` },
  };
  await using gateway = await openTestGateway({ servers: officeServers(), config });
  const { promise: until, resolve: release } = Promise.withResolvers<void>();
  api.fault = { kind: 'delay', until };
  const body = JSON.stringify({ query: ['send an e-mail'] });
  const headers = { ...gateway.agentHeaders, 'content-type': 'application/json' };
  const patience = new AbortController();
  const leaving = fetch(`${gateway.url}/catalog/search`, { method: 'POST', headers, body, signal: patience.signal });
  leaving.catch(() => {});
  await api.arrived(1);
  patience.abort();
  await assert.rejects(leaving);
  release();
  api.fault = undefined;
  assert.equal((await discover(gateway, 'send an e-mail')).metadata.mode, 'llm');
  assert.deepEqual(loggedWith(gateway, 'cannot be used'), []);
  api.fault = { kind: 'status', status: 401 };
  const without = await discover(gateway, 'send an e-mail');
  assert.match(without.metadata.notice ?? '', /searched here/);
  assert.doesNotMatch(without.metadata.notice ?? '', /401|127\.0\.0\.1/);
  const { problems } = await gateway.gateway.admin.run('search.status', {});
  assert.match(problems.join(' '), /401/);
});

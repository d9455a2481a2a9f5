/** The demo servers: nothing of them waits for anybody, and what they do not have, completions and subscriptions, the gateway answers for. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { demoServers } from '../../src/demo/demo.ts';
import { connectAgent, KINDS } from '../kit/agents.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { RawSession } from '../kit/hand-made.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await openTestGateway({ servers: { ...demoServers() } });
});
after(() => gateway.close());

test('nothing of the demo servers is withheld or worth a look', async () => {
  const { admin } = gateway.gateway;
  for (const name of Object.keys(demoServers())) await admin.run('servers.refresh', { name });
  assert.deepEqual((await admin.run('changes.list', {})).changes, []);
});

const nothing = { values: [], total: 0, hasMore: false };

test('[OFFER-25] a server without completions has no values to offer, at every door that announces them', async () => {
  for (const path of ['/mcp', '/s/notes/mcp'])
    for (const kind of KINDS) {
      await using agent = await connectAgent(kind, `${gateway.url}${path}`, { headers: gateway.agentHeaders });
      const { client } = agent;
      const { prompts } = await client.listPrompts();
      const { resourceTemplates } = await client.listResourceTemplates();
      const prompt = prompts.find(({ name }) => name.startsWith('notes.'));
      const template = resourceTemplates.find(({ uriTemplate }) => !uriTemplate.startsWith('toolcrib:'));
      assert.ok(prompt && template);
      const argument = { name: prompt.arguments?.[0]?.name ?? 'any', value: 'a' };
      const ofPrompt = await client.complete({ ref: { type: 'ref/prompt', name: prompt.name }, argument });
      assert.deepEqual(ofPrompt.completion, nothing, `${path} ${kind}`);
      const ofTemplate = await client.complete({ ref: { type: 'ref/resource', uri: template.uriTemplate }, argument });
      assert.deepEqual(ofTemplate.completion, nothing, `${path} ${kind}`);
    }
});

test('[OFFER-25] where a server tells of no changes, that is said of the resource, not of the method', async () => {
  const session = await RawSession.open(`${gateway.url}/mcp`, gateway.agentHeaders);
  const { message: listed } = await session.request('resources/list');
  const { resources } = listed.result as { resources: { uri: string }[] };
  const uri = resources.find((resource) => !resource.uri.startsWith('toolcrib:'))?.uri ?? '';
  const { message } = await session.request('resources/subscribe', { uri });
  assert.equal(message.error?.code, -32602);
  assert.match(
    message.error?.message ?? '',
    /cannot be subscribed to: server "notes" does not report changes of its resources/,
  );
  for (const path of ['/s/notes/mcp', '/s/notes/mcp?names=plain']) {
    const { opened } = await RawSession.open(`${gateway.url}${path}`, gateway.agentHeaders);
    assert.deepEqual((opened.capabilities as { resources: unknown }).resources, { listChanged: true }, path);
  }
});

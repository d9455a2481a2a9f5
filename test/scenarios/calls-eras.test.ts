/** Calling well for agents of every generation: trouble that their own checks let through, and questions in the middle of a call. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { connectAgent, KINDS } from '../kit/agents.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { askModern } from '../kit/hand-made.ts';
import { hostServers } from '../kit/planned-servers.ts';

type Dict = Record<string, unknown>;

const reading = { readOnlyHint: true };
const rows = { type: 'object', properties: { rows: { type: 'array' } }, required: ['rows'] };
const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const plan = hostServers({
  shop: {
    tools: [
      { name: 'list', description: 'Lists.', inputSchema: text, outputSchema: rows, annotations: reading },
      { name: 'elicit', description: 'Asks.', annotations: reading, runAs: 'elicit' },
    ],
    entry: { cacheTtlMs: 60_000 },
  },
});
let gateway: TestGateway;

before(async () => {
  gateway = await openTestGateway({ servers: plan.servers });
  await gateway.gateway.admin.run('tools.list', {});
});
after(() => gateway.close());

for (const kind of KINDS) {
  test(`[CALL-01] an agent of SDK ${kind} reads trouble also where the tool promises an output`, async () => {
    for (const door of ['/mcp?surface=direct', '/servers/shop/mcp']) {
      await using agent = await connectAgent(kind, `${gateway.url}${door}`, { headers: gateway.agentHeaders });
      // The client knows what is promised once it has listed.
      await agent.client.listTools();
      const result = (await agent.call('shop.list', { txt: 'x' })) as Dict;
      assert.equal(result.isError, true);
      assert.equal(result.structuredContent, undefined);
      assert.match(JSON.stringify(result.content), /RECOVERY: Correct the arguments/);
      const { errorType } = (result._meta as Record<string, Dict>)['toolcrib/trouble'] ?? {};
      assert.equal(errorType, 'ARGUMENTS_INVALID');
    }
  });

  test(`[CALL-12] what an agent of SDK ${kind} was asked is asked again the next time`, async () => {
    await using agent = await connectAgent(kind, `${gateway.url}/mcp?surface=direct`, {
      headers: gateway.agentHeaders,
    });
    await agent.call('shop.elicit');
    const second = (await agent.call('shop.elicit')) as Dict;
    assert.equal(agent.asked.length, 2);
    assert.equal((second._meta as Dict | undefined)?.['toolcrib/cached'], undefined);
  });
}

test('[CALL-13] a call that waits for its agent is counted when it ends, also when the agent never comes back', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-parked-'));
  const open = () => openTestGateway({ servers: plan.servers, dataDir });
  const figures = async ({ gateway: { admin } }: TestGateway) =>
    (await admin.run('metrics.tools', { server: 'shop', tool: 'elicit' })).tools[0];
  const ask = async ({ url, agentHeaders }: TestGateway, more: Dict = {}) => {
    const params = { name: 'shop.elicit', arguments: {}, ...more };
    const options = { capabilities: { elicitation: {} } };
    const { message } = await askModern(`${url}/mcp?surface=direct`, agentHeaders, 'tools/call', params, options);
    return message.result as { requestState: string; inputRequests: Dict };
  };
  let own = await open();
  try {
    await own.gateway.admin.run('tools.list', {});
    const { requestState, inputRequests } = await ask(own);
    assert.equal(await figures(own), undefined);
    const answer = { action: 'accept', content: { name: 'Ada' } };
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, answer]));
    await ask(own, { requestState, inputResponses });
    assert.equal((await figures(own))?.callCount, 1);
    await ask(own);
    await own.close();
    own = await open();
    const { callCount, failures } = (await figures(own)) ?? {};
    assert.deepEqual([callCount, failures?.cancelled], [2, 1]);
  } finally {
    await own.close();
    await rm(dataDir, { recursive: true, force: true });
  }
});

/** Subscriptions to a resource outlive links and edits, and end with their own subscriber alone. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { type Agent, connectAgent } from '../kit/agents.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { RawSession } from '../kit/hand-made.ts';
import { planServers } from '../kit/planned-servers.ts';

const UPDATED = 'notifications/resources/updated';
const LIVE = 'test://lively/live';
const everything = '/mcp?surface=direct';

function agentAt(gateway: TestGateway, door: string, headers = gateway.agentHeaders): Promise<Agent> {
  return connectAgent('v2 legacy', `${gateway.url}${door}`, { headers });
}

for (const era of ['legacy', 'modern'] as const) {
  test(`[ERA-36] a subscription at a ${era} server outlives what its owner does`, async () => {
    const { servers } = planServers({ lively: { era } });
    await using gateway = await openTestGateway({ servers });
    const { admin } = gateway.gateway;
    await using agent = await agentAt(gateway, everything);
    await agent.listen([LIVE]);
    const acts: (() => Promise<unknown>)[] = [
      () => admin.run('servers.refresh', { name: 'lively', force: true }),
      async () => {
        await admin.run('servers.disable', { name: 'lively' });
        await admin.run('servers.enable', { name: 'lively' });
      },
      async () => {
        const edited = { lively: { ...servers.lively, env: { EDITED: 'yes' } } };
        await writeFile(gateway.configFile, JSON.stringify({ mcpServers: edited }));
        while ((await agent.say('lively.env', { reveal: 'EDITED' }).catch(() => '')) !== 'yes');
      },
    ];
    for (const [at, act] of acts.entries()) {
      await act();
      await agent.say('lively.touch');
      await agent.heard.atLeast(UPDATED, at + 1);
      assert.deepEqual(agent.heard.of(UPDATED).length, at + 1);
    }
  });
}

test('[ERA-37] an unsubscribe at one door takes nothing from agents at another', async () => {
  const { servers } = planServers({ lively: {} });
  await using gateway = await openTestGateway({ servers });
  await using stays = await agentAt(gateway, everything);
  await stays.listen([LIVE]);
  const leaves = await RawSession.open(`${gateway.url}/servers/lively/mcp`, gateway.agentHeaders);
  // Said twice at once, it counts once.
  const wish = { jsonrpc: '2.0', method: 'resources/subscribe', params: { uri: LIVE } };
  await leaves.send([
    { ...wish, id: 'a' },
    { ...wish, id: 'b' },
  ]);
  await leaves.request('resources/unsubscribe', { uri: LIVE });
  await stays.say('lively.touch');
  await stays.heard.atLeast(UPDATED, 1);
});

test('[ERA-38] updates of a perSession server are heard by its own session alone', async () => {
  const { servers } = planServers({ lively: { entry: { perSession: true } } });
  await using gateway = await openTestGateway({ servers });
  await using owner = await agentAt(gateway, everything, gateway.ownerHeaders);
  await using other = await agentAt(gateway, everything);
  await owner.listen([LIVE]);
  await other.listen([LIVE]);
  await owner.say('lively.touch');
  await owner.heard.atLeast(UPDATED, 1);
  await other.say('lively.touch');
  await other.heard.atLeast(UPDATED, 1);
  assert.deepEqual([owner.heard.of(UPDATED).length, other.heard.of(UPDATED).length], [1, 1]);
});

/** Search over 200 tools while servers are down or disabled: tools that can be called come first, and only owners hear of what is off. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connectAgent, KINDS } from '../kit/agents.ts';
import { eventually } from '../kit/processes.ts';
import { openRealSizeGateway } from '../kit/real-size.ts';
import { askCatalog, type Discovered, type FoundTool, keysOf } from '../kit/search-requests.ts';

let gateway: Awaited<ReturnType<typeof openRealSizeGateway>>;
before(async () => {
  gateway = await openRealSizeGateway();
  const { admin } = gateway.gateway;
  for (const name of ['mail-work', 'maps'] as const) {
    await gateway.host.stop(name);
    // The first request may only find out that its connection was closed.
    await eventually(`${name} fails`, async () => {
      await admin.run('servers.refresh', { name });
      const servers = await admin.run('servers.list', {});
      return servers.find((server) => server.name === name)?.state === 'failed' || undefined;
    });
  }
  await admin.run('servers.disable', { name: 'calendar' });
});
after(() => gateway.close());

/** Live tools first, the others marked. */
function checkOrder(tools: readonly Pick<FoundTool, 'toolKey' | 'available' | 'nextRetryAt'>[]): void {
  const isDown = tools.map(({ toolKey }) => /^(?:mail-work|maps):/.test(toolKey));
  assert.deepEqual(isDown, isDown.toSorted(), JSON.stringify(tools));
  for (const [at, { available, nextRetryAt }] of tools.entries()) {
    assert.equal(available, isDown[at] ? false : undefined);
    if (nextRetryAt !== undefined) assert.ok(isDown[at] && !Number.isNaN(Date.parse(nextRetryAt)), nextRetryAt);
  }
}

for (const kind of KINDS) {
  test(`[FIND-28] tools of a failed server come last and say so; a live twin stands for a dead one (${kind})`, async () => {
    await using agent = await connectAgent(kind, `${gateway.url}/mcp?surface=search`, {
      headers: gateway.agentHeaders,
    });
    const discover = async (query: string, detailLevel = 'summary') =>
      (await agent.call('tool_discovery', { query, detailLevel, maxResults: 4 })).structuredContent as Discovered;
    for (const detailLevel of ['minimal', 'summary', 'full']) {
      const weather = await discover('weather forecast for a city', detailLevel);
      checkOrder(weather.tools);
      assert.ok(keysOf(weather).includes('maps:maps_weather'), 'it can still be found');
    }
    const { tools } = await discover('send an e-mail to somebody');
    checkOrder(tools);
    assert.equal(tools[0]?.toolKey, 'mail-private:sendMessage');
    assert.ok(tools[0]?.equals?.includes('mail-work:sendMessage'));
    const { structuredContent } = await agent.call('recommend_tools', { task: 'weather forecast for a city' });
    checkOrder((structuredContent as { recommendations: FoundTool[] }).recommendations);
    checkOrder((await askCatalog(gateway, { query: 'weather forecast for a city' })).results);
  });

  test(`[FIND-28] a disabled server that would fit is named to owners alone (${kind})`, async () => {
    const notice = async (headers: Record<string, string>) => {
      await using agent = await connectAgent(kind, `${gateway.url}/mcp?surface=search`, { headers });
      const { structuredContent } = await agent.call('tool_discovery', { query: 'when am I free or busy' });
      return JSON.stringify(structuredContent);
    };
    assert.match(await notice(gateway.ownerHeaders), /calendar:calendar\.freebusy\.query.*toolcrib enable calendar/);
    assert.doesNotMatch(await notice(gateway.agentHeaders), /calendar/i);
  });
}

test('[FIND-28] the command names it too, and nothing where a server that is on fits', async () => {
  const { admin } = gateway.gateway;
  const search = async (query: string) => JSON.stringify(await admin.run('tools.search', { query, limit: 3 }));
  assert.match(await search('when am I free or busy'), /toolcrib enable calendar/);
  assert.doesNotMatch(await search('create a pull request'), /toolcrib enable/);
});

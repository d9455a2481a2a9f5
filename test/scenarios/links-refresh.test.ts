/** Refreshing a server by hand: at once although its next try is due later, and from nothing where that is wanted. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectAgent } from '../kit/agents.ts';
import { gatedCommand } from '../kit/gated-command.ts';
import { openListedGateway, openTestGateway } from '../kit/gateway.ts';
import { planServers } from '../kit/planned-servers.ts';
import { eventually } from '../kit/processes.ts';

test('[LINK-44] refreshing a server by name tries it at once, also during back-off', async (t) => {
  for (const kind of ['v2 legacy', 'v2 modern'] as const) {
    await t.test(kind, async () => {
      await using start = await gatedCommand('start');
      await start.open('gate', 'echo "no key" >&2; exit 3');
      const plan = planServers({ late: { toolCount: 2 } });
      await using gateway = await openTestGateway({
        isCold: true,
        servers: { late: start.behind(plan.servers.late ?? {}) },
        config: { connect: { maxRetries: 0 } },
      });
      await eventually('it waits for its next try', async () => {
        const [row] = await gateway.gateway.admin.run('servers.list', {});
        return row?.state === 'failed' && row.nextRetryAt !== null ? true : undefined;
      });
      await start.open();
      await using owner = await connectAgent(kind, `${gateway.url}/gateway/mcp`, { headers: gateway.ownerHeaders });
      const { structuredContent } = await owner.call('refresh_server', { name: 'late' });
      assert.deepEqual(structuredContent, { added: 2, updated: 0, removed: 0, unchanged: 0 });
    });
  }
});

test('[LINK-45] a forced refresh starts the server again and indexes every tool again', async () => {
  const plan = planServers({ one: { toolCount: 4 }, other: { toolCount: 3 } });
  await using gateway = await openListedGateway({ servers: plan.servers });
  const { admin } = gateway.gateway;
  const search = () => admin.run('tools.search', { query: ['tool'], limit: 1, detailLevel: 'minimal' });
  const made = async () => (await admin.run('search.status', {})).vectors?.made ?? 0;
  await search();
  const before = await eventually('all have their vectors', async () => ((await made()) >= 7 ? made() : undefined));
  const [plain] = await admin.run('servers.refresh', { name: 'one' });
  assert.deepEqual([plain?.unchanged, plan.noted('one', 'started').length], [4, 1]);
  await search();
  assert.equal(await made(), before, 'nothing that is unchanged is made again');
  const [forced] = await admin.run('servers.refresh', { name: 'one', force: true });
  assert.deepEqual([forced?.unchanged, plan.noted('one', 'started').length], [4, 2]);
  await search();
  await eventually('its vectors are made again', async () => ((await made()) === before + 4 ? true : undefined));
});

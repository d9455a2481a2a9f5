/** Servers behind a package runner that downloads them first: nobody ends it early, and nobody else waits for it. */

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { connectAgent } from '../kit/agents.ts';
import { gatedCommand } from '../kit/gated-command.ts';
import { openListedGateway, openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { planServers } from '../kit/planned-servers.ts';
import { allGone, childrenOf, eventually } from '../kit/processes.ts';

async function rowOf({ gateway }: TestGateway, server: string) {
  const rows = await gateway.admin.run('servers.list', {});
  return rows.find(({ name }) => name === server);
}

function becomes(gateway: TestGateway, server: string, state: string): Promise<unknown> {
  const look = async () => ((await rowOf(gateway, server))?.state === state ? true : undefined);
  return eventually(`${server} is ${state}`, look);
}

test('[LINK-38] a silent package runner is installing the server, and says for how long', async () => {
  await using npx = await gatedCommand('npx');
  const plan = planServers({ slow: { toolCount: 3 } });
  await using gateway = await openTestGateway({ isCold: true, servers: { slow: npx.behind(plan.servers.slow ?? {}) } });
  const row = await eventually('the time it has taken is told', async () => {
    const slow = await rowOf(gateway, 'slow');
    return (slow?.installingSeconds ?? 0) >= 1 ? slow : undefined;
  });
  assert.equal(row.state, 'installing');
  assert.equal(row.lastError, null);
  const { servers, states } = (await new ModernAgent(gateway, '/mcp?surface=full').call('list_mcp_servers')).result
    .structuredContent as { servers: Record<string, unknown>[]; states: Record<string, string> };
  assert.equal(servers[0]?.state, 'installing');
  assert.ok(Number(servers[0]?.installingSeconds) >= 1);
  assert.match(states.installing ?? '', /downloaded/);
  const { findings } = await gateway.gateway.admin.run('gateway.doctor', { connect: true });
  const finding = findings.find(({ subject }) => subject === 'slow');
  assert.equal(finding?.severity, 'note');
  assert.match(finding?.message ?? '', /^Server "slow" is being installed \(\d+ s so far\)\.$/);
  await npx.open();
  await becomes(gateway, 'slow', 'connected');
  assert.equal((await rowOf(gateway, 'slow'))?.toolCount, 3);
  assert.equal(plan.noted('slow', 'started').length, 1, 'it was started once');
});

test('[LINK-39] a call to a server that is being installed again fails in time, with steps', async (t) => {
  for (const kind of ['v2 legacy', 'v2 modern'] as const) {
    await t.test(kind, async () => {
      await using npx = await gatedCommand('npx');
      await npx.open();
      const plan = planServers({ slow: {} });
      await using gateway = await openListedGateway({ servers: { slow: npx.behind(plan.servers.slow ?? {}) } });
      await npx.shut();
      // A link that was opened with other settings is closed, and the next one finds an empty cache.
      const file = JSON.parse(await readFile(gateway.configFile, 'utf8')) as object;
      await writeFile(gateway.configFile, JSON.stringify({ ...file, connect: { timeoutMs: 500 } }));
      await becomes(gateway, 'slow', 'configured');
      const headers = gateway.agentHeaders;
      await using agent = await connectAgent(kind, `${gateway.url}/mcp?surface=search`, { headers });
      const wish = { toolKey: 'slow:echo', arguments: { text: 'hello' } };
      const text = JSON.stringify(await agent.call('tool_execute', wish));
      assert.match(text, /Server \\"slow\\" is still being installed \(\d+ s so far\)\./);
      assert.match(text, /STEPS:.*The call was not sent.*make the same call again in a minute/);
      await npx.open();
      await becomes(gateway, 'slow', 'connected');
      assert.equal(await agent.say('tool_execute', wish), 'hello');
      assert.equal(plan.noted('slow', 'started').length, 2, 'the installation was not ended by the call');
    });
  }
});

test('[LINK-40] sixteen installations hold up no other server, and all come up by themselves', async () => {
  await using npx = await gatedCommand('npx');
  const names = Array.from({ length: 16 }, (_, at) => `slow-${String(at).padStart(2, '0')}`);
  const plan = planServers({
    ...Object.fromEntries(names.map((name) => [name, { toolCount: 1 }])),
    'z-fast': { toolCount: 1 },
  });
  const slow = names.map((name) => [name, npx.behind(plan.servers[name] ?? {})]);
  await using gateway = await openTestGateway({
    isCold: true,
    servers: { ...Object.fromEntries(slow), 'z-fast': plan.servers['z-fast'] },
  });
  await becomes(gateway, 'z-fast', 'connected');
  for (const name of names) await becomes(gateway, name, 'installing');
  await npx.open();
  for (const name of names) await becomes(gateway, name, 'connected');
  const counts = names.map((name) => plan.noted(name, 'started').length);
  assert.deepEqual(counts, Array(16).fill(1), 'each was started once');
});

test('[LINK-41] installations end with the gateway', async () => {
  await using npx = await gatedCommand('npx');
  const plan = planServers({ slow: {}, other: {} });
  const servers = Object.fromEntries(Object.entries(plan.servers).map(([name, entry]) => [name, npx.behind(entry)]));
  await using gateway = await openTestGateway({ isCold: true, servers });
  for (const name of ['slow', 'other']) await becomes(gateway, name, 'installing');
  const children = await eventually('both runners and the guard are there', () => {
    const pids = childrenOf(process.pid);
    return pids.length >= 3 ? pids : undefined;
  });
  const all = [...children, ...children.flatMap(childrenOf)];
  await gateway.close();
  await allGone(all);
});

test('[LINK-47] half an installation is named with the command that repairs it, and then recovers', async () => {
  await using npx = await gatedCommand('npx');
  const folder = '/srv/ada/.npm/_npx/68b53d3fd47bf8db';
  const complaint = `Cannot find package zod imported from ${folder}/node_modules/server/index.js`;
  await npx.open('gate', `echo "Error [ERR_MODULE_NOT_FOUND]: ${complaint}" >&2; exit 1`);
  const plan = planServers({ half: { toolCount: 1 } });
  await using gateway = await openTestGateway({ isCold: true, servers: { half: npx.behind(plan.servers.half ?? {}) } });
  await becomes(gateway, 'half', 'failed');
  const row = await rowOf(gateway, 'half');
  assert.equal(row?.reason, 'broken-install');
  assert.ok(row?.lastError?.endsWith(`It said: Error [ERR_MODULE_NOT_FOUND]: ${complaint}`), row?.lastError ?? '');
  const { findings } = await gateway.gateway.admin.run('gateway.doctor', { connect: false });
  const hint = findings.find(({ subject }) => subject === 'half')?.hint ?? '';
  assert.ok(hint.endsWith(`the next start installs it again: rm -rf "${folder}"`), hint);
  await npx.open();
  await becomes(gateway, 'half', 'connected');
});

test('[LINK-42] a server that is connected and was never listed is listing', async () => {
  const plan = planServers({ hangs: { modes: { hangAtList: true } } });
  await using gateway = await openTestGateway({ isCold: true, servers: plan.servers });
  await becomes(gateway, 'hangs', 'listing');
  const { result } = await new ModernAgent(gateway, '/mcp?surface=search').call('tool_capabilities');
  const [server] = (result.structuredContent as { servers: { status: string }[] }).servers;
  assert.equal(server?.status, 'listing');
});

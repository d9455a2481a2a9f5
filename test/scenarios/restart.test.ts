/** Links are lazy: after a restart everything is known and nothing runs; links come on demand and go when idle. */

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { connectAgent } from '../kit/agents.ts';
import { gatedCommand } from '../kit/gated-command.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { planServers } from '../kit/planned-servers.ts';
import { allGone, eventually, isAlive } from '../kit/processes.ts';
import { newJournal, readJournal, type ServerSpec } from '../servers/launch.ts';
import { postModern } from '../servers/raw-client.ts';

/** A data folder that outlives its gateways. */
async function withFolder(act: (dataDir: string) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-restart-'));
  try {
    await act(dataDir);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The first life of a gateway: everything is listed once. */
async function learn(servers: Record<string, unknown>, dataDir: string): Promise<string[]> {
  await using gateway = await openTestGateway({ servers, dataDir });
  return await new ModernAgent(gateway).tools();
}

test('[CAT-10] after a restart lists and search answer before any server runs', async () => {
  await withFolder(async (dataDir) => {
    const plan = planServers({ one: { era: 'legacy' }, two: { era: 'modern', toolCount: 4, tools: 'default' } });
    const before = await learn(plan.servers, dataDir);
    const starts = () => ['one', 'two'].map((name) => plan.noted(name, 'started').length);
    assert.deepEqual(starts(), [1, 1]);
    await using gateway = await openTestGateway({ servers: plan.servers, dataDir });
    const agent = new ModernAgent(gateway);
    assert.deepEqual(await agent.tools(), before);
    const found = await new ModernAgent(gateway, '/mcp?surface=search').call('tool_discovery', {
      query: 'add two numbers',
    });
    assert.match(found.text, /"one:add"/);
    assert.equal(Array.isArray((await agent.request('resources/list')).resources), true);
    assert.deepEqual(starts(), [1, 1], 'nothing was started for that');
    const rows = await gateway.gateway.admin.run('servers.list', {});
    assert.ok(rows.every(({ state }) => state === 'configured'));
    assert.equal(await agent.say('one.echo', { text: 'now' }), 'now');
    assert.deepEqual(starts(), [2, 1], 'the called one was started');
  });
});

test('[LINK-27] which era a server speaks is remembered, so that a later start does not ask', async () => {
  await withFolder(async (dataDir) => {
    const plan = planServers({ old: { era: 'legacy' } });
    await learn(plan.servers, dataDir);
    assert.equal(plan.noted('old', 'discover').length, 1);
    await using gateway = await openTestGateway({ servers: plan.servers, dataDir });
    assert.equal(await new ModernAgent(gateway).say('old.echo', { text: 'again' }), 'again');
    assert.equal(plan.noted('old', 'started').length, 2);
    assert.equal(plan.noted('old', 'discover').length, 1);
  });
});

for (const [was, is] of [
  ['legacy', 'modern'],
  ['modern', 'legacy'],
] as const) {
  test(`[LINK-28] a server that was ${was} and is ${is} now is asked anew and used at once`, async () => {
    await withFolder(async (dataDir) => {
      const file = join(dataDir, 'spec.json');
      const journal = newJournal();
      const become = (spec: ServerSpec) => writeFile(file, JSON.stringify({ name: 'turncoat', journal, ...spec }));
      const start = join(import.meta.dirname, '../servers/start.js');
      const servers = { turncoat: { command: process.execPath, args: [start, '--file', file] } };
      await become({ era: was });
      await learn(servers, dataDir);
      await become({ era: is });
      await using gateway = await openTestGateway({ servers, dataDir });
      const answer = await new ModernAgent(gateway).call('turncoat.echo', { text: 'new clothes' });
      assert.equal(answer.text, 'new clothes');
      const [row] = await gateway.gateway.admin.run('servers.list', {});
      assert.equal(row?.era, is);
      assert.ok(readJournal(journal).filter(({ event }) => event === 'started').length <= 4);
    });
  });
}

test('[LINK-29] a link is closed when it has been idle, and comes back on demand', async () => {
  const plan = planServers({ short: { entry: { idleMs: 400 } }, long: {} });
  await using gateway = await openTestGateway({ servers: plan.servers });
  const agent = new ModernAgent(gateway);
  await agent.tools();
  const [short, long] = [await agent.pidOf('short'), await agent.pidOf('long')];
  const busy = agent.call('short.slow', { ms: 900 });
  await allGone([short]);
  assert.equal((await busy).text, 'waited 900 ms', 'a link with a call in flight is not idle');
  assert.ok(isAlive(long));
  const row = await eventually('it is closed', async () => {
    const rows = await gateway.gateway.admin.run('servers.list', {});
    return rows.find(({ name, state }) => name === 'short' && state === 'configured');
  });
  assert.equal(row.lastError, null);
  assert.notEqual(await agent.pidOf('short'), short);
});

test('[LINK-30] servers under "preconnect" are connected at the start, others of a known catalog are not', async () => {
  await withFolder(async (dataDir) => {
    const plan = planServers({ early: {}, lazy: {} });
    await learn(plan.servers, dataDir);
    const config = { connect: { preconnect: ['early'] } };
    await using gateway = await openTestGateway({ servers: plan.servers, dataDir, config });
    await eventually('it is connected', async () => {
      const rows = await gateway.gateway.admin.run('servers.list', {});
      return rows.some(({ name, state }) => name === 'early' && state === 'connected') ? true : undefined;
    });
    assert.deepEqual([plan.noted('early', 'started').length, plan.noted('lazy', 'started').length], [2, 1]);
  });
});

async function sessionPid(gateway: TestGateway, act: (pid: number) => Promise<void>): Promise<void> {
  await using agent = await connectAgent('v2 legacy', `${gateway.url}/mcp?surface=direct`, {
    headers: gateway.agentHeaders,
  });
  const whoami = async () => (JSON.parse(await agent.say('own.whoami')) as { pid: number }).pid;
  const pid = await whoami();
  assert.equal(await whoami(), pid, 'one session keeps its instance');
  await act(pid);
  await (
    agent.client as unknown as { transport?: { terminateSession?(): Promise<void> } }
  ).transport?.terminateSession?.();
}

test('[LINK-31] with "perSession" each agent session has an instance of its own, which ends with it', async () => {
  const plan = planServers({ own: { entry: { perSession: true } } });
  await using gateway = await openTestGateway({ servers: plan.servers });
  await new ModernAgent(gateway).tools();
  const seen: number[] = [];
  await Promise.all([
    sessionPid(gateway, async (pid) => {
      seen.push(pid);
      await eventually('the other session has its own', () => (seen.length === 2 ? true : undefined));
    }),
    sessionPid(gateway, async (pid) => {
      seen.push(pid);
      await eventually('the other session has its own', () => (seen.length === 2 ? true : undefined));
    }),
  ]);
  assert.equal(new Set(seen).size, 2);
  await allGone(seen);
});

test('[LINK-32] calls beyond "maxConcurrent" wait in line, and beyond the line they are refused', async () => {
  const plan = planServers({ narrow: { entry: { maxConcurrent: 2 } } });
  const config = { limits: { requestsPerToken: 1_000 } };
  await using gateway = await openTestGateway({ servers: plan.servers, config });
  const agent = new ModernAgent(gateway);
  await agent.tools();
  const leaving = new AbortController();
  const call = { name: 'narrow.wait_for_cancel', arguments: {} };
  const door = `${gateway.url}/mcp?surface=direct`;
  const blocking = [1, 2].map(() => postModern(door, 'tools/call', call, gateway.agentHeaders, leaving.signal));
  await eventually('both run', () => (plan.noted('narrow', 'tool').length === 2 ? true : undefined));
  const line = Array.from({ length: 256 }, (_, at) => agent.call('narrow.nonce', { value: `n${at}` }));
  await eventually('the line is full', async () => {
    const [row] = await gateway.gateway.admin.run('servers.list', {});
    return row?.callsInFlight === 258 ? true : undefined;
  });
  assert.equal(plan.noted('narrow', 'tool').length, 2, 'those in line have not reached the server');
  const refused = await Promise.all(Array.from({ length: 5 }, () => agent.call('narrow.nonce', { value: 'no' })));
  for (const { errorType, text } of refused) {
    assert.equal(errorType, 'RATE_LIMITED', text);
    assert.match(text, /"narrow" has 2 calls running and 256 waiting/);
  }
  leaving.abort();
  await Promise.allSettled(blocking);
  const texts = (await Promise.all(line)).map(({ text }) => text);
  assert.deepEqual(
    texts,
    Array.from({ length: 256 }, (_, at) => `n${at}`),
  );
});

test('[CAT-16] tools of another server under the same name are not shown, and the new one is listed', async () => {
  await withFolder(async (dataDir) => {
    const before = planServers({ same: { toolCount: 2 } });
    assert.equal((await learn(before.servers, dataDir)).length, 2);
    await using gate = await gatedCommand('runner');
    const same = gate.behind(planServers({ same: { toolCount: 5 } }).servers.same ?? {});
    await using gateway = await openTestGateway({ servers: { same }, dataDir, isCold: true });
    const agent = new ModernAgent(gateway);
    assert.ok((await agent.tools()).includes('tool_discovery'), 'nothing is known of it yet: our own tools are shown');
    await gate.open();
    await eventually('it is listed', async () => ((await agent.tools()).length === 5 ? true : undefined));
  });
});

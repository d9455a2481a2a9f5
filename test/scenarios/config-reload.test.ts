/** Edits of the config file while calls run: only what changed is touched, nothing running is lost, mistakes change nothing. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { planServers } from '../kit/planned-servers.ts';
import { allGone, eventually, isAlive } from '../kit/processes.ts';
import { waitForEntry } from '../servers/launch.ts';

type Servers = Record<string, Record<string, unknown>>;

async function edit(gateway: TestGateway, servers: Servers, more: Record<string, unknown> = {}): Promise<void> {
  await writeFile(gateway.configFile, JSON.stringify({ ...more, mcpServers: servers }, null, 2));
}

/** Waits until the tools of exactly these servers are listed. */
async function listed(agent: ModernAgent, servers: readonly string[]): Promise<void> {
  const wanted = servers.toSorted().join(' ');
  await eventually(`the tools of ${wanted} are listed`, async () => {
    const names = await agent.tools();
    return [...new Set(names.map((name) => name.split('.')[0]))].sort().join(' ') === wanted ? true : undefined;
  });
}

test('[CFG-01] an edit adds, changes and removes servers, and the others keep their process and their calls', async () => {
  const plan = planServers({ kept: {}, changed: {}, removed: {}, added: {} });
  const { added = {}, ...first } = plan.servers;
  await using gateway = await openTestGateway({ servers: first });
  const agent = new ModernAgent(gateway);
  await listed(agent, ['kept', 'changed', 'removed']);
  const [kept, changed, removed] = [
    await agent.pidOf('kept'),
    await agent.pidOf('changed'),
    await agent.pidOf('removed'),
  ];
  const running = agent.call('kept.slow', { ms: 1_500 });
  await waitForEntry(plan.journalOf('kept'), ({ event, name }) => event === 'tool' && name === 'slow');
  await using listener = await agent.listen();
  await edit(gateway, { kept: first.kept ?? {}, changed: { ...first.changed, env: { NEW: '1' } }, added });
  await listener.atLeast(1);
  await listed(agent, ['kept', 'changed', 'added']);
  await allGone([changed, removed]);
  assert.ok(isAlive(kept));
  assert.equal((await running).text, 'waited 1500 ms');
  assert.equal(await agent.pidOf('kept'), kept);
  assert.equal(await agent.say('changed.env', { reveal: 'NEW' }), '1');
  assert.equal((await agent.call('removed.whoami')).errorType, 'TOOL_NOT_FOUND');
});

test('[CFG-02] calls that run on a changed or removed server finish before its process goes', async () => {
  const plan = planServers({ changed: {}, removed: {} });
  await using gateway = await openTestGateway({ servers: plan.servers });
  const agent = new ModernAgent(gateway);
  await listed(agent, ['changed', 'removed']);
  const pids = [await agent.pidOf('changed'), await agent.pidOf('removed')];
  const calls = ['changed', 'removed'].map((server) => agent.call(`${server}.slow`, { ms: 1_500 }));
  for (const server of ['changed', 'removed'])
    await waitForEntry(plan.journalOf(server), ({ event, name }) => event === 'tool' && name === 'slow');
  await edit(gateway, { changed: { ...plan.servers.changed, env: { NEW: '1' } } });
  await listed(agent, ['changed']);
  assert.notEqual(await agent.pidOf('changed'), pids[0], 'new calls go to the new one');
  assert.ok(pids.every(isAlive), 'the old ones are still at work');
  for (const { text } of await Promise.all(calls)) assert.equal(text, 'waited 1500 ms');
  await allGone(pids);
});

test('[CFG-03] a bad edit changes nothing and is explained; the next good one applies', async () => {
  const plan = planServers({ good: {}, later: {} });
  const { later = {}, ...first } = plan.servers;
  await using gateway = await openTestGateway({ servers: first });
  const agent = new ModernAgent(gateway);
  await listed(agent, ['good']);
  const pid = await agent.pidOf('good');
  const complaint = () =>
    eventually('doctor explains', async () => {
      const { findings } = await gateway.gateway.admin.run('gateway.doctor', { connect: false });
      return findings.find(({ subject, severity }) => subject === 'config' && severity === 'problem');
    });
  for (const [bad, why] of [
    ['{ "mcpServers": { "good": ', /toolcrib\.json:1/],
    ['{ "mcpServers": { "good": { "command": 5 } } }', /toolcrib\.json:1.*command/s],
    ['{ "mcpServers": {}, "connect": { "maxRetries": "many" } }', /maxRetries.*a whole number from 0 to 20/s],
  ] as const) {
    await writeFile(gateway.configFile, bad);
    await eventually('the complaint is about this edit', async () =>
      why.test((await complaint()).message) ? true : undefined,
    );
    assert.match((await complaint()).hint ?? '', /The config from before the edit is still in use/);
    assert.equal(await agent.pidOf('good'), pid);
  }
  await edit(gateway, { ...first, later });
  await listed(agent, ['good', 'later']);
  assert.equal(await agent.pidOf('good'), pid);
  const { gateway: facts } = await gateway.gateway.admin.run('gateway.doctor', { connect: false });
  assert.equal(facts.configProblem, null);
});

test('[CFG-04] a variable that is not set fails the server that needs it, and no other', async () => {
  const plan = planServers({ good: {}, needy: { entry: { env: { KEY: '${' + 'NO_SUCH_VARIABLE_HERE}' } } } });
  await using gateway = await openTestGateway({ servers: plan.servers });
  const agent = new ModernAgent(gateway);
  await listed(agent, ['good']);
  const rows = await gateway.gateway.admin.run('servers.list', {});
  const needy = rows.find(({ name }) => name === 'needy');
  assert.equal(needy?.state, 'failed');
  assert.match(needy?.lastError ?? '', /NO_SUCH_VARIABLE_HERE/);
  assert.equal(plan.noted('needy').length, 0, 'it was not started without it');
  const { findings } = await gateway.gateway.admin.run('gateway.doctor', {});
  assert.match(findings.find(({ subject }) => subject === 'needy')?.hint ?? '', /Set the variable/);
});

test('[CFG-05] a server that hung at its first listing is listed as soon as an edit mends it', async () => {
  const plan = planServers({ hung: { modes: { hangAtList: true } } });
  const mended = planServers({ hung: { toolCount: 2 } });
  await using gateway = await openTestGateway({ servers: plan.servers, isCold: true });
  const agent = new ModernAgent(gateway);
  await waitForEntry(plan.journalOf('hung'), ({ event }) => event === 'list');
  await edit(gateway, mended.servers);
  await listed(agent, ['hung']);
  await allGone(plan.pidsOf('hung'));
});

test('[CFG-06] a server that an edit moved elsewhere is listed anew without being called', async () => {
  const plan = planServers({ moved: { toolCount: 2 } });
  const elsewhere = planServers({ moved: { toolCount: 5 } });
  await using gateway = await openTestGateway({ servers: plan.servers });
  const agent = new ModernAgent(gateway);
  assert.equal((await agent.tools()).length, 2);
  await using listener = await agent.listen();
  await edit(gateway, elsewhere.servers);
  await listener.atLeast(1);
  assert.equal((await agent.tools()).length, 5);
});

test('[CFG-07] many edits in a row end in the last one, and an unchanged server is never restarted', async () => {
  const plan = planServers({ kept: {}, turning: { toolCount: 1 } });
  const { kept = {}, turning = {} } = plan.servers;
  await using gateway = await openTestGateway({ servers: { kept } });
  const agent = new ModernAgent(gateway);
  await listed(agent, ['kept']);
  const pid = await agent.pidOf('kept');
  for (let turn = 0; turn < 25; turn += 1) {
    const isLast = turn === 24;
    // Half of them with a mistake, as saved by somebody who is still typing.
    if (turn % 2 === 1) await writeFile(gateway.configFile, '{ "mcpServers": {');
    else await edit(gateway, isLast ? { kept, turning } : { kept, [`t${turn}`]: { ...turning, enabled: false } });
    assert.equal(await agent.say('kept.echo', { text: `turn ${turn}` }), `turn ${turn}`);
  }
  await listed(agent, ['kept', 'turning']);
  assert.equal(await agent.pidOf('kept'), pid);
  assert.equal(plan.noted('kept', 'started').length, 1);
  const rows = await gateway.gateway.admin.run('servers.list', {});
  assert.deepEqual(
    rows.map(({ name }) => name),
    ['kept', 'turning'],
  );
});

test('[CFG-08] changes of the servers that are asked for at once are made one after the other', async () => {
  const plan = planServers({ one: { toolCount: 1 }, two: { toolCount: 2 } });
  await using gateway = await openTestGateway();
  const { admin } = gateway.gateway;
  const add = (spec: Record<string, unknown> = {}) => admin.run('servers.add', { name: 'late', spec });
  const twice = await Promise.allSettled([add(plan.servers.one), add(plan.servers.two)]);
  assert.deepEqual(
    twice.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value.toolCount : outcome.reason.code)),
    [1, 'NAME_TAKEN'],
  );
  const [, again] = await Promise.all([admin.run('servers.remove', { name: 'late' }), add(plan.servers.two)]);
  assert.equal(again.toolCount, 2);
  assert.equal((await new ModernAgent(gateway).tools()).length, 2, 'what went took nothing of the new one along');
  await Promise.all(
    [true, false, true, false].map((on) => admin.run(on ? 'servers.enable' : 'servers.disable', { name: 'late' })),
  );
  assert.deepEqual(await new ModernAgent(gateway).tools(), []);
});

test('[CFG-09] an edit of permissions or of the separator is told to agents whose list it changes', async () => {
  const plan = planServers({ some: { toolCount: 2 } });
  const { some = {} } = plan.servers;
  await using gateway = await openTestGateway({ servers: { some } });
  const agent = new ModernAgent(gateway);
  const [first = '', second = ''] = await agent.tools();
  await using listener = await agent.listen();
  const denied = { ...some, permissions: { [first.slice('some.'.length)]: 'deny' } };
  await edit(gateway, { some: denied });
  await listener.atLeast(1);
  assert.deepEqual(await agent.tools(), [second]);
  await edit(gateway, { some: denied }, { names: { separator: '__' } });
  await listener.atLeast(2);
  assert.deepEqual(await agent.tools(), [second.replace('.', '__')]);
});

test('[CFG-10] an edit of tools, permissions, limits or titles keeps the process and its calls', async () => {
  const plan = planServers({ till: {} });
  const { till = {} } = plan.servers;
  await using gateway = await openTestGateway({ servers: { till } });
  const agent = new ModernAgent(gateway);
  const pid = await agent.pidOf('till');
  const running = agent.call('till.slow', { ms: 1_500 });
  await waitForEntry(plan.journalOf('till'), ({ event, name }) => event === 'tool' && name === 'slow');
  await using listener = await agent.listen();
  const settings = {
    tools: ['slow', 'echo', 'whoami'],
    permissions: { echo: 'deny' },
    title: 'The till',
    ...{ timeoutMs: 9_000, idleMs: 60_000, maxConcurrent: 3, cacheTtlMs: 10, category: 'payments' },
  };
  await edit(gateway, { till: { ...till, ...settings } });
  await listener.atLeast(1);
  assert.deepEqual(await agent.tools(), ['till.slow', 'till.whoami']);
  assert.equal((await running).text, 'waited 1500 ms');
  assert.equal(await agent.pidOf('till'), pid);
  assert.equal(plan.noted('till', 'started').length, 1);
});

test('[CFG-11] a server that was added and is then defined in the config file, too, is named by doctor until that ends', async () => {
  const { till = {} } = planServers({ till: {} }).servers;
  await using gateway = await openTestGateway();
  const { admin } = gateway.gateway;
  await admin.run('servers.add', { name: 'till', spec: { ...till, permissions: { echo: 'ask' } } });
  const complaint = async () => {
    const { findings } = await admin.run('gateway.doctor', { connect: false });
    return findings.find(({ message }) => message.includes('the one that you added'))?.subject;
  };
  assert.equal(await complaint(), undefined);
  await edit(gateway, { till });
  assert.equal(await eventually('doctor names it', complaint), 'till');
  await edit(gateway, {});
  await eventually('it counts again', async () => (await complaint()) === undefined || undefined);
});

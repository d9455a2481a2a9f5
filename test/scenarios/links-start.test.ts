/** Servers that start slowly, hang or never come: the others are not held up, and what comes late is announced. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gatedCommand } from '../kit/gated-command.ts';
import { openTestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { planServers } from '../kit/planned-servers.ts';
import { eventually, isAlive } from '../kit/processes.ts';
import { waitForEntry } from '../servers/launch.ts';

const never = { startDelayMs: 3_600_000 };

test('[LINK-01] a hang at initialize or at tools/list does not hold up the tools of other servers', async () => {
  const plan = planServers({
    'a-hangs-at-hello': { modes: { hangAtInitialize: true } },
    'b-hangs-at-list': { modes: { hangAtList: true } },
    'c-good': { toolCount: 2 },
    'd-good': { toolCount: 2 },
    'e-good': { era: 'modern', tools: 'default' },
  });
  await using gateway = await openTestGateway({ servers: plan.servers, isCold: true });
  const agent = new ModernAgent(gateway);
  for (const server of ['c-good', 'd-good', 'e-good']) {
    await eventually(`${server} is listed`, async () =>
      (await agent.tools()).some((name) => name.startsWith(`${server}.`)) ? true : undefined,
    );
  }
  const answer = await agent.call('e-good.echo', { text: 'hello' });
  assert.equal(answer.text, 'hello');
  assert.ok(!(await agent.tools()).some((name) => name.startsWith('a-') || name.startsWith('b-')));
});

test('[LINK-02] the list of servers shows the state, the last error and the next try of each', async () => {
  const plan = planServers({
    good: { toolCount: 3 },
    hello: { modes: { hangAtInitialize: true } },
    late: { modes: never },
    off: { entry: { enabled: false } },
    gone: {},
  });
  const servers = { ...plan.servers, gone: { command: 'no-such-command-at-all' } };
  await using gateway = await openTestGateway({ servers, config: { connect: { timeoutMs: 6_000, maxRetries: 0 } } });
  const { admin } = gateway.gateway;
  const states = await eventually('every state is settled', async () => {
    const rows = await admin.run('servers.list', {});
    const byName = new Map(rows.map((row) => [row.name, row]));
    const isSettled = (name: string) => byName.get(name)?.state === (name === 'good' ? 'connected' : 'failed');
    return ['good', 'hello', 'late', 'gone'].every(isSettled) ? byName : undefined;
  });
  assert.equal(states.get('good')?.toolCount, 3);
  assert.ok(states.get('good')?.connectedAt);
  assert.equal(states.get('off')?.state, 'disabled');
  for (const name of ['hello', 'late', 'gone']) {
    const row = states.get(name);
    assert.ok(Date.parse(row?.nextRetryAt ?? '') > Date.now(), `${name} has a next try`);
  }
  assert.match(states.get('hello')?.lastError ?? '', /"hello" did not finish connecting within 6 s/);
  assert.match(states.get('gone')?.lastError ?? '', /"no-such-command-at-all" was not found/);
  assert.match(states.get('gone')?.hint ?? '', /Install/);
});

test('[LINK-03] among twenty servers, some never starting, the others are listed', async () => {
  const names = Array.from({ length: 20 }, (_, at) => `s${String(at).padStart(2, '0')}`);
  const plan = planServers(
    Object.fromEntries(names.map((name, at) => [name, at % 7 === 0 ? { modes: never } : { toolCount: 1 }])),
  );
  await using gateway = await openTestGateway({ servers: plan.servers, isCold: true });
  const agent = new ModernAgent(gateway);
  const wanted = names.filter((_, at) => at % 7 !== 0).length;
  await eventually('all servers that start are listed', async () =>
    (await agent.tools()).length === wanted ? true : undefined,
  );
});

test('[LINK-04] a list does not wait for a server that says nothing, and announces what comes later', async () => {
  await using gate = await gatedCommand('runner');
  const { servers } = planServers({ quick: { toolCount: 1 }, slow: { toolCount: 1 } });
  const gated = { ...servers, slow: gate.behind(servers.slow ?? {}) };
  await using gateway = await openTestGateway({ servers: gated, isCold: true });
  const agent = new ModernAgent(gateway);
  const owners = async () => (await agent.tools()).map((name) => name.split('.')[0]);
  await eventually('the first one is listed', async () => ((await owners()).length > 0 ? true : undefined));
  assert.deepEqual(await owners(), ['quick']);
  await using listener = await agent.listen();
  await gate.open();
  await listener.atLeast(1);
  assert.deepEqual(await owners(), ['quick', 'slow']);
});

test('[LINK-05] one slow server never delays a call of another', async () => {
  const plan = planServers({ slow: {}, quick: {} });
  await using gateway = await openTestGateway({ servers: plan.servers });
  const agent = new ModernAgent(gateway);
  await agent.tools();
  const slow = Array.from({ length: 10 }, () => agent.call('slow.wait_for_cancel'));
  await waitForEntry(plan.journalOf('slow'), ({ event }) => event === 'tool');
  for (let turn = 0; turn < 10; turn += 1)
    assert.equal((await agent.call('quick.echo', { text: `turn ${turn}` })).text, `turn ${turn}`);
  for (const pid of plan.pidsOf('slow').filter(isAlive)) process.kill(pid, 'SIGKILL');
  await Promise.all(slow);
});

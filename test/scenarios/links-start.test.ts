/** Servers that start slowly, hang or never come: the others are not held up, and what comes late is announced. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { planServers } from '../kit/planned-servers.ts';
import { eventually } from '../kit/processes.ts';
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
  await using gateway = await openTestGateway({ servers: plan.servers });
  const agent = new ModernAgent(gateway);
  const startedAt = performance.now();
  const names = await agent.tools();
  assert.ok(performance.now() - startedAt < 2_000);
  for (const server of ['c-good', 'd-good', 'e-good']) {
    assert.ok(
      names.some((name) => name.startsWith(`${server}.`)),
      `${server} is missing`,
    );
  }
  const answer = await agent.call('e-good.echo', { text: 'hello' });
  assert.equal(answer.text, 'hello');
  assert.ok(answer.tookMs < 2_000);
  assert.ok(!names.some((name) => name.startsWith('a-') || name.startsWith('b-')));
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
  await using gateway = await openTestGateway({ servers, config: { connect: { timeoutMs: 800, maxRetries: 0 } } });
  const { admin } = gateway.gateway;
  const states = await eventually('every state is settled', async () => {
    const rows = await admin.run('servers.list', {});
    const byName = new Map(rows.map((row) => [row.name, row]));
    return rows.every(({ state }) => state !== 'connecting' && state !== 'configured') ? byName : undefined;
  });
  assert.equal(states.get('good')?.state, 'connected');
  assert.equal(states.get('good')?.toolCount, 3);
  assert.ok(states.get('good')?.connectedAt);
  assert.equal(states.get('off')?.state, 'disabled');
  for (const name of ['hello', 'late', 'gone']) {
    const row = states.get(name);
    assert.equal(row?.state, 'failed', name);
    assert.ok(Date.parse(row?.nextRetryAt ?? '') > Date.now(), `${name} has a next try`);
  }
  assert.match(states.get('hello')?.lastError ?? '', /"hello" did not finish connecting within 0.8 s/);
  assert.match(states.get('gone')?.lastError ?? '', /"no-such-command-at-all" was not found/);
  assert.match(states.get('gone')?.hint ?? '', /Install/);
});

test('[LINK-03] among twenty servers, some never starting, a list takes at most two seconds', async () => {
  const names = Array.from({ length: 20 }, (_, at) => `s${String(at).padStart(2, '0')}`);
  const plan = planServers(
    Object.fromEntries(names.map((name, at) => [name, at % 7 === 0 ? { modes: never } : { toolCount: 1 }])),
  );
  await using gateway = await openTestGateway({ servers: plan.servers });
  const agent = new ModernAgent(gateway);
  const startedAt = performance.now();
  await agent.tools();
  const tookMs = performance.now() - startedAt;
  assert.ok(tookMs < 2_000, `the list took ${Math.round(tookMs)} ms`);
  const wanted = names.filter((_, at) => at % 7 !== 0).length;
  await eventually(
    'all servers that start are listed',
    async () => ((await agent.tools()).length === wanted ? true : undefined),
    15_000,
  );
});

test('[LINK-04] a list waits at most 1.5 s for unknown servers, and the rest is announced', async () => {
  const plan = planServers({ quick: { toolCount: 1 }, slow: { toolCount: 1, modes: { startDelayMs: 3_000 } } });
  await using gateway = await openTestGateway({ servers: plan.servers });
  const agent = new ModernAgent(gateway);
  const listening = agent.listen();
  const startedAt = performance.now();
  const first = await agent.tools();
  const tookMs = performance.now() - startedAt;
  assert.ok(tookMs > 1_000 && tookMs < 1_900, `the list took ${Math.round(tookMs)} ms`);
  assert.deepEqual(
    first.map((name) => name.split('.')[0]),
    ['quick'],
  );
  await using listener = await listening;
  await listener.atLeast(1);
  const second = await agent.tools();
  assert.deepEqual(
    second.map((name) => name.split('.')[0]),
    ['quick', 'slow'],
  );
});

test('[LINK-05] one slow server never delays a call of another', async () => {
  const plan = planServers({ slow: {}, quick: {} });
  await using gateway = await openTestGateway({ servers: plan.servers });
  const agent = new ModernAgent(gateway);
  await agent.tools();
  const slow = Array.from({ length: 20 }, () => agent.call('slow.slow', { ms: 700 }));
  await waitForEntry(plan.journalOf('slow'), ({ event }) => event === 'tool');
  for (let turn = 0; turn < 10; turn += 1) {
    const { text, tookMs } = await agent.call('quick.echo', { text: `turn ${turn}` });
    assert.equal(text, `turn ${turn}`);
    assert.ok(tookMs < 500, `a quick call took ${Math.round(tookMs)} ms`);
  }
  await Promise.all(slow);
});

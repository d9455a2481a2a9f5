/** The gateway as a process: killed outright, its guard killed, or asked to end while calls run. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestGateway } from '../kit/gateway.ts';
import { type GatewayProcess, startGatewayProcess } from '../kit/gateway-process.ts';
import { RawSession } from '../kit/hand-made.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { hostServers, type PlannedProcesses, planServers } from '../kit/planned-servers.ts';
import { allGone, eventually, isAlive } from '../kit/processes.ts';
import { waitForEntry } from '../servers/launch.ts';
import type { Modes } from '../servers/spec.ts';

const stubborn = { ignoreSigterm: true, ignoreStdinEnd: true };

const kinds: readonly Modes[] = [
  {},
  stubborn,
  { forkGrandchild: 'same-group' },
  { ...stubborn, forkGrandchild: 'own-group' },
  { startDelayMs: 60_000 },
];

function planMany(count: number): { plan: PlannedProcesses; names: string[] } {
  const names = Array.from({ length: count }, (_, at) => `s${at}`);
  const plan = planServers(
    Object.fromEntries(names.map((name, at) => [name, { toolCount: 1, modes: kinds[at % kinds.length] ?? {} }])),
  );
  return { plan, names };
}

/** Every process of the servers, once all of them run. */
async function allStarted(plan: PlannedProcesses, names: readonly string[]): Promise<number[]> {
  for (const [at, name] of names.entries()) {
    const isForking = kinds[at % kinds.length]?.forkGrandchild !== undefined;
    await waitForEntry(plan.journalOf(name), ({ event }) => event === (isForking ? 'grandchild' : 'started'));
  }
  const pids = names.flatMap((name) => plan.pidsOf(name));
  assert.ok(pids.every(isAlive));
  return pids;
}

test('[PROC-06] ten seconds after kill -9 of the gateway not one process of its twenty servers is left', async () => {
  const { plan, names } = planMany(20);
  await using gateway = await startGatewayProcess({ servers: plan.servers });
  const pids = await allStarted(plan, names);
  assert.equal(pids.length, 28, 'twenty servers and eight grandchildren');
  const guard = await gateway.guardPid();
  assert.ok(guard);
  gateway.kill('SIGKILL');
  assert.equal(await gateway.exited, 'SIGKILL');
  await allGone([...pids, guard]);
});

test('[PROC-07] a guard that was killed is replaced, and the new one does its work', async () => {
  const { plan, names } = planMany(4);
  await using gateway = await startGatewayProcess({ servers: plan.servers });
  const pids = await allStarted(plan, names);
  const first = await gateway.guardPid();
  assert.ok(first);
  process.kill(first, 'SIGKILL');
  const second = await eventually('there is a new guard', async () => {
    const pid = await gateway.guardPid();
    return pid !== undefined && pid !== first ? pid : undefined;
  });
  assert.ok(pids.every(isAlive), 'the servers never noticed');
  gateway.kill('SIGKILL');
  await allGone([...pids, second]);
});

async function statusOf(gateway: Pick<GatewayProcess, 'url' | 'agentHeaders'>, path: string): Promise<number | string> {
  return fetch(`${gateway.url}${path}`, { headers: gateway.agentHeaders }).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status;
    },
    () => 'refused',
  );
}

test('[PROC-08] on SIGTERM calls in flight finish, new ones get 503, children go, and the exit code is 0', async () => {
  const plan = planServers({
    slow: {},
    forking: { toolCount: 1, modes: { forkGrandchild: 'own-group' } },
  });
  await using gateway = await startGatewayProcess({ servers: plan.servers });
  const agent = new ModernAgent(gateway);
  await agent.tools();
  const guard = await gateway.guardPid();
  const pids = [...plan.pidsOf('slow'), ...plan.pidsOf('forking')];
  const calls = [600, 1_200].map((ms) => agent.call('slow.slow', { ms }));
  await eventually('both are with the server', () => (plan.noted('slow', 'tool').length === 2 ? true : undefined));
  assert.equal(await statusOf(gateway, '/readyz'), 200);
  gateway.kill('SIGTERM');
  await eventually('it is no longer ready', async () =>
    (await statusOf(gateway, '/readyz')) === 503 ? true : undefined,
  );
  assert.equal(await statusOf(gateway, '/healthz'), 200, 'it lives until it is done');
  assert.equal(await statusOf(gateway, '/mcp'), 503);
  assert.deepEqual(
    (await Promise.all(calls)).map(({ text }) => text),
    ['waited 600 ms', 'waited 1200 ms'],
  );
  assert.equal(await gateway.exited, 0);
  await allGone(pids, 0);
  await allGone(guard === undefined ? [] : [guard]);
});

test('[PROC-08] an answer that is still being read when the gateway is asked to end arrives whole', async () => {
  const text = 'x'.repeat(12_000_000);
  const { servers } = hostServers({ shop: {} });
  const gateway = await openTestGateway({ servers, config: { limits: { bodyBytes: 2 * text.length } } });
  const session = await RawSession.open(`${gateway.url}/servers/shop/mcp?names=plain`, gateway.agentHeaders);
  const answer = await fetch(session.url, {
    method: 'POST',
    headers: { ...session.headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 9,
      method: 'tools/call',
      params: { name: 'echo', arguments: { text } },
    }),
  });
  const closing = gateway.close();
  await eventually('it ends', async () => (await statusOf(gateway, '/readyz')) !== 200 || undefined);
  assert.ok((await answer.text()).includes(text));
  await closing;
});

/** S21: the gateway is asked to end while calls run and one server hangs; and asked twice. */

import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { allGone, eventually, isAlive } from '../../test/kit/processes.ts';
import type { Check } from '../check.ts';
import { ERAS } from '../kit/agent-requests.ts';
import type { Rig } from '../kit/rig.ts';
import type { Setup } from '../kit/setup.ts';

/** In a full examination the hanging call lasts longer than the grace time, and is cut off at its end. */
const sizes = {
  quick: { calls: 20, mostMs: 3_000, hangingMs: 2_000 },
  full: { calls: 100, mostMs: 20_000, hangingMs: 60_000 },
};
const graceMs = 30_000;
/** For the children of a gateway that has let its calls go. */
const closeMs = 10_000;

export const drain: Check = {
  id: 'S21',
  kind: 'faults',
  title: 'SIGTERM drain',
  passes:
    'calls in flight within the grace time are all answered, new ones get 503, exit 0, no child is left; a second signal ends it at once',
  eras: ERAS,
  isAboutStore: true,
  exempt: {
    I1: 'it is ended on purpose',
    I2: 'while it ends, new calls are refused',
    I4: 'it has ended',
    I5: 'it has ended; that no child is left is part of the check',
    I6: 'it has ended',
    I8: 'it has ended',
  },
  async run(rig, size) {
    const { hangingMs } = sizes[size];
    const servers = {
      slow: { entry: { maxConcurrent: 128 } },
      remote: { transport: 'http' as const, era: 'modern' as const, entry: { maxConcurrent: 128 } },
      hanging: { entry: { timeoutMs: hangingMs }, modes: { ignoreSigterm: true, ignoreStdinEnd: true } },
    };
    const setups = [await rig.open({ servers, isAlone: true }), await rig.open({ servers, isAlone: true })] as const;
    await Promise.all([
      rig.part('once', () => drainOnce(rig, setups[0], sizes[size])),
      rig.part('twice', () => endTwice(rig, setups[1])),
    ]);
  },
};

async function drainOnce(rig: Rig, setup: Setup, plan: (typeof sizes)['full']): Promise<void> {
  await setup.stopProber();
  const { gateway } = setup;
  const agents = await Promise.all(ERAS.map((era) => setup.agent(era)));
  const waits = Array.from({ length: plan.calls }, () => rig.random.whole(0, plan.mostMs));
  const calls = waits.map((ms) =>
    rig.random
      .one(agents)
      .call(`${rig.random.one(['slow', 'remote'])}.slow`, { ms }, { deadlineMs: graceMs + closeMs }),
  );
  const hanging = setup.server('hanging');
  const stoppedPid = hanging.pids().findLast(isAlive) ?? 0;
  const hungCalls = agents.map((agent) => agent.call('hanging.wait_for_cancel', {}, { deadlineMs: graceMs + closeMs }));
  const running = () => ['slow', 'remote'].flatMap((name) => setup.server(name).noted('tool')).length;
  await eventually(
    'the calls are with the servers',
    () => (running() === plan.calls && hanging.noted('tool').length === 2) || undefined,
  );
  process.kill(stoppedPid, 'SIGSTOP');
  const askedAt = performance.now();
  gateway.kill('SIGTERM');
  await expectRefusing(rig, setup);
  const replies = await Promise.all(calls);
  const wrong = replies.filter(({ said }, at) => said !== `waited ${waits[at]} ms`);
  rig.expect(
    wrong.length === 0,
    () =>
      `${wrong.length} of ${calls.length} calls were not answered: ${wrong[0]?.status} ${wrong[0]?.text.slice(0, 300)}`,
  );
  const exit = await Promise.race([gateway.exited, pause(graceMs + closeMs, 'nothing', { ref: false })]);
  rig.figure('drainMs', performance.now() - askedAt);
  rig.expect(exit === 0, `It ended with ${exit}.`);
  await Promise.all(hungCalls);
  await allGone(setup.serverPids());
}

/** Not ready, alive, and with a clear refusal of new requests. */
async function expectRefusing(rig: Rig, setup: Setup): Promise<void> {
  const { url, agentToken } = setup.gateway;
  await eventually('it is no longer ready', async () => ((await statusOf(`${url}/readyz`)) === 503 ? true : undefined));
  const health = await statusOf(`${url}/healthz`);
  rig.expect(health === 200, `While it drains, /healthz says ${health}.`);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
  const headers = { authorization: `Bearer ${agentToken}`, 'content-type': 'application/json' };
  const status = await statusOf(`${url}/mcp`, { method: 'POST', headers }, body);
  rig.expect(status === 503, `A new request got ${status}.`);
}

function statusOf(url: string, options: http.RequestOptions = {}, body = ''): Promise<number> {
  return new Promise((resolve) => {
    // Without an agent of ours every request is a connection of its own, as of somebody who comes now.
    const request = http.request(url, { ...options, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', () => resolve(0));
    request.end(body);
  });
}

async function endTwice(rig: Rig, setup: Setup): Promise<void> {
  await setup.stopProber();
  const { gateway } = setup;
  const agents = await Promise.all(ERAS.map((era) => setup.agent(era)));
  const calls = agents.map((agent) => agent.call('slow.slow', { ms: 50_000 }));
  await eventually('the calls run', () => setup.server('slow').noted('tool').length === 2 || undefined);
  gateway.kill('SIGTERM');
  await pause(rig.random.whole(50, 300));
  const askedAt = performance.now();
  gateway.kill('SIGTERM');
  await gateway.exited;
  const tookMs = performance.now() - askedAt;
  rig.figure('forcedMs', tookMs);
  rig.expect(rig.isInTime(tookMs, 2_000), `The second signal took ${Math.round(tookMs)} ms.`);
  await Promise.all(calls);
  await allGone(setup.serverPids());
}

/** S02: a server that never answers, one that was stopped by the system, and one that reports progress for ever. */

import { eventually, isAlive } from '../../test/kit/processes.ts';
import type { Check, Size } from '../check.ts';
import type { ExamAgent, ToolReply } from '../kit/agent.ts';
import { ERAS } from '../kit/agent-requests.ts';
import type { Rig } from '../kit/rig.ts';
import type { RigServer } from '../kit/rig-server.ts';
import type { Setup } from '../kit/setup.ts';

/** Above the tolerance in a full examination; in a quick one half of it is tolerated, so that too early still shows. */
const deadlineMs = { quick: 2_500, full: 3_000 };
const toleranceMs = 1_000;
/** However much progress is reported, a call ends after this time. */
const hardMaximumMs = 600_000;

export const hang: Check = {
  id: 'S02',
  kind: 'faults',
  title: 'Hang and endless progress',
  passes: 'an error at the deadline within 1 s, the cancellation is seen by the server, and its slot is free again',
  eras: ERAS,
  async run(rig, size) {
    const entry = { timeoutMs: deadlineMs[size], maxConcurrent: 1 };
    const setup = await rig.open({
      servers: {
        local: { entry },
        remote: { transport: 'http', era: 'modern', entry },
        frozen: { entry },
        lost: { entry },
        // Two endless calls at once, one of each era.
        endless: { entry: { ...entry, maxConcurrent: 2 } },
      },
    });
    await Promise.all([
      rig.part('a server over stdio that never answers', () => neverAnswers(rig, setup, 'local', size)),
      rig.part('a server over HTTP that never answers', () => neverAnswers(rig, setup, 'remote', size)),
      rig.part('a server that is stopped and goes on', () => stopped(rig, setup, size)),
      // Finding out takes long, so a quick examination leaves it out.
      ...(size === 'full'
        ? [rig.part('a server that is stopped for good', () => stoppedForGood(rig, setup, size))]
        : []),
      rig.part('endless progress', () => endlessProgress(rig, setup, size)),
    ]);
  },
};

async function neverAnswers(rig: Rig, setup: Setup, name: string, size: Size): Promise<void> {
  const server = setup.server(name);
  for (const era of ERAS) {
    const agent = await setup.agent(era);
    const before = server.noted('cancelled').length;
    const reply = await agent.call(`${name}.wait_for_cancel`);
    expectAtDeadline(rig, `${name}, ${era}`, reply, size);
    await expectCancelled(rig, server, before + 1, `${name}, ${era}`);
    await expectFree(rig, agent, name);
  }
}

function expectAtDeadline(rig: Rig, where: string, reply: ToolReply, size: Size): void {
  const offMs = Math.abs(reply.tookMs - deadlineMs[size]);
  rig.figure('offDeadlineMs', offMs);
  rig.expect(
    reply.errorType === 'TIMEOUT' && rig.isInTime(offMs, toleranceMs),
    () => `${where}: after ${Math.round(reply.tookMs)} ms came ${reply.text.slice(0, 300)}`,
  );
}

async function expectCancelled(rig: Rig, server: RigServer, count: number, where: string): Promise<void> {
  await rig.part(`${where}: the cancellation`, () =>
    eventually('it is seen by the server', () => server.noted('cancelled').length >= count || undefined).then(),
  );
}

/** The only slot takes another call at once. */
async function expectFree(rig: Rig, agent: ExamAgent, name: string): Promise<void> {
  const { said, tookMs } = await agent.call(`${name}.echo`, { text: 'free' });
  rig.expect(
    said === 'free' && rig.isInTime(tookMs, 1_000),
    `${name}: its slot was not free, ${Math.round(tookMs)} ms: ${said.slice(0, 200)}`,
  );
}

function livingPid(server: RigServer): number {
  return server.pids().findLast(isAlive) ?? 0;
}

async function stopped(rig: Rig, setup: Setup, size: Size): Promise<void> {
  const server = setup.server('frozen');
  const pid = livingPid(server);
  for (const era of ERAS) {
    const agent = await setup.agent(era);
    const before = server.noted('cancelled').length;
    process.kill(pid, 'SIGSTOP');
    const reply = await agent.call('frozen.echo', { text: 'anybody there?' });
    process.kill(pid, 'SIGCONT');
    expectAtDeadline(rig, `frozen, ${era}`, reply, size);
    await expectCancelled(rig, server, before + 1, `frozen, ${era}`);
    await expectFree(rig, agent, 'frozen');
  }
}

/** Nobody wakes it: after some silence it is given up, its process ended, and another takes its place. */
async function stoppedForGood(rig: Rig, setup: Setup, size: Size): Promise<void> {
  const pid = livingPid(setup.server('lost'));
  const agent = await setup.agent('modern');
  process.kill(pid, 'SIGSTOP');
  const since = performance.now();
  for (let turn = 0; turn < 3; turn += 1) {
    expectAtDeadline(rig, `lost, call ${turn}`, await agent.call('lost.echo', { text: 'still there?' }), size);
  }
  await eventually(
    'another process answers',
    async () => (await agent.call('lost.echo', { text: 'new' })).said === 'new' || undefined,
  );
  rig.figure('replacedMs', performance.now() - since);
  await eventually('the stopped process is gone', () => !isAlive(pid) || undefined);
}

async function endlessProgress(rig: Rig, setup: Setup, size: Size): Promise<void> {
  const server = setup.server('endless');
  const args = { steps: 1_000_000, delayMs: 100 };
  if (size === 'full') {
    const agents = await Promise.all(ERAS.map((era) => setup.agent(era)));
    const options = { meta: { progressToken: 'endless' }, deadlineMs: hardMaximumMs + 10_000 };
    const replies = await Promise.all(agents.map((agent) => agent.call('endless.progress', args, options)));
    for (const { errorType, tookMs, text } of replies) {
      const offMs = Math.abs(tookMs - hardMaximumMs);
      rig.expect(
        errorType === 'TIMEOUT' && offMs <= toleranceMs,
        `endless: after ${Math.round(tookMs)} ms came ${text.slice(0, 300)}`,
      );
    }
    await expectCancelled(rig, server, 2, 'endless');
    for (const agent of agents) await expectFree(rig, agent, 'endless');
    return;
  }
  // The hard maximum takes ten minutes; what can be seen at once is that progress extends the deadline, and an end on demand.
  for (const era of ERAS) {
    const agent = await setup.agent(era);
    const leaving = new AbortController();
    const id = agent.nextId();
    const params = { name: 'endless.progress', arguments: args, _meta: { progressToken: 'endless' } };
    const call = agent.request({ id, method: 'tools/call', params }, { signal: leaving.signal });
    const early = await Promise.race([call, new Promise((resolve) => setTimeout(resolve, deadlineMs[size] * 1.5))]);
    rig.expect(
      early === undefined,
      () => `endless, ${era}: progress did not extend the deadline: ${JSON.stringify(early).slice(0, 300)}`,
    );
    const before = server.noted('cancelled').length;
    if (era === 'legacy') await agent.request({ method: 'notifications/cancelled', params: { requestId: id } });
    else leaving.abort();
    await expectCancelled(rig, server, before + 1, `endless, ${era}`);
    leaving.abort();
    await call;
    await expectFree(rig, await setup.agent(era), 'endless');
  }
}

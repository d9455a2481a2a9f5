/** S01: a server dies in the middle of a call, by its own hand or killed from outside, over stdio and over HTTP. */

import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../test/kit/processes.ts';
import type { Check } from '../check.ts';
import type { ExamAgent, ToolReply } from '../kit/agent.ts';
import { ERAS } from '../kit/agent-requests.ts';
import type { Rig } from '../kit/rig.ts';
import type { RigServer } from '../kit/rig-server.ts';
import type { Setup } from '../kit/setup.ts';

const sizes = { quick: { rounds: 5, stdioServers: 4 }, full: { rounds: 50, stdioServers: 9 } };
/** A server that dies again before it is this old is meant to be started with pauses; here each death stands alone. */
const childhoodMs = 5_500;
const errorWithinMs = 1_000;
const backWithinMs = 10_000;

export const crashMidCall: Check = {
  id: 'S01',
  kind: 'faults',
  title: 'Crash mid-call',
  passes: 'an error within 1 s that names the server, nothing is sent again, and the server is back within 10 s',
  eras: ERAS,
  async run(rig, size) {
    const { rounds, stdioServers } = sizes[size];
    const names = Array.from({ length: stdioServers }, (_, at) => `crashing${at}`);
    const setup = await rig.open({
      servers: { ...Object.fromEntries(names.map((name) => [name, {}])), remote: { transport: 'http' } },
    });
    const agents = [await setup.agent('legacy'), await setup.agent('modern')];
    const targets = [...names, 'remote'];
    const born = new Map(targets.map((name) => [name, performance.now()]));
    for (let round = 0; round < rounds; round += 1) {
      const name = targets[round % targets.length] ?? 'remote';
      if (round >= targets.length) await pause(Math.max(0, childhoodMs - (performance.now() - (born.get(name) ?? 0))));
      await rig.part(`round ${round}, ${name}`, () => crashOnce(rig, setup, setup.server(name), agents));
      born.set(name, performance.now());
    }
    for (const name of targets) expectNoReplay(rig, setup.server(name));
  },
};

/** Some calls are with the server when it dies; each gets its own error at once. */
async function crashOnce(rig: Rig, setup: Setup, server: RigServer, agents: readonly ExamAgent[]): Promise<void> {
  const { random } = rig;
  const marks = Array.from({ length: random.whole(1, 4) }, () => random.word('mark'));
  const calls = marks.map((mark) => random.one(agents).call(`${server.name}.slow`, { ms: 60_000, mark }));
  const entries = await eventually('the calls are with the server', () => {
    const found = server
      .noted('tool')
      .filter(({ arguments: args }) => marks.includes(String((args as { mark?: string }).mark)));
    return found.length === marks.length ? found : undefined;
  });
  await pause(random.whole(0, 30));
  const isByItsOwnHand = random.share() < 0.5;
  const ending = isByItsOwnHand
    ? random.one(agents).call(`${server.name}.crash`, { mark: random.word('end') })
    : undefined;
  if (ending === undefined) process.kill(entries[0]?.pid ?? 0, 'SIGKILL');
  const diedAt = performance.now();
  const replies = await Promise.all([...calls, ...(ending === undefined ? [] : [ending])]);
  const errorMs = performance.now() - diedAt;
  rig.figure('errorMs', errorMs);
  rig.expect(
    rig.isInTime(errorMs, errorWithinMs),
    `"${server.name}": the last error came ${Math.round(errorMs)} ms after the death.`,
  );
  for (const reply of replies) expectNamedError(rig, server, reply);
  if (!server.isStdio) await server.startAgain();
  const backMs = await timeUntilBack(setup, server, diedAt);
  rig.figure('backMs', backMs);
  rig.expect(rig.isInTime(backMs, backWithinMs), `"${server.name}" was back only after ${Math.round(backMs)} ms.`);
}

function expectNamedError(rig: Rig, server: RigServer, reply: ToolReply): void {
  const isNamed = reply.isError && reply.said.includes(server.name);
  rig.expect(
    isNamed,
    () => `A call in flight at the death of "${server.name}" got: ${reply.status} ${reply.text.slice(0, 300)}`,
  );
}

async function timeUntilBack(setup: Setup, server: RigServer, diedAt: number): Promise<number> {
  const agent = await setup.agent('modern', { name: 'waiting' });
  await eventually(
    `"${server.name}" answers again`,
    async () => (await agent.call(`${server.name}.echo`, { text: 'back' })).said === 'back' || undefined,
  );
  agent.close();
  return performance.now() - diedAt;
}

/** Every mark reached the server once. */
function expectNoReplay(rig: Rig, server: RigServer): void {
  const marks = server
    .noted('tool')
    .filter(({ name }) => name === 'slow' || name === 'crash')
    .map(({ arguments: args }) => (args as { mark: string }).mark);
  rig.expect(new Set(marks).size === marks.length, `"${server.name}" was sent a call twice.`);
}

/** S15: the gateway is killed outright again and again while agents call, and restarted on the same folder. */

import { setTimeout as pause } from 'node:timers/promises';
import { allGone, HANG_MS, isAlive } from '../../test/kit/processes.ts';
import { realSizeNames, realSizeSpec } from '../../test/kit/real-size.ts';
import type { ToolSpec } from '../../test/servers/spec.ts';
import type { Check } from '../check.ts';
import type { ExamAgent } from '../kit/agent.ts';
import { ERAS } from '../kit/agent-requests.ts';
import { countedCalls } from '../kit/counted-calls.ts';
import { databaseFault } from '../kit/database.ts';
import { guardOf } from '../kit/gateway-program.ts';
import type { Rig } from '../kit/rig.ts';
import type { Setup } from '../kit/setup.ts';

const sizes = { quick: { kills: 3, mostLoadMs: 200 }, full: { kills: 300, mostLoadMs: 1_500 } };
/** On a shared database: every run of the tests has that of a file beside it, and starts are dear. */
const quickKillsShared = 1;
const agentsOfEachEra = 3;
const startWithinMs = 5_000;

/** By tool: how often it was called, and how often the call was answered. */
type Ledger = Map<string, { sent: number; answered: number }>;

export const killGateway: Check = {
  id: 'S15',
  kind: 'faults',
  title: 'kill -9 of the gateway under load',
  passes:
    'the database is never corrupt, nothing acknowledged is lost or counted twice, start within 5 s, no orphan after 10 s',
  eras: ERAS,
  isAboutStore: true,
  exempt: {
    I1: 'it is killed on purpose',
    I2: 'there are times without a gateway',
    I4: 'no process lives long enough for a baseline',
    I6: 'no process lives long enough for a baseline',
    I8: 'there are times without a gateway',
  },
  async run(rig, size) {
    const { mostLoadMs } = sizes[size];
    const tools = workTools();
    const setup = await rig.open({ servers: { work: { tools } }, isAlone: true });
    const kills = size === 'quick' && setup.shared ? quickKillsShared : sizes[size].kills;
    await setup.stopProber();
    const ledger: Ledger = new Map(tools.map(({ name }) => [name, { sent: 0, answered: 0 }]));
    const farewells: Promise<void>[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      await rig.part(`kill ${kill}`, async () => {
        const victims = await loadThenKill(rig, setup, ledger, { kill, loadMs: rig.random.whole(20, mostLoadMs) });
        farewells.push(rig.part(`orphans of kill ${kill}`, () => allGone(victims)));
        const fault = await databaseFault(setup);
        rig.expect(fault === undefined, `after kill ${kill}: ${fault}`);
        const { startMs } = await setup.restart();
        rig.figure('startMs', startMs);
        rig.expect(rig.isInTime(startMs, startWithinMs), `start ${kill} took ${Math.round(startMs)} ms.`);
      });
    }
    await Promise.all(farewells);
    const answered = [...ledger.values()].reduce((sum, row) => sum + row.answered, 0);
    rig.figure('answered', answered);
    rig.expect(answered > kills, `Only ${answered} calls were answered before ${kills} kills.`);
    await expectCounted(rig, setup, ledger);
  },
};

/**
 * A catalog as large as a real one, so that what is saved and read at each start is too. There are so many tools that hardly any is
 * in flight twice: what is counted can then be told call by call. They need no arguments and answer at once.
 */
function workTools(): ToolSpec[] {
  const all = realSizeNames.flatMap((name) => realSizeSpec(name).tools).filter(({ name }) => /^\w+$/.test(name));
  return [...new Map(all.map((tool) => [tool.name, tool])).values()].map(({ runAs: _, ...definition }) => {
    const { properties, $defs } = definition.inputSchema as { properties: object; $defs?: object };
    return { ...definition, inputSchema: { type: 'object', properties, $defs } };
  });
}

/** Gives the processes that have to go with the gateway. */
async function loadThenKill(
  rig: Rig,
  setup: Setup,
  ledger: Ledger,
  { kill, loadMs }: { readonly kill: number; readonly loadMs: number },
): Promise<number[]> {
  const { gateway } = setup;
  const agents: ExamAgent[] = [];
  for (const era of ERAS) {
    for (let at = 0; at < agentsOfEachEra; at += 1) agents.push(await setup.agent(era));
  }
  const names = [...ledger.keys()];
  const first = Promise.withResolvers<void>();
  let isOver = false;
  const load = agents.map(async (agent, at) => {
    const random = rig.draw(`load ${kill} ${at}`);
    while (!isOver) {
      const name = random.one(names);
      const row = ledger.get(name) ?? { sent: 0, answered: 0 };
      row.sent += 1;
      const { isError } = await agent.call(`work.${name}`, {});
      if (isError) continue;
      row.answered += 1;
      first.resolve();
    }
  });
  // Servers start with the first call; the load begins when that is answered.
  await Promise.race([first.promise, pause(HANG_MS, undefined, { ref: false })]);
  await pause(loadMs);
  isOver = true;
  const guard = guardOf(gateway.pid);
  const victims = [...setup.serverPids().filter(isAlive), ...(guard === undefined ? [] : [guard])];
  gateway.kill('SIGKILL');
  await gateway.exited;
  await Promise.all(load);
  setup.dismissAgents();
  return victims;
}

/** Every answered call is counted, and no other. */
async function expectCounted(rig: Rig, setup: Setup, ledger: Ledger): Promise<void> {
  const counted = await countedCalls(setup, 'work', [...ledger.keys()]);
  for (const [name, { sent, answered }] of ledger) {
    const count = counted.get(name) ?? 0;
    rig.expect(
      count >= answered && count <= sent,
      `${name} was called ${sent} times and answered ${answered} times; ${count} are counted.`,
    );
  }
}

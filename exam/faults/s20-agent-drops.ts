/** S20: the agent's connection breaks at a random byte of its request or of the answer. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../test/kit/processes.ts';
import type { JournalEntry } from '../../test/servers/launch.ts';
import type { Check } from '../check.ts';
import type { ExamAgent } from '../kit/agent.ts';
import { ERAS, type Era, wireBytes } from '../kit/agent-requests.ts';
import type { Random } from '../kit/random.ts';
import type { Rig } from '../kit/rig.ts';
import type { RigServer } from '../kit/rig-server.ts';
import type { Setup } from '../kit/setup.ts';

const sizes = { quick: { drops: 40 }, full: { drops: 1_000 } };
const atOnce = 8;
const cancelWithinMs = 1_000;
/** Modern calls would go on for long, so that a drop always finds them running; legacy ones have to come to their end. */
const steps: Readonly<Record<Era, number>> = { modern: 2_000, legacy: 25 };
const stepMs = 10;
/** As much of an answer as a legacy call writes at least. */
const mostAnswerBytes = 3_000;

interface Drop {
  readonly mark: string;
  readonly era: Era;
  readonly server: string;
  /** Wall clock. */
  readonly at: number;
}

export const agentDrops: Check = {
  id: 'S20',
  kind: 'faults',
  title: 'Agent drops at a random byte',
  passes: 'modern: cancelled downstream within 1 s; legacy: the call comes to its end; no slot, file or process leaks',
  eras: ERAS,
  async run(rig, size) {
    const setup = await rig.open({
      servers: {
        local: {},
        modern: { era: 'modern' },
        remote: { transport: 'http', era: 'modern' },
        session: { transport: 'http', era: 'legacy' },
      },
    });
    const names = [...setup.servers.keys()].filter((name) => name !== 'sibling');
    const agents = { legacy: await setup.agent('legacy'), modern: await setup.agent('modern') };
    const drops: Drop[] = [];
    let left = sizes[size].drops;
    const dropper = async (_: unknown, at: number) => {
      const random = rig.draw(`dropper ${at}`);
      while (left-- > 0) drops.push(await dropOnce(rig, random, agents[random.one(ERAS)], random.one(names)));
    };
    await Promise.all(Array.from({ length: atOnce }, dropper));
    for (const name of names) expectEnds(rig, name, await settledNotes(setup.server(name)), drops);
    await expectFree(rig, setup, names);
  },
};

async function dropOnce(rig: Rig, random: Random, agent: ExamAgent, server: string): Promise<Drop> {
  const { history } = rig;
  const mark = random.word('drop');
  const args = { steps: steps[agent.era], delayMs: stepMs, mark };
  const params = { name: `${server}.progress`, arguments: args, _meta: { progressToken: mark } };
  const bytes = wireBytes(agent.url, agent.written({ id: mark, method: 'tools/call', params }));
  // As often in the request as after it.
  const cutAt = random.share() < 0.3 ? random.whole(0, bytes.length - 1) : bytes.length;
  const readBytes = random.whole(0, mostAnswerBytes);
  const exchange = history.begin({
    ...{ agent: agent.name, era: agent.era, id: mark, deadlineMs: 30_000 },
    what: `tools/call ${server}.progress, cut at ${cutAt} of ${bytes.length}`,
  });
  exchange.hasLeft = true;
  const socket = connect(Number(agent.url.port), agent.url.hostname);
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(bytes.subarray(0, cutAt));
  if (cutAt === bytes.length) await readSome(socket, readBytes);
  else await pause(random.whole(0, 5));
  const at = Date.now();
  // Half of the agents say goodbye, the others just vanish.
  if (random.share() < 0.5) socket.destroy();
  else socket.resetAndDestroy();
  history.end(exchange, { readBytes });
  return { mark, era: agent.era, server, at };
}

/** Resolves when so much has come, or the other side has ended. */
function readSome(socket: Socket, bytes: number): Promise<void> {
  if (bytes === 0) return Promise.resolve();
  return new Promise((resolve) => {
    let seen = 0;
    socket.on('data', (chunk: Buffer) => {
      seen += chunk.length;
      if (seen >= bytes) resolve();
    });
    socket.once('close', () => resolve());
  });
}

/** Its notes, once all calls in them came to their ends or were cancelled: another may reach it later. */
function settledNotes(server: RigServer): Promise<JournalEntry[]> {
  return eventually(`no call is left at ${server.name}`, () => {
    const entries = server.noted();
    const count = (event: JournalEntry['event']) => entries.filter((entry) => entry.event === event).length;
    return count('tool') === count('tool-done') ? entries : undefined;
  });
}

function expectEnds(rig: Rig, name: string, entries: readonly JournalEntry[], drops: readonly Drop[]): void {
  let reached = 0;
  for (const drop of drops.filter(({ server }) => server === name)) {
    const begun = entries.find(
      ({ event, arguments: args }) => event === 'tool' && (args as { mark?: string }).mark === drop.mark,
    );
    if (begun === undefined) continue;
    reached += 1;
    const isSame = ({ id, pid, at }: JournalEntry) => id === begun.id && pid === begun.pid && at >= begun.at;
    const done = entries.find((entry) => entry.event === 'tool-done' && isSame(entry));
    const cancelled = entries.find((entry) => entry.event === 'cancelled' && isSame(entry));
    if (drop.era === 'legacy') {
      rig.expect(
        done !== undefined && done.wasCancelled !== true,
        `${name}: a legacy call did not come to its end: ${drop.mark}`,
      );
    } else {
      const lateMs = (cancelled?.at ?? Number.POSITIVE_INFINITY) - Math.max(drop.at, begun.at);
      rig.figure('cancelMs', lateMs);
      rig.expect(
        rig.isInTime(lateMs, cancelWithinMs),
        `${name}: a modern call was cancelled after ${lateMs} ms: ${drop.mark}`,
      );
    }
  }
  rig.figure(`reached ${name}`, reached);
  rig.expect(reached > 0, `No dropped call reached ${name}.`);
}

/** More calls than there are slots, at once: all of them run. */
async function expectFree(rig: Rig, setup: Setup, names: readonly string[]): Promise<void> {
  const agent = await setup.agent('modern');
  for (const name of names) {
    const calls = Array.from({ length: 20 }, (_, at) => agent.call(`${name}.echo`, { text: `free ${at}` }));
    const replies = await Promise.all(calls);
    const late = replies.filter(({ said, tookMs }, at) => said !== `free ${at}` || !rig.isInTime(tookMs, 2_000));
    rig.expect(
      late.length === 0,
      () => `${name}: ${late.length} of 20 calls were not served at once: ${late[0]?.text.slice(0, 200)}`,
    );
  }
  await eventually('nothing is in flight', async () => {
    const entries = names.flatMap((name) => setup.server(name).noted());
    const open =
      entries.filter(({ event }) => event === 'tool').length -
      entries.filter(({ event }) => event === 'tool-done').length;
    return open === 0 || undefined;
  });
}

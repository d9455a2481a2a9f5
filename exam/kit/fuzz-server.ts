/** A server whose messages a grammar makes, and an agent that must get one good answer to every call of it. */

import type { ExamAgent, ToolReply } from './agent.ts';
import { goodAnswer, junk, oddAnswer, oddDefinition } from './fuzz-answers.ts';
import { hangMs } from './fuzz-door.ts';
import { order } from './owner.ts';
import type { Random } from './random.ts';
import type { Rig } from './rig.ts';
import { answerFault } from './rpc-faults.ts';
import type { Setup } from './setup.ts';

/** How the messages of one answer are separated on the wire. */
export type Wire = 'lines' | 'events' | 'body';

const separators: Readonly<Record<Wire, string>> = { lines: '\n', events: '\n\ndata: ', body: '' };
const messagesOfCall = 20;
const atOnce = 8;
/** Calls that get no answer at all; each takes as long as the server's time. */
const shareUnanswered = 0.03;

export interface HostilePlan {
  readonly server: string;
  readonly wire: Wire;
  readonly cases: number;
}

/** Gives how many messages the server has said. */
export async function fuzzServer(rig: Rig, agent: ExamAgent, plan: HostilePlan): Promise<number> {
  const { server, wire, cases } = plan;
  const random = rig.draw(`fuzz ${server}`);
  let said = 0;
  let taken = 0;
  const worker = async () => {
    while (said < cases) {
      const count = wire === 'body' ? 1 : messagesOfCall;
      said += count;
      const { bytes, must } = utterance(random, wire, count);
      const reply = await agent.call(`${server}.utter`, { bytes: bytes.toString('base64') }, { deadlineMs: hangMs });
      rig.figure('slowestMs', reply.tookMs);
      if (!reply.isError) taken += 1;
      const fault = faultOf(reply, must);
      rig.expect(
        fault === undefined,
        () =>
          `${server}, ${fault}: ${JSON.stringify(bytes.toString('utf8')).slice(0, 600)} became ${reply.status} ${reply.text.slice(0, 300)}`,
      );
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  rig.history.note('uttered', { server, said, taken });
  rig.expect(taken > 0, `${server}: no answer of it was ever taken, so nothing was examined.`);
  return said;
}

/** The server's next messages, and the text that must arrive if only one of them can be the answer. */
function utterance(random: Random, wire: Wire, count: number): { readonly bytes: Buffer; readonly must?: string } {
  const separator = separators[wire];
  const litter = Array.from({ length: count - 1 }, () => oneLine(junk(random), wire));
  const word = random.word('said');
  const what = random.share();
  const isPlain = what > 0.5;
  const last = isPlain ? Buffer.from(JSON.stringify(goodAnswer(word))) : oneLine(oddAnswer(random), wire);
  const all = what < shareUnanswered && wire !== 'body' ? litter : [...litter, last];
  const bytes = Buffer.concat(all.flatMap((one) => [one, Buffer.from(separator)]));
  // An odd message that names the call may be its answer, or end it.
  const isSure = isPlain && !litter.some((one) => one.includes('$ID'));
  return { bytes, ...(isSure && { must: word }) };
}

/** Line breaks inside would make several messages of one, which is tried by cutting them elsewhere. */
function oneLine(bytes: Buffer, wire: Wire): Buffer {
  if (wire === 'body') return bytes;
  return Buffer.from(bytes.toString('latin1').replaceAll(/[\r\n]/g, ' '), 'latin1');
}

function faultOf(reply: ToolReply, must: string | undefined): string | undefined {
  if (reply.status === 0) return 'no answer';
  if (reply.status >= 500) return `status ${reply.status}`;
  if (reply.message === undefined) return 'an answer that is none';
  const fault = answerFault({ ...reply.message });
  if (fault !== undefined) return `no JSON-RPC (${fault})`;
  return must !== undefined && reply.said !== must ? `the answer ${must} was lost` : undefined;
}

/** The server lists odd definitions, over and over; its other tools stay, and so does everybody else. */
export async function fuzzLists(
  rig: Rig,
  setup: Setup,
  agent: ExamAgent,
  plan: { readonly server: string; readonly rounds: number },
): Promise<void> {
  const { server, rounds } = plan;
  const random = rig.draw(`lists ${server}`);
  for (let round = 0; round < rounds; round += 1) {
    const definition = oddDefinition(random);
    const members = typeof definition === 'object' && definition !== null ? definition : { inputSchema: definition };
    await agent.call(`${server}.mutate`, { patch: { ...members, name: 'echo' }, quiet: round % 2 === 0 });
    const startedAt = performance.now();
    await order(setup, 'servers.refresh', { name: server });
    const tookMs = performance.now() - startedAt;
    rig.expect(
      tookMs < hangMs,
      `${server}: listing took ${Math.round(tookMs)} ms after ${JSON.stringify(definition)}.`,
    );
    const { status, message } = await agent.request(
      { id: agent.nextId(), method: 'tools/list' },
      { deadlineMs: hangMs },
    );
    const tools = (message?.result as { tools?: { name: string }[] } | undefined)?.tools ?? [];
    const isWhole = status === 200 && tools.some(({ name }) => name === `${server}.utter`);
    rig.expect(isWhole, () => `${server}: after ${JSON.stringify(definition).slice(0, 300)} its other tools are gone.`);
  }
}

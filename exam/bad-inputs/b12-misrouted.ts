/** B12: many agents of both eras with the same request ids, unique contents and random delays. */

import type { Check } from '../check.ts';
import type { ExamAgent } from '../kit/agent.ts';
import { ERAS } from '../kit/agent-requests.ts';
import type { Rig } from '../kit/rig.ts';

const sizes = { quick: { calls: 200 }, full: { calls: 20_000 } };
const agentsOfEachEra = 100;
const mostDelayMs = 50;
const servers = {
  local: {},
  modern: { era: 'modern' },
  remote: { transport: 'http', era: 'modern' },
  session: { transport: 'http', era: 'legacy', responses: 'sse' },
} as const;

export const misrouted: Check = {
  id: 'B12',
  kind: 'bad inputs',
  title: '200 agents, same ids',
  passes: 'every nonce comes back once, to the agent that sent it; no server saw one twice',
  eras: ERAS,
  async run(rig, size) {
    const entry = { maxConcurrent: 64 };
    const plans = Object.fromEntries(Object.entries(servers).map(([name, spec]) => [name, { ...spec, entry }]));
    const setup = await rig.open({ servers: plans });
    const agents: ExamAgent[] = [];
    for (const era of ERAS) {
      const opening = Array.from({ length: agentsOfEachEra }, (_, at) => setup.agent(era, { name: `${era}-${at}` }));
      agents.push(...(await Promise.all(opening)));
    }
    const names = Object.keys(servers);
    const callsEach = sizes[size].calls / agents.length;
    const sent = new Set<string>();
    await Promise.all(agents.map((agent) => speak(rig, agent, names, callsEach, sent)));
    const seen = names
      .flatMap((name) => setup.server(name).noted('tool'))
      .map(({ arguments: args }) => (args as { value: string }).value);
    rig.figure('calls', sent.size);
    rig.expect(seen.length === sent.size, `${sent.size} calls were made, and the servers saw ${seen.length}.`);
    rig.expect(new Set(seen).size === seen.length, 'A server saw a nonce twice.');
    rig.expect(
      seen.every((value) => sent.has(value)),
      'A server saw a nonce that nobody sent.',
    );
  },
};

/** The ids of every agent are 1, 2, 3 and so on. */
async function speak(
  rig: Rig,
  agent: ExamAgent,
  names: readonly string[],
  calls: number,
  sent: Set<string>,
): Promise<void> {
  const random = rig.draw(agent.name);
  for (let turn = 1; turn <= calls; turn += 1) {
    const value = random.word(`${agent.name}-${turn}`);
    sent.add(value);
    const delayMs = random.whole(0, mostDelayMs);
    const params = { name: `${random.one(names)}.nonce`, arguments: { value, delayMs } };
    const { message, text } = await agent.request({ id: turn, method: 'tools/call', params });
    const [block] = ((message?.result as { content?: { text?: string }[] } | undefined)?.content ?? []) as {
      text?: string;
    }[];
    rig.expect(
      message?.id === turn && block?.text === value,
      () => `${agent.name} asked ${params.name} for ${value} and got ${text.slice(0, 300)}`,
    );
  }
}

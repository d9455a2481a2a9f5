/** S04: litter between the messages, messages in slices of a byte, two in one write, half of one and then the end. */

import { eventually } from '../../test/kit/processes.ts';
import type { Check } from '../check.ts';
import type { ExamAgent } from '../kit/agent.ts';
import { ERAS } from '../kit/agent-requests.ts';
import type { Rig } from '../kit/rig.ts';
import type { Setup } from '../kit/setup.ts';

const sizes = { quick: { calls: 40, delayMs: 1 }, full: { calls: 400, delayMs: 10 } };
const atOnce = 8;
/** One, two, three and four bytes in UTF-8, and what a line splitter must not take for the end of a line. */
const letters = ['a', 'é', '日', '本', '🙂', '\u2028', '\u2029', '\u0085', '\r', '\n', '"', '\\'];
const echo = [{ name: 'echo', inputSchema: { type: 'object' } }];

export const garbage: Check = {
  id: 'S04',
  kind: 'faults',
  title: 'Garbage on stdout, half JSON, split UTF-8',
  passes: 'every valid message is delivered to the letter, none is lost',
  eras: ERAS,
  async run(rig, size) {
    const { calls, delayMs } = sizes[size];
    const bytes = rig.random.whole(1, 7);
    const setup = await rig.open({
      servers: {
        littered: { tools: echo, modes: { junkStdout: true, stderrNoise: true } },
        sliced: { tools: echo, modes: { splitWrites: { bytes }, twoMessagesPerWrite: true } },
        dripping: { tools: echo, modes: { splitWrites: { bytes: 1, delayMs } } },
        odd: {
          tools: echo,
          modes: { oddMessages: true, junkStdout: ['utf8', 'binary', 'crlf'], splitWrites: { bytes: 5 } },
        },
        halves: { tools: echo, modes: { halfJsonThenExit: 2 } },
      },
    });
    const agents = await Promise.all(ERAS.map((era) => setup.agent(era)));
    const busy = ['littered', 'sliced', 'odd'].map((name) => rig.part(name, () => speak(rig, agents, name, calls)));
    await Promise.all([
      ...busy,
      rig.part('dripping', () => speak(rig, agents, 'dripping', 6)),
      rig.part('halves', () => halves(rig, setup, agents)),
    ]);
  },
};

async function speak(rig: Rig, agents: readonly ExamAgent[], name: string, calls: number): Promise<void> {
  let left = calls;
  const speaker = async (_: unknown, at: number) => {
    const random = rig.draw(`${name} ${at}`);
    while (left-- > 0) {
      const text = Array.from({ length: random.whole(1, 200) }, () => random.one(letters)).join('');
      const { said, text: raw } = await random.one(agents).call(`${name}.echo`, { text });
      rig.expect(said === text, () => `${name} changed ${JSON.stringify(text)} into ${raw.slice(0, 500)}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, calls) }, speaker));
}

/** The third call of each process is answered by half a message and its end. */
async function halves(rig: Rig, setup: Setup, agents: readonly ExamAgent[]): Promise<void> {
  for (const agent of agents) {
    for (const text of ['first', 'second']) {
      const said = await eventually('it answers', async () => {
        const reply = await agent.call('halves.echo', { text });
        return reply.isError ? undefined : reply.said;
      });
      rig.expect(said === text, `halves said ${said.slice(0, 200)} instead of ${text}`);
    }
    const { isError, said, tookMs } = await agent.call('halves.echo', { text: 'third' });
    rig.expect(
      isError && said.includes('halves') && rig.isInTime(tookMs, 1_000),
      `half a message, after ${Math.round(tookMs)} ms: ${said.slice(0, 300)}`,
    );
  }
  const started = setup.server('halves').noted('started').length;
  rig.figure('starts', started);
}

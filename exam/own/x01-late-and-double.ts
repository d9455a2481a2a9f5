/** X01: servers that answer twice, and servers that answer what was cancelled long ago. */

import type { Check } from '../check.ts';
import type { ExamAgent } from '../kit/agent.ts';
import { ERAS } from '../kit/agent-requests.ts';
import type { Random } from '../kit/random.ts';
import type { Rig } from '../kit/rig.ts';

const sizes = { quick: { calls: 100 }, full: { calls: 2_000 } };
const timeoutMs = 2_000;
const atOnce = 10;

export const lateAndDouble: Check = {
  id: 'X01',
  kind: 'own',
  title: 'Late and double replies',
  passes: 'every caller gets one reply and its own; what comes too late or twice reaches nobody',
  eras: ERAS,
  async run(rig, size) {
    const modes = { doubleReply: true, answerCancelled: true };
    const entry = { timeoutMs, maxConcurrent: 32 };
    const setup = await rig.open({
      servers: { double: { modes, entry }, modern: { era: 'modern', modes, entry } },
    });
    const agents = await Promise.all([...ERAS, ...ERAS].map((era, at) => setup.agent(era, { name: `${era}-${at}` })));
    let left = sizes[size].calls;
    const caller = async (_: unknown, at: number) => {
      const random = rig.draw(`caller ${at}`);
      while (left-- > 0) await callOnce(rig, random, random.one(agents), random.one(['double', 'modern']));
    };
    await Promise.all(Array.from({ length: atOnce }, caller));
    for (const name of ['double', 'modern']) {
      const late = setup
        .server(name)
        .noted('tool-done')
        .filter(({ wasCancelled }) => wasCancelled === true);
      rig.figure(`late ${name}`, late.length);
      rig.expect(late.length > 0, `No call of "${name}" was answered too late.`);
      const pids = new Set(
        setup
          .server(name)
          .noted('tool')
          .map(({ pid }) => pid),
      );
      rig.expect(pids.size === 1, `The link to "${name}" was given up: ${pids.size} processes served its calls.`);
    }
  },
};

/** A third of them take longer than they may. */
async function callOnce(rig: Rig, random: Random, agent: ExamAgent, server: string): Promise<void> {
  const value = random.word('nonce');
  const delayMs = random.share() < 0.3 ? timeoutMs * 1.5 : random.whole(0, 30);
  const { said, errorType, text } = await agent.call(`${server}.nonce`, { value, delayMs });
  const isRight = delayMs > timeoutMs ? errorType === 'TIMEOUT' : said === value;
  rig.expect(
    isRight,
    () => `${agent.name} asked ${server} for ${value} after ${delayMs} ms and got ${text.slice(0, 300)}`,
  );
}

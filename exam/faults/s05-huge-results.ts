/** S05: a result of 100 MB, and ten of 9 MB at once. */

import type { Check } from '../check.ts';
import { ERAS } from '../kit/agent-requests.ts';
import { expectBounded, expectLarge, frameBytes, MemoryWatch } from '../kit/large-results.ts';

const megabyte = 1024 * 1024;
const tools = [
  { name: 'flood', runAs: 'flood' },
  { name: 'echo', inputSchema: { type: 'object' } },
];

export const hugeResults: Check = {
  id: 'S05',
  kind: 'faults',
  title: '100 MB result and ten of 9 MB',
  passes: 'an error that names the limit, or a header with a link where all can be read; memory within 4 × 32 MiB',
  eras: ERAS,
  async run(rig, size) {
    const setup = await rig.open({
      isAlone: true,
      servers: {
        local: { tools },
        remote: { transport: 'http', tools },
        modern: { era: 'modern', tools },
      },
    });
    for (const era of ERAS) {
      const agent = await setup.agent(era);
      // A quick examination sends one of them to each era.
      const sources = size === 'full' ? ['local', 'remote'] : [era === 'legacy' ? 'local' : 'remote'];
      for (const name of sources) {
        await rig.part(`100 MB from ${name}, ${era}`, async () => {
          const needle = rig.random.word('needle');
          const watch = new MemoryWatch(setup.gateway.pid);
          const reply = await agent.call(`${name}.flood`, { bytes: 100 * megabyte, needle }, { deadlineMs: 60_000 });
          rig.figure('hundredMs', reply.tookMs);
          await expectLarge(rig, agent, `100 MB from ${name}, ${era}`, reply, needle);
          expectBounded(rig, watch, `100 MB ${name}`, frameBytes);
        });
      }
      // A quick examination does so in one era.
      const isTenfold = size === 'full' || era === 'modern';
      if (isTenfold)
        await rig.part(`ten of 9 MB, ${era}`, async () => {
          const needle = rig.random.word('needle');
          const watch = new MemoryWatch(setup.gateway.pid);
          const names = Array.from({ length: 10 }, (_, at) => ['local', 'remote', 'modern'][at % 3] ?? 'local');
          const replies = await Promise.all(
            names.map((name) => agent.call(`${name}.flood`, { bytes: 9 * megabyte, needle }, { deadlineMs: 60_000 })),
          );
          for (const [at, reply] of replies.entries())
            await expectLarge(rig, agent, `9 MB from ${names[at]}, ${era}`, reply, needle);
          expectBounded(rig, watch, 'ten of 9 MB', frameBytes);
        });
      const { said } = await agent.call('local.echo', { text: 'after' });
      rig.expect(said === 'after', `The server answers no more: ${said.slice(0, 300)}`);
    }
  },
};

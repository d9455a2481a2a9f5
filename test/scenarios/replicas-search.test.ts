/** Search on one database: what one gateway learns of use, the others learn too. */

import assert from 'node:assert/strict';
import { ModernAgent } from '../kit/modern-agent.ts';
import { queryRows } from '../kit/postgres.ts';
import { eventually } from '../kit/processes.ts';
import { type Replica, replicaTest } from '../kit/replicas.ts';
import { discover, keysOf } from '../kit/search-requests.ts';
import { ShiftedClock } from '../kit/shifted-clock.ts';
import { hostedServer } from '../servers/hosted.ts';

const office = hostedServer({
  name: 'office',
  tools: [
    { name: 'send_letter', description: 'Sends a letter to a customer.' },
    { name: 'send_parcel', description: 'Sends a parcel to a customer.' },
  ],
});
const query = 'send something to a customer';
const clock = new ShiftedClock();

replicaTest(
  '[REP-55] uses learnt at two gateways add up, and both rank by all of them a minute later',
  { servers: { office }, clock },
  async (replicas, url) => {
    const [one, other] = replicas;
    const [, second = assert.fail()] = keysOf(await discover(one.gateway, query));
    for (const { gateway } of [one, other])
      for (let round = 0; round < 3; round += 1) {
        await discover(gateway, query);
        await new ModernAgent(gateway).say('tool_execute', { toolKey: second, arguments: {} });
      }
    await eventually('both have added their uses', async () => {
      const [row] = await queryRows(url, 'select good from tool_use');
      return Math.round(Number(row?.good)) === 6 || undefined;
    });
    const own = await boosts(replicas, second);
    clock.shift(60_000);
    const shared = await eventually('both know the uses of both', async () => {
      const now = await boosts(replicas, second);
      return now.every((boost, at) => boost > (own[at] ?? assert.fail())) ? now : undefined;
    });
    assert.equal(shared[0], shared[1]);
  },
);

/** How far each gateway lifts the tool, to three places. */
function boosts(replicas: readonly Replica[], toolKey: string): Promise<number[]> {
  return Promise.all(
    replicas.map(async ({ gateway }) => {
      const { tools } = await discover(gateway, query, { detailLevel: 'full' });
      const usage = tools.find((tool) => tool.toolKey === toolKey)?.explanation?.usage;
      return Number((usage ?? assert.fail('no use is known')).boost.toFixed(3));
    }),
  );
}

/** The live state of one gateway shows what happens at the others on its database. */

import assert from 'node:assert/strict';
import type { GatewayEvent } from '../../src/admin/admin.ts';
import { hostServers } from '../kit/planned-servers.ts';
import { eventually } from '../kit/processes.ts';
import { cutBuses, type Replica, readerOf, replicaTest } from '../kit/replicas.ts';

const servers = () => hostServers({ shop: {} }).servers;

const executionsIn = (events: readonly GatewayEvent[]) =>
  events.flatMap((event) => (event.kind === 'record' && event.data.kind === 'execution' ? [event.data.id] : []));

const countOf = async ({ admin }: Replica) => (await admin.run('metrics.tools', {})).tools[0]?.callCount ?? 0;

replicaTest(
  '[REP-13] calls and records of one gateway are in the events and figures of the other, each once',
  { servers: servers() },
  async ([one, other]) => {
    await using reader = readerOf(one);
    await eventually('it reads', () => reader.events.length > 0 || undefined);
    for (const at of [1, 2, 3]) {
      await other.agent.say('shop.echo', { text: `there ${at}` });
      await one.agent.say('shop.echo', { text: `here ${at}` });
    }
    const ids = await eventually('all records were told', () => {
      const found = executionsIn(reader.events);
      return found.length >= 6 ? found : undefined;
    });
    assert.equal(new Set(ids).size, ids.length, 'each once');
    for (const replica of [one, other])
      await eventually('all calls are counted', async () => (await countOf(replica)) === 6 || undefined);
    const minutes = await eventually('the minute was told', () => {
      const told = reader.events.flatMap((event) => (event.kind === 'minute' ? [event.data] : []));
      const last = new Map(told.map((minute) => [minute.start, minute.callCount]));
      return [...last.values()].reduce((sum, count) => sum + count, 0) === 6 || undefined;
    });
    assert.ok(minutes);
    const snapshot = await one.admin.run('live.snapshot', {});
    assert.equal(
      snapshot.minutes.reduce((sum, { callCount }) => sum + callCount, 0),
      6,
    );
    // What one of them forgets is forgotten.
    await other.admin.run('metrics.reset', {});
    await eventually('nothing is counted', async () => (await countOf(one)) === 0 || undefined);
  },
);

replicaTest(
  '[REP-13] calls that were made while a gateway could not hear of them are in its figures once it can',
  { servers: servers() },
  async ([one, other], url) => {
    await using reader = readerOf(one);
    await eventually('it reads', () => reader.events.length > 0 || undefined);
    await cutBuses(url);
    await other.agent.say('shop.echo', { text: 'unheard' });
    await eventually('it is counted', async () => (await countOf(one)) === 1 || undefined);
    await eventually('it is told', () => executionsIn(reader.events).length === 1 || undefined);
  },
);

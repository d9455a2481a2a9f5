/** Which agents were at the doors. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { everybody } from '../access/access.ts';
import { SeenAgents } from './seen-agents.ts';

const agent = { principal: everybody, era: 'modern', client: 'cursor/1', door: 'agent', surface: null } as const;

test('requests of one program are counted together, and each session alone until it ends', async () => {
  const clock = new ManualClock();
  const agents = new SeenAgents(clock);
  let told = 0;
  agents.changed.on(() => {
    told += 1;
  });
  agents.note(agent);
  await clock.advance(5);
  agents.note(agent);
  agents.note({ ...agent, era: 'legacy' }, 's1');
  agents.note({ ...agent, era: 'legacy' }, 's2');
  agents.end('s1');
  agents.end('unknown');
  const seen = agents
    .list()
    .map(({ era, requests, isOpen, since, lastSeen }) => [era, requests, isOpen, lastSeen - since]);
  assert.deepEqual(seen, [
    ['legacy', 1, true, 0],
    ['legacy', 1, false, 0],
    ['modern', 2, false, 5],
  ]);
  assert.equal(told, 5);
});

test('only the latest are kept, however many come', () => {
  const agents = new SeenAgents(new ManualClock());
  for (let number = 0; number < 2_000; number += 1) agents.note({ ...agent, client: `program ${number}` });
  agents.note({ ...agent, client: 'program 1500' });
  const clients = agents.list().map(({ client }) => client);
  assert.deepEqual([clients.length, clients[0], clients[1]], [500, 'program 1500', 'program 1999']);
});

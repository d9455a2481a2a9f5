/** Tests of the figures that recorded calls give of a tool. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeUpCall as call } from '../../test/kit/made-up-call.ts';
import { countNotTaken, noFigures, trafficIn } from './traffic.ts';

test('calls count by how they ended, unless the server failed or the own description was read', () => {
  const ends = ['ok', 'arguments', 'tool', 'server', 'timeout', 'cancelled', 'refused'] as const;
  const calls = [...ends.map((outcome) => call({ outcome })), call({ way: 'plain' })];
  assert.deepEqual(
    [...trafficIn(calls)],
    [['s:a', { ...noFigures, calls: 3, ok: 1, argumentErrors: 1, thenCalled: new Map() }]],
  );
});

test('a call is a confusion when its session next calls another tool for the same query', () => {
  const query = 'find a file';
  const calls = [
    call({ query }),
    call({ query, session: 'two' }),
    call({ query, tool: 'b' }),
    call({ query: 'send it', tool: 'c' }),
    call({ query, session: 'two' }),
    call({ query: null, session: 'three' }),
    call({ query: null, tool: 'b', session: 'three' }),
  ];
  const traffic = trafficIn(calls);
  const { followed, confused, thenCalled } = traffic.get('s:a') ?? noTraffic;
  assert.deepEqual([followed, confused, [...thenCalled]], [2, 1, [['s:b', 1]]]);
  assert.deepEqual([traffic.get('s:b')?.followed, traffic.get('s:b')?.confused], [1, 0]);
});

const noTraffic = { ...noFigures, thenCalled: new Map() };

test('a tool that stands before the one that was called was found and not taken', async () => {
  const queries = [
    { query: 'read it', toolKey: 's:b', count: 2 },
    { query: 'read it', toolKey: 's:c', count: 1 },
    { query: 'unknown now', toolKey: 's:d', count: 5 },
  ];
  const rank = async (query: string) => (query === 'read it' ? ['s:a', 's:c', 's:b'] : ['s:a']);
  assert.deepEqual([...(await countNotTaken(queries, rank))], [['s:a', 3]]);
});

/** Tests of the names that are sent to the thread that judges: each once, and together they are all there are. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Neighbours } from './judgement.ts';
import { ReceivedNames, SentNames, type SentNeighbours } from './sent-names.ts';

const ownNames = new Set(['tool_info']);

function toolsOf(server: string, count = 100): Set<string> {
  return new Set(Array.from({ length: count }, (_, at) => `${server}_tool_${at}`));
}

function beside(server: string, all: ReadonlyMap<string, ReadonlySet<string>>): Neighbours {
  const others = new Map([...all].filter(([name]) => name !== server));
  return { server, ownNames, others, siblings: all.get(server) };
}

function sentIn({ changed, siblings }: SentNeighbours): number {
  return [...changed.values()].reduce((sum, names) => sum + (names?.size ?? 0), siblings?.size ?? 0);
}

test('many servers that are judged in turns cost each name twice, however many orders there are', () => {
  const all = new Map(Array.from({ length: 40 }, (_, at) => [`s${at}`, toolsOf(`s${at}`)] as const));
  const sent = new SentNames();
  let count = 0;
  for (let round = 0; round < 20; round += 1)
    for (const server of all.keys()) count += sentIn(sent.missing(beside(server, all)));
  assert.equal(count, 2 * 40 * 100);
});

test('the other end has all neighbours, also after servers came, changed and went', () => {
  const [sent, received] = [new SentNames(), new ReceivedNames()];
  const judged = (server: string, all: ReadonlyMap<string, ReadonlySet<string>>) => {
    const { others, siblings } = received.complete(structuredClone(sent.missing(beside(server, all))));
    return { others: new Map([...others].filter(([name]) => name !== server)), siblings };
  };
  const [a, b, c] = [toolsOf('a', 2), toolsOf('b', 2), toolsOf('c', 2)];
  const states = [
    new Map([
      ['a', a],
      ['b', b],
    ]), // both new
    new Map([
      ['a', a],
      ['b', c],
    ]), // other tools
    new Map([['a', a]]), // gone
    new Map([
      ['a', a],
      ['b', b],
      ['c', c],
    ]), // back
  ];
  for (const all of states)
    for (const server of all.keys()) {
      const { others, siblings } = beside(server, all);
      assert.deepEqual(judged(server, all), { others, siblings });
    }
});

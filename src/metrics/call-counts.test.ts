/** Calls since the start, with bounded labels. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeUpCall } from '../../test/kit/made-up-call.ts';
import { CallCounts, labelLimits, otherLabel } from './call-counts.ts';

function labels(counts: CallCounts): string[] {
  return [...counts.all()].flatMap(({ server, tools }) => [...tools.keys()].map((tool) => `${server}:${tool}`));
}

function countAll(counts: CallCounts): number {
  const each = [...counts.all()].flatMap(({ tools }) => [...tools.values()]);
  return each.flatMap((outcomes) => Object.values(outcomes)).reduce((sum, count) => sum + count, 0);
}

test('calls are counted by server, tool and outcome; only those that reached the tool have a duration', () => {
  const counts = new CallCounts();
  counts.add(madeUpCall({ ms: 2 }));
  counts.add(madeUpCall({ outcome: 'tool', ms: 3_000 }));
  counts.add(madeUpCall({ outcome: 'timeout', ms: 60_000 }));
  counts.add(madeUpCall({ isCached: true, ms: 1 }));
  const [one] = counts.all();
  assert.deepEqual([one?.tools.get('a')?.ok, one?.tools.get('a')?.tool, one?.tools.get('a')?.timeout], [2, 1, 1]);
  assert.equal(one?.durations.sumSeconds, 3.002);
  const within = (bound: number) => one?.durations.upTo().find((bucket) => bucket.bound === bound)?.count;
  assert.deepEqual([within(0.001), within(0.005), within(2.5), within(10), within(Infinity)], [0, 1, 1, 2, 2]);
});

test('beyond the labels of one server, of all tools and of all servers, calls count as others, and none is lost', () => {
  const counts = new CallCounts();
  const toolsOf = (server: string, many: number) => {
    for (let number = 0; number < many; number += 1) counts.add(madeUpCall({ server, tool: `t${number}` }));
  };
  toolsOf('flood', 5_000);
  assert.equal(labels(counts).length, labelLimits.toolsOfServer + 1);
  toolsOf('calm', 3);
  assert.ok(labels(counts).includes('calm:t2'));
  for (let number = 0; number < 20; number += 1) toolsOf(`s${number}`, 200);
  assert.equal(labels(counts).filter((label) => !label.endsWith(`:${otherLabel}`)).length, labelLimits.tools);
  for (let number = 0; number < 600; number += 1) toolsOf(`server-${number}`, 1);
  assert.equal([...counts.all()].length, labelLimits.servers + 1);
  assert.equal(counts.labelOf('server-599'), otherLabel);
  assert.equal(countAll(counts), 5_000 + 3 + 20 * 200 + 600);
});

test('a name of a stranger becomes one short line without unseen characters, and equal lines share a series', () => {
  const counts = new CallCounts();
  const long = 'x'.repeat(labelLimits.characters);
  for (const tool of ['a\nb', '\u0000\u202e', '\ud800', `${long}1`, `${long}2`, '\u{1f600}'.repeat(500), otherLabel])
    counts.add(madeUpCall({ tool }));
  const tools = labels(counts).map((label) => label.slice('s:'.length));
  assert.deepEqual(tools.slice(0, 4), ['a\\u000ab', '\\u0000\\u202e', '\\ud800', long]);
  assert.equal(tools.length, 6);
  for (const tool of tools) assert.ok(tool.length <= labelLimits.characters && tool.isWellFormed());
});

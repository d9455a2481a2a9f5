/** Tests of which records are given up first: what is cheap, and of who has most; a flood costs who causes it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeUpCall } from '../../test/kit/made-up-call.ts';
import { madeUpEvent } from '../../test/kit/made-up-event.ts';
import type { AuditKind } from './audit/audit.ts';
import { chooseDropped, type NewRecord } from './choose-dropped.ts';

interface Item {
  readonly name: string;
  readonly record: NewRecord;
}

/** `principal kind`, each with a number. */
function itemsOf(...texts: readonly string[]): Item[] {
  return texts.map((text, at) => {
    const [principal = '', kind = ''] = text.split(' ');
    return { name: `${text} ${at}`, record: { event: madeUpEvent({ principal, kind: kind as AuditKind }) } };
  });
}

const dropped = (items: readonly Item[], count: number) => [...chooseDropped(items, count)].map(({ name }) => name);

test('what was only looked at goes before anything that was done, whoever did it and however old it is', () => {
  const items = itemsOf('a discovery', 'b execution', 'b execution', 'b access', 'owner administration', 'c discovery');
  assert.deepEqual(dropped(items, 2), ['c discovery 5', 'a discovery 0']);
  assert.deepEqual(dropped(items, 3)[2], 'b access 3');
});

test('of who has most the newest goes, until others have as many', () => {
  const items = itemsOf('b execution', 'a execution', 'a execution', 'a access', 'c execution', 'c execution');
  assert.deepEqual(dropped(items, 4), ['a access 3', 'c execution 5', 'a execution 2', 'c execution 4']);
});

test('a flood of dear records washes away nothing of others, and not what its author did before', () => {
  const flood = Array.from({ length: 1_000 }, () => 'thief administration');
  const items = itemsOf('thief execution', 'a execution', 'owner administration', 'a discovery', ...flood, 'b access');
  const chosen = dropped(items, 500);
  assert.equal(chosen[0], 'a discovery 3');
  assert.ok(chosen.slice(1).every((name) => name.startsWith('thief administration')));
});

test('a call that has no event counts for who called', () => {
  const call = (principal: string) => ({ name: principal, record: { call: madeUpCall({ principal }) } });
  assert.deepEqual(dropped([call('a'), call('b'), call('b')], 1), ['b']);
  const [looked] = itemsOf('a discovery');
  assert.ok(looked);
  assert.deepEqual(dropped([looked, call('b'), call('b')], 1), ['a discovery 0']);
});

/** Pages: nothing that was there all the time is skipped or doubled, whatever comes and goes between them; only our cursors are taken. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RpcError } from '../protocol/messages.ts';
import { cursorAfter, type Positioned, pageOfList, refuseCursor } from './paging.ts';

const byPosition = ({ position: a }: Positioned, { position: b }: Positioned) =>
  a[0] === b[0] ? (a[1] < b[1] ? -1 : Number(a[1] !== b[1])) : a[0] < b[0] ? -1 : 1;

/** As lists are made: each position once, in order. */
function listOf(positions: readonly (readonly [string, string])[]): Positioned[] {
  const unique = new Map(positions.map((position) => [JSON.stringify(position), { position }]));
  return [...unique.values()].sort(byPosition);
}

/** All pages, each of the list as it is at that time. */
function walk(lists: readonly (readonly Positioned[])[], size: number): string[] {
  const seen: string[] = [];
  let cursor: string | undefined;
  for (let turn = 0; turn === 0 || cursor !== undefined; turn += 1) {
    const list = lists[Math.min(turn, lists.length - 1)] ?? [];
    const page = pageOfList('things', list, cursor, size);
    assert.ok(page.items.length <= size);
    seen.push(...page.items.map(({ position }) => JSON.stringify(position)));
    cursor = page.nextCursor;
  }
  return seen;
}

const place = fc.tuple(fc.constantFrom('', 'a', 'b', 'b__c'), fc.string({ unit: 'binary', maxLength: 3 }));

test('a list is walked whole, in its order, and the last page names no other', () => {
  fc.assert(
    fc.property(fc.array(place, { maxLength: 40 }), fc.integer({ min: 1, max: 9 }), (positions, size) => {
      const list = listOf(positions);
      const expected = list.map(({ position }) => JSON.stringify(position));
      assert.deepEqual(walk([list], size), expected);
    }),
  );
});

test('what is there all the time comes exactly once, though others come and go', () => {
  const positions = fc.array(place, { maxLength: 20 });
  fc.assert(
    fc.property(positions, fc.array(positions, { minLength: 1, maxLength: 8 }), (staying, visiting) => {
      const lists = visiting.map((others) => listOf([...staying, ...others]));
      const seen = walk(lists, 3);
      for (const { position } of listOf(staying))
        assert.equal(seen.filter((item) => item === JSON.stringify(position)).length, 1);
      assert.equal(new Set(seen).size, seen.length);
    }),
  );
});

test('a cursor that is not ours, or of another list, is refused as invalid parameters', () => {
  const isRefused = (error: unknown) => error instanceof RpcError && error.code === -32602;
  const good = cursorAfter('things', ['a', 'b']);
  assert.deepEqual(pageOfList('things', listOf([['a', 'c']]), good, 5).items.length, 1);
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  for (const cursor of [
    ...['', 'x', '2', ' ', `${good}=`, `${good} `, `${good}AA`, 'é', '💥', '%00', 'A'.repeat(100_000)],
    ...[5, true, {}, [], [good]],
    cursorAfter('others', ['a', 'b']),
    encode(['things', 'a']),
    encode(['things', 'a', 5]),
    encode(['things', 'a', 'b', 'c']),
    encode({ 0: 'things' }),
    encode('things'),
  ])
    assert.throws(() => pageOfList('things', [], cursor, 5), isRefused, String(cursor).slice(0, 50));
  assert.throws(() => refuseCursor({ cursor: good }), isRefused);
  refuseCursor({});
});

test('null is no cursor: some agents say so that they have none', () => {
  assert.equal(pageOfList('things', listOf([['a', 'c']]), null, 5).items.length, 1);
  refuseCursor({ cursor: null });
});

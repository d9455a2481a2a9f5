/** Tests of answers of ours: what is left out where they are too long, and pages that skip and repeat nothing. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../test/kit/any-character.ts';
import type { Config } from '../config/config.ts';
import { RpcError } from '../protocol/messages.ts';
import {
  type AnswerObject,
  cursorAfter,
  fitRows,
  fitWhole,
  type Positioned,
  pageOfList,
  refuseCursor,
  roomBeside,
} from './arguments-and-answers.ts';

const named = (count: number): AnswerObject[] => Array.from({ length: count }, (_, id) => ({ id }));
const long = (row: AnswerObject, chars: number): AnswerObject => ({ ...row, text: 'x'.repeat(chars) });
// Only this member is used.
const limitedTo = (maxResultBytes: number) => ({ config: () => ({ calls: { maxResultBytes } }) as unknown as Config });

test('every row is there before the first gets more, and the first get more before the last', () => {
  const [poor, middle, rich] = [
    named(10),
    named(10).map((row) => long(row, 30)),
    named(10).map((row) => long(row, 500)),
  ];
  const lengths = (room: number) =>
    fitRows([rich, middle, poor], room).rows.map(({ text }) => (typeof text === 'string' ? text.length : 0));
  assert.deepEqual(lengths(100_000), Array(10).fill(500));
  assert.deepEqual(lengths(2_000), [...Array(3).fill(500), ...Array(7).fill(30)]);
  assert.deepEqual(lengths(300), [...Array(4).fill(30), ...Array(6).fill(0)]);
  assert.deepEqual(lengths(60), [0, 0, 0, 0, 0]);
  assert.deepEqual(lengths(0), [0], 'one in any case');
});

test('a row that is too large alone takes nothing from the others', () => {
  const rich = named(3).map((row, at) => long(row, at === 0 ? 100_000 : 500));
  const { rows, wholeCount } = fitRows([rich, named(3)], 5_000);
  assert.deepEqual([rows[0], rows[1], wholeCount], [{ id: 0 }, rich[1], 2]);
});

test('rows are within their room, as the text of an answer is sent', () => {
  const texts = fc.array(fc.string({ unit: anyCharacter, maxLength: 200 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(texts, fc.integer({ min: 300, max: 4_000 }), (given, room) => {
      const { rows } = fitRows([given.map((text) => ({ text })), given.map((_, at) => ({ at }))], room);
      const bytes = Buffer.byteLength(JSON.stringify(JSON.stringify(rows)));
      assert.ok(rows.length > 0 && bytes <= room + 4, `${bytes} of ${room}`);
    }),
  );
});

test('the first form of an answer that fits is taken, else the last', () => {
  const forms = [5_000, 800, 10].map((chars) => () => long({}, chars));
  const chosen = (maxBytes: number) => String(fitWhole(limitedTo(maxBytes), forms).text).length;
  assert.deepEqual([20_000, 2_000, 1_000, 100].map(chosen), [5_000, 800, 10, 10]);
  assert.ok(roomBeside(limitedTo(1_000), {}) < 1_000);
});

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

const place = fc.tuple(fc.constantFrom('', 'a', 'b', 'b__c'), fc.string({ unit: anyCharacter, maxLength: 3 }));

test('a list is walked whole, in its order, and the last page names no other', () => {
  fc.assert(
    fc.property(fc.array(place, { maxLength: 40 }), fc.integer({ min: 1, max: 9 }), (positions, size) => {
      const list = listOf(positions);
      const expected = list.map(({ position }) => JSON.stringify(position));
      assert.deepEqual(walk([list], size), expected);
    }),
  );
});

test('an item that stays comes exactly once, though others come and go', () => {
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

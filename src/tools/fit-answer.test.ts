/** Tests of how answers of ours are kept within the limit: what is said less of, what is left out, and in which order. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Config } from '../config/config.ts';
import { type AnswerObject, fitRows, fitWhole, roomBeside } from './fit-answer.ts';

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
  const texts = fc.array(fc.string({ unit: 'binary', maxLength: 200 }), { minLength: 1, maxLength: 30 });
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

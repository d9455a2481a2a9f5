/** Tests of JSON from strangers: the depth limit counts brackets and nothing else, and sizes are known without writing. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../test/kit/any-character.ts';
import { workMs } from '../../test/kit/work-ms.ts';
import { isObject, JsonLimitError, jsonSize, maxJsonDepth, maxJsonValues, parseExactJson, parseJson } from './json.ts';

const nested = (depth: number, [open, close] = ['[', ']']) => `${open.repeat(depth)}1${close.repeat(depth)}`;

test('the deepest allowed nesting passes and one more does not', () => {
  for (const pair of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as [string, string][]) {
    assert.doesNotThrow(() => parseJson(nested(maxJsonDepth, pair)));
    assert.throws(() => parseJson(nested(maxJsonDepth + 1, pair)), JsonLimitError);
  }
  assert.throws(() => parseJson(nested(5), 4), /nested deeper than 4 levels/);
  assert.deepEqual(parseJson('[[[[1]]]]', 4), [[[[1]]]]);
});

test('a million levels are refused without delay', () => {
  const text = nested(1_000_000);
  const tookMs = workMs(() => assert.throws(() => parseJson(text), JsonLimitError));
  assert.ok(tookMs < 100, `${tookMs} ms`);
});

test('brackets inside strings, after escaped quotes and backslashes, do not count', () => {
  const brackets = '['.repeat(1_000);
  for (const value of [brackets, `"${brackets}`, `\\"${brackets}`, `\\\\"${brackets}\\`]) {
    assert.equal(parseJson(JSON.stringify(value)), value);
    assert.deepEqual(parseJson(JSON.stringify({ [value]: [value] })), { [value]: [value] });
  }
});

test('siblings do not add up', () => {
  const wide = `[${Array.from({ length: 10_000 }, () => '[1]').join(',')}]`;
  assert.equal((parseJson(wide) as unknown[]).length, 10_000);
});

test('parsing accepts and refuses the same texts as JSON.parse', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 20 }), (text) => {
      assert.deepEqual(parseJson(text), JSON.parse(text));
    }),
  );
  for (const text of ['', '{', '[1,]', "{'a':1}", '"\u0001"', 'undefined', '"unterminated']) {
    assert.throws(() => parseJson(text), SyntaxError, text);
  }
});

test('a member named __proto__ stays a member', () => {
  const value = parseJson('{"__proto__":{"polluted":true}}') as object;
  assert.deepEqual(Object.keys(value), ['__proto__']);
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
});

test('an object is neither null nor a list', () => {
  assert.deepEqual([{}, [], null, 'x', 1, undefined].map(isObject), [true, false, false, false, false, false]);
});

test('more values than anybody needs are refused before they are made', () => {
  assert.throws(() => parseJson(`[${'{},'.repeat(maxJsonValues)}{}]`), /more than 1000000 members/);
});

test('numbers that would change on the way are refused where that is asked for', () => {
  for (const number of ['9007199254740993', '-1234567890123456789', '1e400', '-1e999']) {
    assert.throws(() => parseExactJson(`{"a":[${number}]}`), JsonLimitError, number);
    assert.doesNotThrow(() => parseJson(`{"a":[${number}]}`));
    assert.deepEqual(parseExactJson(`{"a":"${number}"}`), { a: number });
  }
  for (const number of ['9007199254740991', '9007199254740992', '1e20', '0.1234567890123456789', '-0', '1E-400']) {
    assert.deepEqual(parseExactJson(`[${number}]`), [Number(number)]);
  }
});

test('it is the size of the JSON text, for all values that JSON has', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: anyCharacter }), (value) => {
      const written = JSON.stringify(value);
      const said = jsonSize(JSON.parse(written));
      const exact = Buffer.byteLength(written);
      assert.ok(said >= exact && said <= exact + countContainers(value), `${said} for ${exact}: ${written}`);
    }),
  );
});

/** Each list and object may be counted with one separator too many. */
function countContainers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Object.values(value).reduce((sum: number, item) => sum + countContainers(item), 0);
}

test('escapes count in long texts, too', () => {
  for (const text of ['"', '\\', '\n', '\u0001', 'é', '\ud800', 'a"'].map((piece) => piece.repeat(90_000)))
    assert.equal(jsonSize(text), Buffer.byteLength(JSON.stringify(text)));
  assert.ok(jsonSize('\u0001'.repeat(90_000), 100_000) > 100_000);
});

test('counting stops soon after the limit', () => {
  const hostile = new Proxy(['x'.repeat(100)], {
    get: (target, key) => {
      if (key === '2') throw new Error('read on');
      return key === 'length' ? 1_000_000 : Reflect.get(target, key);
    },
  });
  assert.ok(jsonSize(hostile, 50) > 50);
});

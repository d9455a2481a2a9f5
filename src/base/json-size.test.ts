/** The size of values as JSON, without writing them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../test/kit/any-character.ts';
import { jsonSize } from './json-size.ts';

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

test('what has to be escaped counts in long texts, too', () => {
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

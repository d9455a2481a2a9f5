/** The size of values as JSON, without writing them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { jsonSize } from './json-size.ts';

test('it is the size of the JSON text, for all values that JSON has', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const written = JSON.stringify(value);
      // Half a pair of surrogates is escaped, which is not counted.
      fc.pre(!/\\ud[89a-f]/i.test(written));
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

test('counting stops soon after the limit', () => {
  const hostile = new Proxy(['x'.repeat(100)], {
    get: (target, key) => {
      if (key === '2') throw new Error('read on');
      return key === 'length' ? 1_000_000 : Reflect.get(target, key);
    },
  });
  assert.ok(jsonSize(hostile, 50) > 50);
});

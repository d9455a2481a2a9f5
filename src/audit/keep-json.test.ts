/** Values that are kept stay within their limit, whatever they are made of. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepJson } from './keep-json.ts';

test('a value that fits stays as it is', () => {
  const value = { a: 1, b: ['x', null, true], c: { d: 'e' } };
  assert.deepEqual(JSON.parse(JSON.stringify(keepJson(value, 1_000))), value);
});

test('a value that is not an object is wrapped in a member', () => {
  assert.deepEqual({ ...keepJson([1, 2], 100) }, { value: [1, 2] });
  assert.deepEqual({ ...keepJson('x', 100) }, { value: 'x' });
  assert.deepEqual({ ...keepJson(null, 100) }, { value: null });
});

test('long, wide and deep values are cut', () => {
  const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`member ${at}`, 'x'.repeat(100)]));
  let deep: unknown = 'end';
  for (let level = 0; level < 200; level += 1) deep = [deep];
  for (const value of [wide, deep, 'x'.repeat(5_000_000), { ['k'.repeat(1_000_000)]: 1 }]) {
    const text = JSON.stringify(keepJson(value, 500));
    // A cut value is kept as a text, whose quotes are escaped once more.
    assert.ok(text.length <= 1_100, String(text.length));
  }
});

test('a member named __proto__ is a member like others', () => {
  const kept = keepJson(JSON.parse('{"__proto__":{"polluted":true}}'), 200);
  assert.equal(JSON.stringify(kept), '{"__proto__":{"polluted":true}}');
  assert.equal('polluted' in {}, false);
});

test('a short word is masked, too, where its member holds secrets', () => {
  assert.deepEqual({ ...keepJson({ password: 'hunter', way: 'direct' }, 200) }, { password: '***', way: 'direct' });
});

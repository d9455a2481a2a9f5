/** Numbers on their way into a program: what would change there comes as text. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exactJson } from './exact-numbers.ts';

test('a number that JavaScript would round comes as text, and it is said where', () => {
  const json =
    '{"id":1234567890123456789,"rows":[{"id":-9007199254740993,"n":1.5},{"id":9007199254740992}],"big":1e400}';
  const { json: given, places } = exactJson(json);
  assert.deepEqual(JSON.parse(given), {
    id: '1234567890123456789',
    rows: [{ id: '-9007199254740993', n: 1.5 }, { id: 9_007_199_254_740_992 }],
    big: '1e400',
  });
  assert.deepEqual(places, ['id', 'rows[].id', 'big']);
  assert.deepEqual(exactJson('12345678901234567890123'), { json: '"12345678901234567890123"', places: ['the value'] });
});

test('what survives is not touched, not even its writing', () => {
  for (const json of ['{ "a" : 9007199254740991, "b": "12345678901234567890" }', '[0.1234567890123456789]', '"1e999"'])
    assert.deepEqual(exactJson(json), { json, places: [] });
});

test('at most a few places are told, and a strange name is a name', () => {
  const members = Array.from({ length: 9 }, (_, at) => `"m${at}":12345678901234567890`);
  assert.equal(exactJson(`{${members.join(',')}}`).places.length, 5);
  assert.equal(exactJson('{"__proto__":12345678901234567890}').json, '{"__proto__":"12345678901234567890"}');
});

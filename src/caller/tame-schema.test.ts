/** Schemas of strangers: what is left of them is quick to check, and refuses nothing that the whole schema allows. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Schema, Validator } from '@cfworker/json-schema';
import { tameSchema } from './tame-schema.ts';

const accepts = (schema: Record<string, unknown>, value: unknown) =>
  new Validator(tameSchema(schema) as Schema, '2020-12', false).validate(value).valid;

const text = (schema: object) => ({ type: 'object', properties: { text: { type: 'string', ...schema } } });

test('what is harmless is still checked', () => {
  const schema = { ...text({ pattern: '^[a-z]+$', maxLength: 5 }), required: ['text'], additionalProperties: false };
  assert.ok(accepts(schema, { text: 'abc' }));
  for (const value of [{ text: 'ABC' }, { text: 'abcdef' }, {}, { text: 'a', more: 1 }, { text: 5 }]) {
    assert.ok(!accepts(schema, value), JSON.stringify(value));
  }
});

test('references are followed, in circles only as far as they make sense', () => {
  const name = { type: 'object', properties: { name: { $ref: '#/$defs/name' } }, $defs: { name: { type: 'string' } } };
  assert.ok(accepts(name, { name: 'x' }));
  assert.ok(!accepts(name, { name: 1 }));
  const tree = {
    $ref: '#/$defs/tree',
    $defs: { tree: { type: 'object', properties: { left: { $ref: '#/$defs/tree' } } } },
  };
  assert.ok(accepts(tree, { left: { left: {} } }));
  assert.ok(!accepts(tree, 5));
  assert.ok(accepts({ $ref: 'http://127.0.0.1:9/schema' }, 5));
});

test('patterns, formats and doubled references cannot take long', () => {
  const defs: Record<string, object> = { a40: { type: 'object' } };
  for (let at = 0; at < 40; at += 1) {
    const next = { $ref: `#/$defs/a${at + 1}` };
    defs[`a${at}`] = { allOf: [next, next] };
  }
  const startedAt = performance.now();
  assert.ok(accepts({ $ref: '#/$defs/a0', $defs: defs }, {}));
  for (const pattern of ['^((a+)b?)+$', 'a*a*a*a*a*$', '^(a|a)*$', '(.*)\\1', '^(a{1,30}){1,30}$']) {
    assert.ok(accepts(text({ pattern }), { text: `${'a'.repeat(5_000)}!` }), pattern);
  }
  assert.ok(accepts(text({ format: 'url' }), { text: `http://${'a'.repeat(50)}` }));
  assert.ok(performance.now() - startedAt < 1_000);
});

test('where something was left out, nothing is refused that the whole schema allows', () => {
  const either = { oneOf: [text({ format: 'email' }), text({ format: 'uri' })] };
  assert.ok(accepts(either, { text: 'a@b.example' }));
  assert.ok(accepts({ not: text({ format: 'email' }) }, { text: 'no address' }));
  const conditional = JSON.parse('{"if":{"properties":{"text":{"pattern":"^(a+)+$"}}},"then":{"required":["more"]}}');
  assert.ok(accepts(conditional, { text: 'b' }));
});

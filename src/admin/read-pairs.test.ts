/** Tests of reading `key=value` words by a tool's schema. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '../base/errors.ts';
import { readPairs } from './read-pairs.ts';

const schema = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    count: { type: 'integer' },
    share: { type: 'number' },
    isOn: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    filter: { type: 'object' },
    either: { type: ['string', 'null'] },
    choice: { enum: [1, 2, 'many'] },
    variant: { anyOf: [{ type: 'number' }, { type: 'string' }] },
    free: {},
  },
};
const read = (...words: string[]) => readPairs('files:find', schema, words);
const refusal = (code: string, message: RegExp) => (error: unknown) =>
  error instanceof GatewayError && error.code === code && message.test(error.message);

test('values get the type that the schema states', () => {
  assert.deepEqual(read('text=42', 'count=42', 'share=0.5', 'isOn=false'), {
    text: '42',
    count: 42,
    share: 0.5,
    isOn: false,
  });
  assert.deepEqual(read('tags=["a","b"]', 'filter={"a":[1]}'), { tags: ['a', 'b'], filter: { a: [1] } });
});

test('a text keeps everything after the first sign, and may be empty', () => {
  assert.deepEqual(read('text=a=b = c'), { text: 'a=b = c' });
  assert.deepEqual(read('text='), { text: '' });
});

test('of several types the narrowest that fits is taken', () => {
  assert.deepEqual(read('either=null'), { either: null });
  assert.deepEqual(read('either=nothing'), { either: 'nothing' });
  assert.deepEqual(read('choice=2'), { choice: 2 });
  assert.deepEqual(read('choice=many'), { choice: 'many' });
  assert.deepEqual(read('variant=2'), { variant: 2 });
  assert.deepEqual(read('variant=two'), { variant: 'two' });
});

test('a value without a stated type is JSON where it is JSON, else text', () => {
  assert.deepEqual(read('free=[1]', 'unknown=3'), { free: [1], unknown: 3 });
  assert.deepEqual(read('free=[1'), { free: '[1' });
});

test('a key that reaches for a prototype is a key like any other', () => {
  assert.deepEqual(Object.keys(read('__proto__=1')), ['__proto__']);
});

test('a wrong value says which argument and what is allowed', () => {
  assert.throws(
    () => read('count=4.5'),
    refusal('ARGUMENTS_INVALID', /"count" of "files:find" .* integer, not "4\.5"/),
  );
  assert.throws(() => read('isOn=yes'), refusal('ARGUMENTS_INVALID', /boolean/));
  assert.throws(() => read('tags=a,b'), refusal('ARGUMENTS_INVALID', /list of string, written as JSON/));
  assert.throws(() => read('share='), refusal('ARGUMENTS_INVALID', /number/));
});

test('a word that is no pair, and a key given twice, are wrong usage', () => {
  assert.throws(() => read('text'), refusal('USAGE', /"text" is not of the form key=value/));
  assert.throws(() => read('=x'), refusal('USAGE', /key=value/));
  assert.throws(() => read('text=a', 'text=b'), refusal('USAGE', /given twice/));
});

/** Descriptions of wrong arguments: mistake, path and likely meaning; never long, never a secret. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkValue } from './check-value.ts';
import { describeMistakes } from './describe-mistakes.ts';
import { TamedSchema } from './tamed-schema.ts';

function said(schema: Readonly<Record<string, unknown>>, args: unknown): string[] {
  const tamed = new TamedSchema(schema);
  return describeMistakes(checkValue(tamed, tamed.root, args).mistakes, tamed);
}

const one = (schema: object, value: unknown) => said({ properties: { x: schema } }, { x: value });

test('a wrong type says what is wanted and what came', () => {
  assert.deepEqual(one({ type: 'integer' }, 'five'), ['x: must be an integer, got the string "five"']);
  assert.deepEqual(one({ type: 'boolean' }, 2), ['x: must be true or false, got 2']);
  assert.deepEqual(one({ type: ['string', 'null'] }, [1]), ['x: must be a string or null, got an array']);
  assert.deepEqual(one({ type: 'array' }, { a: 1 }), ['x: must be an array, got an object']);
  assert.deepEqual(one({ items: { properties: { n: { type: 'number' } } } }, [{}, { n: null }]), [
    'x[1].n: must be a number, got null',
  ]);
});

test('choices are listed, with the nearest', () => {
  const state = { type: 'string', enum: ['open', 'closed', 'all'] };
  assert.deepEqual(one(state, 'closd'), [
    'x: must be one of "closed", "open", "all", got the string "closd"; did you mean "closed"?',
  ]);
  assert.deepEqual(one({ enum: ['1h', '1M'] }, '1m'), ['x: must be one of "1h", "1M", got the string "1m"']);
  assert.deepEqual(one(state, 5), ['x: must be one of "open", "closed", "all", got 5']);
  assert.deepEqual(one({ const: 'a' }, 'b'), ['x: must be "a", got the string "b"']);
  const many = { enum: Array.from({ length: 100 }, (_, at) => `choice-${at}`) };
  assert.match(one(many, 'zz')[0] ?? '', /"choice-7" and 92 more, got the string "zz"$/);
});

test('limits are named as numbers', () => {
  assert.deepEqual(one({ minimum: 1 }, 0), ['x: must be at least 1, got 0']);
  assert.deepEqual(one({ minimum: 1, exclusiveMinimum: true }, 1), ['x: must be more than 1, got 1']);
  assert.deepEqual(one({ multipleOf: 0.5 }, 0.3), ['x: must be a multiple of 0.5, got 0.3']);
  assert.deepEqual(one({ maxLength: 2 }, 'abc'), ['x: must have at most 2 characters']);
  assert.deepEqual(one({ pattern: '^[a-z]+$' }, 'A'), ['x: must match ^[a-z]+$, got "A"']);
  assert.deepEqual(one({ format: 'date' }, 'today'), ['x: must be a date such as "2026-05-01", got "today"']);
  assert.deepEqual(one({ minItems: 1 }, []), ['x: must have at least 1 items']);
  assert.deepEqual(one({ uniqueItems: true }, [1, 2, 1]), ['x: the items 0 and 2 are equal, but items must be unique']);
  assert.deepEqual(one({ propertyNames: { maxLength: 1 } }, { ab: 1 }), ['x: "ab" is not an allowed name']);
});

test('missing and unknown names are one mistake where they resemble each other, at every depth', () => {
  const repo = { properties: { repo_name: { type: 'string' }, page: { type: 'integer' } }, required: ['repo_name'] };
  assert.deepEqual(said({ ...repo, additionalProperties: false }, { repo_nmae: 'x' }), [
    'there is no parameter "repo_nmae"; did you mean "repo_name"?',
  ]);
  assert.deepEqual(said(repo, { repo_nmae: 'x' }), [
    'the parameter "repo_name" is missing; is "repo_nmae" meant to be it?',
  ]);
  const echo = { properties: { message: { type: 'string' } }, required: ['message'] };
  assert.deepEqual(said(echo, { msg: 'x' }), ['the parameter "message" is missing; is "msg" meant to be it?']);
  assert.deepEqual(said(echo, { mute: true }), ['the parameter "message" is missing (string)']);
  assert.deepEqual(said(repo, {}), ['the parameter "repo_name" is missing (string)']);
  assert.deepEqual(one({ ...repo, unevaluatedProperties: false }, { repo_name: 'x', pge: 1 }), [
    'x: there is no parameter "pge"; did you mean "page"?',
  ]);
  assert.deepEqual(said({ dependentRequired: { a: ['b'] } }, { a: 1 }), [
    'the parameter "b" is missing, which "a" needs',
  ]);
  const byReference = { $ref: '#/$defs/r', $defs: { r: repo } };
  assert.deepEqual(said(byReference, { reponame: 'x' }), [
    'the parameter "repo_name" is missing; is "reponame" meant to be it?',
  ]);
});

test('of forms that are told apart by a member, the one that was meant is spoken of', () => {
  const shape = {
    oneOf: [
      {
        type: 'object',
        properties: { kind: { const: 'circle' }, radius: { type: 'number' } },
        required: ['kind', 'radius'],
      },
      { $ref: '#/$defs/square' },
    ],
  };
  const square = {
    type: 'object',
    properties: { kind: { enum: ['square'] }, side: { type: 'number' } },
    required: ['kind', 'side'],
  };
  const schema = { properties: { shape }, $defs: { square } };
  assert.deepEqual(said(schema, { shape: { kind: 'circle', radius: 'big' } }), [
    'shape.radius: must be a number, got the string "big"',
  ]);
  assert.deepEqual(said(schema, { shape: { kind: 'square', sid: 2 } }), [
    'shape: the parameter "side" is missing; is "sid" meant to be it?',
  ]);
  assert.deepEqual(said(schema, { shape: { kind: 'oval' } }), [
    'shape.kind: must be one of "circle", "square", got the string "oval"',
  ]);
  assert.deepEqual(said(schema, { shape: { side: 1 } }), [
    'shape.kind: is missing; it must be one of "circle", "square"',
  ]);
});

test('of other forms, those that could be meant are spoken of', () => {
  const maybe = { anyOf: [{ type: 'object', properties: { n: { type: 'integer' } } }, { type: 'null' }] };
  assert.deepEqual(one(maybe, { n: 'x' }), ['x.n: must be an integer, got the string "x"']);
  assert.deepEqual(one(maybe, 'x'), ['x: must be an object or null, got the string "x"']);
  assert.deepEqual(said({ anyOf: [{ required: ['id'] }, { required: ['name', 'owner'] }] }, {}), [
    'the arguments: "id" or "name" and "owner" must be given',
  ]);
  assert.deepEqual(one({ anyOf: [{ minimum: 9 }, { minimum: 8, multipleOf: 2 }] }, 3), [
    'x: matches none of the 2 allowed forms; for the nearest, x: must be at least 9, got 3',
  ]);
});

test('at most eight mistakes are told, each short, and no secret comes back', () => {
  const list = said(
    { items: { type: 'integer' } },
    Array.from({ length: 50 }, () => 'x'),
  );
  assert.equal(list.length, 8);
  const long = one({ type: 'integer' }, 'y'.repeat(100_000))[0] ?? '';
  assert.ok(long.length < 120, long);
  const deep = Array.from({ length: 100 }).reduce<object>(
    (inner) => ({ properties: { [`n${'x'.repeat(500)}`]: inner } }),
    { type: 'null' },
  );
  const value = Array.from({ length: 100 }).reduce<unknown>((inner) => ({ [`n${'x'.repeat(500)}`]: inner }), 5);
  assert.ok((said(deep as Record<string, unknown>, value)[0] ?? '').length <= 300);
  const secret = 'sk-abcdefghijklmnopqrstuvwxyz012345';
  const mistakes = [
    ...one({ type: 'integer' }, secret),
    ...one({ enum: ['a', 'b'] }, `Bearer ${secret}`),
    ...said({ properties: { password: { maxLength: 3, pattern: '^x' } } }, { password: 'swordfish' }),
    ...said({ properties: { token: { type: 'integer' } } }, { token: 'swordfish' }),
  ];
  assert.equal(mistakes.length, 5);
  for (const mistake of mistakes) assert.doesNotMatch(mistake, /swordfish|abcdefgh/);
  assert.doesNotMatch(one({ type: 'integer' }, 'a\u202e\u0007\nb')[0] ?? '', /[\u202e\u0007\n]/);
});

test('a mistake in a schema with very many names is described in few comparisons', () => {
  const properties = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`name_${at}`, {}]));
  assert.deepEqual(said({ properties, additionalProperties: false }, { nmae_7: 1 }), [
    'there is no parameter "nmae_7"; did you mean "name_7"?',
  ]);
});

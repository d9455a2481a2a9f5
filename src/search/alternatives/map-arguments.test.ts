/** Arguments reach another tool where names and kinds agree; nothing is invented or given away. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { mapArguments, mapParameters } from './map-arguments.ts';

function schemaOf(properties: Record<string, unknown>, ...required: string[]): Record<string, unknown> {
  return { type: 'object', properties, required };
}

const text = { type: 'string' };
const whole = { type: 'integer' };

test('the same name, or the same words in another spelling, take the argument over', () => {
  const from = schemaOf({ repo_name: text, filePath: text, q: text, dir: text, lat: { type: 'number' } });
  const to = schemaOf({ repository: text, path: text, search_query: text, folder: text, latitude: { type: 'number' } });
  const args = { repo_name: 'a', filePath: 'b', q: 'c', dir: 'd', lat: 1.5 };
  assert.deepEqual(mapArguments(from, to, args), {
    arguments: { repository: 'a', path: 'b', search_query: 'c', folder: 'd', latitude: 1.5 },
    missing: [],
    dropped: [],
  });
});

test('required arguments that nobody gave are missing; arguments that the other tool does not take are dropped', () => {
  const from = schemaOf({ city: text, units: text }, 'city');
  const to = schemaOf({ city: text, country: text, days: whole }, 'city', 'country');
  assert.deepEqual(mapArguments(from, to, { city: 'Rome', units: 'metric' }), {
    arguments: { city: 'Rome' },
    missing: ['country'],
    dropped: ['units'],
  });
  assert.deepEqual(mapParameters(from, to), { missing: ['country'], dropped: [] });
  assert.deepEqual(mapParameters(to, from), { missing: [], dropped: ['country'] });
});

test('a value of another kind, or outside the choices, is not taken over', () => {
  const from = schemaOf({ limit: text, sort: text, ids: { type: 'array', items: text } });
  const to = schemaOf({ limit: whole, sort: { enum: ['up', 'down'] }, ids: { type: 'array', items: whole } }, 'limit');
  const mapped = mapArguments(from, to, { limit: '5', sort: 'sideways', ids: ['1'] });
  assert.deepEqual(mapped, { arguments: {}, missing: ['limit'], dropped: ['limit', 'sort', 'ids'] });
  assert.deepEqual(mapArguments(from, to, { sort: 'up' }).arguments, { sort: 'up' });
});

test('numbers: a whole one fits both kinds, a broken one does not fit a whole one', () => {
  const [from, to] = [schemaOf({ n: { type: 'number' } }), schemaOf({ n: whole })];
  assert.deepEqual(mapArguments(from, to, { n: 5 }).arguments, { n: 5 });
  assert.deepEqual(mapArguments(from, to, { n: 5.5 }).arguments, {});
  assert.deepEqual(mapArguments(to, from, { n: 5 }).arguments, { n: 5 });
});

test('optional types, choices beside null, and references within the schema are understood', () => {
  const to = {
    ...schemaOf({
      unit: { anyOf: [{ $ref: '#/$defs/Unit' }, { type: 'null' }] },
      days: { type: ['integer', 'null'] },
      loop: { $ref: '#/$defs/Loop' },
    }),
    $defs: { Unit: { enum: ['c', 'f'] }, Loop: { anyOf: [{ $ref: '#/$defs/Loop' }, { $ref: '#/$defs/Loop' }] } },
  };
  const from = schemaOf({ unit: text, days: whole, loop: text });
  assert.deepEqual(mapArguments(from, to, { unit: 'c', days: 3, loop: 'x' }).arguments, {
    unit: 'c',
    days: 3,
    loop: 'x',
  });
  assert.deepEqual(mapArguments(from, to, { unit: 'k' }).dropped, ['unit']);
});

test('a required parameter without a description is still required', () => {
  const to = { type: 'object', required: ['constructor', 'city'] };
  assert.deepEqual(mapArguments(schemaOf({ city: text }), to, { city: 'Rome' }), {
    arguments: { city: 'Rome' },
    missing: ['constructor'],
    dropped: [],
  });
});

test('a hostile schema costs no more than a large one', () => {
  const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`p${at}`, { $ref: '#/$defs/a' }]));
  const branches = Array.from({ length: 100 }, () => ({ $ref: '#/$defs/a' }));
  const hostile = { ...schemaOf(wide, ...Object.keys(wide)), $defs: { a: { anyOf: branches } } };
  const mapped = mapArguments(hostile, hostile, { p0: 1, p1: 'x' });
  assert.deepEqual(mapped.arguments, { p0: 1, p1: 'x' });
  assert.equal(mapped.missing.length, 62);
});

test('where two parameters could be meant, none is', () => {
  const from = schemaOf({ branch_name: text, branch: text });
  const to = schemaOf({ the_branch: text }, 'the_branch');
  assert.deepEqual(mapArguments(from, to, { branch_name: 'a', branch: 'b' }), {
    arguments: {},
    missing: ['the_branch'],
    dropped: ['branch_name', 'branch'],
  });
  assert.deepEqual(mapArguments(to, from, { the_branch: 'a' }).arguments, {});
});

test('a secret is never carried over to another tool', () => {
  const names = [
    'token',
    'api_key',
    'apiKey',
    'password',
    'client_secret',
    'privateKey',
    'auth_token',
    'Authorization',
  ];
  for (const name of names) {
    const schema = schemaOf({ [name]: text, query: text }, name, 'query');
    const mapped = mapArguments(schema, schema, { [name]: 'hush', query: 'x' });
    assert.deepEqual(mapped, { arguments: { query: 'x' }, missing: [name], dropped: [name] }, name);
  }
  const pages = schemaOf({ page_token: text, max_tokens: whole });
  assert.deepEqual(mapArguments(pages, pages, { page_token: 'n', max_tokens: 5 }).dropped, []);
});

test('names that mean something to JavaScript are names like any other', () => {
  const schema = schemaOf(JSON.parse('{"__proto__":{"type":"string"},"constructor":{"type":"string"}}'));
  const args = JSON.parse('{"__proto__":"a","constructor":"b"}') as Record<string, unknown>;
  const mapped = mapArguments(schema, schema, args).arguments;
  assert.equal(JSON.stringify(mapped), '{"__proto__":"a","constructor":"b"}');
  assert.equal(Object.getPrototypeOf(mapped), Object.prototype);
});

test('every argument is carried over unchanged or dropped, never both, whatever the schemas are', () => {
  const name = fc.constantFrom('q', 'query', 'repo', 'repo_name', 'path', 'id', 'token', '__proto__');
  const kind = fc.constantFrom(text, whole, { type: 'array' }, {}, { enum: ['a', 1] }, true, null, { type: 5 });
  const schema = fc.oneof(
    fc
      .array(fc.tuple(name, kind), { maxLength: 6 })
      .map((pairs) => schemaOf(Object.fromEntries(pairs), ...pairs.slice(0, 2).map(([key]) => key))),
    fc.constantFrom<unknown>(null, 'text', {}, { properties: [] }, { properties: { a: 1 }, required: 'a' }),
  );
  const value = fc.constantFrom<unknown>('a', 1, 1.5, true, null, ['x'], { deep: 1 });
  const given = fc.array(fc.tuple(name, value), { maxLength: 6 }).map((pairs) => Object.fromEntries(pairs));
  fc.assert(
    fc.property(schema, schema, given, (from, to, args) => {
      const mapped = mapArguments(from, to, args);
      const kept = Object.keys(args).filter((key) => !mapped.dropped.includes(key));
      assert.equal(Object.keys(mapped.arguments).length, kept.length);
      const values = Object.values(args);
      for (const taken of Object.values(mapped.arguments)) assert.ok(values.includes(taken));
      for (const lacking of mapped.missing) assert.ok(!Object.hasOwn(mapped.arguments, lacking));
    }),
  );
});

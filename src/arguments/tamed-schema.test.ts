/** Schemas of strangers: looking at them takes few steps, leads nowhere else, and refuses nothing that they allow. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkValue, maxSteps } from './check-value.ts';
import { TamedSchema } from './tamed-schema.ts';
import { Steps } from './value-keywords.ts';

function check(schema: Readonly<Record<string, unknown>>, value: unknown): { validity: string; used: number } {
  const steps = new Steps(maxSteps);
  const tamed = new TamedSchema(schema);
  return { validity: checkValue(tamed, tamed.root, value, steps).validity, used: steps.used };
}

const validity = (schema: Readonly<Record<string, unknown>>, value: unknown) => check(schema, value).validity;

test('references are followed within the schema, by pointer, by name and by address', () => {
  const name = { type: 'string' };
  for (const schema of [
    { properties: { x: { $ref: '#/$defs/name' } }, $defs: { name } },
    { properties: { x: { $ref: '#/definitions/a~1b~0c%25' } }, definitions: { 'a/b~c%': name } },
    { properties: { x: { $ref: '#named' } }, $defs: { any: { ...name, $anchor: 'named' } } },
    { properties: { x: { $ref: '#named' } }, definitions: { any: { ...name, $id: '#named' } } },
    { properties: { x: { $dynamicRef: '#named' } }, $defs: { any: { ...name, $dynamicAnchor: 'named' } } },
    { $id: 'https://a.example/s', properties: { x: { $ref: 'other' } }, $defs: { o: { ...name, $id: 'other' } } },
    { $id: 'https://a.example/s', properties: { x: { $ref: 'https://a.example/s#/$defs/o' } }, $defs: { o: name } },
    { properties: { x: { $ref: '#/$defs/a' } }, $defs: { a: { $ref: '#/$defs/b' }, b: { allOf: [name] } } },
    {
      properties: { x: { $ref: '#/$defs/inner' } },
      $defs: { inner: { $id: 'in', $ref: '#/$defs/name', $defs: { name } }, name: { type: 'integer' } },
    },
  ]) {
    assert.equal(validity(schema, { x: 'text' }), 'valid', JSON.stringify(schema));
    assert.equal(validity(schema, { x: 5 }), 'invalid', JSON.stringify(schema));
  }
});

test('a reference that leads out or nowhere decides nothing', () => {
  const targets = [
    'http://127.0.0.1:9/schema',
    'other.json',
    '#/$defs/none',
    '#none',
    '#/%',
    'http://[',
    '#/__proto__/x',
  ];
  for (const $ref of targets) {
    assert.equal(validity({ properties: { x: { $ref } } }, { x: 5 }), 'unknown', $ref);
    assert.equal(validity({ properties: { x: { not: { $ref } } } }, { x: 5 }), 'unknown', $ref);
    assert.equal(validity({ properties: { x: { $ref }, y: { type: 'string' } } }, { x: 5, y: 5 }), 'invalid', $ref);
    assert.equal(validity({ $ref, unevaluatedProperties: false }, { x: 5 }), 'unknown', $ref);
  }
  const twice = { a: { $dynamicAnchor: 'n', type: 'string' }, b: { $dynamicAnchor: 'n', type: 'integer' } };
  assert.equal(validity({ properties: { x: { $dynamicRef: '#n' } }, $defs: twice }, { x: true }), 'unknown');
});

test('schemas that contain themselves are checked as deep as the value goes, and going round ends', () => {
  const tree = { type: 'object', properties: { left: { $ref: '#' }, name: { type: 'string' } } };
  assert.equal(validity(tree, { left: { left: { name: 'x' } } }), 'valid');
  assert.equal(validity(tree, { left: { left: { name: 5 } } }), 'invalid');
  assert.equal(validity({ properties: { x: { $recursiveRef: '#' } }, type: 'object' }, { x: 5 }), 'invalid');
  for (const round of [
    { $ref: '#' },
    { anyOf: [{ $ref: '#' }, { $ref: '#' }] },
    { allOf: [{ $ref: '#/$defs/a' }], $defs: { a: { $ref: '#/$defs/b' }, b: { not: { $ref: '#/$defs/a' } } } },
  ]) {
    const { validity: said, used } = check(round, {});
    assert.equal(said, 'unknown');
    assert.ok(used < 50, `${used} steps`);
  }
});

function doubled(levels: number, keyword: string, leaf: object): Record<string, unknown> {
  const $defs: Record<string, object> = { [`a${levels}`]: leaf };
  for (let at = 0; at < levels; at += 1) {
    const next = { $ref: `#/$defs/a${at + 1}` };
    $defs[`a${at}`] = { [keyword]: [next, next] };
  }
  return { $ref: '#/$defs/a0', $defs };
}

function nested(levels: number, wrap: (inner: object) => object): Record<string, unknown> {
  let schema: object = { type: 'string' };
  for (let at = 0; at < levels; at += 1) schema = wrap(schema);
  return schema as Record<string, unknown>;
}

const many = (count: number) => Array.from({ length: count }, (_, at) => at);

test('hostile schemas end within the steps of one check, and then nothing is refused', () => {
  const hostile: [string, Record<string, unknown>, unknown][] = [
    ['anyOf 2^20', doubled(20, 'anyOf', { type: 'string' }), {}],
    ['oneOf 2^40', doubled(40, 'oneOf', { type: 'object' }), {}],
    ['allOf 2^40', doubled(40, 'allOf', { type: 'object' }), {}],
    ['depth 5,000', nested(5_000, (inner) => ({ allOf: [inner] })), {}],
    ['depth 5,000 of not', nested(5_000, (inner) => ({ not: inner })), {}],
    [
      'many equal objects',
      { items: { enum: many(2_000).map((at) => ({ at, x: 1 })) } },
      many(2_000).map((at) => ({ at: -at, x: 1 })),
    ],
    ['many names', { required: many(200_000).map((at) => `n${at}`) }, {}],
    ['many keywords', { items: Object.fromEntries(many(2_000).map((at) => [`x-${at}`, at])) }, many(2_000)],
    [
      'many patterns',
      { patternProperties: Object.fromEntries(many(2_000).map((at) => [`^(a+)+${at}$`, false])) },
      { ['a'.repeat(2_000)]: 1 },
    ],
    ['long text', { items: { pattern: '^(?=.*b)(a|aa)+$' } }, many(20).map(() => 'a'.repeat(9_000))],
    ['unique', { uniqueItems: true }, many(20_000).map((at) => ({ at }))],
    ['large value', { items: { type: 'integer' } }, many(100_000)],
  ];
  for (const [title, schema, value] of hostile) {
    const { validity: said, used } = check(schema, value);
    assert.equal(said, 'unknown', title);
    // The last thing counted may go over by what one pattern takes.
    assert.ok(used <= maxSteps + 15_000 || title === 'many names', `${title}: ${used} steps`);
  }
});

test('a schema of five megabytes costs what is looked at, not what it holds', () => {
  const properties = Object.fromEntries(
    many(60_000).map((at) => [`property_${at}`, { type: 'string', description: 'x'.repeat(50) }]),
  );
  const schema = { type: 'object', properties, required: ['property_1'], additionalProperties: false };
  assert.ok(JSON.stringify(schema).length > 5_000_000);
  const right = check(schema, { property_1: 'x' });
  assert.equal(right.validity, 'valid');
  assert.ok(right.used < 20, `${right.used} steps`);
  assert.equal(validity(schema, { property_1: 5 }), 'invalid');
  assert.equal(validity(schema, { property_1: 'x', no: 1 }), 'invalid');
  // Names are not looked for in so large a schema, so a reference leads nowhere.
  assert.equal(validity({ ...schema, $ref: '#/properties/property_2' }, { property_1: 'x' }), 'unknown');
});

test('very many forms that are closed, and very many names, take no more than the steps allowed', () => {
  const closed = (at: number) => ({ properties: { [`p${at}`]: true }, additionalProperties: false });
  const forms = Array.from({ length: 300_000 }, (_, at) => closed(at));
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`q${at}`, at]));
  for (const [schema, value] of [
    [{ oneOf: forms }, { q: 1 }],
    [{ allOf: forms }, { q: 1 }],
    [{ anyOf: forms, additionalProperties: false }, { q: 1 }],
    [{ allOf: forms.slice(0, 90) }, many],
  ] as const) {
    const { validity: said, used } = check(schema, value);
    assert.equal(said, 'unknown');
    assert.ok(used <= maxSteps + 5_000, `${used} steps`);
  }
});

test('a pattern that an engine takes years for is decided', () => {
  const schema = { properties: { x: { pattern: '^(a+)+$' } } };
  assert.equal(validity(schema, { x: 'a'.repeat(40) }), 'valid');
  const refused = check(schema, { x: `${'a'.repeat(40)}!` });
  assert.equal(refused.validity, 'invalid');
  assert.ok(refused.used < 100, `${refused.used} steps`);
});

test('a schema that is none, in whole or in part, is checked as far as it makes sense', () => {
  const odd = {
    type: 'object',
    properties: {
      a: { type: 'any' },
      b: { type: 'string', pattern: '(', minLength: '3', enum: 'x', required: true },
      c: null,
      d: { type: 'integer', items: 5, anyOf: {}, allOf: 'no', not: 7, if: [], $ref: 5, format: {} },
      e: { type: ['string', 'file'] },
    },
    required: 'a',
    additionalProperties: 'no',
    patternProperties: 3,
  };
  assert.equal(validity(odd, { a: 1, b: 'x', c: 2, d: 3, e: 4 }), 'unknown');
  assert.equal(validity(odd, { b: 5 }), 'invalid');
  assert.equal(validity(odd, { d: 'x' }), 'invalid');
  assert.equal(
    validity(JSON.parse('{"__proto__":{"type":"string"},"properties":{"__proto__":{"type":"string"}}}'), {}),
    'valid',
  );
});

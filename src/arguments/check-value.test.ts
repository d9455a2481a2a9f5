/** The check itself: each keyword of both drafts, and what follows from something that cannot be decided. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Schema, Validator } from '@cfworker/json-schema';
import fc from 'fast-check';
import { checkValue } from './check-value.ts';
import { TamedSchema } from './tamed-schema.ts';

const draft7 = { $schema: 'http://json-schema.org/draft-07/schema#' };

/** A condition, put together so that nothing takes it for a promise. */
const when = (condition: unknown, yes: unknown, no: unknown = true) =>
  Object.fromEntries([
    ['if', condition],
    ['then', yes],
    ['else', no],
  ]);

function validity(schema: object, value: unknown): string {
  const tamed = new TamedSchema(schema as Record<string, unknown>);
  const { validity: said, mistakes } = checkValue(tamed, tamed.root, value);
  assert.equal(said === 'invalid', mistakes.length > 0, 'a refusal has a reason, and only a refusal has');
  return said;
}

/** Schema, values that it allows, values that it refuses. */
type Row = readonly [object, readonly unknown[], readonly unknown[]];

function assertRows(rows: readonly Row[]): void {
  for (const [schema, allowed, refused] of rows) {
    for (const value of allowed) assert.equal(validity(schema, value), 'valid', JSON.stringify([schema, value]));
    for (const value of refused) assert.equal(validity(schema, value), 'invalid', JSON.stringify([schema, value]));
  }
}

test('types, choices and constants', () => {
  assertRows([
    [{ type: 'integer' }, [5, 5.0, -0, 1e20], [5.5, '5', null, true]],
    [{ type: ['string', 'null'] }, ['', null], [0, {}, []]],
    [{ type: 'object' }, [{}], [[], null]],
    [
      { const: { a: [1, { b: null }] } },
      [{ a: [1, { b: null }] }],
      [{ a: [1, {}] }, { a: [1, { b: null }], c: 1 }, null],
    ],
    [{ const: null }, [null], [0, false, '']],
    [{ const: 0 }, [0, -0], [false, null, '0']],
    [{ enum: [1, 'a', { x: 1, y: 2 }, [1]] }, [1, 'a', { y: 2, x: 1 }, [1]], [true, 'A', { x: 1 }, [1, 1]]],
    [{ enum: Array.from({ length: 20_000 }, (_, at) => `v${at}`) }, ['v19999'], ['v20000']],
    [{ enum: [JSON.parse('{"__proto__":1}')] }, [JSON.parse('{"__proto__":1}')], [{}]],
    [{ type: 'string', nullable: true, minLength: 2 }, [null, 'ab'], ['a', 5]],
  ]);
});

test('numbers, also fractions and the limits of the oldest draft', () => {
  assertRows([
    [{ minimum: 1, maximum: 3 }, [1, 3, 'text'], [0.99, 3.01]],
    [{ exclusiveMinimum: 1, exclusiveMaximum: 3 }, [1.1, 2.9], [1, 3]],
    [{ minimum: 1, exclusiveMinimum: true }, [1.1], [1, 0]],
    [{ minimum: 1, exclusiveMinimum: false }, [1], [0]],
    [{ maximum: 1, exclusiveMaximum: true }, [0.9], [1]],
    [{ multipleOf: 0.1 }, [0.3, 0.7, 1.1, 4.35e2, -0.3, 0], [0.25, 0.35]],
    [{ multipleOf: 0.01 }, [19.99, 1.13, 4.35], [4.355]],
    [{ multipleOf: 3 }, [9, 0, -3, 9007199254740990], [10, 1.5]],
    [{ multipleOf: 0 }, [1], []],
    [{ multipleOf: 1e-300 }, [1e300], []],
  ]);
});

test('texts are measured in characters and matched in unicode', () => {
  assertRows([
    [{ minLength: 2, maxLength: 3 }, ['ab', '😀😀', '😀😀😀', 5], ['a', 'abcd', '😀😀😀😀']],
    [{ pattern: '^\\p{L}+$' }, ['äö', 'ab'], ['a1', '']],
    [{ pattern: 'b' }, ['abc'], ['ac']],
    [{ pattern: '^[a-z]+(-[a-z]+)*$' }, ['a-b-c'], ['a--b', 'A']],
    [{ pattern: '^.$' }, ['😀'], ['ab']],
    [{ pattern: '^\\-$' }, ['-'], ['a']],
  ]);
  assert.equal(validity({ pattern: '(a)\\1' }, 'b'), 'unknown');
  assert.equal(validity({ minLength: 2 }, '😀'), 'unknown', 'a server that counts units finds two');
  assert.equal(validity({ minLength: 3 }, '😀'), 'invalid');
});

test('a format that is clearly not kept is refused, and nothing else follows from formats', () => {
  const isDate = { type: 'string', format: 'date-time' };
  assert.equal(validity(isDate, 'tomorrow'), 'invalid');
  assert.equal(validity(isDate, '2026-05-01T12:00:00Z'), 'unknown');
  assert.equal(validity({ format: 'phone' }, 'x'), 'unknown');
  assert.equal(validity({ format: 'date-time' }, 5), 'valid');
  for (const schema of [
    { not: { format: 'email' } },
    { oneOf: [{ format: 'email' }, { format: 'idn-email' }] },
    when({ format: 'email' }, false),
  ]) {
    for (const value of ['ada@example.org', 'no address']) assert.notEqual(validity(schema, value), 'invalid');
  }
});

test('objects: members that must, may and must not be there', () => {
  const closed = {
    properties: { a: { type: 'integer' } },
    patternProperties: { '^x-': true },
    additionalProperties: false,
  };
  assertRows([
    [{ required: ['a', 'toString'] }, [{ a: 1, toString: 2 }, 'text'], [{ a: 1 }, {}]],
    [closed, [{}, { a: 1, 'x-b': 2 }], [{ a: '1' }, { b: 1 }, { toString: 1 }, JSON.parse('{"__proto__":1}')]],
    [{ properties: { a: false } }, [{}], [{ a: 1 }]],
    [{ additionalProperties: { type: 'string' } }, [{ a: 'x' }], [{ a: 1 }]],
    [{ propertyNames: { pattern: '^[a-z]+$' } }, [{ abc: 1 }], [{ A: 1 }]],
    [{ minProperties: 1, maxProperties: 2 }, [{ a: 1 }, { a: 1, b: 2 }], [{}, { a: 1, b: 2, c: 3 }]],
    [{ dependentRequired: { a: ['b'] } }, [{}, { b: 1 }, { a: 1, b: 1 }], [{ a: 1 }]],
    [{ dependentSchemas: { a: { required: ['b'] } } }, [{}, { a: 1, b: 1 }], [{ a: 1 }]],
    [
      { dependencies: { a: ['b'], c: { required: ['d'] } } },
      [{}, { a: 1, b: 1 }, { c: 1, d: 1 }],
      [{ a: 1 }, { c: 1 }],
    ],
  ]);
});

test('arrays: items, tuples in both ways of writing, and what must be among them', () => {
  const pair = [{ type: 'integer' }, { type: 'string' }];
  assertRows([
    [{ items: { type: 'integer' } }, [[], [1, 2]], [[1, 'x']]],
    [{ prefixItems: pair, items: false }, [[], [1], [1, 'x']], [['x'], [1, 'x', 2]]],
    [{ prefixItems: pair, items: { type: 'null' } }, [[1, 'x', null]], [[1, 'x', 2]]],
    [{ items: pair, additionalItems: false }, [[1, 'x']], [[1, 'x', 2], ['x']]],
    [{ minItems: 1, maxItems: 2 }, [[1], [1, 2]], [[], [1, 2, 3]]],
    [
      { uniqueItems: true },
      [[1, '1', true, [1], { a: 1 }]],
      [
        [1, 1],
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
        [0, -0],
      ],
    ],
    [{ contains: { const: 1 } }, [[2, 1]], [[], [2]]],
    [{ contains: { const: 1 }, minContains: 2, maxContains: 3 }, [[1, 1, 2]], [[1], [1, 1, 1, 1]]],
    [{ contains: { const: 1 }, minContains: 0 }, [[], [2]], []],
  ]);
});

test('combinations and conditions', () => {
  const branches = when({ required: ['a'] }, { required: ['b'] }, { required: ['c'] });
  assertRows([
    [{ allOf: [{ minimum: 1 }, { maximum: 3 }] }, [2], [0, 4]],
    [{ anyOf: [{ type: 'string' }, { minimum: 5 }] }, ['x', 5], [4]],
    [{ oneOf: [{ multipleOf: 2 }, { multipleOf: 3 }] }, [2, 3], [5]],
    [{ not: { type: 'string' } }, [5], ['x']],
    [branches, [{ a: 1, b: 1 }, { c: 1 }], [{ a: 1 }, { b: 1 }]],
    [Object.fromEntries([['then', false]]), [5], []],
  ]);
});

test('more than one form that fits is left to the server', () => {
  assert.equal(validity({ oneOf: [{ type: 'number' }, { type: 'integer' }] }, 5), 'unknown');
  assert.equal(validity({ oneOf: [{ type: 'number' }, { type: 'integer' }] }, 'x'), 'invalid');
  const loose = { oneOf: [{ properties: { a: { type: 'string' } } }, { properties: { b: { type: 'string' } } }] };
  assert.equal(validity(loose, { a: 'x' }), 'unknown');
  assert.equal(validity({ not: loose }, { a: 'x' }), 'unknown');
  assert.equal(validity({ ...loose, unevaluatedProperties: false }, { a: 'x' }), 'unknown');
  assert.equal(validity({ ...loose, unevaluatedProperties: false }, { c: 'x' }), 'invalid');
});

test('a schema that no value satisfies is left to the server', () => {
  for (const [schema, value] of [
    [{ type: [] }, 'x'],
    [{ type: null }, 'x'],
    [{ type: [['string']] }, 5],
    [{ enum: [] }, 'x'],
    [{ type: 'integer', enum: ['1', '2'] }, 1],
    [{ type: 'string', const: null }, 'x'],
    [{ type: ['string', 'null'], enum: ['a', 'b'] }, null],
  ] as const)
    assert.equal(validity(schema, value), 'unknown', JSON.stringify(schema));
  assert.equal(validity({ type: 'integer', enum: ['1', 2] }, 1), 'invalid');
  assert.equal(validity({ type: ['string', 'null'], enum: ['a', 'b'] }, 'c'), 'invalid');
});

test('a member that must be there and has a default may be left out', () => {
  const schema = { properties: { a: { type: 'integer', default: 5 }, b: { type: 'string' } }, required: ['a', 'b'] };
  assert.equal(validity(schema, { b: 'x' }), 'unknown');
  assert.equal(validity(schema, { a: 1 }), 'invalid');
  assert.equal(validity(schema, {}), 'invalid');
});

test('a closed schema does not refuse what others that hold for the same value name', () => {
  const closed = (name: string) => ({ properties: { [name]: { type: 'string' } }, additionalProperties: false });
  for (const schema of [
    { allOf: [closed('a'), closed('b')] },
    { allOf: [{ $ref: '#/$defs/a' }, { anyOf: [closed('b'), closed('c')] }], $defs: { a: closed('a') } },
    { properties: { b: true }, oneOf: [closed('a'), { required: ['c'] }] },
    { additionalProperties: false, anyOf: [{ properties: { a: true } }, { properties: { b: true } }] },
    { $ref: '#/$defs/a', properties: { b: true }, $defs: { a: closed('a') } },
    { additionalProperties: false, ...when({ required: ['a'] }, { properties: { a: true, b: true } }) },
  ]) {
    assert.equal(validity(schema, { a: 'x', b: 'x' }), 'unknown', JSON.stringify(schema));
    assert.equal(validity(schema, { a: 'x', b: 'x', z: 1 }), 'invalid', JSON.stringify(schema));
  }
  // Of forms, each may be closed for itself.
  const forms = { oneOf: [closed('a'), closed('b')] };
  assertRows([
    [forms, [{ a: 'x' }], [{ a: 'x', b: 'x' }, { b: 5 }]],
    [{ allOf: [forms] }, [{ b: 'x' }], [{ a: 'x', b: 'x' }]],
    [{ properties: { i: closed('a'), b: true } }, [{ i: {}, b: 1 }], [{ i: { b: 'x' } }]],
  ]);
});

test('unchecked members are found through combinations, references and conditions', () => {
  const a = { properties: { a: true } };
  assertRows([
    [{ ...a, unevaluatedProperties: false }, [{ a: 1 }], [{ b: 1 }]],
    [{ allOf: [a], unevaluatedProperties: false }, [{ a: 1 }], [{ a: 1, b: 1 }]],
    [{ $ref: '#/$defs/a', $defs: { a }, unevaluatedProperties: false }, [{ a: 1 }], [{ b: 1 }]],
    [
      { anyOf: [{ ...a, required: ['a'] }, { properties: { b: true } }], unevaluatedProperties: false },
      [{ a: 1, b: 1 }, { b: 1 }],
      [{ c: 1 }],
    ],
    [
      { if: { ...a, required: ['a'] }, else: { properties: { b: true } }, unevaluatedProperties: false },
      [{ a: 1 }, { b: 1 }],
      [{ a: 1, b: 1 }],
    ],
    [{ not: { not: a }, unevaluatedProperties: false }, [{}], [{ a: 1 }]],
    [{ allOf: [{ additionalProperties: true }], unevaluatedProperties: false }, [{ b: 1 }], []],
    [{ ...a, unevaluatedProperties: { type: 'string' } }, [{ a: 1, b: 'x' }], [{ b: 1 }]],
    [{ prefixItems: [true], unevaluatedItems: false }, [[1]], [[1, 2]]],
    [{ contains: { const: 1 }, unevaluatedItems: { const: 2 } }, [[1, 2]], [[1, 3]]],
  ]);
});

test('draft-07 keeps its own rules: nothing beside a reference counts, and newer words mean nothing', () => {
  assertRows([
    [
      {
        ...draft7,
        properties: { x: { $ref: '#/definitions/s', maxLength: 1 } },
        definitions: { s: { type: 'string' } },
      },
      [{ x: 'abc' }],
      [{ x: 1 }],
    ],
    [
      { ...draft7, prefixItems: [false], dependentRequired: { a: ['b'] }, unevaluatedProperties: false },
      [[1], { a: 1 }],
      [],
    ],
    [{ ...draft7, contains: { const: 1 }, minContains: 2 }, [[1]], [[]]],
    [{ ...draft7, ...when({ const: 1 }, false) }, [2], [1]],
  ]);
  const modern = { properties: { x: { $ref: '#/$defs/s', maxLength: 1 } }, $defs: { s: { type: 'string' } } };
  assertRows([[modern, [{ x: 'a' }], [{ x: 'abc' }]]]);
});

test('an undecided check never refuses', () => {
  const open = { pattern: '(a)\\1' };
  const never = { pattern: '(a)\\1', type: 'object' };
  for (const schema of [
    { not: open },
    { oneOf: [open, { type: 'string' }] },
    { anyOf: [open, { type: 'integer' }] },
    when(open, false),
    when(open, true, false),
  ])
    assert.equal(validity(schema, 'b'), 'unknown', JSON.stringify(schema));
  for (const schema of [
    { patternProperties: { '(a)\\1': false } },
    { patternProperties: { '(a)\\1': true }, additionalProperties: false },
    { patternProperties: { '(a)\\1': true }, unevaluatedProperties: false },
    { anyOf: [{ properties: { b: open } }], unevaluatedProperties: false },
  ])
    assert.equal(validity(schema, { b: 'b' }), 'unknown', JSON.stringify(schema));
  assert.equal(validity(never, 'b'), 'invalid');
  assert.equal(validity(when(open, { minLength: 2 }, { minLength: 3 }), 'b'), 'invalid');
  assert.equal(validity({ allOf: [open, { minLength: 2 }] }, 'b'), 'invalid');
});

const names = fc.constantFrom('a', 'b');
const scalar = fc.constantFrom(null, true, 0, 1, 0.5, '', 'a', 'ab');
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(names, tie('value'), { maxKeys: 2 }),
  ),
}));
const { schema: anySchema } = fc.letrec<{ schema: unknown }>((tie) => {
  const one = tie('schema');
  const some = fc.array(one, { minLength: 1, maxLength: 2 });
  const map = fc.dictionary(names, one, { maxKeys: 2 });
  const size = fc.integer({ min: 0, max: 2 });
  const members: Record<string, fc.Arbitrary<unknown>> = {
    type: fc.constantFrom('string', 'number', 'integer', 'object', 'array', ['string', 'null']),
    properties: map,
    required: fc.array(names, { maxLength: 2 }),
    additionalProperties: one,
    patternProperties: fc.dictionary(fc.constantFrom('^a', 'b'), one, { maxKeys: 1 }),
    propertyNames: one,
    minProperties: size,
    items: one,
    prefixItems: some,
    contains: one,
    maxItems: size,
    uniqueItems: fc.boolean(),
    anyOf: some,
    allOf: some,
    oneOf: some,
    not: one,
    const: anyValue,
    minimum: size,
    multipleOf: fc.constantFrom(0.5, 1),
    maxLength: size,
    pattern: fc.constantFrom('^a', 'b$'),
    $ref: fc.constant('#/$defs/x'),
  };
  const object = fc
    .subarray(Object.keys(members), { maxLength: 3 })
    .chain((keys) => fc.record(Object.fromEntries(keys.map((key) => [key, members[key] ?? one]))));
  return { schema: fc.oneof({ depthSize: 'small' }, fc.boolean(), object) };
});

test('another validator says the same wherever something is said', () => {
  fc.assert(
    fc.property(anySchema, anySchema, anyValue, (schema, other, value) => {
      // The other one does not survive a reference that goes round.
      const definition = JSON.parse(JSON.stringify(other).replaceAll('"$ref"', '"title"'));
      const text = JSON.stringify({ $defs: { x: definition }, allOf: [schema] });
      const said = validity(JSON.parse(text), value);
      if (said === 'unknown') return;
      const second = new Validator(JSON.parse(text) as Schema, '2020-12').validate(JSON.parse(JSON.stringify(value)));
      assert.equal(said === 'valid', second.valid, `${text} on ${JSON.stringify(value)}`);
    }),
    { numRuns: 1_000 },
  );
});

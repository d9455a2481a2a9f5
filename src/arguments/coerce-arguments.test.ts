/** Harmless corrections: made where exactly one other reading fits, reported, and never to what was right already. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkValue, maxSteps } from './check-value.ts';
import { coerceArguments } from './coerce-arguments.ts';
import { TamedSchema } from './tamed-schema.ts';
import { Steps } from './value-keywords.ts';

function coerce(schema: Readonly<Record<string, unknown>>, args: Record<string, unknown>) {
  return coerceArguments(new TamedSchema(schema), args);
}

/** The corrected value of one parameter, or undefined. */
function read(schema: object, value: unknown): unknown {
  const coerced = coerce({ properties: { x: schema } }, { x: value });
  return coerced && (coerced.value as { x?: unknown }).x;
}

const refused = (schema: object, ...values: unknown[]) => {
  for (const value of values) assert.equal(coerce({ properties: { x: schema } }, { x: value }), undefined, `${value}`);
};

test('a whole number that JavaScript would round arrives with all its digits, within what the schema allows', () => {
  const schema = { properties: { x: { type: 'integer', minimum: 1, maximum: 2 ** 63 } } };
  const coerced = coerce(schema, { x: '1234567890123456789' });
  assert.equal(JSON.stringify(coerced?.value), '{"x":1234567890123456789}');
  assert.deepEqual(coerced?.notes, ['x: "1234567890123456789" → 1234567890123456789']);
  for (const x of ['-1234567890123456789', '99999999999999999999', '01234567890123456789', '1234567890123456789012345'])
    assert.equal(coerce(schema, { x }), undefined, x);
});

test('a number or boolean that came as text is read, if the text is exactly what it would be written as', () => {
  const integer = { type: 'integer' };
  assert.equal(read(integer, '5'), 5);
  assert.equal(read(integer, '-12'), -12);
  assert.equal(read(integer, '9007199254740991'), 9007199254740991);
  assert.equal(read({ type: 'number' }, '-1.5'), -1.5);
  assert.equal(read({ type: 'boolean' }, 'true'), true);
  assert.equal(read({ type: 'boolean' }, 'false'), false);
  refused(
    integer,
    '5 apples',
    '0x5',
    '5.0',
    '1.5',
    '',
    ' 5',
    '+5',
    '05',
    '-0',
    '1e3',
    'NaN',
    '1234567890123456.5',
    true,
  );
  refused({ type: 'number' }, '1e400', 'Infinity', '0.10', '1_000', '0.1234567890123456789');
  assert.equal(read({ type: 'boolean' }, 'True'), true, 'as another language writes it');
  refused({ type: 'boolean' }, 'yes', 1, 0, 'T');
  refused({ type: 'integer', maximum: 3 }, '5');
});

test('a number or boolean where a text is wanted is written as one', () => {
  const text = { type: 'string' };
  assert.equal(read(text, 5), '5');
  assert.equal(read(text, -1.5), '-1.5');
  assert.equal(read(text, false), 'false');
  refused(text, 1e21, 1e-7, {}, []);
  assert.equal(read({ enum: ['1', '2'] }, 1), '1');
  assert.equal(read({ enum: [1, 2] }, '2'), 2);
});

test('JSON in a text is read where an object or an array is wanted, and corrected inside', () => {
  const list = { type: 'array', items: { type: 'string' } };
  assert.deepEqual(read({ type: 'object' }, '{"a":1}'), { a: 1 });
  assert.deepEqual(read(list, '["a","b"]'), ['a', 'b']);
  assert.deepEqual(read(list, '[1,2]'), ['1', '2']);
  assert.deepEqual(read({ type: 'object', properties: { n: { type: 'integer' } } }, '{"n":"5","o":null}'), {
    n: 5,
    o: null,
  });
  refused({ type: 'object' }, '[1]', '{', 'x', '{"a":12345678901234567890}');
  assert.equal(read({ type: 'string' }, '{"a":1}'), '{"a":1}', 'what is right stays');
});

test('one value where an array of such is wanted becomes an array', () => {
  assert.deepEqual(read({ type: 'array', items: { type: 'string' } }, 'a'), ['a']);
  assert.deepEqual(read({ type: 'array', items: { type: 'integer' } }, 5), [5]);
  assert.deepEqual(read({ type: 'array', items: { type: 'object' } }, { a: 1 }), [{ a: 1 }]);
  refused({ type: 'array', items: { type: 'integer' } }, 'a', true);
  refused({ type: 'array', minItems: 2 }, 'a');
});

test('a text that was meant as several items, or as none, is not made one item', () => {
  const texts = { type: 'array', items: { type: 'string' } };
  refused(texts, '', '  ', 'bug, help wanted', 'a;b', 'a\nb', 'a\r', "['bug', 'ui']", '["bug","ui"', ' {"a":');
  refused(texts, 'none', 'None', 'NULL', 'nil', 'undefined');
  refused({ anyOf: [texts, { type: 'null' }] }, 'a, b', 'none');
  assert.deepEqual(read(texts, 'help wanted'), ['help wanted']);
  assert.deepEqual(read(texts, 'nonet'), ['nonet']);
});

test('null for a parameter that may be left out but not be null is left out', () => {
  const schema = {
    properties: { a: { type: 'string' }, b: { $ref: '#/$defs/b' } },
    required: ['a'],
    $defs: { b: { properties: { c: { type: 'integer' } } } },
  };
  assert.deepEqual(
    coerce({ ...schema, properties: { ...schema.properties, n: { type: 'integer' } } }, { a: 'x', n: null })?.value,
    { a: 'x' },
  );
  assert.deepEqual(coerce(schema, { a: 'x', b: { c: null, d: null } })?.value, { a: 'x', b: { d: null } });
  assert.equal(coerce(schema, { a: null }), undefined, 'a required one is not');
  assert.equal(
    coerce({ additionalProperties: { type: 'string' } }, { a: null }),
    undefined,
    'nor is one without a name',
  );
  assert.equal(
    coerce({ properties: { l: { items: { type: 'string' } } } }, { l: [null] }),
    undefined,
    'nor is an item',
  );
});

test('a choice in other letters is taken where only one is meant', () => {
  assert.equal(read({ type: 'string', enum: ['open', 'closed'] }, 'OPEN'), 'open');
  assert.equal(read({ const: 'Yes' }, 'yes'), 'Yes');
  assert.equal(read({ oneOf: [{ const: 'left' }, { const: 'right' }] }, 'RIGHT'), 'right');
  assert.equal(read({ enum: ['in_progress', 'not planned', 'sha256'] }, 'IN_PROGRESS'), 'in_progress');
  refused({ enum: ['Open', 'OPEN'] }, 'open');
  refused({ enum: ['1h', '1d', '1M'] }, '1m', '1H');
  refused({ enum: ['Mb', 'k', '5min', '%Year'] }, 'MB', 'K', '5MIN', '%YEAR');
  refused({ enum: ['open'] }, 'opn');
});

test('of several forms, exactly one reading must fit', () => {
  const integer = { type: 'integer' };
  const texts = { type: 'array', items: { type: 'string' } };
  assert.equal(read({ anyOf: [integer, { type: 'null' }] }, '5'), 5);
  assert.equal(read({ anyOf: [integer, { type: 'boolean' }] }, 'true'), true);
  refused({ anyOf: [integer, texts] }, '5');
  refused({ type: ['integer', 'array'] }, '5');
  const filter = { type: 'object', properties: { n: integer } };
  assert.deepEqual(read({ anyOf: [filter, { type: 'null' }] }, { n: '5' }), { n: 5 });
  assert.equal(read({ anyOf: [{ $ref: '#/$defs/none' }, integer] }, '5'), '5', 'left to the server');
  const forms = [
    { properties: { kind: { const: 'number' }, n: integer }, required: ['kind'] },
    { properties: { kind: { const: 'flag' }, n: { type: 'boolean' } }, required: ['kind'] },
  ];
  assert.deepEqual(read({ oneOf: forms }, { kind: 'number', n: '5' }), { kind: 'number', n: 5 });
  assert.deepEqual(read({ oneOf: forms }, { kind: 'FLAG', n: 'true' }), { kind: 'flag', n: true });
});

test('all is corrected or nothing', () => {
  const schema = { properties: { a: { type: 'integer' }, b: { type: 'integer' } }, required: ['a'] };
  assert.equal(coerce(schema, { a: '5', b: 'x' }), undefined);
  assert.equal(coerce(schema, { b: '5' }), undefined);
  assert.deepEqual(coerce(schema, { a: '5', b: '6' })?.value, { a: 5, b: 6 });
});

test('each correction is noted, shortly and without secrets', () => {
  const properties = {
    limit: { type: 'integer' },
    cursor: { type: 'string' },
    filter: { type: 'object', properties: { n: { type: 'integer' } } },
    token: { type: 'string' },
    tags: { type: 'array', items: { type: 'string' } },
  };
  const args = { limit: '5', cursor: null, filter: '{"n":"7"}', token: 12345678, tags: 'z'.repeat(500) };
  const notes = coerce({ properties }, args)?.notes ?? [];
  assert.deepEqual(notes.slice(0, 5), [
    'limit: "5" → 5',
    'cursor: null → left out',
    'filter: "{\\"n\\":\\"7\\"}" → {"n":"7"}',
    'filter.n: "7" → 7',
    'token: *** → ***',
  ]);
  for (const note of notes) assert.ok(note.length < 160, note);
  const many = coerce(
    { properties: { l: { items: { type: 'integer' } } } },
    { l: Array.from({ length: 100 }, (_, at) => `${at}`) },
  );
  assert.equal(many?.notes.length, 21);
  assert.equal(many?.notes.at(-1), 'and 80 more');
});

test('the input is not changed, and names of prototypes are ordinary names', () => {
  const text = '{"__proto__":{"polluted":"1"},"constructor":{"n":"5"},"deep":{"__proto__":["2"],"n":"5"},"z":"9"}';
  const args = JSON.parse(text);
  const integers = { additionalProperties: { type: 'integer' } };
  const schema = JSON.parse(
    '{"properties":{"__proto__":{},"constructor":{},"deep":{},"z":{"type":"integer"}},"additionalProperties":false}',
  );
  schema.properties.constructor = integers;
  Object.defineProperty(schema.properties, '__proto__', { value: integers, enumerable: true });
  schema.properties.deep = JSON.parse(
    '{"properties":{"__proto__":{"items":{"type":"integer"}},"n":{"type":"integer"}}}',
  );
  const coerced = coerce(schema, args);
  assert.equal(
    JSON.stringify(coerced?.value),
    '{"__proto__":{"polluted":1},"constructor":{"n":5},"deep":{"__proto__":[2],"n":5},"z":9}',
  );
  assert.equal(JSON.stringify(args), text);
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
  assert.equal(Object.getPrototypeOf(coerced?.value), Object.prototype);
});

test('corrections end within the steps of one check', () => {
  const $defs: Record<string, object> = { a20: { type: 'object', properties: { n: { type: 'integer' } } } };
  for (let at = 0; at < 20; at += 1)
    $defs[`a${at}`] = { anyOf: [{ $ref: `#/$defs/a${at + 1}` }, { $ref: `#/$defs/a${at + 1}` }] };
  for (const [schema, args] of [
    [{ $ref: '#/$defs/a0', $defs }, { n: '5' }],
    [
      { properties: { l: { items: { anyOf: [{ type: 'integer' }, { type: 'boolean' }] } } } },
      { l: Array.from({ length: 9_000 }, () => '5') },
    ],
  ] as const) {
    const steps = new Steps(maxSteps);
    assert.equal(coerceArguments(new TamedSchema(schema), args, steps), undefined);
    assert.ok(steps.used <= maxSteps + 1_000, `${steps.used}`);
  }
});

const leaf = fc.constantFrom<object>(
  { type: 'integer' },
  { type: 'number', minimum: 0 },
  { type: 'string' },
  { type: 'boolean' },
  { enum: ['open', 'Closed'] },
  { type: ['integer', 'null'] },
  { anyOf: [{ type: 'integer' }, { type: 'boolean' }] },
  {
    oneOf: [
      { type: 'string', maxLength: 1 },
      { type: 'array', items: { type: 'string' } },
    ],
  },
);
const { schema: anySchema } = fc.letrec<{ schema: object }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    leaf,
    tie('schema').map((items) => ({ type: 'array', items })),
    fc
      .dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('schema'), { maxKeys: 3 })
      .map((properties) => ({ type: 'object', properties })),
  ),
}));
const scalar = fc.constantFrom<unknown>(
  5,
  '5',
  '-1.5',
  'x',
  'true',
  true,
  null,
  'OPEN',
  'closed',
  '[1]',
  '{"a":"5"}',
  1.5,
);
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('value'), { maxKeys: 3 }),
  ),
}));
const anyCase = fc.tuple(
  fc.dictionary(fc.constantFrom('a', '__proto__'), anySchema, { minKeys: 2 }),
  fc.dictionary(fc.constantFrom('a', '__proto__'), anyValue, { minKeys: 1 }),
);

test('valid arguments stay what they are, and what comes of others is valid and stays so', () => {
  let corrected = 0;
  fc.assert(
    fc.property(anyCase, ([properties, given]) => {
      const tamed = new TamedSchema(JSON.parse(JSON.stringify({ type: 'object', properties })));
      const text = JSON.stringify(given);
      const args = JSON.parse(text);
      const before = checkValue(tamed, tamed.root, args);
      const coerced = coerceArguments(tamed, args);
      assert.equal(JSON.stringify(args), text, 'what came is not changed');
      if (before.validity === 'valid') assert.deepEqual(coerced, { value: args, notes: [] });
      if (coerced === undefined) return;
      assert.equal(checkValue(tamed, tamed.root, coerced.value).validity, 'valid');
      assert.equal(before.validity === 'valid', coerced.notes.length === 0);
      assert.deepEqual(coerceArguments(tamed, coerced.value as Record<string, unknown>), {
        value: coerced.value,
        notes: [],
      });
      if (before.validity === 'invalid') corrected += 1;
    }),
    { numRuns: 2_000 },
  );
  assert.ok(corrected > 20, `${corrected} were corrected`);
});

test('a value written as text and read again is the same', () => {
  const number = fc.oneof(fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true }));
  fc.assert(
    fc.property(number, (value) => {
      const asText = read({ type: 'string' }, value);
      if (asText !== undefined) assert.equal(read({ type: 'number' }, asText), value);
    }),
  );
  fc.assert(
    fc.property(fc.string(), (text) => {
      const asNumber = read({ type: 'number' }, text);
      if (asNumber !== undefined) assert.equal(read({ type: 'string' }, asNumber), text);
    }),
  );
});

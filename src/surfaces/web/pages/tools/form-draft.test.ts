/** Tests of forms made of schemas as servers write them, and of the arguments that a filled-in form means. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Draft, draftOfValue, valueOfDraft } from './form-draft.ts';
import { fieldOfSchema, type SchemaField } from './read-schema.ts';

/** The kinds of the fields of an object, as far as they are shown at once. */
function kindsIn(schema: unknown): Record<string, string> {
  const field = fieldOfSchema(schema);
  assert.equal(field.kind, 'object');
  return Object.fromEntries((field as ObjectField).members.map(({ name, field: make }) => [name, make().kind]));
}
type ObjectField = SchemaField & { readonly kind: 'object' };

const form = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

test('each kind of schema has its field, and one without a type is what its keywords say', () => {
  const properties = {
    text: { type: 'string', format: 'date' },
    count: { type: 'integer' },
    share: { type: 'number' },
    flag: { type: 'boolean' },
    level: { enum: ['low', 'high'] },
    fixed: { const: 3 },
    list: { items: { type: 'string' } },
    bare: { type: 'array' },
    nested: { properties: { a: {} } },
    map: { type: 'object', additionalProperties: { type: 'string' } },
    anything: {},
    all: true,
  };
  assert.deepEqual(kindsIn(form(properties)), {
    ...{ text: 'text', count: 'number', share: 'number', flag: 'boolean', level: 'choice', fixed: 'choice' },
    ...{ list: 'list', bare: 'json', nested: 'object', map: 'json', anything: 'json', all: 'json' },
  });
  for (const odd of [undefined, null, 7, [], 'schema']) assert.equal(fieldOfSchema(odd).kind, 'json');
  assert.deepEqual(kindsIn({ type: 'object' }), {});
});

test('references are followed within the schema, and nowhere else', () => {
  const $defs = { when: { type: 'string' }, alias: { $ref: '#/$defs/when' }, 'a/b': { type: 'boolean' } };
  const schema = form(
    {
      near: { $ref: '#/$defs/alias', description: 'Beside it.' },
      escaped: { $ref: '#/$defs/a~1b' },
      missing: { $ref: '#/$defs/nothing' },
      far: { $ref: 'https://example.com/schema.json' },
      loop: { $ref: '#/properties/loop' },
    },
    { $defs },
  );
  assert.deepEqual(kindsIn(schema), { near: 'text', escaped: 'boolean', missing: 'json', far: 'json', loop: 'json' });
  const [near] = (fieldOfSchema(schema) as ObjectField).members;
  assert.equal(near?.field().description, 'Beside it.');
});

test('parts of allOf are one form, with the required members of all', () => {
  const schema = {
    allOf: [form({ a: { type: 'string' } }, { required: ['a'] }), { $ref: '#/$defs/more' }],
    $defs: { more: { allOf: [form({ b: { type: 'number' } }, { required: ['b'] })] } },
  };
  const { members } = fieldOfSchema(schema) as ObjectField;
  assert.deepEqual(
    members.map(({ name, isRequired }) => [name, isRequired]),
    [
      ['a', true],
      ['b', true],
    ],
  );
});

test('null is a mark of a field, several types and variants are a choice, and variants of conditions are none', () => {
  const schema = form({
    maybe: { type: ['string', 'null'] },
    either: { type: ['string', 'number'] },
    optional: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    shape: { oneOf: [form({ r: { type: 'number' } }, { title: 'Circle' }), form({ w: {}, h: {} })] },
    named: { oneOf: [{ const: 'a', title: 'A' }, { const: 'b' }] },
    pair: form({ x: {}, y: {} }, { anyOf: [{ required: ['x'] }, { required: ['y'] }] }),
  });
  const fields = new Map((fieldOfSchema(schema) as ObjectField).members.map(({ name, field }) => [name, field()]));
  assert.deepEqual([fields.get('maybe')?.kind, fields.get('maybe')?.isNullable], ['text', true]);
  assert.deepEqual([fields.get('optional')?.kind, fields.get('optional')?.isNullable], ['number', true]);
  const labels = (name: string) => {
    const field = fields.get(name);
    return field?.kind === 'variants' ? field.variants.map(({ label }) => label) : field?.kind;
  };
  assert.deepEqual(labels('either'), ['string', 'number']);
  assert.deepEqual(labels('shape'), ['Circle', 'object with w, h']);
  assert.deepEqual(labels('named'), 'choice');
  assert.deepEqual(labels('pair'), 'object');
});

test('a schema that holds itself, or is very deep, ends in JSON', () => {
  const tree = {
    $ref: '#/$defs/tree',
    $defs: { tree: form({ child: { $ref: '#/$defs/tree' } }, { required: ['child'] }) },
  };
  let depth = 0;
  for (let field = fieldOfSchema(tree); field.kind === 'object'; depth += 1)
    field = field.members[0]?.field() ?? assert.fail();
  assert.equal(depth, 8);
  let deep: object = { type: 'string' };
  for (let level = 0; level < 5_000; level += 1) deep = form({ a: deep });
  assert.equal(fieldOfSchema(deep).kind, 'object');
});

const order = fieldOfSchema(
  form(
    {
      id: { type: 'string' },
      count: { type: 'integer', default: 1 },
      gift: { type: 'boolean' },
      size: { enum: ['s', 'm', 7] },
      address: form({ street: { type: 'string' }, zip: { type: 'string' } }, { required: ['street'] }),
      tags: { type: 'array', items: { type: 'string' } },
      extra: {},
      pay: { oneOf: [form({ card: { type: 'string' } }, { required: ['card'] }), { type: 'number' }] },
      note: { type: ['string', 'null'] },
      ['__proto__']: { type: 'string' },
    },
    { required: ['id', 'count'] },
  ),
);

test('only what was given is sent, and a required default stands for itself', () => {
  assert.deepEqual(valueOfDraft(order, { members: { id: 'a' } }), { value: { id: 'a', count: 1 }, problems: [] });
  const { problems } = valueOfDraft(order, undefined);
  assert.deepEqual(problems, [{ path: 'id', message: 'A value is needed.' }]);
  const touched: Draft = { members: { id: 'a', address: { members: { zip: '1' } } } };
  assert.deepEqual(valueOfDraft(order, touched).problems, [{ path: 'address.street', message: 'A value is needed.' }]);
});

test('typed texts become values of their kind, and wrong ones say where', () => {
  const draft: Draft = {
    members: {
      ...{ id: 'a', count: '3', gift: 'false', size: '2', note: null, extra: '{"a":[1]}' },
      address: { members: { street: 'x' } },
      tags: { items: ['one', 'two'] },
      pay: { variant: 1, inner: '4.5' },
    },
  };
  const value = {
    ...{ id: 'a', count: 3, gift: false, size: 7, note: null, extra: { a: [1] } },
    ...{ address: { street: 'x' }, tags: ['one', 'two'], pay: 4.5 },
  };
  assert.deepEqual(valueOfDraft(order, draft), { value, problems: [] });
  const wrong: Draft = {
    members: { id: 'a', count: '1.5', extra: '{', tags: { items: ['', 'x'] }, pay: { variant: 0, inner: undefined } },
  };
  assert.deepEqual(
    valueOfDraft(order, wrong).problems.map(({ path }) => path),
    ['count', 'tags[0]', 'extra'],
  );
});

test('a value comes back into the form as it was, or not at all', () => {
  const value = {
    id: 'a',
    count: 3,
    gift: true,
    size: 'm',
    address: { street: 'x' },
    tags: ['t'],
    pay: { card: 'c' },
    note: null,
  };
  const found = draftOfValue(order, value);
  assert.ok(found);
  assert.deepEqual(valueOfDraft(order, found.draft).value, value);
  assert.equal(draftOfValue(order, { id: 'a', unknown: 1 }), undefined);
  assert.equal(draftOfValue(order, { id: 5 }), undefined);
  assert.equal(draftOfValue(order, ['a']), undefined);
});

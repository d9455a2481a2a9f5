/** The short line of a tool's parameters. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signatureOf } from './signature.ts';

const of = (properties: object, more: object = {}) => signatureOf({ type: 'object', properties, ...more });

test('required parameters come first, strings go without saying, simple types are named', () => {
  const properties = {
    limit: { type: 'integer' },
    owner: { type: 'string' },
    state: { enum: ['open', 'closed'] },
    any: {},
  };
  assert.equal(of(properties, { required: ['owner'] }), 'owner, limit?: integer, state?: open|closed, any?');
  assert.equal(signatureOf(undefined), '');
});

test('nullable types, references and lists are named by their contents', () => {
  const properties = {
    a: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    b: { type: ['boolean', 'null'] },
    c: { $ref: '#/$defs/c' },
    d: { type: 'array', items: { type: 'string' } },
    e: { type: 'array' },
    f: { oneOf: [{ type: 'string' }, { type: 'number' }] },
    g: { anyOf: [{ type: 'string' }, {}] },
    h: { $ref: '#/$defs/round' },
  };
  const $defs = { c: { type: 'object' }, round: { $ref: '#/$defs/round' } };
  assert.equal(
    of(properties, { $defs }),
    'a?: integer, b?: boolean, c?: object, d?: string[], e?: array, f?: string|number, g?, h?',
  );
});

test('a schema that is only a reference is followed', () => {
  const definitions = {
    input: { properties: { n: { $ref: '#/definitions/n' } }, required: ['n'] },
    n: { type: 'integer' },
  };
  assert.equal(signatureOf({ $ref: '#/definitions/input', definitions }), 'n: integer');
  assert.equal(signatureOf({ $ref: '#/definitions/none', definitions }), '');
});

test('a long list is cut, and long choices are left out', () => {
  const many = Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`p${at}`, {}]));
  assert.match(of(many, { required: Object.keys(many) }), /^p0, p1,.* p19, … 5 more$/);
  assert.equal(of({ x: { enum: ['a'.repeat(40), 'b'.repeat(40)] } }), 'x?');
  assert.equal(of({ x: { enum: [{ a: 1 }, 'b'] } }), 'x?: …|b');
});

test('a line without room loses types of optional parameters first, then their names, and required ones last', () => {
  const properties = {
    owner: { type: 'string' },
    number: { type: 'integer' },
    state: { enum: ['open', 'closed'] },
    labels: { type: 'array', items: { type: 'string' } },
    page: { type: 'integer' },
  };
  const schema = { type: 'object', properties, required: ['owner', 'number'] };
  const whole = 'owner, number: integer, state?: open|closed, labels?: string[], page?: integer';
  assert.equal(signatureOf(schema, whole.length), whole);
  assert.equal(signatureOf(schema, whole.length - 1), 'owner, number: integer, state?, labels?, page?');
  assert.equal(signatureOf(schema, 45), 'owner, number: integer, state?, … 2 more');
  assert.equal(signatureOf(schema, 20), 'owner, … 4 more');
  assert.equal(signatureOf(schema, 0), '… 5 more');
});

test('a line is never longer than its room, and says how many it leaves out', () => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`parameter_${at}`, { type: 'integer' }]));
  const schema = { type: 'object', properties: many, required: Object.keys(many).slice(0, 12) };
  for (let most = 12; most < 500; most += 1) {
    const line = signatureOf(schema, most);
    assert.ok(line.length <= most, line);
    const named = line.split(', ').filter((word) => word.startsWith('parameter_')).length;
    assert.equal(named + Number(/… (\d+) more$/.exec(line)?.[1] ?? 0), 30, line);
  }
});

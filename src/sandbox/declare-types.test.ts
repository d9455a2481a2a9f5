/** Declarations of tools: what each schema becomes, how long they get, and what a hostile server can do to them. */

import assert from 'node:assert/strict';
import { stripTypeScriptTypes } from 'node:module';
import { test } from 'node:test';
import { systemClock } from '../base/clock.ts';
import { clockTools } from '../demo/clock.ts';
import { mathTools } from '../demo/math.ts';
import { notesTools } from '../demo/notes.ts';
import { meteoTools, weatherTools } from '../demo/weather.ts';
import { type DeclaredTool, declareTypes } from './declare-types.ts';

function declare(inputSchema: unknown, more: Record<string, unknown> = {}, name = 'tool'): string {
  return declareTypes([{ server: 'one', name, definition: { name, inputSchema, ...more } }]);
}

/** The type of one parameter `p`. */
function typeOf(schema: unknown, root: Record<string, unknown> = {}): string {
  const text = declare({ type: 'object', properties: { p: schema }, required: ['p'], ...root });
  assertValid(text);
  return /args: \{ p: (.*) \}\): Promise<unknown>;/.exec(text)?.[1] ?? text;
}

function assertValid(text: string): void {
  // Declarations leave nothing behind; what does would be code.
  assert.equal(stripTypeScriptTypes(text).trim(), '', text);
}

test('a tool is one line: its sentence, its arguments, needed ones first, and what it gives', () => {
  const inputSchema = {
    type: 'object',
    properties: { labels: { type: 'array', items: { type: 'string' } }, owner: { type: 'string' } },
    required: ['owner'],
  };
  const outputSchema = { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] };
  const text = declare(inputSchema, { description: 'Opens an issue. And more.', outputSchema }, 'create_issue');
  assert.equal(
    text,
    `declare const servers: {
  one: {
    /** Opens an issue. */
    create_issue(args: { owner: string; labels?: string[] }): Promise<{ number: number }>;
  };
};`,
  );
  assertValid(text);
});

test('tools without arguments, or only with some that may be left out, say so', () => {
  assert.match(declare({ type: 'object' }), /tool\(\): Promise<unknown>/);
  assert.match(declare(undefined), /tool\(\): Promise<unknown>/);
  assert.match(declare({ properties: { a: { type: 'number' } } }), /tool\(args\?: \{ a\?: number \}\)/);
  assert.match(
    declare({ type: 'object', additionalProperties: { type: 'string' } }),
    /tool\(args\?: Record<string, string>\)/,
  );
});

test('every kind of schema has its type', () => {
  const rows: readonly (readonly [unknown, string])[] = [
    [{ enum: ['a', 'b', null] }, '"a" | "b" | null'],
    [{ const: 5 }, '5'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ type: 'string', nullable: true }, 'string | null'],
    [{ anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'number' }] }, 'string | number'],
    [{ oneOf: [{ type: 'string' }, {}] }, 'unknown'],
    [{ type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } }, '(string | number)[]'],
    [{ type: 'array' }, 'unknown[]'],
    [{ type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false }, '[string, number]'],
    [{ type: 'array', items: [{ type: 'string' }], additionalItems: { type: 'number' } }, '[string, ...(number)[]]'],
    [{ type: 'object' }, 'object'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, 'Record<string, number>'],
    [{ type: 'object', patternProperties: { '^x': { type: 'boolean' } } }, 'Record<string, boolean>'],
    [
      { allOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }, { properties: { b: {} } }] },
      '{ a: string; b?: unknown }',
    ],
    [{ allOf: [{ type: 'string' }, { minLength: 1 }] }, 'string'],
    [
      { properties: { a: {} }, oneOf: [{ properties: { b: {} } }, { properties: { c: {} } }] },
      '{ a?: unknown } & ({ b?: unknown } | { c?: unknown })',
    ],
    [true, 'unknown'],
    [false, 'never'],
    [{ $ref: '#/$defs/leaf' }, '{ a?: "x" }'],
    [{ $ref: '#/definitions/old' }, 'boolean'],
    [{ $ref: 'https://example.com/other' }, 'unknown'],
    [
      { type: 'object', properties: { 'a-b': { type: 'string' }, constructor: {} } },
      '{ "a-b"?: string; constructor?: unknown }',
    ],
  ];
  const $defs = { leaf: { type: 'object', properties: { a: { const: 'x' } } } };
  const definitions = { old: { type: 'boolean' } };
  for (const [schema, type] of rows) assert.equal(typeOf(schema, { $defs, definitions }), type);
});

test('a schema that refers to itself ends', () => {
  const $defs = { node: { type: 'object', properties: { value: { type: 'number' }, next: { $ref: '#/$defs/node' } } } };
  assert.equal(typeOf({ $ref: '#/$defs/node' }, { $defs }), '{ value?: number; next?: unknown }');
  assert.equal(typeOf({ $ref: '#/$defs/loop' }, { $defs: { loop: { $ref: '#/$defs/loop' } } }), 'unknown');
  assertValid(declare({ $ref: '#' }));
  assertValid(declare({ allOf: [{ $ref: '#' }] }));
});

test('parameters are explained only where that adds something', () => {
  const shown = (name: string, schema: object) =>
    /\/\* (.*) \*\//.exec(declare({ properties: { [name]: schema } }))?.[1];
  assert.equal(shown('owner', { type: 'string', description: 'The owner.' }), undefined);
  assert.equal(shown('issue_number', { description: 'The number of the issue' }), undefined);
  assert.equal(
    shown('path', { description: 'Relative to the root of the repository. Long story.' }),
    'Relative to the root of the repository',
  );
  assert.equal(shown('limit', { type: 'integer', minimum: 1, maximum: 100, default: 10 }), '1 to 100, default 10');
  assert.equal(shown('since', { type: 'string', format: 'date-time' }), 'date-time');
});

test('[CHAIN-47] nothing of a server ends a comment, a name or a text, or deceives a reader', () => {
  const evil = '*/ } }; alert(1); /* " ` \\ {x}\n\u2028// \u202e';
  const text = declareTypes([
    {
      server: evil,
      name: evil,
      definition: {
        description: evil,
        inputSchema: {
          properties: {
            [evil]: { description: `Words that add ${evil}`, enum: [evil, 1] },
            b: { const: evil },
            __proto__: { type: 'string' },
          },
          required: [evil],
        },
        outputSchema: { enum: Array.from({ length: 50 }, (_, at) => `${evil}${at}`) },
      },
    },
  ]);
  assertValid(text);
  assert.doesNotMatch(text, /[\u2028\u202e]/);
  assert.equal(text.split('\n').length, 6);
});

test('[CHAIN-47] hostile schemas are declared in bounded time and length', () => {
  let deep: object = { type: 'string' };
  for (let at = 0; at < 5_000; at += 1) deep = { type: 'array', items: deep };
  let twins: object = { type: 'string' };
  for (let at = 0; at < 60; at += 1)
    twins = { type: 'object', properties: { a: twins, b: twins }, anyOf: [twins, twins] };
  const many = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, at) => [`p${at}`, { type: 'string', description: `Words that add much ${at}` }]),
  );
  const all = Array.from({ length: 5_000 }, () => ({ properties: many }));
  const schemas = [
    deep,
    twins,
    { properties: many },
    { allOf: all },
    { enum: Object.keys(many) },
    { properties: { ['x'.repeat(100_000)]: {} } },
    { required: 5, properties: [], anyOf: {} },
  ];
  for (const schema of schemas) {
    const text = declare({ properties: { p: schema } }, { outputSchema: schema });
    assert.ok(text.length < 20_000, `${text.length}`);
    assertValid(text);
  }
  const twenty = Object.fromEntries(Object.entries(many).slice(0, 20));
  const tools = Array.from({ length: 3_000 }, (_, at) => ({
    server: `s${at % 30}`,
    name: `t${at}`,
    definition: { inputSchema: { properties: twenty } },
  }));
  const text = declareTypes(tools);
  assert.ok(text.length < 300_000);
  assert.match(text, /more tools: ask for fewer servers/);
  assertValid(text);
});

test('a definition is read once', () => {
  let reads = 0;
  const definition = {
    get inputSchema() {
      reads += 1;
      return { properties: { a: { type: 'string' } } };
    },
  };
  const tool = { server: 'one', name: 'a', definition };
  assert.equal(declareTypes([tool]), declareTypes([tool]));
  assert.match(declareTypes([{ ...tool, name: 'b' }]), /b\(args\?: \{ a\?: string \}\)/);
  assert.equal(reads, 1);
});

test('[CHAIN-47] declarations of the demo tools take less than half of their schemas', () => {
  const sets = {
    notes: notesTools(systemClock),
    weather: weatherTools,
    math: mathTools(Math.random),
    clock: clockTools,
    meteo: meteoTools,
  };
  const tools: DeclaredTool[] = Object.entries(sets).flatMap(([server, set]) =>
    set.tools.map(({ definition }) => ({ server, name: definition.name, definition })),
  );
  const text = declareTypes(tools);
  assertValid(text);
  for (const { name } of tools) assert.ok(text.includes(`    ${name}(`), name);
  assert.ok(text.length < 0.5 * JSON.stringify(tools.map(({ definition }) => definition)).length);
});

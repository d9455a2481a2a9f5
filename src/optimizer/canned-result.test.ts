/** Tests of made-up answers: they fit the output schema, or the schema is not shown. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mistakeInOutput } from '../arguments/arguments.ts';
import { answerable, cannedResult } from './canned-result.ts';

const place = { type: 'object', properties: { name: { type: 'string' }, inner: { $ref: '#/$defs/place' } } };

test('an answer fits the output schema of its tool', () => {
  const schemas: Record<string, unknown>[] = [
    { type: 'object', properties: { at: { type: 'string', format: 'date-time' }, rows: { type: 'array' } } },
    { type: 'object', properties: { n: { type: 'integer', minimum: 3.5 }, on: { type: ['boolean', 'null'] } } },
    { type: 'object', properties: { kind: { enum: ['rain', 'sun'] }, one: { const: 7 }, usual: { default: 'x' } } },
    { type: 'object', properties: { some: { anyOf: [{ type: 'number' }, { type: 'null' }] } }, required: ['some'] },
    { type: 'array', items: { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] } },
    { type: 'object', $defs: { home: { type: 'string' } }, properties: { at: { $ref: '#/$defs/home' } } },
  ];
  for (const outputSchema of schemas) {
    const definition = { name: 'tool', outputSchema };
    const { structuredContent, content } = cannedResult(definition);
    assert.equal(mistakeInOutput(definition, structuredContent), undefined, JSON.stringify(outputSchema));
    assert.deepEqual(content, [{ type: 'text', text: JSON.stringify(structuredContent) }]);
    assert.equal(answerable(definition), definition);
  }
});

test('a schema that no made-up answer fits is left out, and one without end ends', () => {
  const strange = { name: 'tool', outputSchema: { type: 'string', pattern: '^[0-9]{12}$' } };
  assert.deepEqual(answerable(strange), { name: 'tool' });
  const endless = { name: 'tool', outputSchema: { ...place, $defs: { place } } };
  assert.ok(JSON.stringify(cannedResult(endless).structuredContent).length < 1_000);
});

test('an answer is short, however many values its schema refers to and however long its examples are', () => {
  const many = (schema: object) => Object.fromEntries(Array.from({ length: 7 }, (_, at) => [`member${at}`, schema]));
  const tree = { type: 'object', properties: many({ $ref: '#/$defs/tree' }) };
  const wide = { name: 'tool', outputSchema: { type: 'object', properties: { few: tree }, $defs: { tree } } };
  assert.ok(JSON.stringify(cannedResult(wide)).length < 10_000);
  const text = { type: 'string', examples: ['x'.repeat(10_000)] };
  const outputSchema = { type: 'object', properties: many({ $ref: '#/$defs/text' }), $defs: { text } };
  assert.deepEqual(cannedResult({ name: 'tool', outputSchema }), cannedResult({ name: 'tool' }));
  assert.deepEqual(answerable({ name: 'tool', outputSchema }), { name: 'tool' });
});

test('a tool without an output schema says that it is done', () => {
  assert.deepEqual(cannedResult({ name: 'tool' }), { content: [{ type: 'text', text: 'Done.' }] });
});

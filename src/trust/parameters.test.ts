/** The parameters of a definition: the places searched, and how deep. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parametersOf } from './parameters.ts';

function nested(levels: number): Record<string, unknown> {
  let schema: Record<string, unknown> = { type: 'string' };
  for (let level = 0; level < levels; level += 1) schema = { properties: { inner: schema }, required: ['inner'] };
  return schema;
}

test('parameters are found in nested schemas, up to a depth', () => {
  assert.equal(parametersOf({ inputSchema: nested(10) }).size, 10);
  assert.equal(parametersOf({ inputSchema: nested(100) }).size, 41);
});

test('each parameter has its path, its schema, and whether it is required', () => {
  const inputSchema = { anyOf: [{ properties: { day: { type: 'string' }, hour: true }, required: ['day'] }] };
  const found = [...parametersOf({ inputSchema, arguments: [{ name: 'city', required: true }] }).values()];
  assert.deepEqual(found, [
    { name: 'day', where: 'inputSchema.anyOf.0.properties.day', schema: { type: 'string' }, isRequired: true },
    { name: 'hour', where: 'inputSchema.anyOf.0.properties.hour', schema: {}, isRequired: false },
    { name: 'city', where: 'arguments.0', schema: { name: 'city', required: true }, isRequired: true },
  ]);
});

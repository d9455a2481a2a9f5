/** The texts of a definition: the path of each, and the member names that a model also reads. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textsOf } from './texts.ts';

test('texts have paths, and the name of a member without text is a text', () => {
  const definition = { name: 'read', inputSchema: { properties: { day: { enum: ['today'] } } } };
  assert.deepEqual(Object.fromEntries(textsOf(definition)), {
    name: 'read',
    'inputSchema~': 'inputSchema',
    'inputSchema.properties~': 'properties',
    'inputSchema.properties.day~': 'day',
    'inputSchema.properties.day.enum~': 'enum',
    'inputSchema.properties.day.enum.0': 'today',
  });
});

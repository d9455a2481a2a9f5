/** The texts of a definition: where each stands, and the names of members that a model reads, too. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textsOf } from './texts.ts';

test('texts are found by their paths, and the name of a member that holds no text is one', () => {
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

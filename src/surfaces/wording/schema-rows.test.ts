/** Tests of a schema as a table. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsOfSchema } from './schema-rows.ts';

test('each value has a row, those inside others are indented, and a schema that holds itself ends', () => {
  const schema = {
    type: 'object',
    required: ['id'],
    properties: {
      id: { type: 'string', minLength: 2, description: 'Which.' },
      level: { enum: ['low', 'high'], default: 'low' },
      rows: { type: 'array', items: { properties: { at: { type: ['string', 'null'] } } } },
      tree: { $ref: '#/$defs/tree' },
    },
    $defs: { tree: { type: 'object', properties: { child: { $ref: '#/$defs/tree' } } } },
  };
  const rows = rowsOfSchema(schema);
  const brief = rows.slice(0, 5).map(({ depth, name, type, allowed }) => [depth, name, type, allowed]);
  assert.deepEqual(brief, [
    [0, 'id', 'string', 'at least characters: 2'],
    [0, 'level', 'one of', '"low", "high"'],
    [0, 'rows', 'list of object', ''],
    [1, 'at', 'string or null', ''],
    [0, 'tree', 'object', ''],
  ]);
  assert.deepEqual([rows[0]?.isRequired, rows[1]?.default, rows[0]?.description], [true, '"low"', 'Which.']);
  assert.equal(rows.length, 11);
  for (const odd of [undefined, true, [], { $ref: '#/nowhere' }]) assert.deepEqual(rowsOfSchema(odd), []);
});

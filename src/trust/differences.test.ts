/** Tests of differences: each place once, in texts that a person can read. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differencesBetween } from './differences.ts';

const before = {
  name: 'a',
  description: 'Old.',
  inputSchema: {
    type: 'object',
    properties: { path: { type: 'string' }, gone: { type: 'string' } },
    required: ['path'],
  },
};

test('additions, removals and changes are listed by their path', () => {
  const after = {
    name: 'a',
    description: 'New.',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string' }, key: { type: 'string' } },
      required: ['path', 'key'],
    },
    title: 'A',
  };
  assert.deepEqual(differencesBetween(before, after), [
    { where: 'description', change: 'changed', before: 'Old.', after: 'New.' },
    { where: 'inputSchema.properties.gone', change: 'removed', before: '{"type":"string"}', after: null },
    { where: 'inputSchema.properties.key', change: 'added', before: null, after: '{"type":"string"}' },
    { where: 'inputSchema.required', change: 'changed', before: '["path"]', after: '["path","key"]' },
    { where: 'title', change: 'added', before: null, after: 'A' },
  ]);
});

test('of something new everything is told, and of very much the first places and then all of it', () => {
  assert.deepEqual(
    differencesBetween(null, { name: 'a', title: 'A' }).map(({ where }) => where),
    ['name', 'title'],
  );
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`member-${at}`, at]));
  const told = differencesBetween(null, many);
  assert.equal(told.length, 200);
  assert.equal(told.at(-1)?.after, JSON.stringify(many), 'and what was left out is in the last');
  assert.deepEqual(differencesBetween(before, before), []);
});

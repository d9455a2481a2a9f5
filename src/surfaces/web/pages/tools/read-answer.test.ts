/** Tests of results as a page shows them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAnswer } from './read-answer.ts';

test('text is text, JSON is laid out, and only pictures of known types are pictures', () => {
  const content = [
    { type: 'text', text: '<b>hi</b>' },
    { type: 'text', text: '{"a":1}' },
    { type: 'image', mimeType: 'image/png', data: 'aGk=' },
    { type: 'image', mimeType: 'image/svg+xml', data: 'aGk=' },
    { type: 'image', mimeType: 'image/png', data: '"><script>' },
    { type: 'resource', resource: { uri: 'a:b', text: 'inside' } },
    { type: 'resource_link', uri: 'javascript:alert(1)', name: 'x' },
  ];
  const { parts, structured } = readAnswer({ content, structuredContent: { a: 1 } });
  assert.deepEqual(
    parts.map(({ kind }) => kind),
    ['text', 'text', 'image', 'other', 'other', 'text', 'other'],
  );
  assert.deepEqual(parts[1], { kind: 'text', text: '{\n  "a": 1\n}' });
  assert.equal(structured, null);
  assert.equal(readAnswer({ content, structuredContent: { b: 1 } }).structured, '{\n  "b": 1\n}');
});

test('a failure has its steps and other tools, and a large result its id', () => {
  const trouble = { recoverySteps: ['Try later.'], fallbackSuggestions: [{ toolKey: 'a:b' }, { toolKey: 5 }, null] };
  const failed = readAnswer({ isError: true, content: [], structuredContent: trouble });
  assert.deepEqual([failed.isError, failed.steps, failed.suggestions], [true, ['Try later.'], ['a:b']]);
  assert.equal(failed.structured, null);
  const meta = { 'toolcrib/trouble': trouble, 'toolcrib/result': { id: 'r1', bytes: 90_000 } };
  const { steps, storedId, bytes } = readAnswer({ _meta: meta });
  assert.deepEqual([steps, storedId, bytes], [['Try later.'], 'r1', 90_000]);
  assert.deepEqual(readAnswer({}).parts, []);
});

/** Tests of JSON as people write it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseWrittenJson } from './read-file.ts';

test('comments and commas at the end may stay, and a key that is written twice is named with its place', async () => {
  assert.deepEqual({ ...((await parseWrittenJson('x', '{"a": 1, /* one */ }')) as object) }, { a: 1 });
  await assert.rejects(parseWrittenJson('x', '{"a": 1,\n"a": 2,}'), {
    code: 'CONFIG_INVALID',
    message: /^x:2:1: duplicate key/,
  });
});

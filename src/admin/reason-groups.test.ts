/** Tests of what waits by reason. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupByReason } from './reason-groups.ts';

const reason = (code: string, sentence = 'Why.') => ({ code, where: 'description', sentence });

test('a definition is in the group of each of its reasons once, and rejected ones are in none', () => {
  const change = (name: string, state: 'held' | 'approved' | 'rejected', ...codes: string[]) => ({
    ...{ server: 'files', key: `files:${name}`, state },
    reasons: codes.map((code) => reason(code, `${name} has ${code}.`)),
  });
  const groups = groupByReason([
    change('a', 'held', 'secrets', 'secrets', 'instructions'),
    change('b', 'held', 'instructions'),
    change('c', 'approved', 'instructions'),
    change('d', 'rejected', 'secrets'),
  ]);
  assert.deepEqual(
    groups.map(({ code, isWaiting, keys }) => [code, isWaiting, keys]),
    [
      ['instructions', true, ['files:a', 'files:b']],
      ['secrets', true, ['files:a']],
      ['instructions', false, ['files:c']],
    ],
  );
  assert.deepEqual(groups[1]?.example, { key: 'files:a', where: 'description', sentence: 'a has secrets.' });
  assert.equal(groups[1]?.words, 'it asks for secrets or for the conversation');
});

/** Tests of the doctor: findings of the command and of the gateway together. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HealthFinding } from '../../../admin/admin.ts';
import { joinFindings } from './doctor.ts';

const problem = (message: string, hint?: string): HealthFinding => ({
  severity: 'problem',
  subject: 'config',
  message,
  hint,
});

test('a mistake that both see is told once, and what it means for the gateway too', () => {
  const own = [problem('f:1:2: one', 'Correct it.'), problem('f:3:4: two', 'Correct it.')];
  const kept = 'The config from before the edit is still in use.';
  const found = joinFindings(own, [problem('f:1:2: one', kept), problem('f:3:4: two', kept), problem('other')]);
  assert.deepEqual(
    found.map(({ severity, message }) => [severity, message]),
    [
      ['problem', 'f:1:2: one'],
      ['problem', 'f:3:4: two'],
      ['note', kept],
      ['problem', 'other'],
    ],
  );
});

/** The permissions of a project, as a form changes them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { permissionChanges } from './permission-changes.ts';

test('a row that is gone is forgotten, and an empty one counts for nothing', () => {
  const before = { 'till:refund': 'deny', 'till:*': 'ask' } as const;
  const rows = [
    ['till:*', 'allow'],
    [' stock:count ', 'ask'],
    ['', 'deny'],
  ] as const;
  assert.deepEqual(permissionChanges(before, rows), { 'till:refund': null, 'till:*': 'allow', 'stock:count': 'ask' });
});

/** Tests of what is said once something is decided. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DefinitionChange } from '../../admin/admin.ts';
import { renderDecision } from './decide.ts';
import { styleFor } from './style.ts';

const style = styleFor({ write() {} }, {});

function changeOf(name: string, some: Partial<DefinitionChange>): DefinitionChange {
  return {
    ...{ server: 'files', kind: 'tool', name, key: `files:${name}`, state: 'held', grade: null, reasons: [], times: 1 },
    ...{ since: '2026-01-01T00:00:00.000Z', decidedBy: null, wasShown: true, isOffered: true, differences: [] },
    ...{ approvedFingerprint: null, fingerprint: 'b'.repeat(64) },
    ...some,
  };
}

test('an approval says what became available, and what had been there', () => {
  const approvedFingerprint = 'a'.repeat(64);
  const changes = [
    changeOf('new', {}),
    changeOf('files', { kind: 'server', key: 'files' }),
    changeOf('changed', { state: 'changed', approvedFingerprint }),
    changeOf('away', { isOffered: false }),
    changeOf('noted', { state: 'approved', approvedFingerprint }),
    changeOf('other', { state: 'rejected' }),
  ];
  const items = changes.slice(0, -1).map(({ kind, key, fingerprint }) => ({ kind, key, fingerprint }));
  const text = renderDecision({ decision: 'approved', items }, changes, style);
  assert.deepEqual(text.split('\n').slice(0, 5), [
    '✓ Approved, and there for agents from now on: files:new, files (what the server says of itself)',
    '✓ Approved as it is now, and to be used again: files:changed',
    '✓ Approved, for when the server offers it again: files:away',
    '✓ Approved; it had been there for agents all the time: files:noted',
    '',
  ]);
});

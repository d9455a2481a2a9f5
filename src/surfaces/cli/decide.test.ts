/** Tests of what is said once something is decided. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DefinitionChange } from '../../admin/admin.ts';
import { effectsOf } from './decide.ts';

function changeOf(name: string, some: Partial<DefinitionChange>): DefinitionChange {
  return {
    ...{ server: 'files', kind: 'tool', name, key: `files:${name}`, state: 'held', grade: null, reasons: [], times: 1 },
    ...{ since: '2026-01-01T00:00:00.000Z', decidedBy: null, wasShown: true, isOffered: true, differences: [] },
    ...{ approvedFingerprint: null, comparedFingerprint: null, fingerprint: 'b'.repeat(64) },
    ...some,
  };
}

test('an acceptance says what became available and what had been there, in a line each', () => {
  const approvedFingerprint = 'a'.repeat(64);
  const changes = [
    ...Array.from({ length: 40 }, (_, at) => changeOf(`new${at}`, {})),
    changeOf('changed', { state: 'changed', approvedFingerprint }),
    changeOf('away\nfiles:fake', { isOffered: false }),
    changeOf('noted', { state: 'approved', approvedFingerprint }),
  ];
  assert.deepEqual(effectsOf(changes), [
    'Accepted 40, agents see them now: files:new0, files:new1, files:new2 and 37 more',
    'Accepted 1, agents can call them again: files:changed',
    'Accepted 1, for when the server offers them again: files:away\\u000afiles:fake',
    'Accepted 1, agents had them already: files:noted',
  ]);
});

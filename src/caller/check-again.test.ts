/** Tests of the second look at a call that had to wait. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeCall } from '../../test/kit/made-call.ts';
import type { Standing } from './call.ts';
import { checkAgain } from './check-again.ts';

const takesNumber = { inputSchema: { type: 'object', properties: { path: { type: 'number' } } } };

function lookAgain(now: Partial<Standing>, argument: unknown = 'a'): void {
  const { definition, fingerprint } = madeCall();
  const standing: Standing = { permission: 'allow', hold: undefined, definition, fingerprint, identity: 'f1', ...now };
  checkAgain(madeCall({ standing: () => standing, params: { name: 'read', arguments: { path: argument } } }));
}

test('a call that is as it was, or still fits the tool as it is now, goes on', () => {
  lookAgain({});
  lookAgain({ fingerprint: 'f2', definition: takesNumber }, 5);
});

test('a call is not made that by now is forbidden, has to be asked about, or does not fit as it was written', () => {
  assert.throws(() => lookAgain({ permission: 'deny' }), { code: 'TOOL_NOT_FOUND' });
  assert.throws(() => lookAgain({ permission: 'ask' }), { code: 'APPROVAL_NEEDED' });
  assert.throws(() => lookAgain({ fingerprint: 'f2', definition: takesNumber }), { code: 'ARGUMENTS_INVALID' });
  assert.throws(() => lookAgain({ fingerprint: 'f2', definition: takesNumber }, '5'), { code: 'APPROVAL_NEEDED' });
});

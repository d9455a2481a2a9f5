/** That a call of a program ends with one answer. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeCall, saying } from '../../test/kit/made-call.ts';
import { RpcError } from '../protocol/messages.ts';
import type { Forwarder } from './forward.ts';
import { sendCall } from './send-call.ts';

const never = () => Promise.reject(new Error('There is no next stage.'));

function sending(result: Record<string, unknown>) {
  // Only this member is used.
  return sendCall({ forward: async () => result } as unknown as Forwarder, () => {});
}

test('a program that is asked for more input is told so, because it could not go on', async () => {
  const asks = sending({ resultType: 'input_required', inputRequests: {} });
  await assert.rejects(
    asks(madeCall({ way: 'chain' }), never),
    (error: unknown) => error instanceof RpcError && /a program cannot give/.test(error.message),
  );
  assert.equal((await asks(madeCall({ way: 'execute' }), never)).resultType, 'input_required');
  assert.deepEqual(await sending(saying('done'))(madeCall({ way: 'chain' }), never), saying('done'));
});

/** That a call of a program ends with one answer. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeAgent, madeCall, saying } from '../../test/kit/made-call.ts';
import { GatewayError } from '../base/errors.ts';
import type { Forwarder } from './forward.ts';
import { outcomeOf } from './outcome.ts';
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
    (error: unknown) =>
      error instanceof GatewayError &&
      /inside a program nobody can be asked.*tool_execute/s.test(`${error.message} ${error.hint}`),
  );
  assert.equal((await asks(madeCall({ way: 'execute' }), never)).resultType, 'input_required');
  assert.deepEqual(await sending(saying('done'))(madeCall({ way: 'chain' }), never), saying('done'));
});

test('a call that failed because its program could not be asked is no failure of the tool', async () => {
  const failed = saying('Nobody answers.', { isError: true });
  const agent = madeAgent({ unasked: ['elicitation/create'] });
  await assert.rejects(sending(failed)(madeCall({ way: 'chain', agent }), never), (error: unknown) => {
    return outcomeOf({ error })?.kind === 'refused';
  });
  const askable = { ...agent, ask: async () => ({}) };
  assert.deepEqual(await sending(failed)(madeCall({ way: 'chain', agent: askable }), never), failed);
  assert.deepEqual(await sending(failed)(madeCall({ way: 'chain' }), never), failed);
});

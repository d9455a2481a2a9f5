/** A program's call ends with one answer. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeAgent, madeCall, saying } from '../../test/kit/made-call.ts';
import { GatewayError } from '../base/errors.ts';
import type { Standing } from './call.ts';
import { checkAgain, type Forwarder, sendCall } from './forward.ts';
import { outcomeOf } from './measure-call.ts';

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
      /a program cannot answer it.*tool_execute/s.test(`${error.message} ${error.hint}`),
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

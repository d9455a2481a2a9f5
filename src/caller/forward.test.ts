/** A program's call ends with one answer. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeAgent, madeCall, saying } from '../../test/kit/made-call.ts';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { GatewayError } from '../base/errors.ts';
import { limits } from '../config/config.ts';
import { notification, type RpcNotification } from '../protocol/messages.ts';
import type { AgentSide, Standing } from './call.ts';
import { Conversations, type StateSeal } from './conversations.ts';
import { checkAgain, Forwarder, sendCall } from './forward.ts';
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

type Downstream = ConstructorParameters<typeof Forwarder>[0];

/** Sends to a server that notifies and answers as the test says, and counts the requests. */
class Sender {
  sent = 0;
  readonly #forwarder: Forwarder;

  constructor(answer: (params: Record<string, unknown>, tell: (message: RpcNotification) => void) => object) {
    const request: Downstream['request'] = async (_server, { params, onNotification }) => {
      this.sent += 1;
      return { ...answer(params ?? {}, (message) => onNotification?.(message)) };
    };
    // Only these are used.
    const downstream = { request, roots: { roots: [] } } as unknown as Downstream;
    this.#forwarder = new Forwarder(downstream, new Conversations(new ManualClock()), {} as unknown as StateSeal);
  }

  call(agent: AgentSide) {
    const request = { server: 'files', method: 'tools/call', params: {}, timeoutMs: 1_000, principal: 'me' };
    return this.#forwarder.forward(request, agent);
  }
}

const asksForRoots = { resultType: 'input_required', inputRequests: { r: { method: 'roots/list' } } };

test('a server that keeps asking for roots reaches the agent after the last round', async () => {
  const patient = new Sender(({ inputResponses }) => (inputResponses === undefined ? asksForRoots : saying('done')));
  assert.deepEqual([await patient.call(madeAgent()), patient.sent], [saying('done'), 2]);
  const endless = new Sender(() => asksForRoots);
  const answer = await endless.call(madeAgent());
  assert.deepEqual([answer.resultType, endless.sent], ['input_required', limits.maxInputRounds + 1]);
});

test('log messages reach modern agents that asked for their level, and legacy ones unless they asked for less', async () => {
  const levels = ['debug', 'warning', 'error'];
  const talkative = new Sender((_params, tell) => {
    for (const level of levels) tell(notification('notifications/message', { level }));
    return saying('done');
  });
  const heardBy = async (parts: Partial<AgentSide>) => {
    const heard: unknown[] = [];
    await talkative.call(madeAgent({ ...parts, notify: ({ params }) => void heard.push(params?.level) }));
    return heard;
  };
  assert.deepEqual(await heardBy({ era: 'modern' }), []);
  assert.deepEqual(await heardBy({ era: 'legacy' }), levels);
  for (const era of ['modern', 'legacy'] as const)
    assert.deepEqual(await heardBy({ era, logLevel: 'warning' }), ['warning', 'error']);
});

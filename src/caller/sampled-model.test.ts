/** The model of the calling agent: what it is asked, how its answers are read, and which failures there are. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeAgent } from '../../test/kit/made-call.ts';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import type { Config } from '../config/config.ts';
import { type Result, RpcError } from '../protocol/messages.ts';
import type { AgentSide } from './call.ts';
import { sampledModel } from './sampled-model.ts';

const going = new AbortController().signal;
const question = { system: 'Be short.', text: 'Two and two?', maxTokens: 500 };
const clock = new ManualClock();
const grounds = { config: () => ({ llm: { timeoutMs: 5_000 } as Config['llm'] }), clock };

function modelOf(ask: AgentSide['ask']) {
  return sampledModel(grounds, madeAgent({ capabilities: { sampling: {} }, ask }));
}

test('an agent without sampling, or that cannot be asked, has no model', () => {
  assert.equal(sampledModel(grounds, madeAgent({ ask: async () => ({}) })), undefined);
  assert.equal(modelOf(undefined), undefined);
});

test('it is asked once, and says if its answer was cut off', async () => {
  const asked: unknown[] = [];
  const answers: Result[] = [
    { content: { type: 'text', text: 'four' }, stopReason: 'endTurn' },
    { content: [{ type: 'text', text: 'fo' }, { type: 'image' }], stopReason: 'maxTokens' },
  ];
  const ask = modelOf(async (method, params) => {
    asked.push(method, params);
    return answers.shift() ?? {};
  });
  assert.deepEqual(await ask?.(question, going), { text: 'four', calls: [], ended: 'whole', tokens: 0 });
  assert.equal((await ask?.(question, going))?.ended, 'cut');
  const messages = [{ role: 'user', content: { type: 'text', text: 'Two and two?' } }];
  assert.deepEqual(asked.slice(0, 2), [
    'sampling/createMessage',
    { messages, systemPrompt: 'Be short.', maxTokens: 500 },
  ]);
  assert.deepEqual(clock.waits, []);
});

test('a refusal, silence and slowness are trouble with the reason', async () => {
  const refused = modelOf(() => Promise.reject(new RpcError(-1, 'User rejected\u0007 sampling')));
  await assert.rejects(async () => refused?.(question, going), {
    code: 'MODEL_FAILED',
    message: 'The model of your client refused to answer (User rejected sampling).',
  });
  const silent = modelOf(async () => ({ content: [] }));
  await assert.rejects(async () => silent?.(question, going), /said nothing/);
  const until = (signal: AbortSignal) =>
    new Promise<Result>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const slow = modelOf((_method, _params, signal) => until(signal))?.(question, going);
  await clock.awaited(5_000);
  const failing = assert.rejects(async () => slow, /did not answer within 5000 ms/);
  await clock.advance(5_000);
  await failing;
});

test('an agent that leaves gets its own reason back', async () => {
  const leaving = new AbortController();
  const left = modelOf(async () => {
    leaving.abort(new Error('gone'));
    throw new Error('The stream has ended.');
  });
  await assert.rejects(async () => left?.(question, leaving.signal), /^Error: gone$/);
});

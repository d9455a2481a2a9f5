/** Asking a language model: both dialects, tools that it would call, how answers end, and which failures get another try. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import {
  answerWith,
  ModelApi,
  type ModelDialect,
  type ModelFault,
  modelDialects,
} from '../../test/servers/model-api.ts';
import { systemClock } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import {
  type AskModel,
  type ModelAnswer,
  type ModelQuestion,
  type ModelSettings,
  modelOf,
  withRetries,
} from './language-model.ts';

const going = new AbortController().signal;
const providers = modelDialects;

const inputSchema = { type: 'object', properties: { city: { type: 'string' } } };
const question: ModelQuestion = {
  system: 'Choose a tool.',
  text: 'Will it rain in Oslo?',
  tools: [{ name: 'sky__forecast', description: 'The weather of the next days.', inputSchema }],
  maxTokens: 500,
};

function settingsAt(api: ModelApi, provider: ModelDialect): ModelSettings {
  const baseUrl = provider === 'anthropic' ? api.url : `${api.url}/v1`;
  return { provider, model: 'some-model', baseUrl, apiKeyEnv: 'MY_KEY', timeoutMs: 60_000 };
}

function modelAt(api: ModelApi, provider: ModelDialect): AskModel {
  return modelOf(settingsAt(api, provider), { env: { MY_KEY: 'a-key-of-some-length' }, clock: systemClock });
}

function ask(api: ModelApi, provider: ModelDialect): Promise<ModelAnswer> {
  return modelAt(api, provider)(question, going);
}

/** An answer that calls `sky__forecast` with each of these arguments. */
function answerOf(provider: ModelDialect, calls: readonly unknown[], ended = 'tool_use'): ModelFault {
  const made = calls.map((given) => ({ name: 'sky__forecast', arguments: given }));
  return { kind: 'answer', body: answerWith(provider, made, ended) };
}

test('both services are offered tools in their own form, and say which they would call', async () => {
  await using api = await ModelApi.open();
  for (const provider of providers) {
    api.fault = answerOf(provider, [{ city: 'Oslo' }, {}]);
    assert.deepEqual(await ask(api, provider), {
      text: 'Let me look.',
      calls: [
        { name: 'sky__forecast', arguments: { city: 'Oslo' } },
        { name: 'sky__forecast', arguments: {} },
      ],
      ended: 'whole',
      tokens: 120,
    });
  }
  const { name, description } = question.tools?.[0] ?? {};
  const [chat, messages] = api.requests.map(({ body }) => body);
  assert.deepEqual(chat?.tools, [{ type: 'function', function: { name, description, parameters: inputSchema } }]);
  assert.deepEqual(messages?.tools, [{ name, description, input_schema: inputSchema }]);
  assert.equal(messages?.max_tokens, 500);
});

test('arguments that are no JSON object are told as such', async () => {
  await using api = await ModelApi.open();
  for (const [given, read] of [
    ['', {}],
    ['{"city": "Oslo"', null],
    ['["Oslo"]', null],
    ['"Oslo"', null],
  ] as const) {
    api.fault = answerOf('openai-compatible', [given]);
    assert.deepEqual((await ask(api, 'openai-compatible')).calls[0]?.arguments, read, given);
  }
});

test('an answer that is cut off or refused says so', async () => {
  await using api = await ModelApi.open();
  for (const [provider, ended, read] of [
    ['openai-compatible', 'length', 'cut'],
    ['openai-compatible', 'content_filter', 'refused'],
    ['anthropic', 'max_tokens', 'cut'],
    ['anthropic', 'refusal', 'refused'],
    ['anthropic', 'end_turn', 'whole'],
  ] as const) {
    api.fault = answerOf(provider, [], ended);
    assert.equal((await ask(api, provider)).ended, read, ended);
  }
  const message = { content: null, refusal: 'I would rather not.' };
  api.fault = { kind: 'answer', body: { choices: [{ message, finish_reason: 'stop' }] } };
  assert.equal((await ask(api, 'openai-compatible')).ended, 'refused');
});

test('an answer without a message is trouble', async () => {
  await using api = await ModelApi.open();
  for (const body of [{}, [], null, { choices: [] }, { choices: [null] }, { content: 'text' }]) {
    api.fault = { kind: 'answer', body };
    for (const provider of providers) {
      const sentence = `The language model at ${api.host} gave an answer that has no message.`;
      await assert.rejects(ask(api, provider), { code: 'MODEL_FAILED', message: sentence });
    }
  }
});

const passing: readonly (readonly [string, ModelFault, number])[] = [
  ['429 that says how long', { kind: 'status', status: 429, headers: { 'retry-after': '7' } }, 7_000],
  ['429 that does not say', { kind: 'status', status: 429 }, 1_000],
  ['500', { kind: 'status', status: 500 }, 1_000],
  ['529', { kind: 'status', status: 529 }, 1_000],
  ['no JSON', { kind: 'garbage' }, 1_000],
  ['no message', { kind: 'answer', body: {} }, 1_000],
  ['a connection that breaks', { kind: 'cut', where: 'inside' }, 1_000],
  ['an answer that is cut off', answerOf('openai-compatible', [], 'length'), 1_000],
];

for (const [what, fault, waitMs] of passing) {
  test(`another try after: ${what}`, async () => {
    await using api = await ModelApi.open();
    const clock = new ManualClock();
    api.nextFaults.push(fault, answerOf('openai-compatible', [{ city: 'Oslo' }]));
    const asking = withRetries(modelAt(api, 'openai-compatible'), clock)(question, going);
    await clock.awaited(waitMs);
    assert.equal(api.requests.length, 1);
    await clock.advance(waitMs);
    assert.equal((await asking).calls.length, 1);
    assert.equal(api.requests.length, 2);
  });
}

test('no other try after a failure that would come again, or for a service that wants a long wait', async () => {
  await using api = await ModelApi.open();
  const clock = new ManualClock();
  for (const [fault, reason] of [
    [{ kind: 'status', status: 401 }, /HTTP 401/],
    [{ kind: 'status', status: 400 }, /HTTP 400/],
    [{ kind: 'huge', bytes: 1e8 }, /larger than/],
    [{ kind: 'status', status: 429, headers: { 'retry-after': '3600' } }, /HTTP 429/],
  ] as const) {
    api.requests.length = 0;
    api.fault = fault;
    await assert.rejects(withRetries(modelAt(api, 'anthropic'), clock)(question, going), reason);
    assert.equal(api.requests.length, 1);
  }
});

test('tries end, and the last failure is told without the key', async () => {
  await using api = await ModelApi.open();
  const clock = new ManualClock();
  api.fault = { kind: 'status', status: 503 };
  const asking = withRetries(modelAt(api, 'anthropic'), clock)(question, going).catch((error: unknown) => error);
  for (const waitMs of [1_000, 2_000, 4_000]) {
    await clock.awaited(waitMs);
    await clock.advance(waitMs);
  }
  const error = await asking;
  assert.ok(error instanceof GatewayError);
  assert.match(error.message, /HTTP 503/);
  assert.ok(!inspect(error, { depth: 9, showHidden: true }).includes('a-key-of-some-length'));
  assert.equal(api.requests.length, 4);
});

test('a wait for another try ends when nobody wants the answer any more', async () => {
  await using api = await ModelApi.open();
  const clock = new ManualClock();
  const giving = new AbortController();
  api.fault = { kind: 'status', status: 503 };
  const asking = withRetries(modelAt(api, 'anthropic'), clock)(question, giving.signal);
  await clock.awaited(1_000);
  giving.abort(new Error('no longer wanted'));
  await assert.rejects(asking, /no longer wanted/);
});

test('an answer that repeats the key has it masked', async () => {
  await using api = await ModelApi.open();
  for (const provider of providers) {
    api.fault = answerOf(provider, [{ city: 'a-key-of-some-length' }]);
    assert.deepEqual((await ask(api, provider)).calls[0]?.arguments, { city: '***' });
  }
});

/** The judge that asks a model: what it asks, how answers count, which failures are void, and that no key gets out. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { goldenPrompt } from '../../test/kit/eval-records.ts';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { WrittenCatalog, writtenSnapshot } from '../../test/kit/written-catalog.ts';
import {
  answerWith,
  ModelApi,
  type ModelDialect,
  type ModelFault,
  modelDialects,
} from '../../test/servers/model-api.ts';
import { systemClock, type Timer } from '../base/clock.ts';
import { modelOf, withRetries } from '../language-model/language-model.ts';
import { gradePrompt } from './judge.ts';
import { ModelBudget, type ModelUse } from './model-budget.ts';
import { ModelJudge } from './model-judge.ts';

const key = 'sk-a-key-of-some-length';
const never = new AbortController().signal;
const written = {
  weather: { forecast: 'Does it.', history: 'Temperatures of past years.' },
  files: { 'read.file': 'Reads a file from disk.' },
};
const snapshot = writtenSnapshot(written);
const wording = { server: 'weather', toolName: 'forecast', description: 'Rain and sun of the coming days.' };
const rain = goldenPrompt('a', 'direct', { prompt: 'Will there be rain in the coming days?' });
const own = 'weather__forecast';

/** Waits before another try are over at once. */
class HastyClock extends ManualClock {
  readonly tries: number[] = [];

  override after(ms: number, act: () => void): Timer {
    if (ms > 30_000) return super.after(ms, act);
    this.tries.push(ms);
    const timer = setImmediate(act);
    return { cancel: () => clearImmediate(timer) };
  }
}

function judging(api: ModelApi, dialect: ModelDialect, limits = { maxModelCalls: 100, maxModelTokens: 1_000_000 }) {
  const clock = new HastyClock();
  const used: ModelUse[] = [];
  const budget = new ModelBudget(
    () => limits,
    { calls: 0, tokens: 0 },
    async (now) => void used.push(now),
  );
  const baseUrl = dialect === 'anthropic' ? api.url : `${api.url}/v1`;
  const settings = { provider: dialect, model: 'some-model', baseUrl, apiKeyEnv: 'MY_KEY', timeoutMs: 60_000 };
  const ask = modelOf(settings, { env: { MY_KEY: key }, clock });
  const { search } = new WrittenCatalog(snapshot);
  const judge = new ModelJudge({ search, ask: withRetries(budget.meter(ask), clock), model: 'some-model' });
  const options = {
    clock: systemClock,
    timeoutMs: 60_000,
    signal: never,
    definitionOf: (tool: string) => snapshot.tools.get(tool)?.definition,
  };
  return { judge, clock, used, grade: (prompt = rain) => gradePrompt(judge, wording, prompt, options) };
}

for (const dialect of modelDialects) {
  const answer = (calls: Parameters<typeof answerWith>[1], ended?: string): ModelFault => ({
    kind: 'answer',
    body: answerWith(dialect, calls, ended),
  });
  const right = answer([{ name: own, arguments: { city: 'Oslo' } }]);

  test(`[OPT-32] one request offers the tool among its neighbours, and its calls are graded (${dialect})`, async () => {
    await using api = await ModelApi.open();
    api.key = key;
    const { judge, used, grade } = judging(api, dialect);
    await judge.begin();
    for (const [fault, expected] of [
      [right, { toolCalled: true, correct: true, strict: true }],
      [answer([{ name: 'weather__history', arguments: {} }]), { toolCalled: false, correct: false, strict: false }],
      [answer([{ name: 'made_up', arguments: {} }]), { toolCalled: false, correct: false, strict: false }],
      [answer([]), { toolCalled: false, correct: false, strict: false }],
      [answer([{ name: own, arguments: '[1]' }]), { toolCalled: true, correct: true, strict: false }],
      [
        answer([
          { name: own, arguments: {} },
          { name: 'weather__history', arguments: {} },
        ]),
        { toolCalled: true, correct: true, strict: false },
      ],
    ] as const) {
      api.fault = fault;
      const { toolCalled, correct, strict } = await grade();
      assert.deepEqual({ toolCalled, correct, strict }, expected, JSON.stringify(fault));
    }
    const negative = goldenPrompt('n', 'negative', { prompt: 'What is the capital of France?' });
    api.fault = answer([]);
    assert.deepEqual([(await grade(negative)).correct, (await grade(negative)).strict], [true, true]);
    assert.deepEqual([used.at(-1)?.calls, used.at(-1)?.tokens], [8, 8 * 120]);
    const [first] = api.requests;
    const tools = (first?.body.tools ?? []) as {
      readonly name?: string;
      readonly function?: { readonly name: string };
    }[];
    const names = tools.map((tool) => tool.name ?? tool.function?.name);
    assert.deepEqual([...names].sort(), ['files__read_file', 'weather__forecast', 'weather__history']);
    await judge.close();
  });

  const faults: readonly (readonly [string, ModelFault])[] = [
    ['429 with Retry-After', { kind: 'status', status: 429, headers: { 'retry-after': '7' } }],
    ['500', { kind: 'status', status: 500 }],
    ['no JSON', { kind: 'garbage' }],
    ['no message', { kind: 'answer', body: {} }],
    ['a connection that breaks', { kind: 'cut', where: 'inside' }],
    ['an answer that is cut off', answer([], dialect === 'anthropic' ? 'max_tokens' : 'length')],
  ];
  for (const [what, fault] of faults)
    test(`[OPT-32] ${what} is tried again, and void when it stays (${dialect})`, async () => {
      await using api = await ModelApi.open();
      const { judge, clock, used, grade } = judging(api, dialect);
      await judge.begin();
      api.nextFaults.push(fault);
      api.fault = right;
      assert.equal((await grade()).correct, true);
      assert.deepEqual(clock.tries, [what.startsWith('429') ? 7_000 : 1_000]);
      api.fault = fault;
      const { correct, strict, error } = await grade();
      assert.deepEqual([correct, strict, typeof error], [null, undefined, 'string']);
      assert.deepEqual([api.requests.length, used.at(-1)?.calls], [6, 6], 'every try counts');
      await judge.close();
    });

  test(`[OPT-32] a slow answer is tried again, and a refusal is void at once (${dialect})`, async () => {
    await using api = await ModelApi.open();
    const { judge, clock, grade } = judging(api, dialect);
    await judge.begin();
    api.nextFaults.push({ kind: 'delay', until: new Promise(() => {}) });
    api.fault = right;
    const late = grade();
    await api.arrived(1);
    await clock.advance(60_000);
    assert.equal((await late).correct, true);
    api.fault = answer([], dialect === 'anthropic' ? 'refusal' : 'content_filter');
    assert.match((await grade()).error ?? '', /refused/);
    assert.equal(api.requests.length, 3);
    await judge.close();
  });

  test(`[OPT-32] a service that repeats the key brings it into no result (${dialect})`, async () => {
    await using api = await ModelApi.open();
    const { judge, grade } = judging(api, dialect);
    await judge.begin();
    api.fault = answer([{ name: own, arguments: { city: key } }]);
    const called = await grade();
    api.fault = { kind: 'status', status: 401, body: { error: { message: `Incorrect API key provided: ${key}` } } };
    const failed = await grade();
    assert.match(failed.error ?? '', /401/);
    assert.ok(!JSON.stringify([called, failed, await judge.checkSanity(wording, never)]).includes(key));
    await judge.close();
  });
}

test('[OPT-32] the sanity check says what failed', async () => {
  await using api = await ModelApi.open();
  const { judge } = judging(api, 'anthropic');
  await judge.begin();
  assert.equal(await judge.checkSanity(wording, never), null);
  api.fault = { kind: 'status', status: 400 };
  assert.match((await judge.checkSanity(wording, never)) ?? '', /HTTP 400/);
  api.fault = undefined;
  api.chooseCalls = () => [{ name: 'random_number', arguments: {} }];
  assert.match((await judge.checkSanity(wording, never)) ?? '', /did not call the tool/);
  await judge.close();
});

test('[OPT-33] the same question has the same key, and its price is near what is used', async () => {
  await using api = await ModelApi.open();
  const { judge, used } = judging(api, 'openai-compatible');
  await judge.begin();
  const { key: first, tokens } = await judge.price(wording, rain.prompt, never);
  assert.equal((await judge.price(wording, rain.prompt, never)).key, first);
  assert.notEqual((await judge.price({ ...wording, description: 'Other.' }, rain.prompt, never)).key, first);
  assert.notEqual((await judge.price(wording, 'Another prompt.', never)).key, first);
  await judge.choose(wording, rain.prompt, never);
  const real = used.at(-1)?.tokens ?? 0;
  assert.ok(tokens > real / 2 && tokens < real * 2, `${tokens} for ${real}`);
  await judge.close();
});

/** Vectors from a service: what it is asked, what is believed of its answers, and what happens when it fails. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { ModelApi, type ModelFault } from '../../test/servers/model-api.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import { RemoteModel, type RemoteModelSettings, type Vector } from './meaning.ts';

const going = new AbortController().signal;
const never = new Promise(() => {});
const key = 'a-key-of-some-length';

interface Options extends Partial<RemoteModelSettings> {
  readonly env?: NodeJS.ProcessEnv;
  readonly clock?: Clock;
}

function modelAt(api: ModelApi, { env = {}, clock = systemClock, ...more }: Options = {}): RemoteModel {
  const usual = { model: 'text-embedding-3-small', apiKeyEnv: 'OPENAI_API_KEY', dimensions: 256 };
  return new RemoteModel({ settings: { baseUrl: `${api.url}/v1`, ...usual, ...more }, env, clock });
}

function likeness(a: Vector | null | undefined, b: Vector | null | undefined): number {
  assert.ok(a && b, 'there is no vector');
  let sum = 0;
  for (const [at, value] of a.values.entries()) sum += value * (b.values[at] ?? 0);
  return sum * a.scale * b.scale;
}

async function troubleFrom(embedding: Promise<unknown>): Promise<GatewayError> {
  const error = await embedding.then(
    () => assert.fail('it did not fail'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof GatewayError, inspect(error));
  assert.equal(error.code, 'MODEL_FAILED');
  assert.ok(!inspect(error, { depth: 9, showHidden: true }).includes(key));
  return error;
}

const inputsOf = (api: ModelApi) => api.requests.map(({ body }) => body.input as string[]);
const ascending = (a: number, b: number) => a - b;

test('like texts get like vectors, in the order of the texts, whatever the order of the answer', async () => {
  await using api = await ModelApi.open();
  const texts = ['send a message to a channel', 'read the weather report', 'a message to send to a channel'];
  const [send, weather, again] = await modelAt(api).embed(texts, going);
  assert.ok(likeness(send, again) > 0.95);
  assert.ok(likeness(send, weather) < 0.3);
  assert.ok(Math.abs(likeness(weather, weather) - 1) < 0.01);
});

test('the request is that of the OpenAI API, and only a model that can is asked for a length', async () => {
  await using api = await ModelApi.open();
  await modelAt(api, { env: { OPENAI_API_KEY: key } }).embed(['weather'], going);
  await modelAt(api, { model: 'nomic-embed-text', baseUrl: `${api.url}/v1/` }).embed(['weather'], going);
  const [large, plain] = api.requests;
  assert.deepEqual([large?.path, plain?.path], ['/v1/embeddings', '/v1/embeddings']);
  assert.deepEqual([large?.headers.authorization, plain?.headers.authorization], [`Bearer ${key}`, undefined]);
  const asked = { input: ['weather'], encoding_format: 'float' };
  assert.deepEqual(large?.body, { model: 'text-embedding-3-small', ...asked, dimensions: 256 });
  assert.deepEqual(plain?.body, { model: 'nomic-embed-text', ...asked });
});

test('the id tells models, lengths and places apart, and vectors are padded for the kernel', async () => {
  await using api = await ModelApi.open();
  const at = (more: Options) => modelAt(api, { baseUrl: 'https://a.test/v1', ...more });
  assert.match(at({}).id, /^openai:text-embedding-3-small:256:[0-9a-f]{12}$/);
  const ids = [{}, { model: 'other' }, { dimensions: 100 }, { baseUrl: 'https://b.test/v1' }].map((one) => at(one).id);
  assert.equal(new Set(ids).size, 4);
  assert.equal(at({ baseUrl: 'https://a.test/v1/' }).id, at({}).id);
  const model = modelAt(api, { dimensions: 100 });
  const [vector] = await model.embed(['weather'], going);
  assert.deepEqual([model.kind, model.dimensions, model.width, vector?.values.length], ['service', 100, 112, 112]);
  assert.deepEqual(vector?.values.subarray(100), new Int8Array(12));
});

test('blank texts and vectors without direction have no meaning, and blank texts are not sent', async () => {
  await using api = await ModelApi.open();
  assert.deepEqual(await modelAt(api).embed([], going), []);
  assert.deepEqual(await modelAt(api).embed(['', ' \n'], going), [null, null]);
  assert.equal(api.requests.length, 0);
  const vectors = await modelAt(api).embed(['', '!!!', 'weather'], going);
  assert.deepEqual(vectors.map(Boolean), [false, false, true]);
  assert.deepEqual(inputsOf(api), [['!!!', 'weather']]);
});

test('texts go in batches of at most 96 texts, 200,000 characters and 200,000 numbers', async () => {
  await using api = await ModelApi.open();
  const texts = Array.from({ length: 200 }, (_, at) => `tool number ${at}`);
  const vectors = await modelAt(api).embed(texts, going);
  assert.ok(vectors.every(Boolean));
  assert.deepEqual(inputsOf(api).flat().toSorted(), texts.toSorted());
  const sizes = () => inputsOf(api).map((input) => input.length);
  assert.deepEqual(sizes().sort(ascending), [8, 96, 96]);

  api.requests.length = 0;
  await modelAt(api).embed(new Array(26).fill('long '.repeat(2_000)), going);
  assert.deepEqual(sizes().sort(ascending), [1, 25]);
  assert.ok(inputsOf(api).every((input) => input.every((text) => text.length === 8_000)));

  api.requests.length = 0;
  await modelAt(api, { dimensions: 16_384 }).embed(texts.slice(0, 13), going);
  assert.deepEqual(sizes().sort(ascending), [1, 12]);
});

test('at most two requests run at once, and a query waits for one batch only', async () => {
  await using api = await ModelApi.open();
  const first = Promise.withResolvers<void>();
  const rest = Promise.withResolvers<void>();
  api.nextFaults.push({ kind: 'delay', until: first.promise }, { kind: 'delay', until: rest.promise });
  const model = modelAt(api);
  const many = model.embed(new Array(96 * 4).fill('tool'), going);
  await api.arrived(2);
  const query = model.embed(['query'], going);
  first.resolve();
  await query;
  assert.deepEqual(inputsOf(api)[2], ['query']);
  rest.resolve();
  assert.equal((await many).length, 384);
  assert.equal(api.mostAtOnce, 2);
});

test('vectors of another length are refused with both lengths', async () => {
  await using api = await ModelApi.open();
  api.fault = { kind: 'dimensions', dimensions: 1_024 };
  const trouble = await troubleFrom(modelAt(api, { dimensions: 1_536 }).embed(['weather'], going));
  assert.equal(
    trouble.message,
    `The embedding service at ${api.host} gave vectors of 1024 numbers, but search.embedding.dimensions is 1536.`,
  );
});

test('answers that are not vectors for these texts are refused', async () => {
  await using api = await ModelApi.open();
  const vector = [1, 2];
  const cases: readonly (readonly [unknown, RegExp])[] = [
    [{ object: 'list' }, /an answer without vectors/],
    [[], /an answer without vectors/],
    [{ data: [{ index: 0, embedding: vector }] }, /gave 1 vectors for 2 texts/],
    [{ data: [0, 0].map((index) => ({ index, embedding: vector })) }, /gave 2 vectors, but none for text 2/],
    [{ data: [0, 7].map((index) => ({ index, embedding: vector })) }, /none for text 2/],
    [{ data: [null, null] }, /not lists of numbers/],
    [{ data: [0, 1].map((index) => ({ index, embedding: 'AACAPwAAAEA=' })) }, /not lists of numbers/],
    [{ data: [0, 1].map((index) => ({ index, embedding: [1, null] })) }, /something else than numbers/],
    ['{"data":[{"index":0,"embedding":[1,1e999]},{"index":1,"embedding":[1,2]}]}', /something else than numbers/],
  ];
  for (const [body, reason] of cases) {
    api.fault = { kind: 'answer', body };
    const trouble = await troubleFrom(modelAt(api, { dimensions: 2 }).embed(['one', 'two'], going));
    assert.match(trouble.message, reason);
    assert.ok(trouble.message.includes(api.host));
  }
  api.fault = { kind: 'answer', body: { data: [{ embedding: vector }, { embedding: vector }] } };
  assert.equal((await modelAt(api, { dimensions: 2 }).embed(['one', 'two'], going)).length, 2, 'index may be missing');
});

test('a busy service is asked once more, when it wishes, if that is within two seconds', async () => {
  await using api = await ModelApi.open();
  const clock = new ManualClock();
  const busy = (status: number, after?: string): ModelFault => ({
    kind: 'status',
    status,
    headers: after === undefined ? {} : { 'retry-after': after },
  });
  for (const [fault, waitMs] of [
    [busy(429, '2'), 2_000],
    [busy(503), 500],
    [busy(500, 'soon'), 500],
  ] as const) {
    api.nextFaults.push(fault);
    const embedding = modelAt(api, { clock }).embed(['weather'], going);
    await clock.awaited(waitMs);
    await clock.advance(waitMs);
    assert.ok((await embedding)[0]);
  }
  assert.equal(api.requests.length, 6);

  api.fault = busy(429, '3');
  const impatient = await troubleFrom(modelAt(api, { clock }).embed(['weather'], going));
  assert.match(impatient.message, /answered HTTP 429/);
  assert.equal(api.requests.length, 7, 'a longer wait is not waited for');
  api.fault = busy(404);
  const refusal = await troubleFrom(modelAt(api, { clock }).embed(['weather'], going));
  assert.deepEqual(refusal.data, { reason: 'status', status: 404 });
  assert.equal(api.requests.length, 8, 'a refusal is not a lack of time');
});

test('a service that stays busy fails after the second try', async () => {
  await using api = await ModelApi.open();
  const clock = new ManualClock();
  api.fault = { kind: 'status', status: 502 };
  const failing = troubleFrom(modelAt(api, { clock }).embed(['weather'], going));
  await clock.awaited(500);
  await clock.advance(500);
  assert.match((await failing).message, /answered HTTP 502/);
  assert.equal(api.requests.length, 2);
});

test('one failed batch fails the whole and stops the others', async () => {
  await using api = await ModelApi.open();
  api.nextFaults.push({ kind: 'delay', until: never }, { kind: 'garbage' });
  const trouble = await troubleFrom(modelAt(api).embed(new Array(96 * 5).fill('tool'), going));
  assert.match(trouble.message, /not JSON/);
  assert.equal(api.requests.length, 2);
});

test('a missing key is told before anything is sent, but only where the usual service is meant', async () => {
  await using api = await ModelApi.open();
  const model = modelAt(api, { baseUrl: 'https://api.openai.com/v1', env: { OPENAI_API_KEY: ' ' } });
  const trouble = await troubleFrom(model.embed(['weather'], going));
  assert.equal(trouble.message, 'The embedding service at api.openai.com needs a key, but OPENAI_API_KEY is not set.');
  assert.ok((await modelAt(api).embed(['weather'], going))[0]);
});

test('a refused key is named by its variable only', async () => {
  await using api = await ModelApi.open();
  api.key = 'another';
  const trouble = await troubleFrom(modelAt(api, { env: { MY_KEY: key }, apiKeyEnv: 'MY_KEY' }).embed(['x'], going));
  assert.match(trouble.message, /answered HTTP 401/);
  assert.equal(trouble.hint, 'Check the key in MY_KEY.');
});

test('a service that is gone is trouble, not a crash', async () => {
  const api = await ModelApi.open();
  const model = modelAt(api, { env: { OPENAI_API_KEY: key } });
  await api[Symbol.asyncDispose]();
  assert.match((await troubleFrom(model.embed(['weather'], going))).message, /cannot be reached \(ECONNREFUSED\)/);
});

test('a silent service is given up after half a minute', async () => {
  await using api = await ModelApi.open();
  const clock = new ManualClock();
  api.fault = { kind: 'delay', until: never };
  const failing = troubleFrom(modelAt(api, { clock }).embed(['weather'], going));
  await api.arrived(1);
  await clock.advance(30_000);
  assert.match((await failing).message, /did not answer within 30 s/);
});

test('giving up ends requests and waits at once, with the reason given', async () => {
  await using api = await ModelApi.open();
  const giving = new AbortController();
  api.fault = { kind: 'delay', until: never };
  const model = modelAt(api);
  const running = model.embed(new Array(97).fill('tool'), going);
  running.catch(() => {});
  await api.arrived(2);
  const waiting = model.embed(['query'], giving.signal);
  giving.abort(new Error('no longer wanted'));
  await assert.rejects(waiting, /no longer wanted/);
  await model.close();
  assert.match((await troubleFrom(running)).message, /no longer used/);
  assert.equal(api.requests.length, 2);
});

test('a turn that was given up is not lost', async () => {
  await using api = await ModelApi.open();
  const giving = new AbortController();
  const release = Promise.withResolvers<void>();
  api.nextFaults.push({ kind: 'delay', until: release.promise }, { kind: 'delay', until: release.promise });
  const model = modelAt(api);
  const running = model.embed(new Array(97).fill('tool'), going);
  await api.arrived(2);
  const waiting = [1, 2].map(() => model.embed(['query'], giving.signal));
  giving.abort(new Error('no longer wanted'));
  await Promise.all(waiting.map((one) => assert.rejects(one, /no longer wanted/)));
  release.resolve();
  await running;
  assert.ok((await model.embed(['weather'], going))[0]);
});

test('a closed model answers no more, and closing twice is closing once', async () => {
  await using api = await ModelApi.open();
  const model = modelAt(api);
  await model.close();
  await model.close();
  await troubleFrom(model.embed(['weather'], going));
  assert.equal(api.requests.length, 0);
});

/** Posting JSON: what is sent, which failures there are, and that a key is told to nobody else. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { ModelApi } from '../../test/servers/model-api.ts';
import { systemClock } from './clock.ts';
import { GatewayError } from './errors.ts';
import { keyFrom, PostError, type PostFault, postJson, postTrouble, type Recipient, urlBelow } from './post-json.ts';

const key = 'a-key-of-some-length';
const going = new AbortController().signal;
const limits = { clock: systemClock, signal: going, timeoutMs: 60_000 };
const body = { query: ['weather'], tools: [], maxResults: 1 };

function recipientAt(api: ModelApi, more: Partial<Recipient> = {}): Recipient {
  const url = new URL('/catalog/search', api.url);
  return { name: 'The test service', url, setting: 'test.url', keyEnv: 'TEST_KEY', ...more };
}

/** How a post fails; nothing that can be printed of the error may show the key. */
async function failureOf(posting: Promise<unknown>, kind: PostFault): Promise<PostError> {
  const error = await posting.then(
    () => assert.fail('it did not fail'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof PostError, inspect(error));
  assert.equal(error.kind, kind, error.message);
  assert.ok(!inspect(error, { depth: 9, showHidden: true }).includes(key));
  return error;
}

test('JSON goes out, JSON comes back, and without a key there is no Authorization', async () => {
  await using api = await ModelApi.open();
  assert.deepEqual(await postJson(recipientAt(api), body, limits), { results: [] });
  const [request] = api.requests;
  assert.deepEqual(request?.body, body);
  assert.equal(request?.headers['content-type'], 'application/json');
  assert.equal(request?.headers.authorization, undefined);
});

test('a key is a bearer token unless the service wants it in a header of its own', async () => {
  await using api = await ModelApi.open();
  await postJson(recipientAt(api, { key }), body, limits);
  await postJson(recipientAt(api, { key, keyHeader: 'x-api-key', headers: { 'x-version': '1' } }), body, limits);
  const [bearer, own] = api.requests.map(({ headers }) => headers);
  assert.deepEqual([bearer?.authorization, bearer?.['x-api-key']], [`Bearer ${key}`, undefined]);
  assert.deepEqual([own?.authorization, own?.['x-api-key'], own?.['x-version']], [undefined, key, '1']);
});

test('half a character at the end of a cut text is replaced', async () => {
  await using api = await ModelApi.open();
  await postJson(recipientAt(api), { ...body, query: ['sun 🌞'.slice(0, 5)] }, limits);
  assert.deepEqual(api.requests[0]?.body.query, ['sun \ufffd']);
});

test('a status comes with the reason of the service and its wish to wait', async () => {
  await using api = await ModelApi.open();
  const refuse = (status: number, said: unknown, headers = {}) => {
    api.fault = { kind: 'status', status, body: said, headers };
    return failureOf(postJson(recipientAt(api), body, limits), 'status');
  };
  const busy = await refuse(429, { error: { message: 'Too many\nrequests.' } }, { 'retry-after': '7' });
  assert.equal(busy.message, `The test service at ${api.host} answered HTTP 429: Too many requests.`);
  assert.deepEqual([busy.status, busy.retryAfterMs, busy.hint], [429, 7_000, 'Try again later.']);
  const long = await refuse(400, { message: 'word '.repeat(1_000) });
  assert.ok(long.message.length < 260 && long.message.endsWith('word….'), long.message);
  assert.equal((await refuse(401, { error: 'no' })).hint, 'Check the key in TEST_KEY.');
  assert.match((await refuse(500, '<html>Sorry</html>')).message, /answered HTTP 500\.$/);
  assert.match((await refuse(500, { error: { message: 'x'.repeat(70_000) } })).message, /answered HTTP 500\.$/);
  assert.equal((await refuse(503, {}, { 'retry-after': 'soon' })).retryAfterMs, undefined);
});

test('Retry-After may be a date', async () => {
  await using api = await ModelApi.open();
  const clock = new ManualClock();
  const headers = { 'retry-after': new Date(clock.now() + 90_000).toUTCString() };
  api.fault = { kind: 'status', status: 503, headers };
  const failure = await failureOf(postJson(recipientAt(api), body, { ...limits, clock }), 'status');
  assert.equal(failure.retryAfterMs, 90_000);
});

test('a service that repeats the key does not bring it into the error', async () => {
  await using api = await ModelApi.open();
  api.key = 'another';
  const failure = await failureOf(postJson(recipientAt(api, { key }), body, limits), 'status');
  assert.match(failure.message, /HTTP 401: Incorrect API key provided: \*\*\*\.$/);
  const short = await failureOf(postJson(recipientAt(api, { key: 'k3y' }), body, limits), 'status');
  assert.match(short.message, /answered HTTP 401\.$/);
});

test('a key that cannot stand in a header is told of, not shown, and nothing is sent', async () => {
  await using api = await ModelApi.open();
  const failure = await failureOf(postJson(recipientAt(api, { key: `${key}\nmore` }), body, limits), 'bad-key');
  assert.equal(failure.hint, 'Check the key in TEST_KEY.');
  assert.equal(api.requests.length, 0);
});

test('a redirect is not followed', async () => {
  await using api = await ModelApi.open();
  api.nextFaults.push({ kind: 'status', status: 307, headers: { location: `${api.url}/catalog/search` } });
  const failure = await failureOf(postJson(recipientAt(api, { key }), body, limits), 'status');
  assert.match(failure.message, /answered with a redirect \(HTTP 307\)\.$/);
  assert.equal(api.requests.length, 1);
});

test('a service that is not there, or hangs up, cannot be reached', async () => {
  const api = await ModelApi.open();
  const recipient = recipientAt(api, { key });
  for (const where of ['before', 'inside'] as const) {
    api.fault = { kind: 'cut', where };
    await failureOf(postJson(recipient, body, limits), 'unreachable');
  }
  await api[Symbol.asyncDispose]();
  const failure = await failureOf(postJson(recipient, body, limits), 'unreachable');
  assert.equal(failure.message, `The test service at ${recipient.url.host} cannot be reached (ECONNREFUSED).`);
  assert.equal(failure.hint, 'Check "test.url".');
});

test('answers that are not JSON, too long or too many are refused', async () => {
  await using api = await ModelApi.open();
  api.nextFaults.push(
    { kind: 'garbage' },
    { kind: 'huge', bytes: 1e9 },
    { kind: 'answer', body: `[${'1,'.repeat(1e6)}1]` },
  );
  const notJson = await failureOf(postJson(recipientAt(api), body, limits), 'not-json');
  assert.equal(notJson.message, `The test service at ${api.host} gave an answer that is not JSON.`);
  const huge = await failureOf(postJson(recipientAt(api), body, { ...limits, maxBytes: 1_000_000 }), 'too-large');
  assert.match(huge.message, /is larger than 1000000 bytes/);
  await failureOf(postJson(recipientAt(api), body, limits), 'too-large');
});

test('an answer of exactly the largest size is read', async () => {
  await using api = await ModelApi.open();
  api.fault = { kind: 'answer', body: '[1,2]' };
  assert.deepEqual(await postJson(recipientAt(api), body, { ...limits, maxBytes: 5 }), [1, 2]);
  await failureOf(postJson(recipientAt(api), body, { ...limits, maxBytes: 4 }), 'too-large');
});

test('a service gets its time and no more, by the clock', async () => {
  await using api = await ModelApi.open();
  const clock = new ManualClock();
  api.fault = { kind: 'delay', until: new Promise(() => {}) };
  const failing = failureOf(postJson(recipientAt(api), body, { clock, signal: going, timeoutMs: 2_500 }), 'timeout');
  await api.arrived(1);
  assert.deepEqual(clock.waits, [2_500]);
  await clock.advance(2_500);
  assert.equal((await failing).message, `The test service at ${api.host} did not answer within 2.5 s.`);
});

test('nothing waits any longer once the answer is there', async () => {
  await using api = await ModelApi.open();
  const clock = new ManualClock();
  await postJson(recipientAt(api), body, { ...limits, clock });
  assert.deepEqual(clock.waits, []);
});

test('giving up ends the exchange with the reason given', async () => {
  await using api = await ModelApi.open();
  const giving = new AbortController();
  api.fault = { kind: 'delay', until: new Promise(() => {}) };
  const posting = postJson(recipientAt(api), body, { ...limits, signal: giving.signal });
  await api.arrived(1);
  giving.abort(new Error('no longer wanted'));
  await assert.rejects(posting, /no longer wanted/);
  await assert.rejects(postJson(recipientAt(api), body, { ...limits, signal: giving.signal }), /no longer wanted/);
  assert.equal(api.requests.length, 1);
});

test('a failure becomes trouble with its sentence and hint; other errors stay what they are', async () => {
  await using api = await ModelApi.open();
  api.fault = { kind: 'status', status: 418 };
  const failure = await failureOf(postJson(recipientAt(api), body, limits), 'status');
  const trouble = postTrouble(failure, 'MODEL_FAILED');
  assert.ok(trouble instanceof GatewayError);
  assert.deepEqual([trouble.code, trouble.message, trouble.hint], ['MODEL_FAILED', failure.message, failure.hint]);
  assert.deepEqual(trouble.data, { reason: 'status', status: 418 });
  const other = new Error('a bug');
  assert.equal(postTrouble(other, 'MODEL_FAILED'), other);
});

test('keys are read without the blanks around them, and a blank one is none', () => {
  const env = { FULL: ' abc\n', BLANK: '  ' };
  assert.deepEqual(
    ['FULL', 'BLANK', 'MISSING', null].map((name) => keyFrom(env, name)),
    ['abc', undefined, undefined, undefined],
  );
});

test('an address below a base keeps the path and the query of the base', () => {
  assert.equal(urlBelow('https://a.test/v1', 'embeddings').href, 'https://a.test/v1/embeddings');
  assert.equal(urlBelow('https://a.test/v1//?x=1', 'embeddings').href, 'https://a.test/v1/embeddings?x=1');
  assert.equal(urlBelow('https://a.test', 'v1/messages').href, 'https://a.test/v1/messages');
});

/** Tests of the small stages: the limit on calls, and errors for wrong arguments with the name that was probably meant. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeCall, saying } from '../../test/kit/made-call.ts';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { RateLimit } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import type { StoredResults } from '../results/results.ts';
import type { Call } from './call.ts';
import { fitResult, limitCalls, validateArguments } from './stages.ts';

const next = async () => ({ content: [] });

test('each principal makes as many calls as it may, and then hears when it may again', async () => {
  const stage = limitCalls(new RateLimit(new ManualClock(), () => 2));
  const call = madeCall();
  await stage(call, next);
  await stage(call, next);
  const refused = await Promise.resolve()
    .then(() => stage(call, next))
    .catch((error: unknown) => error);
  assert.ok(refused instanceof GatewayError && refused.code === 'RATE_LIMITED');
  assert.deepEqual([refused.data, refused.hint], [{ retryAfterMs: 30_000 }, 'Try again in 30 s.']);
  await stage(madeCall({ principal: { ...call.principal, id: 'token:other' } }), next);
});

const properties = { message: { type: 'string' }, count: { type: 'integer' } };
const open = { type: 'object', properties, required: ['message'] };
const closed = { ...open, additionalProperties: false };

/** Returns the call handed on, or the error thrown. */
function run(inputSchema: unknown, args: unknown): Call | GatewayError {
  // The stage looks at nothing else of a call.
  const call = { key: 'post:send', definition: { inputSchema }, params: { arguments: args, _meta: { a: 1 } } };
  let handed: Call | undefined;
  try {
    validateArguments(call as unknown as Call, (next) => {
      handed = next;
      return Promise.resolve({});
    });
  } catch (error) {
    assert.ok(error instanceof GatewayError && error.code === 'ARGUMENTS_INVALID', String(error));
    return error;
  }
  assert.ok(handed);
  return handed;
}

function complaint(inputSchema: object, args: unknown): string {
  const outcome = run(inputSchema, args);
  return outcome instanceof GatewayError ? outcome.message : '';
}

test('right arguments pass as they are, whatever the schema leaves open', () => {
  const args = { message: 'x', count: 2, more: JSON.parse('{"__proto__":1}') };
  const outcome = run(open, args);
  assert.ok(!(outcome instanceof GatewayError));
  assert.equal(outcome.params.arguments, args);
  assert.equal(outcome.coerced, undefined);
  for (const schema of [undefined, null, 'none', [], {}, { $ref: 'http://127.0.0.1:9/x' }])
    assert.ok(!(run(schema, args) instanceof GatewayError), JSON.stringify(schema));
  assert.equal(
    complaint(open, undefined),
    'The arguments for "post:send" are not right: the parameter "message" is missing (string).',
  );
});

test('a harmless mistake is corrected for the server, and noted', () => {
  const args = { message: 5, count: '2' };
  const outcome = run(closed, args);
  assert.ok(!(outcome instanceof GatewayError));
  assert.deepEqual(outcome.params, { arguments: { message: '5', count: 2 }, _meta: { a: 1 } });
  assert.deepEqual(outcome.coerced, ['message: 5 → "5"', 'count: "2" → 2']);
  assert.deepEqual(args, { message: 5, count: '2' });
});

test('a text that is no list is explained, not wrapped', () => {
  const list = { properties: { tags: { type: 'array', items: { type: 'string' } } } };
  assert.match(complaint(list, { tags: 'bug, ui' }), /tags: must be an array, got the string "bug, ui"\.$/);
});

test('a schema that says arguments are no object is taken as far as it makes sense', () => {
  assert.equal(complaint({ ...open, type: 'string' }, { message: 'x' }), '');
  assert.match(complaint({ ...open, type: ['array'] }, {}), /"message" is missing/);
});

test('a misspelt name is found, whether or not the schema allows other names', () => {
  assert.match(complaint(open, { massage: 'x' }), /"message" is missing; is "massage" meant to be it\?$/);
  const said = complaint(closed, { massage: 'x' });
  assert.equal(
    said,
    'The arguments for "post:send" are not right: there is no parameter "massage"; did you mean "message"?',
  );
});

test('a name that resembles nothing is not guessed at', () => {
  assert.match(complaint(open, { url: 'x' }), /"message" is missing \(string\)\.$/);
});

test('a wrong type and a nested mistake are told with their place', () => {
  assert.match(complaint(open, { message: 'x', count: 'many' }), /count: must be an integer, got the string "many"\.$/);
  const nested = { type: 'object', properties: { to: { type: 'object', required: ['name'] } } };
  assert.match(complaint(nested, { to: {} }), /to: the parameter "name" is missing\.$/);
  for (const args of ['text', [1], 5]) assert.match(complaint(open, args), /the arguments must be an object\.$/);
});

test('the short signature is the hint, and programs get the mistakes one by one', () => {
  const error = run(closed, { count: 'many', url: 'x' });
  assert.ok(error instanceof GatewayError);
  assert.equal(error.hint, 'It takes: message, count?: integer');
  assert.deepEqual(error.data, {
    mistakes: [
      'there is no parameter "url"',
      'the parameter "message" is missing (string)',
      'count: must be an integer, got the string "many"',
    ],
    parameters: 'message, count?: integer',
    unknown: ['url'],
  });
});

test('a large result that cannot be stored is cut to its beginning, without hiding a bug', async () => {
  const keeping = (error: Error) => ({ keep: () => Promise.reject(error) }) as unknown as StoredResults;
  const unkept: string[] = [];
  const options: Parameters<typeof fitResult>[2] = {
    ...{ principal: 'me', toolKey: 'files:read', maxBytes: 1_000, keepsStructured: false },
    ...{ reader: 'search', knowsLinks: false, onUnkept: (reason) => void unkept.push(reason) },
  };
  const large = saying('x'.repeat(5_000));
  const full = new GatewayError('STORE_BUSY', 'The disk is full.');
  const cut = await fitResult(large, keeping(full), options);
  assert.ok(JSON.stringify(cut).length < 3_000);
  assert.deepEqual(unkept, ['The disk is full.']);
  await assert.rejects(fitResult(large, keeping(new TypeError('A bug.')), options), TypeError);
});

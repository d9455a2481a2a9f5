/** What is said about wrong arguments: the mistake, and the name that was probably meant. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '../base/errors.ts';
import type { Call } from './call.ts';
import { validateArguments } from './validate-arguments.ts';

const properties = { message: { type: 'string' }, count: { type: 'integer' } };
const open = { type: 'object', properties, required: ['message'] };
const closed = { ...open, additionalProperties: false };

function complaint(inputSchema: object, args: object): string {
  // The stage looks at nothing else of a call.
  const call = { key: 'post:send', definition: { inputSchema }, params: { arguments: args } } as unknown as Call;
  try {
    validateArguments(call, () => Promise.resolve({}));
    return '';
  } catch (error) {
    assert.ok(error instanceof GatewayError && error.code === 'ARGUMENTS_INVALID');
    return error.message;
  }
}

test('right arguments pass', () => {
  assert.equal(complaint(open, { message: 'x', count: 2 }), '');
  assert.equal(complaint(open, { message: 'x', more: 2 }), '');
});

test('a misspelt name is found, whether or not the schema allows other names', () => {
  assert.match(complaint(open, { massage: 'x' }), /"message" is missing; is "massage" meant to be it\?/);
  const said = complaint(closed, { massage: 'x' });
  assert.equal(
    said,
    'The arguments for "post:send" are not right: there is no parameter "massage"; did you mean "message"?',
  );
});

test('a name that resembles nothing is not guessed at', () => {
  assert.match(complaint(open, { url: 'x' }), /"message" is missing\.$/);
});

test('a wrong type and a nested mistake are told with their place', () => {
  assert.match(complaint(open, { message: 'x', count: 'many' }), /count: the value type "string" is invalid/);
  const nested = { type: 'object', properties: { to: { type: 'object', required: ['name'] } } };
  assert.match(complaint(nested, { to: {} }), /to: the parameter "name" is missing\.$/);
});

/** Tests of messages that are written carelessly, or with intent. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classify, isFailure, isResponse, RpcError, type RpcMessage, type RpcResponse } from './messages.ts';

test('a result with a method or an error of null beside it is a result', () => {
  const message = { jsonrpc: '2.0', id: 1, method: null, result: {}, error: null } as unknown as RpcMessage;
  assert.equal(classify(message), 'response');
  assert.equal(isResponse(message), true);
  assert.equal(isFailure(message as RpcResponse), false);
  assert.equal(isFailure({ jsonrpc: '2.0', id: 1, error: { code: 1, message: 'no' } }), true);
  assert.equal(isResponse({ jsonrpc: '2.0', id: 1, method: 'ping' }), false);
});

test('an error of the other side keeps its code, message and data where they are what they should be', () => {
  assert.deepEqual(RpcError.from({ code: -1, message: 'no', data: [1] }).toBody(), {
    code: -1,
    message: 'no',
    data: [1],
  });
  for (const code of ['1', 0.5, null, undefined, Number.NaN]) assert.equal(RpcError.from({ code }).code, -32_603);
  for (const message of [1, null, {}, undefined]) assert.match(RpcError.from({ message }).message, /without a message/);
});

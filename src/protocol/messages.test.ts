/** Tests of messages that are written carelessly, or with intent. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JsonLimitError } from '../base/json.ts';
import {
  classify,
  isFailure,
  isResponse,
  isTooDeep,
  parseServerJson,
  RpcError,
  type RpcMessage,
  type RpcResponse,
} from './messages.ts';

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

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

test('numbers of a result are written as they came', () => {
  for (const number of ['9007199254740993', '-9223372036854775808', '1e400', '18446744073709551615']) {
    const text = `{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"n":${number},"m":[1.5,2]}}}`;
    assert.equal(JSON.stringify(parseServerJson(text)), text);
  }
});

test('a text that only looks like such a number costs no second reading', (t) => {
  const text = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"1e400 9007199254740993 \\"5e9\\""}]}}`;
  const parse = t.mock.method(JSON, 'parse');
  assert.equal(JSON.stringify(parseServerJson(text)), text);
  assert.equal(parse.mock.callCount(), 1);
});

test('numbers of lists are numbers: schemas are compared and checked', () => {
  const text =
    '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{"maximum":9223372036854775807}}]}}';
  const { result } = parseServerJson(text) as { result: { tools: { inputSchema: { maximum: unknown } }[] } };
  assert.equal(typeof result.tools[0]?.inputSchema.maximum, 'number');
});

test('an item that is nested too deeply is left out of its list, and nothing else', () => {
  for (const depth of [254, 300, 5_000, 300_000]) {
    const text = `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"good"},{"name":"bomb","inputSchema":${nested(depth)}},{"name":"also [{ good"}]}}`;
    const { result } = parseServerJson(text) as { result: { tools: { name: string }[] } };
    assert.deepEqual(
      result.tools.map((tool) => [tool.name, isTooDeep(tool)]),
      [
        ['good', false],
        ['bomb', true],
        ['also [{ good', false],
      ],
    );
  }
});

test('values that are nested too deeply elsewhere are refused', () => {
  for (const text of [
    `{"jsonrpc":"2.0","id":1,"result":{"structuredContent":${nested(300)}}}`,
    `{"jsonrpc":"2.0","id":1,"result":{"tools":[],"more":${nested(300)}}}`,
    `{"jsonrpc":"2.0","id":1,"result":{"tools":[],"more":${'['.repeat(255)}${']'.repeat(255)}}}`,
    `{"jsonrpc":"2.0","id":1,"more":${nested(300_000)},"result":{"tools":[]}}`,
  ])
    assert.throws(() => parseServerJson(text), JsonLimitError);
});

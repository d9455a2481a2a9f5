/** Results as a program gets them, or has to catch them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '../base/errors.ts';
import type { Entry } from '../catalog/catalog.ts';
import type { Result } from '../protocol/messages.ts';
import { exactJson, valueOfResult } from './value-of-result.ts';

const tool: Entry = {
  key: 'shop:list',
  server: 'shop',
  name: 'list',
  serverName: 'list',
  definition: {},
  fingerprint: 'f',
};
const texts = (...all: string[]): Result => ({ content: all.map((text) => ({ type: 'text', text })) });
const value = (result: Result): unknown => JSON.parse(valueOfResult(result, tool));

function thrown(result: Result): GatewayError {
  try {
    valueOfResult(result, tool);
  } catch (error) {
    assert.ok(error instanceof GatewayError);
    assert.equal(error.data?.tool, 'shop:list');
    return error;
  }
  assert.fail('Nothing was thrown.');
}

test('structured content is the value, whatever text is beside it', () => {
  assert.deepEqual(value({ ...texts('Two.'), structuredContent: { rows: [1, 2] } }), { rows: [1, 2] });
});

test('a text is the value, and one that is a JSON object or list is what it says', () => {
  assert.equal(value(texts('one', 'two')), 'one\ntwo');
  assert.deepEqual(value(texts(' {"a":[1]}')), { a: [1] });
  assert.deepEqual(value(texts('[]')), []);
  for (const text of ['7', 'true', 'null', '"x"', '{a:1}', '[1', '{"a":1} and more', '', '__proto__'])
    assert.equal(value(texts(text)), text);
  assert.equal(value({ content: [] }), '');
});

test('a text cannot pass for more than it is', () => {
  const text = '{"ok":1}},"ok":{"b":2}';
  assert.equal(value(texts(text)), text);
  assert.equal(value(texts(`${'['.repeat(5_000)}${']'.repeat(5_000)}`)), `${'['.repeat(5_000)}${']'.repeat(5_000)}`);
});

test('a number that JavaScript cannot hold crosses as it was written', () => {
  const result = { structuredContent: JSON.parse('{"id":1}') as Record<string, unknown> };
  result.structuredContent.id = JSON.rawJSON('12345678901234567890');
  assert.equal(valueOfResult(result, tool), '{"id":12345678901234567890}');
});

test('other content comes as the whole result', () => {
  const result = { content: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }] };
  assert.deepEqual(value(result), result);
});

test('an error of the tool is thrown in its own words, and wrong arguments with where to look', () => {
  const plain = thrown({ ...texts('No such shop.', 'Ask again.'), isError: true });
  assert.equal(plain.code, 'TOOL_FAILED');
  assert.match(plain.message, /^Tool "shop:list" failed: No such shop\.\nAsk again\.$/);
  assert.equal(plain.hint, undefined);
  const wrong = thrown({ ...texts('MCP error -32602: Input validation error: limit'), isError: true });
  assert.match(String(wrong.hint), /info\("shop:list"\)/);
  assert.equal(thrown({ content: [], isError: true, structuredContent: { errorType: 'TIMEOUT' } }).code, 'TIMEOUT');
});

test('a result that was kept because of its size is thrown with its address', () => {
  const kept = { id: 'x', uri: 'toolcrib://result/x', bytes: 9_000_000, isTruncated: true };
  const error = thrown({ ...texts('The result is large'), _meta: { 'toolcrib/result': kept } });
  assert.equal(error.code, 'TOO_LARGE');
  assert.match(
    `${error.message} ${error.hint}`,
    /stored at toolcrib:\/\/result\/x\. .*load\("toolcrib:\/\/result\/x\?path=/,
  );
  const lost = thrown({ ...texts('x'), _meta: { 'toolcrib/result': { bytes: 9, isTruncated: true } } });
  assert.match(String(lost.hint), /could not be stored\. Ask for less/);
});

test('a number that JavaScript would round comes as text, and it is said where', () => {
  const json =
    '{"id":1234567890123456789,"rows":[{"id":-9007199254740993,"n":1.5},{"id":9007199254740992}],"big":1e400}';
  const { json: given, paths } = exactJson(json);
  assert.deepEqual(JSON.parse(given), {
    id: '1234567890123456789',
    rows: [{ id: '-9007199254740993', n: 1.5 }, { id: 9_007_199_254_740_992 }],
    big: '1e400',
  });
  assert.deepEqual(paths, ['id', 'rows[].id', 'big']);
  assert.deepEqual(exactJson('12345678901234567890123'), { json: '"12345678901234567890123"', paths: ['the value'] });
});

test('numbers that survive are not touched, not even their spelling', () => {
  for (const json of ['{ "a" : 9007199254740991, "b": "12345678901234567890" }', '[0.1234567890123456789]', '"1e999"'])
    assert.deepEqual(exactJson(json), { json, paths: [] });
});

test('at most a few paths are told, and a strange name is a name', () => {
  const members = Array.from({ length: 9 }, (_, at) => `"m${at}":12345678901234567890`);
  assert.equal(exactJson(`{${members.join(',')}}`).paths.length, 5);
  assert.equal(exactJson('{"__proto__":12345678901234567890}').json, '{"__proto__":"12345678901234567890"}');
});

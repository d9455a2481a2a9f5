/** Messages that go by way of the disk: with their long values loaded they are what was sent, and what is held is bounded. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { testSpool } from '../../test/kit/spool.ts';
import { JsonLimitError } from '../base/json.ts';
import { limits } from '../config/config.ts';
import type { Result } from '../protocol/messages.ts';
import { hasLongValues, LongValue, loadLong, releaseLong } from './long-value.ts';
import { SpoolMessage } from './spool-message.ts';

const spool = testSpool();

function arrive(text: string, size = 65_536): SpoolMessage {
  const message = new SpoolMessage(spool);
  const bytes = Buffer.from(text);
  try {
    for (let at = 0; at < bytes.length; at += size) message.push(bytes.subarray(at, at + size));
  } catch (error) {
    message.drop();
    throw error;
  }
  return message;
}

/** The message as it is after its end; one that is refused leaves nothing behind. */
function read(text: string, size?: number, wholeBytes = 1_000_000): { readonly result: Result } {
  const message = arrive(text, size);
  try {
    return message.end(wholeBytes) as { result: Result };
  } catch (error) {
    message.drop();
    throw error;
  }
}

const answer = (result: unknown) => JSON.stringify({ jsonrpc: '2.0', id: 7, result });
const long = 'x'.repeat(20_000);

test('long members of the result, of its blocks and of their resources stay on disk, all else is there', () => {
  const { result } = read(
    answer({
      content: [
        { type: 'text', text: long, annotations: { priority: 1 } },
        { type: 'resource', resource: { uri: 'a:b', blob: long } },
        { type: 'odd', parts: [long], resource: 'none' },
        'not a block',
        long,
      ],
      structuredContent: { rows: [long] },
      _meta: { small: true },
      isError: false,
    }),
  );
  const [text, resource, odd, plain, bare] = result.content as Record<string, unknown>[];
  assert.deepEqual([text?.type, text?.annotations, resource?.type], ['text', { priority: 1 }, 'resource']);
  const embedded = resource?.resource as Record<string, unknown>;
  const kinds = [text?.text, embedded.blob, odd?.parts, bare, result.structuredContent].map((value) => {
    return value instanceof LongValue ? [value.kind, value.bytes] : value;
  });
  assert.deepEqual(kinds, [
    ['string', 20_002],
    ['string', 20_002],
    ['array', 20_004],
    ['string', 20_002],
    ['object', 20_013],
  ]);
  assert.deepEqual([embedded.uri, odd?.resource, plain, result._meta], ['a:b', 'none', 'not a block', { small: true }]);
  assert.equal(result.isError, false);
  releaseLong(result);
  assert.equal(spool.bytes, 0);
});

test('with its long values loaded a message is what JSON.parse makes of it, wherever it is cut', async () => {
  const padded = fc
    .tuple(fc.string({ unit: 'grapheme' }), fc.constantFrom(0, 17_000))
    .map(([text, n]) => text + 'y'.repeat(n));
  const value = fc.oneof(padded, fc.jsonValue({ maxDepth: 3 }), fc.array(padded, { maxLength: 3 }));
  const name = fc.constantFrom('text', 'data', 'resource', '__proto__', 'toJSON', '7', '0', 'é"\\');
  const block = fc.oneof(fc.dictionary(name, fc.oneof(value, fc.dictionary(name, value))), value);
  const result = fc.tuple(fc.array(block, { maxLength: 4 }), fc.dictionary(name, value));
  await fc.assert(
    fc.asyncProperty(result, fc.integer({ min: 1_000, max: 70_000 }), async ([content, members], size) => {
      const text = answer({ ...members, content });
      const message = read(text, size);
      const isLong = hasLongValues(message.result);
      assert.equal(spool.bytes > 0, isLong);
      const whole = isLong ? await loadLong(message.result, 10_000_000) : message.result;
      assert.equal(JSON.stringify({ ...message, result: whole }), JSON.stringify(JSON.parse(text)));
      assert.equal(spool.bytes, 0);
    }),
    { numRuns: 200 },
  );
});

test('messages without a result are read whole, or refused by the limit', () => {
  const texts = [
    JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'sampling/createMessage', params: { text: long } }),
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { text: long } }),
    JSON.stringify({ jsonrpc: '2.0', id: 7, error: { code: 1, message: long } }),
    JSON.stringify({ jsonrpc: '2.0', id: 7, result: { text: long }, error: { code: 1, message: 'both' } }),
    JSON.stringify({ id: 7, result: { text: long } }),
    JSON.stringify({ jsonrpc: '2.0', id: 7, result: [long] }),
    JSON.stringify([{ jsonrpc: '2.0', id: 7, result: { text: long } }]),
    JSON.stringify(long),
  ];
  for (const text of texts) {
    assert.deepEqual(read(text), JSON.parse(text));
    assert.throws(() => read(text, undefined, 20_000), { name: 'JsonLimitError', message: /larger than 20000 bytes/ });
    assert.equal(spool.bytes, 0);
  }
});

test('a member that came twice leaves nothing on disk that nobody can reach', () => {
  const twice = [
    `{"content":[],"x":"${long}","x":1}`,
    `{"content":[{"type":"text","text":"${long}"}],"content":[]}`,
    `{"content":[{"type":"text","text":"${long}","text":"short"}]}`,
    `{"content":[{"type":"resource","resource":{"blob":"${long}"},"resource":{}}]}`,
    `{"content":["${long}"]},"result":{"content":[]}`,
  ];
  for (const result of twice) {
    const text = `{"jsonrpc":"2.0","id":7,"result":${result}}`;
    assert.deepEqual(read(text), JSON.parse(text));
    assert.equal(spool.bytes, 0, result.slice(0, 40));
  }
  const { result } = read(`{"jsonrpc":"2.0","id":7,"result":"${long}","result":{"content":["${long}"]}}`);
  assert.ok(hasLongValues(result));
  releaseLong(result);
  assert.equal(spool.bytes, 0);
});

test('whose answer it is, is known as soon as it is certain', () => {
  const text = JSON.stringify({ jsonrpc: '2.0', id: 7, result: { text: long } });
  const asked = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'm', params: { text: long } });
  for (const [known, expected] of [
    [text.slice(0, 25), undefined],
    [text.slice(0, 60), 7],
    [asked.slice(0, 60), undefined],
    [text.replace('7', 'null').slice(0, 60), undefined],
  ]) {
    const message = arrive(String(known));
    assert.equal(message.answerId, expected);
    message.drop();
  }
});

test('the memory of a message is bounded: in values, blocks, bytes and depth', () => {
  const block = { type: 'text', text: '' };
  const blocks = (count: number) => answer({ content: Array.from({ length: count }, () => block) });
  assert.equal((read(blocks(limits.maxContentBlocks)).result.content as unknown[]).length, limits.maxContentBlocks);
  assert.throws(() => read(blocks(limits.maxContentBlocks + 1)), /more than 20000 content blocks/);
  const crowd = Array.from({ length: 200 }, () => ({ type: 'numbers', list: Array.from({ length: 7_000 }, () => 1) }));
  assert.throws(() => read(answer({ content: crowd })), /more than 1000000 short values/);
  const names = Object.fromEntries(Array.from({ length: 40_000 }, (_, at) => [`${at}${'n'.repeat(400)}`, 1]));
  assert.throws(() => read(answer(names)), /more than 16777216 bytes together/);
  assert.throws(() => read(answer({ deep: 0 }).replace('0}', `${'['.repeat(300)}${']'.repeat(300)}}`)), JsonLimitError);
  assert.throws(() => read(answer({ a: 0 }).replace('0}', `${'1'.repeat(20_000)}}`)), /very many digits/);
  assert.throws(() => read('{"jsonrpc":"2.0","id":7,"result":{"a":oops}}'), SyntaxError);
  assert.throws(() => read('{"jsonrpc":"2.0","id":7,"result":{"a":1}'), SyntaxError);
  assert.equal(spool.bytes, 0);
});

test('many blocks of middling length do not add up in memory: from some point on they stay on disk', async () => {
  const content = Array.from({ length: 4_000 }, (_, at) => ({ type: 'text', text: `${at} ${'z'.repeat(10_000)}` }));
  const { result } = read(answer({ content }));
  const texts = (result.content as { text: unknown }[]).map(({ text }) => text);
  const held = texts.filter((text) => typeof text === 'string');
  assert.ok(held.length > 100 && held.length < 600, `${held.length} are held`);
  assert.deepEqual(await loadLong(result, 50_000_000), { content });
});

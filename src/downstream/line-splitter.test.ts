/** Lines out of bytes: the same however they are cut, and one that is too much costs only itself. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { testSpool } from '../../test/kit/spool.ts';
import { limits } from '../config/config.ts';
import { type LongValue, releaseLong } from '../results/results.ts';
import { LineSplitter } from './line-splitter.ts';
import type { MessageRefusal } from './message-reader.ts';

interface Split {
  readonly lines: string[];
  readonly long: unknown[];
  readonly refused: MessageRefusal[];
}

const spool = testSpool();

function split(chunks: readonly Buffer[], where = spool): Split {
  const out: Split = { lines: [], long: [], refused: [] };
  const splitter = new LineSplitter(where, {
    onLine: (line) => out.lines.push(line),
    onLong: (value) => out.long.push(value),
    onRefused: (refusal) => out.refused.push(refusal),
  });
  for (const chunk of chunks) splitter.push(chunk);
  splitter.drop();
  return out;
}

function cutInto(text: string, size: number): Buffer[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

/** A line of exactly `bytes` bytes, with the id at its start or at its end. */
function answerOf(bytes: number, idAt: 'start' | 'end' = 'start'): string {
  const [before, after] =
    idAt === 'start'
      ? ['{"jsonrpc":"2.0","id":7,"result":{"text":"', '"}}']
      : ['{"jsonrpc":"2.0","result":{"text":"', '"},"id":7}'];
  return `${before}${'x'.repeat(bytes - before.length - after.length)}${after}`;
}

const most = limits.frameMemoryBytes;

test('lines are the same wherever the bytes are cut, inside characters too', () => {
  const line = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).map((text) => text.replaceAll('\n', ' '));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), fc.integer({ min: 1, max: 9 }), (lines, size) => {
      assert.deepEqual(split(cutInto(lines.map((text) => `${text}\n`).join(''), size)).lines, lines);
    }),
  );
});

test('empty lines are skipped, and the last one waits for its end', () => {
  assert.deepEqual(split([Buffer.from('\n\na\n\nb')]).lines, ['a']);
  assert.deepEqual(split([Buffer.from('a\r\nb\r\n')]).lines, ['a\r', 'b\r']);
});

test('a line that just fits is text, one that does not goes by way of the disk, and their neighbours are whole', () => {
  for (const size of [1_000, 65_536, 5_000_000]) {
    const text = `before\n${answerOf(most)}\n${answerOf(most + 1, 'end')}\n\ufeff${answerOf(3 * most)}\r\nafter\n`;
    const { lines, long, refused } = split(cutInto(text, size));
    assert.deepEqual([lines.map((line) => line.length), refused], [['before'.length, most, 'after'.length], []]);
    const results = (long as { id: number; result: { text: LongValue } }[]).map(({ id, result }) => {
      releaseLong(result);
      return [id, result.text.bytes];
    });
    assert.deepEqual(results, [
      [7, most + 1 - '{"jsonrpc":"2.0","result":{"text":},"id":7}'.length],
      [7, 3 * most - '{"jsonrpc":"2.0","id":7,"result":{"text":}}'.length],
    ]);
    assert.equal(spool.bytes, 0);
  }
});

test('a line that comes in very many pieces costs what it is long', () => {
  const { lines } = split(cutInto(`${'y'.repeat(300_000)}\n`, 1));
  assert.deepEqual(lines, ['y'.repeat(300_000)]);
});

test('a line that is not read tells whose answer it was, once, and its neighbours are whole', () => {
  const small = testSpool({ limitBytes: 2 * most });
  for (const size of [1_000, 65_536, 10_000_000]) {
    for (const idAt of ['start', 'end'] as const) {
      const { lines, long, refused } = split(cutInto(`before\n${answerOf(4 * most, idAt)}\nafter\n`, size), small);
      assert.deepEqual([lines, long], [['before', 'after'], []]);
      assert.deepEqual(
        refused.map(({ id, error }) => [id, (error as { code: string }).code]),
        [[7, 'RATE_LIMITED']],
      );
    }
  }
  assert.equal(small.bytes, 0);
});

test('a long line that is no message is told as what it is', () => {
  const { lines, refused } = split(cutInto(`${'junk '.repeat(most)}\nafter\n`, 65_536));
  assert.deepEqual(lines, ['after']);
  assert.deepEqual(
    refused.map(({ id, error }) => [id, error instanceof SyntaxError]),
    [[undefined, true]],
  );
});

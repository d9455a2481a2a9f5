/** Lines out of bytes: the same however they are cut, and one that is too long costs only itself. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LineSplitter, type OversizedLine } from './line-splitter.ts';

interface Split {
  readonly lines: string[];
  readonly oversized: OversizedLine[];
}

function split(chunks: readonly Buffer[], limit = 1_000): Split {
  const out: Split = { lines: [], oversized: [] };
  const splitter = new LineSplitter(
    limit,
    (line) => out.lines.push(line),
    (line) => out.oversized.push(line),
  );
  for (const chunk of chunks) splitter.push(chunk);
  return out;
}

function cutInto(text: string, size: number): Buffer[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

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

test('a line that is too long is skipped and told by its edges; its neighbours are whole', () => {
  const long = `{"jsonrpc":"2.0","id":7,"result":"${'x'.repeat(5_000)}"}`;
  for (const size of [1, 3, 100, 10_000]) {
    const { lines, oversized } = split(cutInto(`before\n${long}\nafter\n`, size));
    assert.deepEqual(lines, ['before', 'after']);
    assert.equal(oversized.length, 1);
    assert.ok(oversized[0]?.head.startsWith('{"jsonrpc":"2.0","id":7,'), `head in chunks of ${size}`);
    assert.ok(oversized[0]?.tail.endsWith('xx"}'), `tail in chunks of ${size}`);
    assert.ok((oversized[0]?.head.length ?? 0) <= 256 && (oversized[0]?.tail.length ?? 0) <= 256);
  }
});

test('a line that just fits is kept, and one that just does not keeps its end', () => {
  assert.deepEqual(split([Buffer.from(`${'y'.repeat(1_000)}\n`)]).lines, ['y'.repeat(1_000)]);
  const { oversized } = split([Buffer.from('z'.repeat(999)), Buffer.from('!'), Buffer.from('?'), Buffer.from('\n')]);
  assert.match(oversized[0]?.tail ?? '', /z!\?$/);
});

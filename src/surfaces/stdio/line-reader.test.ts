/** Lines from bytes, however these are cut, and the id of a line that was too long. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findId } from './bridge.ts';
import { LineReader } from './line-reader.ts';

function read(chunks: readonly Buffer[], limit = 1_000_000): { lines: string[]; oversized: [string, string][] } {
  const lines: string[] = [];
  const oversized: [string, string][] = [];
  const reader = new LineReader(limit, {
    onLine: (line) => lines.push(line),
    onOversized: (head, tail) => oversized.push([head, tail]),
  });
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return { lines, oversized };
}

test('lines do not depend on how their bytes arrive', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1 }).map((line) => `"${line.replaceAll(/\s/g, '_')}"`);
  const cuts = fc.array(fc.nat(200));
  fc.assert(
    fc.property(fc.array(text), cuts, fc.constantFrom('\n', '\r\n', '\n\n'), (lines, cutAt, end) => {
      const bytes = Buffer.from(`\ufeff${lines.map((line) => line + end).join('')}`);
      const places = [0, ...cutAt.map((at) => Math.min(at, bytes.length)).toSorted((a, b) => a - b), bytes.length];
      const chunks = places.slice(1).map((at, index) => bytes.subarray(places[index], at));
      assert.deepEqual(read(chunks).lines, lines);
    }),
  );
});

test('a line at the limit is read, one byte more is not, and its ends are told', () => {
  const fits = 'x'.repeat(5_000);
  const long = `${'a'.repeat(3_000)}${'b'.repeat(3_000)}`;
  for (const size of [1, 7, 100_000]) {
    const bytes = Buffer.from(`${fits}\n${long}\nnext`);
    const chunks: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
    const { lines, oversized } = read(chunks, 5_000);
    assert.deepEqual(lines, [fits, 'next']);
    assert.equal(oversized.length, 1);
    const [head, tail] = oversized[0] ?? ['', ''];
    assert.equal(head, 'a'.repeat(1_024));
    assert.match(tail, /^b{1,1024}$/);
  }
});

test('the id of a long line is found where it is certain, and only there', () => {
  const found = (line: string) => findId(line.slice(0, 1_024), line.slice(-1_024));
  const params = { text: 'x'.repeat(5_000), id: 'inner' };
  assert.equal(found(JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'm', params })), 7);
  assert.equal(found(JSON.stringify({ method: 'm', params, jsonrpc: '2.0', id: 'la"st' })), 'la"st');
  assert.equal(found(JSON.stringify({ id: 'first', params })), 'first');
  assert.equal(found(JSON.stringify({ method: 'm', params })), undefined);
  assert.equal(found(JSON.stringify({ method: 'm', params: { text: params.text, more: { id: 5 } } })), undefined);
  assert.equal(found(`{"text":"${params.text},\\"id\\":5}`), undefined);
  assert.equal(found(JSON.stringify({ method: 'm', params, id: 1.5 })), undefined);
});

/** A model file is read as it was written; a damaged one is reported and never half used. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { GatewayError } from '../base/errors.ts';
import { ModelFile } from './model-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'model-file-'));
after(() => rmSync(folder, { recursive: true }));

const header = { kind: 'table', id: 'made-up', pieces: 5, width: 16 };
const floats = Float32Array.of(0.5, -1.25, 3, 4, 5);
const whole = Int8Array.from({ length: 80 }, (_, at) => at - 40);
const intact = fileOf(JSON.stringify(header), bytesOf(floats), bytesOf(whole));

test('header and blocks come back as they were written', () => {
  const file = open(intact);
  assert.equal(file.id, 'made-up');
  assert.equal(file.number('pieces'), 5);
  assert.deepEqual(file.nextFloats(5), floats);
  assert.deepEqual(file.nextInt8(80), whole);
});

test('a file that is cut anywhere in its header or blocks is broken', () => {
  // Behind the last number there is nothing that could be missed.
  for (let length = 0; length < intact.length; length += 1) {
    assertBroken(() => {
      const file = open(intact.subarray(0, length));
      file.nextFloats(5);
      file.nextInt8(80);
    }, `${length} bytes`);
  }
});

test('more numbers than there are cannot be read, however many are asked for', () => {
  for (const count of [29, 1_000_000, 2 ** 53, Number.MAX_VALUE]) {
    assertBroken(() => open(intact).nextFloats(count), `${count} floats`);
    assertBroken(() => open(intact).nextInt8(4 * count), `${4 * count} bytes`);
  }
});

test('another kind of file is broken', () => {
  for (const start of ['TCM2', 'PK\u0003\u0004', '{"a"', '\0\0\0\0']) {
    const other = Buffer.from(intact);
    other.write(start, 0, 'latin1');
    assertBroken(() => open(other), start);
  }
  assertBroken(() => open(Buffer.alloc(0)), 'nothing');
  assertBroken(() => open(Buffer.from('an ordinary text that somebody has put here')), 'text');
});

test('a header that is too long, shifted, or no object is broken', () => {
  const unpadded = intact.readUInt32LE(4) - 1;
  for (const length of [0, 8, 25, unpadded, 4_000, 0xffffffff]) {
    const other = Buffer.from(intact);
    other.writeUInt32LE(length, 4);
    assertBroken(() => open(other), `length ${length}`);
  }
  for (const text of ['[1]', '"x"', 'null', '{"id":', '']) assertBroken(() => open(fileOf(text)), text);
});

test('a number of the header is a whole one above 0, and the id a text', () => {
  for (const value of [0, -1, 1.5, '5', null, true, [5]]) {
    const file = open(fileOf(JSON.stringify({ pieces: value, id: value === '5' ? '' : value })));
    assertBroken(() => file.number('pieces'), JSON.stringify(value));
    assertBroken(() => file.id, JSON.stringify(value));
  }
  assertBroken(() => open(fileOf('{"width":1e999}')).number('width'), 'endless');
  assertBroken(() => open(fileOf('{}')).number('width'), 'missing');
});

function assertBroken(act: () => unknown, what: string): void {
  assert.throws(act, (error) => error instanceof GatewayError && error.code === 'MODEL_BROKEN', what);
}

function open(bytes: Uint8Array): ModelFile {
  const path = join(folder, 'model.bin');
  writeFileSync(path, bytes);
  return ModelFile.read(path);
}

/** Padded to 16 bytes as `model/export.py` does, except after the last block. */
function fileOf(text: string, ...blocks: readonly Buffer[]): Buffer {
  const padded = Buffer.from(text.padEnd(text.length + (((-8 - text.length) % 16) + 16)));
  const start = Buffer.from('TCM1\0\0\0\0');
  start.writeUInt32LE(padded.length, 4);
  const filled = blocks.flatMap((block, at) =>
    at === blocks.length - 1 ? [block] : [block, Buffer.alloc((16 - (block.length % 16)) % 16)],
  );
  return Buffer.concat([start, padded, ...filled]);
}

function bytesOf(numbers: Float32Array | Int8Array): Buffer {
  return Buffer.from(numbers.buffer);
}

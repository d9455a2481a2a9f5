/** The built-in model recognises likeness and copes with broken texts and files. */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { modelFile } from '../../test/kit/model-file.ts';
import { GatewayError } from '../base/errors.ts';
import { openTable, TableModel } from './table-model.ts';
import { toVector, type Vector } from './vector.ts';

const assets = join(import.meta.dirname, '../../assets');
const table = openTable();

/** A need, a tool that meets it in other words, and one that does not. */
const telling = [
  ['what is the temperature outside', 'get weather | current conditions for a city', 'send mail | write to a person'],
  ['throw away this document', 'delete file | removes it from disk', 'create chart | draws numbers'],
  ['let the team know we are done', 'post message | writes to a chat channel', 'resize image | width and height'],
  ['how much did we earn last month', 'revenue report | sales by period', 'translate text | into another language'],
  ['put lunch with Ann into my diary', 'create event | adds to the calendar', 'run query | SQL on a database'],
  ['which of our machines are down', 'list hosts | status of servers', 'search recipes | by ingredient'],
  ['say this in French', 'translate text | into another language', 'list hosts | status of servers'],
  ['make the photo smaller', 'resize image | width and height', 'create invoice | for a customer'],
  ['somebody found a bug', 'create issue | opens a ticket in the tracker', 'play song | starts music'],
  ['what should I cook with rice', 'search recipes | by ingredient', 'post message | writes to a chat channel'],
] as const;

test('a need is nearer to the tool that meets it than to another, without a telling word in common', () => {
  for (const [need, right, wrong] of telling) {
    const [near, far] = [nearness(need, right), nearness(need, wrong)];
    assert.ok(near > far + 0.05, `${need}: ${near.toFixed(2)} and ${far.toFixed(2)}`);
  }
});

test('a vector has the width of the table and the length 1, and the same text the same vector', async () => {
  const [first, second] = await table.embed(['list open issues', 'list open issues']);
  assert.deepEqual(first, second);
  assert.equal(first?.values.length, table.width);
  assert.ok(first && Math.abs(Math.hypot(...first.values) * first.scale - 1) < 0.01);
});

test('a text without a single piece means nothing', async () => {
  assert.deepEqual(await table.embed(['', '  \n\t', '\u200b', 'mail']), [null, null, null, table.vectorOf('mail')]);
  assert.notEqual(table.vectorOf('mail'), null);
});

test('of a text of a megabyte the beginning counts', () => {
  for (const unit of ['read a file ', '搜索', '🎉', 'é-', 'x'])
    assert.deepEqual(table.vectorOf(unit.repeat(1_000_000 / unit.length)), table.vectorOf(unit.repeat(4_000)), unit);
  assert.equal(table.vectorOf(' '.repeat(1_000_000)), null);
});

test('the table of this package is opened once', () => {
  assert.equal(openTable(), table);
});

test('a text means the sum of its pieces, each with its scale; pieces beyond the table add nothing', () => {
  const rows = Int8Array.from({ length: 32 }, (_, at) => (at < 16 ? at : -3));
  const file = modelFile({ id: 'tiny', pieces: 2, width: 16 }, [Float32Array.of(0.5, 4), rows]);
  withFile(file, (path) => {
    const vocabulary = `${path}.txt`;
    writeFileSync(vocabulary, 'read\nfile\nmail');
    const tiny = new TableModel(path, vocabulary);
    const sum = Array.from({ length: 16 }, (_, at) => 0.5 * at - 2 * 4 * 3);
    assert.deepEqual(tiny.vectorOf('file read mail file unknown'), toVector(sum));
    assert.equal(tiny.vectorOf('mail'), null);
  });
});

test('a damaged table is told as such when it is opened', () => {
  const intact = readFileSync(join(assets, 'table.bin'));
  const damaged = {
    cut: intact.subarray(0, intact.length - 1),
    'cut in the header': intact.subarray(0, 40),
    empty: Buffer.alloc(0),
    other: Buffer.concat([Buffer.from('GGUF'), intact.subarray(4)]),
    'with a header that is no JSON': Buffer.from(intact).fill('#', 8, 12),
  };
  for (const [what, bytes] of Object.entries(damaged)) {
    withFile(bytes, (path) =>
      assert.throws(
        () => new TableModel(path, join(assets, 'vocabulary.txt')),
        (error) => error instanceof GatewayError && error.code === 'MODEL_BROKEN' && error.hint !== undefined,
        what,
      ),
    );
  }
});

function withFile(bytes: Uint8Array, act: (path: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'table-'));
  try {
    writeFileSync(join(folder, 'table.bin'), bytes);
    act(join(folder, 'table.bin'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function nearness(a: string, b: string): number {
  return cosine(table.vectorOf(a), table.vectorOf(b));
}

function cosine(a: Vector | null, b: Vector | null): number {
  assert.ok(a && b);
  return a.values.reduce((sum, value, at) => sum + value * (b.values[at] ?? 0), 0) * a.scale * b.scale;
}

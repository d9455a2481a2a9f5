/** Long values: read in pieces, they are what they were, and a file that was let go is not read any more. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { testSpool } from '../../test/kit/spool.ts';
import { decodeJsonText } from './decode-json-text.ts';
import { hasLongValues, LongValue, loadLong, releaseLong } from './long-value.ts';
import type { Spool } from './spool.ts';

const spool = testSpool();

/** A long value that stands in the middle of a file. */
function longOf(value: unknown, kind: LongValue['kind'] = 'string', where: Spool = spool): LongValue {
  const file = where.create();
  const text = Buffer.from(JSON.stringify(value));
  file.append(Buffer.from('before '));
  file.append(text);
  file.append(Buffer.from(' after'));
  return new LongValue(kind, file, 7, 7 + text.length);
}

async function joined(chunks: AsyncIterable<string | Buffer>): Promise<string> {
  const parts: (string | Buffer)[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return parts.join('');
}

test('the pieces of a long value are its JSON, and loaded it is the value itself', async () => {
  const rows = Array.from({ length: 20_000 }, (_, at) => ({ at, name: `row ${at}` }));
  const long = longOf(rows, 'array');
  assert.equal(long.bytes, Buffer.byteLength(JSON.stringify(rows)));
  assert.equal(await joined(long.chunks()), JSON.stringify(rows));
  assert.deepEqual(await long.load(), rows);
  assert.throws(() => long.textChunks(), /has no text/);
  long.release();
});

test('the text of a long string comes whole, in whole characters', async () => {
  const text = 'naïve 日本語 🙂 "quoted" \\ \n\t\u0001 \ud83d\ude00'.repeat(10_000);
  const long = longOf(text);
  const pieces: string[] = [];
  for await (const piece of long.textChunks()) pieces.push(piece);
  long.release();
  assert.equal(pieces.join(''), text);
  assert.ok(pieces.length > 3, `${pieces.length} pieces`);
  for (const piece of pieces) assert.ok(piece.isWellFormed(), 'no piece ends inside a character');
});

test('a text is decoded the same wherever its bytes are cut, however it is escaped', async () => {
  const escapes = [
    '\\n',
    '\\\\',
    '\\"',
    '\\u00e9',
    '\\ud83d\\ude42',
    '\\ud83d',
    '\\ude42',
    '\\\\u0041',
    'é',
    '🙂',
    '語',
    'u',
  ];
  const parts = fc.array(fc.oneof(fc.constantFrom(...escapes), fc.string({ unit: 'grapheme' }).map(escaped)));
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(parts, sizes, async (list, cuts) => {
      const bytes = Buffer.from(list.join(''));
      async function* chunks(): AsyncGenerator<Buffer> {
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const size = cuts[turn % cuts.length] ?? 1;
          yield bytes.subarray(at, at + size);
          at += size;
        }
      }
      const whole = JSON.parse(`"${bytes}"`) as string;
      const pieces: string[] = [];
      for await (const piece of decodeJsonText(chunks())) pieces.push(piece);
      assert.equal(pieces.join(''), whole);
      if (whole.isWellFormed()) assert.ok(pieces.every((piece) => piece.isWellFormed()));
    }),
    { numRuns: 1_000 },
  );
});

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

test('a result knows its long values, loads them in their places, and lets its file go', async () => {
  const own = testSpool();
  const long = longOf('x'.repeat(50_000), 'string', own);
  const block = { type: 'resource', resource: { uri: 'a:b', text: long } };
  const result = { content: [{ type: 'text', text: 'short' }, block], isError: false, ['__proto__']: 1 };
  assert.ok(hasLongValues(result));
  assert.ok(!hasLongValues({ content: [{ type: 'text', text: 'short' }], structuredContent: { content: [] } }));
  assert.ok(own.bytes > 50_000);
  const whole = await loadLong(result, 100_000);
  assert.deepEqual(whole, {
    content: [
      { type: 'text', text: 'short' },
      { type: 'resource', resource: { uri: 'a:b', text: 'x'.repeat(50_000) } },
    ],
    isError: false,
    ['__proto__']: 1,
  });
  assert.equal(own.bytes, 0);
  releaseLong(result);
});

test('a result that is too large to be loaded is refused by the limit, and its file goes as well', async () => {
  const own = testSpool();
  const result = { structuredContent: longOf(['x'.repeat(5_000)], 'array', own), _meta: longOf({}, 'object', own) };
  await assert.rejects(loadLong({ structuredContent: result.structuredContent }, 4_000, 'The answer'), {
    code: 'TOO_LARGE',
    message: 'The answer is larger than 4000 bytes and was not read.',
  });
  result._meta.release();
  assert.equal(own.bytes, 0);
});

test('a released value cannot be read, even by a reader in the middle of it', async () => {
  const long = longOf('x'.repeat(300_000));
  const reader = long.chunks();
  await reader.next();
  const next = reader.next();
  long.release();
  await Promise.allSettled([next]);
  await assert.rejects(
    reader.next().then(() => joined(long.chunks())),
    /gone before it was read/,
  );
  await assert.rejects(long.load(), { code: 'STORE_BROKEN' });
});

test('a long value that is about to be written as if it were plain is a fault, not a loss', () => {
  const long = longOf('x');
  assert.throws(() => JSON.stringify({ text: long }), /cannot be written as it is/);
  long.release();
});

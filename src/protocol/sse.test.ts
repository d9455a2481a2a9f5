/** Server-sent events: decoded the same however they are cut, bounded, and read back as they were written. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { workMs } from '../../test/kit/work-ms.ts';
import { encodeSse, SseDecoder, type SseEvent, SseTooLargeError } from './sse.ts';

function decode(bytes: Buffer | string, cuts: readonly number[] = [], limit = 1_000_000): SseEvent[] {
  const events: SseEvent[] = [];
  const decoder = new SseDecoder((event) => events.push(event), limit);
  const all = Buffer.from(bytes);
  let from = 0;
  for (const cut of [...new Set(cuts.map((at) => at % (all.length + 1)))].sort((a, b) => a - b)) {
    decoder.push(all.subarray(from, cut));
    from = cut;
  }
  decoder.push(all.subarray(from));
  return events;
}

const dataOf = (events: readonly SseEvent[]) => events.map(({ data }) => data);

test('fields, comments and defaults are read as the standard says', () => {
  assert.deepEqual(decode(': hi\nevent: ping\nid: 7\nretry: 250\ndata: a\ndata:b\ndata\n\ndata: next\n\n'), [
    { event: 'ping', data: 'a\nb\n', id: '7', retryMs: 250 },
    { event: 'message', data: 'next', id: undefined, retryMs: undefined },
  ]);
  assert.deepEqual(decode('\n\n: only a comment\n\nevent: nothing\n\n'), []);
  assert.deepEqual(decode('data: half'), []);
});

test('an id or retry without data is told, and nonsense in them is not', () => {
  assert.deepEqual(decode('id: 9\n\n'), [{ event: 'message', data: '', id: '9', retryMs: undefined }]);
  assert.deepEqual(decode('retry: soon\nid: a\0b\ndata: x\n\n'), [
    { event: 'message', data: 'x', id: undefined, retryMs: undefined },
  ]);
});

test('all three kinds of line end count, also when one is cut in two', () => {
  for (const end of ['\n', '\r\n', '\r']) {
    const text = `data: a${end}data: b${end}${end}data: c${end}${end}`;
    for (let cut = 0; cut <= text.length; cut += 1) assert.deepEqual(dataOf(decode(text, [cut])), ['a\nb', 'c'], end);
  }
});

test('a byte order mark at the very start is skipped, and only there', () => {
  assert.deepEqual(dataOf(decode('\ufeffdata: a\n\n')), ['a']);
  assert.deepEqual(dataOf(decode('data: \ufeffa\n\n')), ['\ufeffa']);
  assert.deepEqual(dataOf(decode('data: a\n\n\ufeffdata: b\n\n')), ['a']);
});

test('written events are read back, wherever the bytes are cut', () => {
  const line = fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => text.replace(/[\r\n]/g, ' '));
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 6 }),
      fc.array(fc.nat(300), { maxLength: 20 }),
      (lines, cuts) => {
        const text = lines.map((data, at) => encodeSse(data, { event: 'message', id: String(at) })).join('');
        assert.deepEqual(dataOf(decode(text, cuts)), lines);
      },
    ),
  );
});

test('an event larger than the limit is refused, in one line or many, ended or not', () => {
  assert.deepEqual(dataOf(decode(`data: ${'x'.repeat(90)}\n\n`, [], 100)), ['x'.repeat(90)]);
  assert.throws(() => decode(`data: ${'x'.repeat(200)}\n\n`, [], 100), SseTooLargeError);
  assert.throws(() => decode('x'.repeat(200), [50, 150], 100), SseTooLargeError);
  assert.throws(() => decode('data: x\n'.repeat(200), [], 100), SseTooLargeError);
});

test('a long line in many chunks costs no more than in one', () => {
  let count = 0;
  const decoder = new SseDecoder(() => (count += 1), 40_000_000);
  const chunk = Buffer.alloc(16_384, 'x');
  const tookMs = workMs(() => {
    decoder.push(Buffer.from('data: '));
    for (let sent = 0; sent < 24_000_000; sent += chunk.length) decoder.push(chunk);
    decoder.push(Buffer.from('\n\n'));
  });
  assert.equal(count, 1);
  assert.ok(tookMs < 1_500, `${tookMs} ms`);
});

class Sink {
  readonly parts: Buffer[] = [];

  push(bytes: Buffer): void {
    this.parts.push(bytes);
  }
}

function pushInto(decoder: { push(chunk: Buffer): void }, text: string, size: number): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) decoder.push(bytes.subarray(at, at + size));
}

const sizes = fc.integer({ min: 1, max: 9 });

test('the data of a long event goes where it is told to, in order and whole, wherever the bytes are cut', () => {
  const line = fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => text.replaceAll(/[\r\n]/g, ' '));
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 6 }), sizes, (lines, size) => {
      const events: { readonly data: string; readonly isLong: boolean }[] = [];
      const decoder = new SseDecoder(
        ({ data, long }) => events.push({ data: long ? String(Buffer.concat(long.parts)) : data, isLong: !!long }),
        20,
        () => new Sink(),
      );
      pushInto(decoder, `data: a\n\n${lines.map((text) => `data: ${text}\n`).join('')}id: 1\n\ndata: b\n\n`, size);
      const whole = lines.join('\n');
      assert.deepEqual(
        events.map(({ data }) => data),
        ['a', whole, 'b'],
      );
      if (whole.length > 30) assert.ok(events[1]?.isLong);
      assert.ok(!events[0]?.isLong && !events[2]?.isLong);
      assert.equal(decoder.long, undefined);
    }),
    { numRuns: 500 },
  );
});

test('a comment cannot grow for ever, and neither can empty lines of data', () => {
  const decoderOf = () =>
    new SseDecoder(
      () => {},
      100,
      () => new Sink(),
    );
  assert.throws(() => decoderOf().push(Buffer.from(`: ${'x'.repeat(200)}`)), SseTooLargeError);
  const decoder = decoderOf();
  for (let at = 0; at < 200; at += 1) decoder.push(Buffer.from('data:\n'));
  assert.ok(decoder.long);
});

test('a short line about an event is read beside data that fills the limit, and refused when it is too long itself', () => {
  const limit = 1_000;
  for (const line of ['id: 0123456789', 'event: message', ': still there']) {
    for (const cuts of [[], Array.from({ length: 40 }, (_, at) => limit - 10 + at)]) {
      const text = `data: ${'x'.repeat(limit - 10)}\n${line}\n\n`;
      assert.deepEqual(
        decode(text, cuts, limit).map(({ data }) => data.length),
        [limit - 10],
        line,
      );
    }
    assert.throws(() => decode(`data: x\n${line}${'y'.repeat(limit)}\n\n`, [], limit), SseTooLargeError);
  }
});

/** Bodies of strangers: refused before they cost anything, by members, depth and pace. */

import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { limits } from '../config/config.ts';
import { notification } from '../protocol/messages.ts';
import { Answer, type BodyLimits, HttpError, readJsonBody, writeStreamPart } from './exchange.ts';

const most: BodyLimits = { bodyBytes: 4_194_304, bodyMembers: 50_000, bodyDepth: 256, bodyBytesPerSecond: 1_024 };

/** A request as far as reading needs one. */
function requestOf(): PassThrough & IncomingMessage {
  return Object.assign(new PassThrough(), { headers: { 'content-type': 'application/json' } }) as never;
}

async function read(text: string, changed: Partial<BodyLimits> = {}): Promise<unknown> {
  const request = requestOf();
  request.end(text);
  return readJsonBody(request, { ...most, ...changed }, new ManualClock());
}

const keys = (count: number) => `{${Array.from({ length: count }, (_, at) => `"k${at}":0`).join(',')}}`;

test('[BAD-18] a body with too many members or levels is refused without being parsed', async (context) => {
  assert.equal(Object.keys((await read(keys(50_000))) as object).length, 50_000);
  const parse = context.mock.method(JSON, 'parse');
  const refused = { status: 400, rpcCode: -32600 };
  await assert.rejects(read(keys(350_000)), { ...refused, message: /more than 50000 members/ });
  await assert.rejects(read(`[${'0,'.repeat(60_000)}0]`), refused);
  await assert.rejects(read(`[${'[],'.repeat(30_000)}0]`), refused);
  await assert.rejects(read(keys(1_100), { bodyMembers: 1_000 }), refused);
  await assert.rejects(read('['.repeat(300) + ']'.repeat(300)), { ...refused, message: /deeper than 256/ });
  await assert.rejects(read(`${'['.repeat(20)}"${' '.repeat(99)}"${']'.repeat(20)}`, { bodyDepth: 16 }), refused);
  assert.equal(parse.mock.callCount(), 0);
  assert.deepEqual(await read(`["${'{[,'.repeat(90_000)}"]`), ['{[,'.repeat(90_000)]);
});

test('[BAD-19] a body that comes slower than it may is refused after its grace, and a steady one is read', async () => {
  const clock = new ManualClock();
  const [slow, steady] = [requestOf(), requestOf()];
  const reading = { slow: readJsonBody(slow, most, clock), steady: readJsonBody(steady, most, clock) };
  const refused = assert.rejects(reading.slow, (error) => error instanceof HttpError && error.status === 408);
  slow.write('["');
  steady.write('["');
  for (let second = 0; second < 9; second += 1) {
    slow.write('x');
    steady.write('x'.repeat(1_100));
    await clock.advance(1_000);
  }
  await refused;
  steady.end('"]');
  assert.equal(((await reading.steady) as string[])[0]?.length, 9_900);
  assert.deepEqual(clock.waits, [], 'nothing is watched any more');
});

test('[BAD-19] the pace does not count at first, nor where the owner says so', async () => {
  const clock = new ManualClock();
  const [late, free] = [requestOf(), requestOf()];
  const reading = [readJsonBody(late, most, clock), readJsonBody(free, { ...most, bodyBytesPerSecond: 0 }, clock)];
  await clock.advance(limits.bodyGraceMs - 1);
  late.end('[1]');
  assert.deepEqual(await reading[0], [1]);
  await clock.advance(60_000);
  free.end('[2]');
  assert.deepEqual(await reading[1], [2]);
});

test('[BAD-19] bytes that arrived while the gateway was busy count', async () => {
  const late = requestOf();
  // As after a stall: the timer is served, and only then the bytes that lay ready.
  class BusyClock extends ManualClock {
    override after = (ms: number, act: () => void) =>
      super.after(ms, () => {
        act();
        if (ms === limits.bodyGraceMs) late.write(`["${'x'.repeat(9_000)}`);
      });
  }
  const clock = new BusyClock();
  const reading = readJsonBody(late, most, clock);
  await clock.advance(limits.bodyGraceMs);
  late.end('"]');
  assert.equal(((await reading) as string[])[0]?.length, 9_000);
});

const newResponse = () => new ServerResponse(new IncomingMessage(new Socket()));

test('no stream is opened if only JSON is accepted, or after the agent has left', () => {
  const clock = new ManualClock();
  const plain = newResponse();
  assert.equal(new Answer({ response: plain, clock, canStream: false }).send(notification('news')), false);
  assert.equal(plain.headersSent, false);
  const left = newResponse();
  left.destroy();
  assert.equal(new Answer({ response: left, clock, canStream: true }).openStream(), false);
  assert.equal(left.headersSent, false);
});

test('a part of a stream counts as written only while the response is open', () => {
  const response = newResponse();
  assert.equal(writeStreamPart(response, ': one\n\n'), true);
  response.destroy();
  assert.equal(writeStreamPart(response, ': two\n\n'), false);
});

test('an agent that leaves too much unread is disconnected', () => {
  const response = newResponse();
  assert.equal(writeStreamPart(response, 'x'.repeat(8 * 1_048_576 + 1)), true);
  assert.equal(writeStreamPart(response, ': two\n\n'), false);
  assert.equal(response.destroyed, true);
});

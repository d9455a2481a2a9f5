/** Tests of recordings: whose calls they hold, without secrets and within their limits, and when they are gone. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeCall, saying } from '../../test/kit/made-call.ts';
import { madeUpCall } from '../../test/kit/made-up-call.ts';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import type { Call, CallEnd } from './call.ts';
import { CallRecorder, type RecordingChange, recordingLimits } from './record-calls.ts';

const minuteMs = 60_000;

function setUp() {
  const clock = new ManualClock();
  const recorder = new CallRecorder(clock);
  const changes: RecordingChange[] = [];
  recorder.changed.on((change) => changes.push(change));
  const note = (parts: Partial<Call> = {}, ended: CallEnd = { result: saying('done') }) => {
    const call = madeCall(parts);
    recorder.note(call, ended, madeUpCall({ server: call.server, tool: call.tool, at: clock.now() }));
  };
  const read = (after = 0, limit = 100) => recorder.read(after, limit);
  const kinds = () => changes.map(({ kind }) => kind);
  return { clock, recorder, note, read, changes, kinds };
}

test('only calls of the server that is recorded are kept, from the start to the stop', () => {
  const { recorder, note, read, kinds } = setUp();
  note();
  assert.deepEqual(read(), { recording: null, calls: [], isMore: false });
  const started = recorder.start('files', 5);
  note();
  note({ server: 'other' });
  recorder.stop();
  note();
  const { recording, calls } = read();
  assert.deepEqual(recording, {
    ...started,
    isRecording: false,
    endsAt: started.startedAt,
    callCount: 1,
    readableUntil: new Date(Date.parse(started.startedAt) + recordingLimits.readableMinutes * minuteMs).toISOString(),
  });
  assert.deepEqual([calls.length, calls[0]?.number, calls[0]?.tool], [1, 1, 'read']);
  assert.equal(
    JSON.stringify([calls[0]?.arguments, calls[0]?.result]),
    JSON.stringify([{ path: 'a' }, saying('done')]),
  );
  assert.deepEqual(kinds(), ['started', 'call', 'ended']);
});

test('a failure has no result', () => {
  const { recorder, note, read } = setUp();
  recorder.start('files', 5);
  note({}, { error: new Error('Gone.') });
  assert.equal(read().calls[0]?.result, null);
});

test('secrets are masked, and long texts and lists say how much is missing', () => {
  const { recorder, note, read } = setUp();
  recorder.start('files', 5);
  const token = `tc_${'a'.repeat(40)}`;
  const given = {
    password: 'hunter2',
    text: `${'x'.repeat(9_000)}${token}`,
    list: Array.from({ length: 60 }, () => 1),
  };
  note({ params: { arguments: given } }, { result: saying(`use ${token}`) });
  const [call] = read().calls;
  const text = JSON.stringify(call);
  for (const secret of ['hunter2', 'tc_aaaa']) assert.ok(!text.includes(secret), text);
  assert.match(text, /… \(cut: 9043 characters\)/);
  assert.match(text, /… 10 more/);
  assert.ok(text.length < 2 * recordingLimits.textCharacters);
});

test('it ends by itself, can be read for a while, and is gone then', async () => {
  const { clock, recorder, note, read, kinds } = setUp();
  recorder.start('files', 2);
  note();
  await clock.advance(2 * minuteMs);
  assert.equal(recorder.status?.isRecording, false);
  note();
  await clock.advance(recordingLimits.readableMinutes * minuteMs - 1);
  assert.equal(read().calls.length, 1);
  await clock.advance(1);
  assert.deepEqual(read(), { recording: null, calls: [], isMore: false });
  assert.deepEqual(kinds(), ['started', 'call', 'ended', 'gone']);
});

test('there is one at a time, and the next one begins with nothing', async () => {
  const { clock, recorder, note, read } = setUp();
  const first = recorder.start('files', 5);
  note();
  assert.throws(() => recorder.start('other', 5), { code: 'USAGE', message: /"files" is running/ });
  recorder.stop();
  await clock.advance(minuteMs);
  const second = recorder.start('files', 5);
  assert.notEqual(second.id, first.id);
  assert.deepEqual([read().calls, second.callCount], [[], 0]);
  // The end of the first one must not end the second.
  await clock.advance(4.5 * minuteMs);
  assert.equal(recorder.status?.isRecording, true);
});

test('calls beyond the limits make the oldest go, which is counted, and pages go on behind the last', () => {
  const { recorder, note, read } = setUp();
  recorder.start('files', 5);
  for (let number = 0; number < recordingLimits.calls + 10; number += 1) note();
  assert.deepEqual([recorder.status?.callCount, recorder.status?.droppedCount], [recordingLimits.calls + 10, 10]);
  const page = read(0, 3);
  assert.deepEqual([page.calls.map(({ number }) => number), page.isMore], [[11, 12, 13], true]);
  assert.deepEqual(
    read(recordingLimits.calls + 9).calls.map(({ number }) => number),
    [recordingLimits.calls + 10],
  );
  const large = { texts: Array.from({ length: 20 }, () => 'x'.repeat(4_000)) };
  for (let number = 0; number < 300; number += 1) note({ params: { arguments: large } });
  const { calls } = read(0, 1_000);
  assert.ok(JSON.stringify(calls).length <= recordingLimits.bytes && calls.length > 50, String(calls.length));
});

test('nothing is left when it closes', () => {
  const { recorder, note, read, kinds, clock } = setUp();
  recorder.start('files', 5);
  note();
  recorder.close();
  recorder.close();
  assert.deepEqual([read().recording, kinds().at(-1), kinds().length, clock.waits], [null, 'gone', 3, []]);
});

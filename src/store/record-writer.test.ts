/** Writing calls and events to a store that refuses: who waits, what is kept, what is dropped and what is said about it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { madeUpCall, numberedCall } from '../../test/kit/made-up-call.ts';
import { madeUpEvent } from '../../test/kit/made-up-event.ts';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { GatewayError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { AuditKind, AuditRecord } from './audit/audit.ts';
import type { CallRecord } from './call/call.ts';
import {
  chooseDropped,
  droppedAtOnce,
  longestRetryMs,
  mostWaitingRecords,
  type NewRecord,
  RecordWriter,
  recordWaitMs,
} from './record-writer.ts';

class FakeStore {
  readonly written: CallRecord[] = [];
  readonly batches: number[] = [];
  tries = 0;
  refusal: Error | undefined;
  poison: CallRecord | undefined;
  /** An answer that does not come yet. */
  silence: Promise<void> | undefined;

  readonly events: AuditRecord[] = [];

  async appendRecords(calls: readonly CallRecord[], events: readonly AuditRecord[] = []): Promise<number[]> {
    this.tries += 1;
    await this.silence;
    if (this.refusal !== undefined) throw this.refusal;
    if (this.poison !== undefined && calls.includes(this.poison)) throw new TypeError('NOT NULL');
    this.written.push(...calls);
    this.batches.push(calls.length + events.length);
    return events.map((event) => this.events.push(event));
  }
}

const busy = new GatewayError('STORE_BUSY', 'Locked.');
const broken = new GatewayError('STORE_BROKEN', 'Full.');

function setUp() {
  const store = new FakeStore();
  const clock = new ManualClock();
  const lines: string[] = [];
  const say = (level: string) => (event: string, fields?: object) =>
    void lines.push(`${level}: ${event} ${JSON.stringify(fields)}`);
  const log: Log = { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') };
  let count = 0;
  const writer = new RecordWriter({ store, clock, log });
  writer.written.on((calls) => {
    count += calls;
  });
  return { store, clock, lines, writer, counted: () => count };
}

/** True if it is settled by now. */
async function isDone(promise: Promise<void>): Promise<boolean> {
  let done = false;
  void promise.then(() => {
    done = true;
  });
  for (let round = 0; round < 30; round += 1) await turn();
  return done;
}

const numbersOf = (calls: readonly CallRecord[]) => calls.map(({ session }) => Number(session));

test('a call is written before its record is done, and those of one moment together and in order', async () => {
  const { store, writer, counted } = setUp();
  await writer.write({ call: numberedCall(0) });
  assert.deepEqual(numbersOf(store.written), [0]);
  await Promise.all([1, 2, 3, 4].map((number) => writer.write({ call: numberedCall(number) })));
  assert.deepEqual(numbersOf(store.written), [0, 1, 2, 3, 4]);
  assert.deepEqual(store.batches, [1, 4]);
  assert.equal(counted(), 5);
});

test('many calls that end in one moment are not dropped by a store that works', async () => {
  const { store, writer } = setUp();
  const writes = Array.from({ length: mostWaitingRecords + 500 }, (_, at) => writer.write({ call: numberedCall(at) }));
  await Promise.all(writes);
  assert.equal(store.written.length, mostWaitingRecords + 500);
  assert.equal(writer.dropped, 0);
});

test('a short lock is waited for, and nothing is said about it', async () => {
  const { store, clock, writer, lines } = setUp();
  store.refusal = busy;
  const write = writer.write({ call: numberedCall(0) });
  assert.equal(await isDone(write), false);
  await clock.advance(20);
  store.refusal = undefined;
  await clock.advance(50);
  await write;
  assert.deepEqual(numbersOf(store.written), [0]);
  assert.deepEqual([lines, writer.queued, writer.isRefusing], [[], 0, false]);
});

test('a busy store is tried again before any timer fires', async () => {
  const { store, writer } = setUp();
  store.refusal = busy;
  const write = writer.write({ call: numberedCall(0) });
  for (let round = 0; round < 3; round += 1) await turn();
  store.refusal = undefined;
  await write;
  assert.deepEqual(numbersOf(store.written), [0]);
});

test('a record waits for a store that refuses for a moment only, and then none does', async () => {
  const { store, clock, writer, lines } = setUp();
  store.refusal = broken;
  const first = writer.write({ call: numberedCall(0) });
  await clock.advance(recordWaitMs - 1);
  assert.equal(await isDone(first), false);
  const second = writer.write({ call: numberedCall(1) });
  await clock.advance(1);
  assert.deepEqual(await Promise.all([isDone(first), isDone(second)]), [true, true]);
  assert.equal(await isDone(writer.write({ call: numberedCall(2) })), true);
  assert.deepEqual([writer.queued, writer.isRefusing, lines.length], [3, true, 1]);
  assert.match(lines[0] ?? '', /^warn: Records of calls and of the audit wait in memory .*Full/);
});

test('a record waits for a store that does not answer for a moment only, and what comes then is bounded', async () => {
  const { store, clock, writer } = setUp();
  const { promise, resolve: answer } = Promise.withResolvers<void>();
  store.silence = promise;
  const record = writer.write({ call: madeUpCall() });
  await turn();
  await turn();
  assert.equal(await isDone(record), false);
  await clock.advance(recordWaitMs);
  await record;
  assert.ok(writer.isRefusing);
  await Promise.all(Array.from({ length: mostWaitingRecords + 10 }, () => writer.write({ call: madeUpCall() })));
  assert.ok(writer.queued <= mostWaitingRecords);
  store.silence = undefined;
  answer();
  await turn();
  await writer.close();
  assert.equal(writer.dropped + store.written.length, mostWaitingRecords + 11);
  assert.ok(!writer.isRefusing);
});

test('when the store works again everything that waited is written in order, and that is said once', async () => {
  const { store, clock, writer, lines } = setUp();
  store.refusal = broken;
  for (let number = 0; number < 1_000; number += 1) void writer.write({ call: numberedCall(number) });
  await clock.advance(60_000);
  for (let number = 1_000; number < 1_500; number += 1) await writer.write({ call: numberedCall(number) });
  store.refusal = undefined;
  await clock.advance(longestRetryMs);
  while (writer.isRefusing) await turn();
  await writer.write({ call: numberedCall(1_500) });
  assert.deepEqual(
    numbersOf(store.written),
    Array.from({ length: 1_501 }, (_, at) => at),
  );
  assert.equal(lines.length, 2);
  assert.match(
    lines[1] ?? '',
    /^info: Records of calls and of the audit are written again {"waited":1500,"dropped":0,"droppedKinds":{}}/,
  );
  assert.equal(writer.isRefusing, false);
});

test('a store that refuses is tried less and less often', async () => {
  const { store, clock, writer } = setUp();
  store.refusal = broken;
  void writer.write({ call: numberedCall(0) });
  await clock.advance(60_000);
  const tries = store.tries;
  assert.ok(tries > 10 && tries < 40, `${tries}`);
  await clock.advance(60_000);
  assert.equal(store.tries - tries, 60_000 / longestRetryMs);
});

/** A store that refuses gets all of these, and works again. */
async function refusedMeanwhile({ store, clock, writer }: ReturnType<typeof setUp>, records: readonly NewRecord[]) {
  store.refusal = broken;
  void writer.write({ call: numberedCall(-1) });
  await clock.advance(recordWaitMs);
  for (const record of records) {
    await writer.write(record);
    assert.ok(writer.queued <= mostWaitingRecords);
  }
  store.refusal = undefined;
  await clock.advance(longestRetryMs);
  while (writer.isRefusing) await turn();
}

test('a full queue drops the newest of who has most, and counts them', async () => {
  const desk = setUp();
  const calls = Array.from({ length: mostWaitingRecords + 6 }, (_, number) => ({ call: numberedCall(number) }));
  await refusedMeanwhile(desk, calls);
  const { store, writer, lines } = desk;
  const left = mostWaitingRecords - droppedAtOnce;
  assert.deepEqual([writer.dropped, store.written.length], [droppedAtOnce + 1, left + 6]);
  assert.deepEqual(numbersOf(store.written.slice(0, 2)), [-1, 0], 'the oldest are there');
  assert.deepEqual(numbersOf(store.written.slice(left - 1, left + 1)), [left - 2, mostWaitingRecords]);
  assert.match(lines.at(-1) ?? '', /"dropped":201,"droppedKinds":{"execution":201}/);
});

test('nobody washes away traces with what costs nothing, be it his own or those of others', async () => {
  const desk = setUp();
  const deed = madeUpEvent({ principal: 'thief', tool: 'wipe' });
  const mine = madeUpEvent({ principal: 'other', kind: 'discovery', tool: 'looked' });
  const kind = 'discovery' as const;
  const flood = Array.from({ length: mostWaitingRecords }, () => ({
    event: madeUpEvent({ principal: 'thief', kind }),
  }));
  const events = [{ event: deed }, { event: mine }, ...flood];
  await refusedMeanwhile(desk, [...events, { event: madeUpEvent({ principal: 'owner', kind: 'administration' }) }]);
  const { events: written } = desk.store;
  assert.ok(written.includes(deed) && written.includes(mine));
  assert.equal(written.at(-1)?.principal, 'owner');
});

test('a call that no store can take is dropped alone', async () => {
  const { store, writer, lines } = setUp();
  const calls = [0, 1, 2, 3, 4].map((number) => numberedCall(number));
  store.poison = calls[2];
  await Promise.all(calls.map((one) => writer.write({ call: one })));
  assert.deepEqual(numbersOf(store.written), [0, 1, 3, 4]);
  assert.deepEqual([writer.dropped, lines.length], [1, 1]);
  assert.match(lines[0] ?? '', /^error: A record cannot be written down/);
});

test('closing tries once more, and says how many are lost', async () => {
  const { store, clock, writer, lines } = setUp();
  store.refusal = busy;
  for (let number = 0; number < 3; number += 1) void writer.write({ call: numberedCall(number) });
  await clock.advance(recordWaitMs);
  await writer.close();
  assert.deepEqual([writer.queued, writer.dropped], [0, 3]);
  assert.match(lines.at(-1) ?? '', /^warn: Records were lost, because the store refuses them {"records":3}/);
  await writer.write({ call: numberedCall(3) });
  assert.equal(writer.dropped, 4);
});

test('closing writes what waits when the store works again, and ends every wait', async () => {
  const { store, writer, lines } = setUp();
  store.refusal = busy;
  const writes = [0, 1].map((number) => writer.write({ call: numberedCall(number) }));
  assert.equal(await isDone(writes[0] ?? Promise.resolve()), false);
  store.refusal = undefined;
  await writer.close();
  await Promise.all(writes);
  assert.deepEqual([numbersOf(store.written), lines], [[0, 1], []]);
});

test('while it is held nothing is written, and records wait a moment only', async () => {
  const { store, clock, writer } = setUp();
  await writer.hold();
  const write = writer.write({ call: numberedCall(0) });
  assert.equal(await isDone(write), false);
  await clock.advance(recordWaitMs);
  assert.equal(await isDone(write), true);
  assert.equal(await isDone(writer.write({ call: numberedCall(1) })), true);
  assert.deepEqual([store.written, numbersOf(writer.waiting())], [[], [0, 1]]);
  writer.remove(new Set(writer.waiting().slice(0, 1)));
  writer.release();
  while (writer.queued > 0) await turn();
  assert.deepEqual(numbersOf(store.written), [1]);
});

test('a call and its event are written in one go, and those of one moment share it', async () => {
  const { store, writer, counted } = setUp();
  const writes = [0, 1].map((number) =>
    writer.write({ call: numberedCall(number), event: madeUpEvent({ at: number }) }),
  );
  await Promise.all([...writes, writer.write({ event: madeUpEvent({ at: 2 }) })]);
  assert.deepEqual([store.batches, store.events.map(({ at }) => at), counted()], [[5], [0, 1, 2], 2]);
});

test('calls that are taken out of the queue stay in the audit', async () => {
  const { store, clock, writer } = setUp();
  await writer.hold();
  void writer.write({ call: numberedCall(0), event: madeUpEvent({ at: 0 }) });
  void writer.write({ event: madeUpEvent({ at: 1 }) });
  await clock.advance(recordWaitMs);
  writer.remove(new Set(writer.waiting()));
  writer.release();
  while (writer.queued > 0) await turn();
  assert.deepEqual([store.written, store.events.map(({ at }) => at)], [[], [0, 1]]);
});

test('the event of a call is written even if its row cannot be', async () => {
  const { store, writer } = setUp();
  const call = numberedCall(0);
  store.poison = call;
  await writer.write({ call, event: madeUpEvent() });
  assert.deepEqual([store.written.length, store.events.length, writer.dropped], [0, 1, 1]);
});

test('events are told once they are committed: each once, in order, with the ids that the store gave', async () => {
  const { store, clock, writer } = setUp();
  const told: (readonly [id: number, at: number])[] = [];
  const stop = writer.writtenEvents.on((events) => told.push(...events.map(({ id, at }) => [id, at] as const)));
  const write = (at: number, call?: CallRecord) => writer.write({ call, event: madeUpEvent({ at }) });
  await Promise.all([write(0), write(1, numberedCall(1))]);
  store.refusal = broken;
  const waiting = [write(2), write(3)];
  await clock.advance(recordWaitMs);
  await Promise.all(waiting);
  assert.equal(told.length, 2);
  store.refusal = undefined;
  await clock.advance(longestRetryMs);
  while (writer.queued > 0) await turn();
  store.poison = numberedCall(4);
  await Promise.all([write(4, store.poison), write(5)]);
  stop();
  await write(6);
  assert.deepEqual(
    told,
    [0, 1, 2, 3, 4, 5].map((at) => [at + 1, at]),
  );
});

test('dropped records are reported once the store works again, and only then', async () => {
  const { store, clock, writer } = setUp();
  const gaps: unknown[] = [];
  writer.recovered.on((gap) => gaps.push(gap));
  await writer.write({ event: madeUpEvent() });
  store.refusal = broken;
  void writer.write({ event: madeUpEvent() });
  await clock.advance(recordWaitMs);
  for (let number = 0; number < mostWaitingRecords; number += 1) await writer.write({ event: madeUpEvent() });
  assert.deepEqual(gaps, []);
  store.refusal = undefined;
  await clock.advance(longestRetryMs);
  while (writer.isRefusing) await turn();
  await writer.write({ event: madeUpEvent() });
  assert.deepEqual(gaps, [
    { waited: mostWaitingRecords + 1, dropped: droppedAtOnce + 1, droppedKinds: { execution: droppedAtOnce + 1 } },
  ]);
});

interface Item {
  readonly name: string;
  readonly record: NewRecord;
}

/** `principal kind`, each with a number. */
function itemsOf(...texts: readonly string[]): Item[] {
  return texts.map((text, at) => {
    const [principal = '', kind = ''] = text.split(' ');
    return { name: `${text} ${at}`, record: { event: madeUpEvent({ principal, kind: kind as AuditKind }) } };
  });
}

const dropped = (items: readonly Item[], count: number) => [...chooseDropped(items, count)].map(({ name }) => name);

test('records of reading are dropped before any record of a change, by anybody and of any age', () => {
  const items = itemsOf('a discovery', 'b execution', 'b execution', 'b access', 'owner administration', 'c discovery');
  assert.deepEqual(dropped(items, 2), ['c discovery 5', 'a discovery 0']);
  assert.deepEqual(dropped(items, 3)[2], 'b access 3');
});

test('of who has most the newest goes, until others have as many', () => {
  const items = itemsOf('b execution', 'a execution', 'a execution', 'a access', 'c execution', 'c execution');
  assert.deepEqual(dropped(items, 4), ['a access 3', 'c execution 5', 'a execution 2', 'c execution 4']);
});

test('a flood of dear records washes away nothing of others, and not what its author did before', () => {
  const flood = Array.from({ length: 1_000 }, () => 'thief administration');
  const items = itemsOf('thief execution', 'a execution', 'owner administration', 'a discovery', ...flood, 'b access');
  const chosen = dropped(items, 500);
  assert.equal(chosen[0], 'a discovery 3');
  assert.ok(chosen.slice(1).every((name) => name.startsWith('thief administration')));
});

test('a call that has no event counts for who called', () => {
  const call = (principal: string) => ({ name: principal, record: { call: madeUpCall({ principal }) } });
  assert.deepEqual(dropped([call('a'), call('b'), call('b')], 1), ['b']);
  const [looked] = itemsOf('a discovery');
  assert.ok(looked);
  assert.deepEqual(dropped([looked, call('b'), call('b')], 1), ['a discovery 0']);
});

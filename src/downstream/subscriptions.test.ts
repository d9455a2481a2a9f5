/** Tests of listening to a modern server, with a clock that the test moves: streams that break, and servers that go and come. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { GatewayError } from '../base/errors.ts';
import { notification } from '../protocol/messages.ts';
import type { Peer, PeerRequest } from './peer.ts';
import { Listening } from './subscriptions.ts';

const gone = new GatewayError('SERVER_NOT_RUNNING', 'Nobody is there.', { data: { reason: 'unreachable' } });
const broken = new GatewayError('SERVER_DISCONNECTED', 'The stream broke.', { data: { reason: 'reset' } });

/** A server that listens, or is not there; `times` are those at which it was asked. */
class Harness {
  readonly clock = new ManualClock();
  readonly times: number[] = [];
  readonly heard: string[] = [];
  isThere = true;
  cut: (error: Error) => void = () => {};
  readonly listening: Listening;

  constructor() {
    const request = (wanted: PeerRequest) => {
      this.times.push(this.clock.elapsed());
      if (!this.isThere) return Promise.reject(gone);
      const { promise, reject } = Promise.withResolvers<never>();
      this.cut = reject;
      queueMicrotask(() => wanted.onNotification?.(notification('notifications/subscriptions/acknowledged')));
      return promise;
    };
    this.listening = new Listening(
      // Only this is used.
      { request } as unknown as Peer,
      this.clock,
      { tools: { listChanged: true } },
      (kind) => this.heard.push(`${kind} missed`),
      (trouble) => this.heard.push(trouble ? 'gone' : 'there'),
    );
  }
}

test('a server that goes away is missed at once, and looked for ever more slowly until it is back', async () => {
  const harness = new Harness();
  await harness.listening.open();
  await harness.clock.advance(10_000);
  harness.isThere = false;
  harness.cut(broken);
  await harness.clock.advance(100);
  assert.deepEqual(harness.heard, ['there', 'gone']);
  await harness.clock.advance(20_000);
  const gaps = harness.times.slice(1).map((time, at) => time - (harness.times[at] ?? 0));
  assert.deepEqual(gaps.slice(0, 4), [10_100, 2_000, 4_000, 8_000]);
  harness.isThere = true;
  harness.heard.length = 0;
  await harness.clock.advance(30_000);
  assert.deepEqual(harness.heard, ['there', 'tools missed']);
  harness.listening.close();
});

test('a stream that never stands for long is opened again ever more slowly', async () => {
  const harness = new Harness();
  await harness.listening.open();
  for (let turn = 0; turn < 5; turn += 1) {
    const { length } = harness.times;
    await harness.clock.advance(500);
    harness.cut(broken);
    while (harness.times.length === length) await harness.clock.advance(100);
  }
  const gaps = harness.times.slice(1).map((time, at) => time - (harness.times[at] ?? 0));
  assert.deepEqual(gaps, [1_500, 2_500, 4_500, 8_500, 16_500]);
  harness.listening.close();
});

test('a server that is back is listened to at once', async () => {
  const harness = new Harness();
  await harness.listening.open();
  await harness.clock.advance(10_000);
  harness.isThere = false;
  harness.cut(broken);
  await harness.clock.advance(20_000);
  harness.isThere = true;
  harness.heard.length = 0;
  harness.listening.hurry();
  await harness.clock.advance(1);
  assert.deepEqual(harness.heard, ['there', 'tools missed']);
  harness.listening.close();
});

test('without anything to hear of, nobody listens', async () => {
  const clock = new ManualClock();
  const request = () => assert.fail('Nothing is asked for.');
  // Only this is used.
  const peer = { request } as unknown as Peer;
  for (const capabilities of [{}, { tools: {} }, { tools: { listChanged: false } }])
    await new Listening(peer, clock, capabilities, () => {}).open();
  assert.deepEqual(clock.waits, []);
});

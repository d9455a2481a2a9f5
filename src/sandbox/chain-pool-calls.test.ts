/** Calls that are under way when their program ends. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ManualClock } from '../../test/kit/manual-clock.ts';
import { request, setup, until } from '../../test/kit/played-threads.ts';
import { limits as named } from '../config/config.ts';
import type { ChainPool } from './chain-pool.ts';
import type { ChainHost } from './sandbox.ts';
import type { RunEnd } from './thread-messages.ts';

/** A host whose calls end on demand, or when they are given up. */
function slowHost() {
  const signals: AbortSignal[] = [];
  const ends: ((text: string) => void)[] = [];
  let returns = 0;
  const host: ChainHost = {
    answer: (_request, signal) => {
      signals.push(signal);
      return new Promise((resolve, reject) => {
        ends.push(resolve);
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    },
    returned: (calls) => {
      returns += calls;
    },
  };
  return { host, signals, ends, returns: () => returns };
}

const thrown: RunEnd = { failure: { reason: 'thrown', name: 'Error', message: 'No.' }, notes: [] };

test('[CHAIN-34] of a program that failed, calls that wait are never sent, and those under way get a while before they are given up', async () => {
  const { clock, pool, threads } = setup();
  const limits = { timeoutMs: 60_000, memoryBytes: 2 ** 25, maxCalls: 100, maxOutputBytes: 100 };
  const program = { code: '1', serverNames: [], namesJson: '{}' };
  for (const isQuick of [true, false]) {
    const { host, signals, ends } = slowHost();
    let isOver = false;
    const report = pool.run(program, limits, host, new AbortController().signal).finally(() => {
      isOver = true;
    });
    const busy = () => threads.findLast((thread) => thread.order !== undefined && !thread.isEnded);
    await until(() => busy() !== undefined);
    for (let id = 1; id <= 40; id += 1) busy()?.says(request(id));
    busy()?.says({ kind: 'request', id: 41, text: '{"kind":"search","input":{}}' });
    await until(() => signals.length === named.chainCallsInFlight);
    busy()?.ends({ ...thrown, refusedCalls: 2 });
    await clock.advance(named.chainSettleMs - 1);
    assert.equal(isOver, false);
    assert.ok(signals.every((signal) => !signal.aborted));
    if (isQuick) for (const end of ends) end('1');
    else await clock.advance(1);
    assert.equal((await report).unsentCalls, 40 - named.chainCallsInFlight + 2);
    assert.equal(signals[0]?.aborted, !isQuick);
    assert.equal(signals.length, named.chainCallsInFlight);
  }
});

test('[CHAIN-34] at its time, with its agent and with the gateway, the calls of a program that has ended are given up at once', async () => {
  const cases: readonly ((setup: { clock: ManualClock; pool: ChainPool; cancel: AbortController }) => unknown)[] = [
    ({ clock }) => clock.advance(300),
    ({ cancel }) => cancel.abort(),
    ({ pool }) => pool.close(),
  ];
  for (const end of cases) {
    const { clock, pool, threads, run } = setup();
    const { host, signals } = slowHost();
    const cancel = new AbortController();
    const report = run({ host, signal: cancel.signal });
    await until(() => threads[0]?.order !== undefined);
    threads[0]?.says(request(1));
    await clock.advance(700);
    await until(() => signals.length === 1);
    threads[0]?.ends(thrown);
    await end({ clock, pool, cancel });
    assert.equal((await report).failure?.reason, 'thrown');
    assert.equal(signals[0]?.aborted, true);
  }
});

test('[CHAIN-34] the host hears that a program has its result while its calls go on', async () => {
  const { threads, run } = setup();
  const { host, ends, returns } = slowHost();
  const report = run({ host });
  await until(() => threads[0]?.order !== undefined);
  threads[0]?.says(request(1));
  threads[0]?.says({ kind: 'returned', calls: 1, end: { resultJson: '6', notes: [] } });
  assert.equal(returns(), 1);
  threads[0]?.says(request(2));
  await until(() => ends.length === 2);
  for (const end of ends) end('1');
  await until(() => threads[0]?.told.length === 2);
  threads[0]?.finishes('7');
  assert.equal((await report).resultJson, '7');
});

test('[CHAIN-34] a program that has its result keeps it, whatever its calls lead to', async () => {
  const { clock, threads, run } = setup();
  const report = run({ host: slowHost().host });
  await until(() => threads[0]?.order !== undefined);
  threads[0]?.says({ kind: 'returned', calls: 1, end: { resultJson: '6', notes: [] } });
  await clock.advance(1_000 + named.chainKillGraceMs);
  const { resultJson, failure } = await report;
  assert.deepEqual([resultJson, failure, threads[0]?.isEnded], ['6', undefined, true]);
});

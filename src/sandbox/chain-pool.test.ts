/** Tests of the pool with threads that are only played: who gets one, who waits, and what becomes of those that fail. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { type PlayedThread, request, setup, until } from '../../test/kit/played-threads.ts';
import { GatewayError } from '../base/errors.ts';
import { limits as named } from '../config/config.ts';
import type { Loss } from './pool-thread.ts';
import type { ChainHost, ChainReport } from './sandbox.ts';
import type { RequestAnswer } from './thread-messages.ts';

const running = (threads: readonly PlayedThread[]) => threads.filter((thread) => !thread.isEnded);

test('threads start with the first program, are used again, and end when they have been idle for long', async () => {
  const { clock, threads, run } = setup();
  assert.equal(threads.length, 0);
  for (const result of ['1', '2']) {
    const report = run();
    await until(() => threads[0]?.order !== undefined);
    threads[0]?.finishes(result);
    assert.equal((await report).resultJson, result);
  }
  assert.equal(threads.length, 1);
  await clock.advance(named.chainThreadIdleMs);
  assert.equal(threads[0]?.isEnded, true);
});

test('[CHAIN-29] programs beyond the threads wait, those beyond the queue are refused, and waiting counts into the time', async () => {
  const { clock, threads, run } = setup();
  const all = Array.from({ length: named.chainThreads }, () => run({ timeoutMs: 5_000 }));
  await until(() => threads.length === named.chainThreads);
  const waiting = Promise.allSettled(Array.from({ length: named.chainQueue }, () => run()));
  await assert.rejects(run(), (error) => error instanceof GatewayError && error.code === 'RATE_LIMITED');
  await clock.advance(400);
  threads[0]?.finishes('"first"');
  await until(() => threads[0]?.order?.limits.timeoutMs === 1_000);
  assert.equal(threads[0]?.order?.leftMs, 600);
  await clock.advance(600 + named.chainKillGraceMs);
  const [begun, ...others] = await waiting;
  assert.ok(begun?.status === 'fulfilled' && begun.value.failure?.reason === 'timeout');
  for (const other of others)
    assert.match(String(other.status === 'rejected' && other.reason), /did not start.*7 others/);
  assert.equal(threads.filter((thread) => thread.isEnded).length, 1);
  for (const thread of running(threads)) thread.finishes('1');
  assert.equal((await all[0])?.resultJson, '"first"');
  assert.equal(threads.length, named.chainThreads + 1);
});

test('[CHAIN-21] a thread that does not answer is ended at the deadline and a little, and replaced', async () => {
  const { clock, threads, run } = setup();
  const report = run();
  await until(() => threads[0]?.order !== undefined);
  threads[0]?.says({ kind: 'log', line: 'so far' });
  await clock.advance(1_000 + named.chainKillGraceMs);
  const { failure, logs } = await report;
  assert.equal(failure?.reason, 'timeout');
  assert.match(failure?.message ?? '', /did not end within 1000 ms/);
  assert.deepEqual(logs, ['so far']);
  assert.equal(threads[0]?.isEnded, true);
  await until(() => threads.length === 2);
});

test('[CHAIN-27] a program whose agent gives it up is ended at once, waiting or running, with the calls it has under way', async () => {
  const { threads, run } = setup();
  const cancel = new AbortController();
  const signals: AbortSignal[] = [];
  const host: ChainHost = {
    answer: (_request, signal) => {
      signals.push(signal);
      return new Promise(() => {});
    },
  };
  const report = run({ host, signal: cancel.signal });
  await until(() => threads[0]?.order !== undefined);
  threads[0]?.says(request(1));
  cancel.abort(new GatewayError('CANCELLED', 'The agent has left.'));
  const { failure } = await report;
  assert.equal(failure?.reason, 'cancelled');
  assert.match(failure?.message ?? '', /The agent has left/);
  assert.equal(threads[0]?.isEnded, true);
  assert.equal(signals[0]?.aborted, true);
  assert.equal((await run({ signal: cancel.signal })).failure?.reason, 'cancelled');
});

test('[CHAIN-24] answers that come after the end are told to nobody', async () => {
  const { clock, threads, run } = setup();
  const { promise, resolve } = Promise.withResolvers<string>();
  const report = run({ host: { answer: () => promise } });
  await until(() => threads[0]?.order !== undefined);
  threads[0]?.says(request(1));
  threads[0]?.finishes('1');
  await clock.advance(1_000);
  await report;
  threads[0]?.says(request(2));
  resolve('"late"');
  await turn();
  assert.deepEqual(threads[0]?.told, []);
});

test('[CHAIN-23] outside the thread calls are counted again, and only so many are under way at once', async () => {
  const { threads, pool } = setup();
  let underWay = 0;
  let most = 0;
  const host: ChainHost = {
    async answer() {
      underWay += 1;
      most = Math.max(most, underWay);
      await turn();
      underWay -= 1;
      return '1';
    },
  };
  const limits = { timeoutMs: 1_000, memoryBytes: 2 ** 25, maxCalls: 100, maxOutputBytes: 100 };
  const program = { code: '1', serverNames: [], namesJson: '{}' };
  const report = pool.run(program, limits, host, new AbortController().signal);
  await until(() => threads[0]?.order !== undefined);
  for (let id = 1; id <= 120; id += 1) threads[0]?.says(request(id));
  await until(() => threads[0]?.told.length === 120);
  const texts = threads[0]?.told.map((message) => (message as RequestAnswer).text) ?? [];
  assert.equal(texts.filter((text) => text === '{"ok":1}').length, 100);
  assert.equal(texts.filter((text) => text.includes('RATE_LIMITED')).length, 20);
  assert.equal(most, named.chainCallsInFlight);
  threads[0]?.finishes('1');
  await report;
});

test('requests that are not what a request must be are answered with an error and do not reach the host', async () => {
  const { threads, run } = setup();
  const deep = `{"kind":"call","input":${'['.repeat(1_000)}${']'.repeat(1_000)}}`;
  const texts = ['', 'null', '[]', '{}', '{"kind":"end"}', '{"kind":"__proto__"}', deep];
  const report = run({ host: { answer: () => assert.fail('It must not be asked.') } });
  await until(() => threads[0]?.order !== undefined);
  for (const [id, text] of texts.entries()) threads[0]?.says({ kind: 'request', id, text });
  await until(() => threads[0]?.told.length === texts.length);
  assert.equal(threads[0]?.told.length, texts.length);
  assert.ok(threads[0]?.told.every((message) => (message as RequestAnswer).text.includes('ARGUMENTS_INVALID')));
  threads[0]?.finishes('1');
  await report;
});

test('trouble of a call is told with its code, hint and tool; a bug of the gateway only in its log', async () => {
  const { threads, run, errors } = setup();
  const trouble = new GatewayError('ACCESS_DENIED', 'Not you.', { hint: 'Ask.', data: { tool: 'a:b' } });
  const answers = [trouble, new TypeError('secret inner words')];
  const report = run({ host: { answer: async () => Promise.reject(answers.shift()) } });
  await until(() => threads[0]?.order !== undefined);
  threads[0]?.says(request(1));
  threads[0]?.says(request(2));
  await until(() => threads[0]?.told.length === 2);
  const [first, second] = (threads[0]?.told ?? []).map((message) => JSON.parse((message as RequestAnswer).text).error);
  assert.deepEqual(first, {
    code: 'ACCESS_DENIED',
    message: 'Not you.',
    hint: 'Ask.',
    tool: 'a:b',
    data: { tool: 'a:b' },
  });
  assert.equal(second.code, 'TOOL_FAILED');
  assert.doesNotMatch(second.message, /secret/);
  assert.equal(errors.length, 1);
  threads[0]?.finishes('1');
  await report;
});

test('[CHAIN-30] everybody who waits hears that no thread can be started, and the next program tries again', async () => {
  const { threads, errors, run, refuse } = setup();
  refuse(new Error('no room'));
  const reports = await Promise.all([run(), run()]);
  for (const { failure } of reports)
    assert.match(`${failure?.reason}: ${failure?.message}`, /^crashed: No thread .* no room/);
  assert.ok(errors.length >= 1);
  refuse(undefined);
  const report = run();
  await until(() => threads[0]?.order !== undefined);
  threads[0]?.finishes('1');
  assert.equal((await report).resultJson, '1');
});

test('[CHAIN-30] a thread that breaks down is told, and the programs that wait get another', async () => {
  const { threads, run } = setup();
  const losses: readonly [Loss, ChainReport['failure']][] = [
    [
      { message: 'Bang.', wasReady: true, isOutOfMemory: false },
      { reason: 'crashed', name: '', message: 'Bang.' },
    ],
    [
      { message: 'Heap.', wasReady: true, isOutOfMemory: true },
      { reason: 'memory', name: '', message: 'memory' },
    ],
    [
      { message: 'No file.', wasReady: false, isOutOfMemory: false },
      { reason: 'crashed', name: '', message: 'No file.' },
    ],
  ];
  for (const [loss, expected] of losses) {
    const report = run();
    await until(() => threads.at(-1)?.order !== undefined);
    threads.at(-1)?.lose(loss);
    const { failure } = await report;
    assert.equal(failure?.reason, expected?.reason);
    assert.ok(failure?.message.includes(expected?.message ?? ''));
  }
});

test('[CHAIN-22] a thread whose machines have grown is replaced, so that the memory comes back', async () => {
  const { threads, run } = setup();
  const report = run();
  await until(() => threads[0]?.order !== undefined);
  threads[0]?.finishes('1', named.chainMachineUsualBytes + named.chainThreadGrowthBytes + 1);
  await report;
  assert.equal(threads[0]?.isEnded, true);
});

test('[CHAIN-28] closing ends everything, says so to those who wait, and can be done twice', async () => {
  const { threads, pool, run } = setup();
  const reports = Array.from({ length: named.chainThreads + 2 }, () => run());
  await until(() => threads.length === named.chainThreads && threads.every((thread) => thread.order !== undefined));
  await Promise.all([pool.close(), pool.close()]);
  for (const { failure } of await Promise.all(reports)) assert.equal(failure?.reason, 'cancelled');
  assert.ok(threads.every((thread) => thread.isEnded));
  assert.match((await run()).failure?.message ?? '', /closing/);
});

test('[CHAIN-32] code that is too long is refused before a thread sees it', async () => {
  const { threads, run } = setup();
  const { failure } = await run({ code: ' '.repeat(named.chainCodeChars + 1) });
  assert.equal(failure?.reason, 'syntax');
  assert.equal(threads.length, 0);
});

/** Programs share the threads, and wait or fail where a thread cannot be started. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { GatewayError } from '../base/errors.ts';
import { silentLog } from '../base/log.ts';
import { limits as named } from '../config/config.ts';
import { ChainPool } from './chain-pool.ts';
import type { ChainThread, Loss } from './pool-thread.ts';
import type { FromThread, RunOrder } from './thread-messages.ts';

/** Programs that run, each with the way to end it. */
interface Running {
  readonly code: string;
  finish(): void;
  lose(loss: Loss): void;
}

function setup() {
  const clock = new ManualClock();
  const running: Running[] = [];
  let refusal: Error | undefined;
  let starts = 0;
  const pool = new ChainPool({ clock, log: silentLog }, async (lose) => {
    starts += 1;
    if (refusal) throw refusal;
    const thread: ChainThread = {
      lostLogs: 0,
      begin({ run, program }: RunOrder, onMessage: (message: FromThread) => void) {
        const leave = () => running.splice(running.indexOf(one), 1);
        const end = { resultJson: JSON.stringify(program.code), notes: [] };
        const one: Running = {
          code: program.code,
          finish: () => {
            leave();
            onMessage({ kind: 'end', run, end, machineBytes: 0 });
          },
          lose: (loss) => {
            leave();
            lose(loss);
          },
        };
        running.push(one);
      },
      tell() {},
      release() {},
      end: async () => {},
    };
    return thread;
  });
  const run = (principal: string, code = principal) =>
    pool.run(
      { code, principal, serverNames: [], namesJson: '{}' },
      { timeoutMs: 5_000, memoryBytes: 2 ** 25, maxCalls: 3, maxOutputBytes: 100 },
      { answer: async () => 'null' },
      new AbortController().signal,
    );
  const refuse = (error: Error | undefined) => {
    refusal = error;
  };
  return { clock, pool, running, run, refuse, starts: () => starts };
}

async function quiet(): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) await turn();
}

const isRateLimited = (words: RegExp) => (error: unknown) => {
  assert.ok(error instanceof GatewayError && error.code === 'RATE_LIMITED', String(error));
  assert.match(error.message, words);
  return true;
};

test('[CHAIN-37] one principal gets a share of the threads and of the queue, and others find theirs at once', async () => {
  const { clock, running, run } = setup();
  const many = (length: number) => Promise.allSettled(Array.from({ length }, () => run('ann')));
  const begun = many(named.chainThreadsEach);
  await quiet();
  const greedy = many(named.chainQueueEach);
  await quiet();
  assert.equal(running.length, named.chainThreadsEach);
  await assert.rejects(run('ann'), isRateLimited(/32 programs already wait/));
  const other = run('bob');
  await quiet();
  running.find(({ code }) => code === 'bob')?.finish();
  assert.equal((await other).resultJson, '"bob"');
  running[0]?.finish();
  await quiet();
  assert.equal(running.length, named.chainThreadsEach, 'the next of those who wait has come');
  await clock.advance(5_000 + named.chainKillGraceMs);
  assert.ok((await begun).every(({ status }) => status === 'fulfilled'));
  const waited = (await greedy).flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  assert.equal(waited.length, named.chainQueueEach - 1);
  for (const reason of waited)
    isRateLimited(/did not start: it waited 5000 ms for its turn while \d others were running\. None/)(reason);
});

test('[CHAIN-30] a thread that cannot be started fails nobody while another can be waited for, and is tried again after a while', async () => {
  const { clock, running, run, refuse, starts } = setup();
  const first = run('ann', 'first');
  await quiet();
  refuse(new Error('no room'));
  const second = run('bob', 'second');
  const third = run('bob', 'third');
  await quiet();
  assert.ok(starts() <= 3, `${starts()} starts`);
  running[0]?.finish();
  assert.equal((await first).resultJson, '"first"');
  await quiet();
  assert.deepEqual(
    running.map(({ code }) => code),
    ['second'],
  );
  refuse(undefined);
  await clock.advance(named.chainStartRetryMs - 100);
  assert.equal(running.length, 1);
  await clock.advance(100);
  await quiet();
  assert.deepEqual(
    running.map(({ code }) => code),
    ['second', 'third'],
  );
  for (const one of [...running]) one.finish();
  assert.deepEqual(
    (await Promise.all([second, third])).map(({ resultJson }) => resultJson),
    ['"second"', '"third"'],
  );
});

test('[CHAIN-30] a program whose thread breaks before it is ready waits for another', async () => {
  const { running, run } = setup();
  const first = run('ann', 'first');
  await quiet();
  const second = run('bob', 'second');
  await quiet();
  running.find(({ code }) => code === 'second')?.lose({ message: 'EAGAIN', wasReady: false, isOutOfMemory: false });
  running[0]?.finish();
  assert.equal((await first).resultJson, '"first"');
  await quiet();
  running[0]?.finish();
  assert.equal((await second).resultJson, '"second"');
});

/** Requests of programs on their way: how many are begun, how much of their answers lies around, and what of the loop they get. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { silentLog } from '../base/log.ts';
import { limits as named } from '../config/config.ts';
import { HostedRun } from './hosted-run.ts';
import type { ChainHost } from './sandbox.ts';
import { TurnPace } from './turn-pace.ts';

const limits = { timeoutMs: 1_000, memoryBytes: 2 ** 25, maxCalls: 1_000, maxOutputBytes: 100 };
const signs: Readonly<Record<string, string>> = {
  call: '{"kind":"call","input":{}}',
  load: '{"kind":"load","input":{}}',
};

function runOf(host: ChainHost, pace = new TurnPace(new ManualClock())) {
  const sent: number[] = [];
  const run = new HostedRun({ limits, host, log: silentLog, pace, answer: (id) => sent.push(id) });
  const ask = (kind: string, from: number, to: number) => {
    for (let id = from; id <= to; id += 1) run.requested(id, signs[kind] ?? '');
  };
  return { run, sent, ask };
}

async function quiet(): Promise<void> {
  for (let turns = 0; turns < 50; turns += 1) await turn();
}

test('[CHAIN-35] a thread that takes no answers gets no more of them: of kept values two, of other answers a named amount', async () => {
  const begun: string[] = [];
  const large = JSON.stringify('x'.repeat(2 ** 20));
  const { run, sent, ask } = runOf({
    answer: async ({ kind }) => {
      begun.push(kind);
      return large;
    },
  });
  ask('load', 1, 500);
  await quiet();
  assert.equal(begun.length, named.chainLoadsInFlight);
  ask('call', 501, 600);
  await quiet();
  const most = Math.ceil(named.chainAnswerChars / large.length);
  assert.ok(begun.length <= most + named.chainLoadsInFlight, `${begun.length} answers lie around`);
  const before = begun.length;
  for (const id of sent.splice(0)) run.taken(id);
  await quiet();
  assert.ok(begun.length > before, 'what was taken makes room for others');
  while (sent.length > 0) {
    for (const id of sent.splice(0)) run.taken(id);
    await quiet();
  }
  assert.equal(begun.length, 600);
});

test('[CHAIN-35] small answers that nobody takes hold their places, too', async () => {
  let begun = 0;
  const { ask } = runOf({
    answer: async () => {
      begun += 1;
      return '1';
    },
  });
  ask('call', 1, 200);
  await quiet();
  assert.equal(begun, named.chainCallsInFlight);
});

test('[CHAIN-36] after a few milliseconds of requests everybody else comes first, and programs take turns', async () => {
  let elapsed = 0;
  const pace = new TurnPace({ now: () => 0, elapsed: () => elapsed, after: () => ({ cancel() {} }) });
  const begun: string[] = [];
  const hostOf = (name: string): ChainHost => ({
    async answer() {
      begun.push(name);
      // Work that is done at once, but not before the first wait.
      await Promise.resolve();
      elapsed += 2;
      return '1';
    },
  });
  for (const name of ['a', 'b']) runOf(hostOf(name), pace).ask('call', 1, 20);
  const perTurn: number[] = [];
  for (let before = 0; begun.length < 40; before = begun.length) {
    await turn();
    perTurn.push(begun.length - before);
    assert.ok(perTurn.length < 200);
  }
  // The first count is of the turn in which all was asked, and of the one after it.
  assert.ok(Math.max(...perTurn.slice(1)) <= Math.ceil(named.chainTurnMs / 2), perTurn.join(' '));
  const half = begun.slice(0, 20).filter((name) => name === 'a').length;
  assert.ok(half >= 6 && half <= 14, begun.join(''));
});

test('a long request is read only in its turn, and after the end none is', async () => {
  let begun = 0;
  const { run, ask } = runOf({
    answer: () => {
      begun += 1;
      return new Promise(() => {});
    },
  });
  ask('call', 1, 50);
  await quiet();
  const report = run.ended({ reason: 'timeout', name: 'TimeoutError', message: 'Over.' }, 0);
  assert.equal(report.unsentCalls, 50 - named.chainCallsInFlight);
  ask('call', 51, 60);
  run.taken(1);
  await quiet();
  assert.equal(begun, named.chainCallsInFlight);
});

/** The lock on the data folder among processes: one of many wins, and the death of its holder frees it. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, test } from 'node:test';
import { readLock } from '../../src/store/lock/lock.ts';

let dataDir = '';
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-lock-'));
});
afterEach(() => rm(dataDir, { recursive: true }));

/** A process that says `ready`, tries to get the lock after a line of input, says what it got, and stays. */
const starter = `
  const [dataDir, source] = process.argv.slice(1);
  const { acquireDataLock } = await import(source + 'store/lock/lock.ts');
  const { systemClock } = await import(source + 'base/clock.ts');
  const describe = { pid: process.pid, startedAt: Date.now(), url: 'http://127.0.0.1:' + process.pid, version: '1.0.0' };
  process.stdin.once('data', async () => {
    const result = await acquireDataLock({ dataDir, clock: systemClock, describe });
    console.log(result.kind === 'held' ? process.pid : result.holder.pid);
  });
  console.log('ready');`;

interface Starter {
  readonly child: ChildProcess;
  go(): void;
  /** The next line it says; fails when it ends instead. */
  said(): Promise<string>;
  kill(): Promise<void>;
}

function start(): Starter {
  const args = ['--input-type=module', '-e', starter, dataDir, new URL('../../src/', import.meta.url).href];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const ended = once(child, 'exit');
  return {
    child,
    go: () => child.stdin.write('go\n'),
    async said() {
      const { value, done } = await lines.next();
      assert.ok(!done, 'The process ended.');
      return value;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

test('of 30 processes that start at once exactly one wins, and the others name it', async () => {
  const starters = Array.from({ length: 30 }, start);
  try {
    for (const one of starters) assert.equal(await one.said(), 'ready');
    for (const one of starters) one.go();
    const said = await Promise.all(starters.map((one) => one.said()));
    assert.equal(new Set(said).size, 1, `They named ${[...new Set(said)]}.`);
    assert.ok(starters.some(({ child }) => String(child.pid) === said[0]));
    assert.equal((await readLock(dataDir))?.pid, Number(said[0]));
  } finally {
    await Promise.all(starters.map((one) => one.kill()));
  }
});

test('after a holder was killed, exactly one of those that wait for it wins', async () => {
  const starters = Array.from({ length: 5 }, start);
  try {
    for (const one of starters) await one.said();
    const [first, ...others] = starters;
    first?.go();
    assert.equal(await first?.said(), String(first?.child.pid));
    await first?.kill();
    assert.equal(await readLock(dataDir), null);
    for (const one of others) one.go();
    const said = new Set(await Promise.all(others.map((one) => one.said())));
    assert.equal(said.size, 1, `They named ${[...said]}.`);
    assert.notEqual([...said][0], String(first?.child.pid));
  } finally {
    await Promise.all(starters.map((one) => one.kill()));
  }
});

/** The lock on the data folder: one holder among many, freed by any death, never fooled by what an old holder left. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, test } from 'node:test';
import { type Clock, systemClock } from '../../base/clock.ts';
import { acquireDataLock, type DataLock, type LockResult, readLock } from '../store.ts';
import { processStartOf } from './process-identity.ts';

let dataDir = '';
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-lock-'));
});
afterEach(() => rm(dataDir, { recursive: true }));

const note = () => join(dataDir, 'gateway.lock');
const own = { pid: process.pid, startedAt: 1_000, url: null, version: '1.2.3' };
const acquire = () => acquireDataLock({ dataDir, clock: systemClock, describe: own });

async function assertHeld(result: LockResult): Promise<DataLock> {
  assert.ok(result.kind === 'held', `Held by ${JSON.stringify(result)}.`);
  assert.deepEqual(await readLock(dataDir), own);
  return result.lock;
}

/** A process that says `ready`, tries to get the lock after a line of input, says what it got, and stays. */
const starter = `
  const [dataDir, source] = process.argv.slice(1);
  const { acquireDataLock } = await import(source + 'store/store.ts');
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
  const args = ['--input-type=module', '-e', starter, dataDir, new URL('../../', import.meta.url).href];
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

test('the lock is taken, tells who has it, is updated, and released', async () => {
  assert.equal(await readLock(dataDir), null);
  const lock = await assertHeld(await acquire());
  assert.deepEqual(await acquire(), { kind: 'other', holder: own });
  await Promise.all([lock.update({ url: 'http://127.0.0.1:1' }), lock.update({ url: 'http://127.0.0.1:2' })]);
  assert.equal((await readLock(dataDir))?.url, 'http://127.0.0.1:2');
  assert.deepEqual(await acquire(), { kind: 'other', holder: { ...own, url: 'http://127.0.0.1:2' } });
  await Promise.all([lock.release(), lock.release()]);
  assert.equal(await readLock(dataDir), null);
  await assert.rejects(stat(note()), { code: 'ENOENT' });
  await (await assertHeld(await acquire())).release();
});

test('a lock that was released is not touched any more', async () => {
  const first = await assertHeld(await acquire());
  await first.release();
  const second = await assertHeld(await acquire());
  await first.update({ url: 'http://wrong' });
  await first.release();
  assert.equal((await readLock(dataDir))?.url, null);
  await second.release();
});

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

test('what an old holder left does not count: a dead process, a living one, another one with its id', async () => {
  const left = { ...own, url: 'http://old', version: '0.0.1' };
  const processStart = await processStartOf(process.pid);
  for (const stale of [
    { ...left, pid: 2 ** 22 + 1, processStart: null },
    { ...left, processStart },
    { ...left, processStart: '1@another-boot' },
  ]) {
    await writeFile(note(), JSON.stringify(stale));
    assert.equal(await readLock(dataDir), null);
    await (await assertHeld(await acquire())).release();
  }
});

test('a note that makes no sense is replaced', async () => {
  for (const garbage of [
    '',
    '{"pid":',
    '\0\0\0',
    '[]',
    '{"pid":-1}',
    '{"pid":"1","startedAt":0}',
    '['.repeat(100_000),
  ]) {
    await writeFile(note(), garbage);
    assert.equal(await readLock(dataDir), null);
    await (await assertHeld(await acquire())).release();
  }
});

test('while the lock is held a note of another process with the same id is not believed', async () => {
  const lock = await assertHeld(await acquire());
  const text = await readFile(note(), 'utf8');
  await writeFile(note(), JSON.stringify({ ...own, url: 'http://wrong', processStart: '1@another-boot' }));
  let looks = 0;
  // The right note comes back while the reader waits for it.
  const clock: Clock = {
    ...systemClock,
    after(ms, act) {
      looks += 1;
      writeFileSync(note(), text);
      return systemClock.after(ms, act);
    },
  };
  assert.deepEqual([await readLock(dataDir, clock), looks], [own, 1]);
  await lock.release();
});

test('a holder that never says who it is is reported as such', async () => {
  const lock = await assertHeld(await acquire());
  await rm(note());
  let now = 0;
  const clock = { ...systemClock, elapsed: () => (now += 1_000) };
  const locked = { code: 'DATA_LOCKED', message: new RegExp(dataDir) };
  await assert.rejects(readLock(dataDir, clock), locked);
  await assert.rejects(acquireDataLock({ dataDir, clock, describe: own }), locked);
  await lock.release();
});

test('the folder is made for its owner alone', { skip: process.platform === 'win32' }, async () => {
  const deep = join(dataDir, 'a', 'b');
  const result = await acquireDataLock({ dataDir: deep, clock: systemClock, describe: own });
  assert.ok(result.kind === 'held');
  assert.equal((await stat(deep)).mode & 0o777, 0o700);
  assert.equal((await stat(join(deep, 'gateway.lock'))).mode & 0o777, 0o600);
  await result.lock.release();
});

test('a folder that cannot be used is named', async () => {
  await writeFile(join(dataDir, 'file'), '');
  const inFile = acquireDataLock({ dataDir: join(dataDir, 'file', 'x'), clock: systemClock, describe: own });
  await assert.rejects(inFile, { code: 'STORE_BROKEN', message: /data folder .*file.x cannot be used/ });
  if (process.getuid?.() === 0) return;
  await chmod(dataDir, 0o500);
  await assert.rejects(acquire(), { code: 'STORE_BROKEN', message: new RegExp(dataDir) });
  await chmod(dataDir, 0o700);
});

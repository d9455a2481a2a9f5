/** The lock on the data folder: one holder, who says who it is, never fooled by what an old holder left. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { type Clock, systemClock } from '../../base/clock.ts';
import { acquireDataLock, type DataLock, type LockResult, readLock } from './lock.ts';
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

test('files of an old holder do not count: a dead process, a living one, another one with its id', async () => {
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

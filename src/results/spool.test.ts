/** The spool: bounded, private, empty after a start, and nothing in it outlives those who could read it. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { testSpool } from '../../test/kit/spool.ts';
import { systemClock } from '../base/clock.ts';
import { limits } from '../config/config.ts';
import { Spool } from './spool.ts';

const isLinux = process.platform === 'linux';

async function withFolder(act: (dataDir: string) => Promise<void> | void): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'toolcrib-spool-test-'));
  try {
    await act(dataDir);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

test('written bytes are read back, in pieces and whole', async () => {
  const file = testSpool().create();
  const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, at) => at % 251));
  for (let at = 0; at < bytes.length; at += 30_000) file.append(bytes.subarray(at, at + 30_000));
  const parts: Buffer[] = [];
  for await (const part of file.read(0, file.size)) parts.push(part);
  assert.ok(Buffer.concat(parts).equals(bytes) && parts.length > 1);
  assert.ok(file.readWhole().equals(bytes));
  file.release();
});

test('a file has no name that a crash could leave behind', { skip: !isLinux }, async () => {
  await withFolder((dataDir) => {
    const spool = new Spool({ dataDir, clock: systemClock });
    const file = spool.create();
    file.append(Buffer.from('secret'));
    assert.deepEqual(readdirSync(join(dataDir, 'results', 'spool')), []);
    assert.equal(statSync(join(dataDir, 'results', 'spool')).mode & 0o777, 0o700);
    file.release();
  });
});

test('files of an earlier run are removed at the start', async () => {
  await withFolder(async (dataDir) => {
    mkdirSync(join(dataDir, 'results', 'spool'), { recursive: true });
    writeFileSync(join(dataDir, 'results', 'spool', 'left'), 'x');
    const spool = new Spool({ dataDir, clock: systemClock });
    await spool.open();
    const file = spool.create();
    assert.ok(!readdirSync(join(dataDir, 'results', 'spool')).includes('left'));
    file.release();
  });
});

test('the room on disk is bounded for all files together, and free again when one goes', () => {
  const spool = testSpool({ limitBytes: 1_000 });
  const [one, two] = [spool.create(), spool.create()];
  one.append(Buffer.alloc(700));
  assert.throws(() => two.append(Buffer.alloc(400)), { code: 'RATE_LIMITED', message: /take 1000 bytes on disk/ });
  assert.equal(spool.bytes, 700);
  one.release();
  one.release();
  assert.equal(spool.bytes, 0);
  two.append(Buffer.alloc(400));
  assert.equal(spool.bytes, 400);
  spool.close();
  assert.equal(spool.bytes, 0);
  assert.throws(() => spool.create(), { code: 'CANCELLED' });
});

test('a file that nobody lets go is removed in the end', async () => {
  const clock = new ManualClock();
  const spool = testSpool({ clock });
  const [forgotten, released] = [spool.create(), spool.create()];
  forgotten.append(Buffer.alloc(700));
  released.release();
  assert.equal(clock.waits.length, 1);
  await clock.advance(limits.spoolHoldMs - 1);
  assert.equal(spool.bytes, 700);
  await clock.advance(1);
  assert.equal(spool.bytes, 0);
  await assert.rejects(forgotten.read(0, 700).next(), { code: 'STORE_BROKEN' });
});

test('a folder that cannot be made, and a disk that is full, are told as such', { skip: !isLinux }, async () => {
  await withFolder((dataDir) => {
    mkdirSync(join(dataDir, 'results'));
    writeFileSync(join(dataDir, 'results', 'spool'), 'a file where the folder should be');
    const spool = new Spool({ dataDir, clock: systemClock });
    assert.throws(() => spool.create(), { code: 'STORE_BROKEN', message: /the disk refused it \(E(EXIST|NOTDIR)\)/ });
  });
  // A process that may write only small files stands for a disk without room.
  const module = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const script = `
    import { Spool } from ${module('./spool.ts')};
    import { systemClock as clock } from ${module('../base/clock.ts')};
    process.on('SIGXFSZ', () => {});
    const spool = new Spool({ dataDir: process.argv[1], clock });
    const file = spool.create();
    try { for (let at = 0; at < 100; at += 1) file.append(Buffer.alloc(65_536)); }
    catch (error) { console.log(error.code, error.message); }
    file.release();
    console.log(spool.bytes);
  `;
  await withFolder((dataDir) => {
    const shell = [
      '-c',
      'ulimit -f 512; exec "$0" --input-type=module -e "$1" "$2"',
      process.execPath,
      script,
      dataDir,
    ];
    const { stdout, stderr } = spawnSync('/bin/sh', shell, { encoding: 'utf8' });
    assert.match(stdout, /^STORE_BROKEN Can't store a large answer: .*\n0\n$/, stderr);
  });
});

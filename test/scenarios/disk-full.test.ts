/** A disk that is full or read-only: everything that the owner looks at says so, until it is mended. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { messageOf } from '../../src/base/errors.ts';
import { limits } from '../../src/config/config.ts';
import { CliMachine } from '../kit/cli.ts';
import { openTestGateway } from '../kit/gateway.ts';
import { ManualClock } from '../kit/manual-clock.ts';

test('[EDGE-13] readyz, status, list, doctor and the next command report a full and a read-only disk', async (context) => {
  await using machine = await CliMachine.make();
  const disk = join(machine.home, 'disk');
  await mkdir(disk);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', disk], { stdio: 'pipe' });
  } catch (error) {
    return context.skip(`needs the right to mount a small disk (${messageOf(error)})`);
  }
  try {
    const dataDir = join(disk, 'data');
    await mkdir(dataDir);
    const clock = new ManualClock();
    await using gateway = await openTestGateway({ dataDir, clock });
    const run = (...argv: string[]) => machine.run(...argv, '--data', dataDir);
    const ready = async () => (await fetch(`${gateway.url}/readyz`)).status;
    const seen = async () => {
      await clock.advance(limits.diskLookMs);
      const status = await run('status', '--json');
      const { diskProblem } = status.json<{ diskProblem: { message: string } | null }>();
      const doctor = await run('doctor', '--no-connect');
      return {
        ready: await ready(),
        status: diskProblem?.message ?? null,
        list: (await run('list')).stderr,
        next: (await run('project', 'list')).stderr,
        doctor: doctor.stdout,
      };
    };
    const fine = await seen();
    assert.deepEqual([fine.ready, fine.status], [200, null]);

    await assert.rejects(writeFile(join(disk, 'filler'), Buffer.alloc(20_000_000)), { code: 'ENOSPC' });
    const full = await seen();
    assert.equal(full.ready, 503);
    for (const said of [full.status, full.list, full.next, full.doctor])
      assert.match(said ?? '', /Nothing can be saved in .*: the disk is full/);
    assert.equal((await fetch(`${gateway.url}/healthz`)).status, 200);

    await rm(join(disk, 'filler'));
    assert.deepEqual(await seen(), fine);

    // A file open for writing keeps a disk from becoming read-only: a second mount of the same disk does not.
    execFileSync('mount', ['--bind', dataDir, dataDir]);
    execFileSync('mount', ['-o', 'remount,bind,ro', dataDir]);
    const readOnly = await seen();
    execFileSync('umount', ['--lazy', dataDir]);
    assert.equal(readOnly.ready, 503);
    for (const said of [readOnly.status, readOnly.list, readOnly.next, readOnly.doctor])
      assert.match(said ?? '', /Nothing can be saved in .*: the disk is read-only/);
    assert.deepEqual(await seen(), fine);
  } finally {
    // Lazily, because a test that failed half way still has files open there.
    execFileSync('umount', ['--lazy', disk]);
  }
});

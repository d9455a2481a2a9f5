/** A folder that cannot be written is noticed, named and believed for a while, and so is one that can be again. */

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { limits } from '../config/config.ts';
import { DiskWatch } from './disk-watch.ts';

test('a folder is tried now and then, leaves nothing behind, and heals by itself', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-disk-'));
  const other = join(folder, 'other');
  const clock = new ManualClock();
  const watch = new DiskWatch([folder, other, folder], clock);
  assert.match(watch.problem?.message ?? '', /^Nothing can be saved in .*other: ENOENT/);
  await mkdir(other);
  assert.notEqual(watch.problem, null, 'it is not tried each time');
  await clock.advance(limits.diskLookMs);
  assert.equal(watch.problem, null);
  assert.deepEqual(await readdir(folder, { recursive: true }), ['other']);
  await rm(folder, { recursive: true });
});

test('a folder whose place a file has is a problem, not an error', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-disk-'));
  const file = join(folder, 'file');
  await writeFile(file, '');
  assert.match(new DiskWatch([file], new ManualClock()).problem?.message ?? '', /^Nothing can be saved in .*ENOTDIR/);
  await rm(folder, { recursive: true });
});

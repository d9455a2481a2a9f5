/** Calls survive the death of the process: a few kills of the many that `metrics.ts` makes. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Random } from '../../exam/kit/random.ts';
import { killRecorder } from './kill-recorder.ts';

/** Enough to hit a roll-up in the middle; `npm run kills -- --kills 300` goes on from here. */
const kills = 6;

test(`[CALL-14] ${kills} kills while calls are recorded and rolled up lose and double no acknowledged call`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-kills-'));
  try {
    const report = await killRecorder(join(folder, 'toolcrib.db'), kills, new Random(7));
    assert.ok(report.acknowledged >= kills, `Only ${report.acknowledged} calls were acknowledged.`);
    assert.ok(report.midBatch > 0, 'No kill hit a roll-up in the middle.');
  } finally {
    await rm(folder, { recursive: true });
  }
});

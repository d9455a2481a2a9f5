/** A job of 200 prompts survives the death of its gateway: a few kills of the many that `jobs.ts` makes. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Random } from '../../exam/kit/random.ts';
import { killJob } from './kill-job.ts';

test('[OPT-28] a job whose gateway is killed goes on: no prompt is lost, and none is judged twice', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-kills-'));
  try {
    const report = await killJob(folder, 3, new Random(5));
    context.diagnostic(JSON.stringify(report));
    assert.ok(report.kills > 0, 'the job ended before it could be killed');
  } finally {
    await rm(folder, { recursive: true });
  }
});

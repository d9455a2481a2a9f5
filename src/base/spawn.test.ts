/** Tests of starting processes that are no servers. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outputOf, startDetached } from './spawn.ts';

const here = { cwd: process.cwd(), env: process.env };
const quick = { env: process.env, timeoutMs: 60_000 };

test('a detached process tells how it ended', async () => {
  const started = startDetached(process.execPath, ['-e', 'process.exitCode = 7'], here);
  assert.ok((started.pid ?? 0) > 0);
  assert.equal(await started.exited, 7);
});

test('a detached process that cannot be started says why', async () => {
  await assert.rejects(startDetached('no-such-program-anywhere', [], here).exited, { code: 'ENOENT' });
});

test('output is there, or null for whatever went wrong', async () => {
  assert.equal(await outputOf(process.execPath, ['-p', '1 + 1'], quick), '2\n');
  assert.equal(await outputOf(process.execPath, ['-e', 'process.exitCode = 1'], quick), null);
  assert.equal(await outputOf('no-such-program-anywhere', [], quick), null);
  const hanging = { env: process.env, timeoutMs: 50 };
  assert.equal(await outputOf(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], hanging), null);
});

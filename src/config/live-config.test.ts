/** Tests of the config in use, with real files: the reports about edits. */

import assert from 'node:assert/strict';
import { mkdtemp, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../base/clock.ts';
import { createLog } from '../base/log.ts';
import { LiveConfig } from './live-config.ts';

test('a file that comes and goes is told by its name, and then that the defaults are in use', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-live-'));
  const lines: string[] = [];
  const log = createLog({ level: 'info', format: 'json', write: (line) => lines.push(line), now: () => 0 });
  const live = await LiveConfig.load({ cwd: dataDir, dataDir, env: {} }, systemClock, log);
  t.after(async () => {
    live.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  live.watch();
  const changed = () => new Promise<void>((resolve) => void live.changed.on(() => resolve()));
  const file = join(dataDir, 'toolcrib.json');
  const came = changed();
  await writeFile(file, '{ "calls": { "maxFallbacks": 7 } }');
  await came;
  assert.equal(live.current.calls.maxFallbacks, 7);
  const gone = changed();
  await unlink(file);
  await gone;
  assert.equal(live.current.calls.maxFallbacks, 3);
  assert.equal(lines.length, 2);
  assert.match(lines[0] ?? '', /The config was changed and is in use.*toolcrib\.json/);
  assert.match(lines[1] ?? '', /The config file is gone; the defaults are in use/);
  assert.doesNotMatch(lines[1] ?? '', /null/);
});

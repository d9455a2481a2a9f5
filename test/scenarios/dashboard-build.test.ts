/** The build of the dashboard, where the packages for it are missing or broken. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

test('[DASH-01] an installation without vite goes on without a dashboard, and one with a broken vite says so', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-build-'));
  try {
    const script = join(folder, 'build-dashboard.ts');
    await copyFile(new URL('../../scripts/build-dashboard.ts', import.meta.url), script);
    const build = () => spawnSync(process.execPath, [script], { encoding: 'utf8' });
    const without = build();
    assert.equal(without.status, 0, without.stderr);
    assert.match(without.stderr, /packages for development are missing/);
    const vite = join(folder, 'node_modules', 'vite');
    await mkdir(vite, { recursive: true });
    await writeFile(join(vite, 'package.json'), '{"name":"vite","type":"module","exports":"./index.js"}');
    await writeFile(join(vite, 'index.js'), "import 'nowhere-to-be-found';\n");
    const broken = build();
    assert.notEqual(broken.status, 0);
    assert.match(broken.stderr, /nowhere-to-be-found/);
  } finally {
    await rm(folder, { recursive: true });
  }
});

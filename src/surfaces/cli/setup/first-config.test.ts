/** Tests of the first config file: it means nothing as it is, and its comments are true. */

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadConfig } from '../../../config/config.ts';
import { firstConfig } from './first-config.ts';

test('[GET-81] every setting in the comments of the first config file is valid and the default', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-config-'));
  t.after(() => rm(dataDir, { recursive: true }));
  const configOf = async (text: string) => {
    await writeFile(join(dataDir, 'toolcrib.json'), text);
    const { config, warnings } = await loadConfig({ cwd: dataDir, env: {}, dataDir });
    assert.deepEqual(warnings, []);
    const { servers, ...settings } = config;
    return { names: [...servers.keys()], settings };
  };
  const written = await configOf(firstConfig);
  const uncommented = await configOf(firstConfig.replace(/^( *)\/\/ (?="\w+": )/gm, '$1'));
  assert.deepEqual(written.names, []);
  assert.deepEqual(uncommented.names, ['files']);
  assert.deepEqual(uncommented.settings, written.settings);
  assert.deepEqual(written.settings, (await configOf('{}')).settings);
});

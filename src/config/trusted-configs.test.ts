/** Tests of the list of trusted configs: who needs it, what it holds, and several who write it at once. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { TrustedConfigs } from './trusted-configs.ts';

const folder = mkdtempSync(join(tmpdir(), 'toolcrib-trusted-'));
after(() => rmSync(folder, { recursive: true }));
const found = (file: string, text = '{}') => ({ file, bytes: Buffer.from(text), fingerprint: '', isByFolder: true });
const now = new Date(0);

test('a config is covered by its path and content, and one that was named always', async () => {
  const trusted = new TrustedConfigs(join(folder, 'one'));
  await assert.rejects(trusted.mustCover(found('/a')), { code: 'CONFIG_UNTRUSTED', message: /is not trusted/ });
  await trusted.mustCover({ ...found('/a'), isByFolder: false });
  await trusted.add(found('/a'), now);
  await trusted.mustCover(found('/a'));
  assert.equal(await trusted.covers(found('/b')), false);
  await assert.rejects(trusted.mustCover(found('/a', '{ }')), { message: /has changed since you trusted it/ });
  await trusted.add(found('/a', '{ }'), now);
  assert.equal(await trusted.covers(found('/a')), false);
  assert.deepEqual([await trusted.remove('/a'), await trusted.remove('/a')], [true, false]);
});

test('the oldest make room, several may write at once, and nothing is left behind', async () => {
  const dataDir = join(folder, 'two');
  const trusted = new TrustedConfigs(dataDir);
  await trusted.add(found('/first'), now);
  await Promise.all(Array.from({ length: 8 }, (_, at) => trusted.add(found(`/${at}`), now)));
  assert.ok((await trusted.all()).length > 1);
  const configs = Array.from({ length: 1_000 }, (_, at) => ({ file: `/old/${at}`, sha256: '', trustedAt: '' }));
  await writeFile(join(dataDir, 'trusted-configs.json'), JSON.stringify({ configs }));
  await trusted.add(found('/new'), now);
  const files = (await trusted.all()).map(({ file }) => file);
  assert.deepEqual([files.length, files[0], files.at(-1)], [1_000, '/old/1', '/new']);
  assert.deepEqual(await readdir(dataDir), ['trusted-configs.json']);
});

test('a list that cannot be read trusts nothing', async () => {
  await writeFile(join(folder, 'trusted-configs.json'), '{');
  const trusted = new TrustedConfigs(folder);
  await assert.rejects(trusted.covers(found('/a')), { code: 'STORE_BROKEN', message: /list of trusted configs/ });
});

/** The data folder must be ours. The user id is made up, because files of other users need rights to make. */

import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { GatewayError } from '../../base/errors.ts';
import { checkFolder, claimFolder } from './claim-folder.ts';

let dataDir = '';
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-claim-'));
});
afterEach(() => rm(dataDir, { recursive: true }));

const isOnUnix = { skip: process.getuid === undefined };
const me = process.getuid?.() ?? 0;
/** To root every folder is its own. */
const isNobodySpecial = { skip: process.getuid === undefined || me === 0 };
const somebodyElse = 54_321;

const modeOf = async (path: string) => (await stat(path)).mode & 0o7777;
const isRefused = (error: unknown) => error instanceof GatewayError && error.code === 'STORE_BROKEN';

test('the right to write is taken from others, and nothing else', isOnUnix, async () => {
  for (const [before, after] of [
    [0o777, 0o755],
    [0o770, 0o750],
    [0o755, 0o755],
    [0o700, 0o700],
    [0o2775, 0o2755],
  ] as const) {
    await chmod(dataDir, before);
    await claimFolder(dataDir);
    assert.equal(await modeOf(dataDir), after, before.toString(8));
  }
});

test('a folder in which everybody has files is not taken, and stays as it is', isOnUnix, async () => {
  await chmod(dataDir, 0o1777);
  await assert.rejects(claimFolder(dataDir), isRefused);
  assert.equal(await modeOf(dataDir), 0o1777);
});

test('a folder that belongs to another user is refused, also by those who only look', isNobodySpecial, async () => {
  for (const look of [claimFolder, checkFolder]) await assert.rejects(look(dataDir, somebodyElse), isRefused);
  assert.ok(await checkFolder(dataDir, me));
});

test('a file that another user put there is refused where it would be believed', { skip: me !== 0 }, async () => {
  const { chown } = await import('node:fs/promises');
  await chown(dataDir, 1_000, 1_000);
  const toolcrib = ['toolcrib.db', 'toolcrib.db-wal', 'toolcrib.json'];
  for (const name of ['owner-token', 'secret-key', 'trusted-configs.json', 'gateway.lock', ...toolcrib]) {
    const file = join(dataDir, name);
    await writeFile(file, 'planted');
    await chown(file, somebodyElse, somebodyElse);
    await assert.rejects(checkFolder(dataDir, 1_000), isRefused, name);
    await assert.rejects(checkFolder(dataDir, 0), isRefused, `${name}, by root`);
    await chown(file, 1_000, 1_000);
    await checkFolder(dataDir, 1_000);
    await chown(file, 0, 0);
    await checkFolder(dataDir, 1_000);
    await rm(file);
  }
  await writeFile(join(dataDir, 'notes.txt'), 'theirs');
  await chown(join(dataDir, 'notes.txt'), somebodyElse, somebodyElse);
  await checkFolder(dataDir, 1_000);
  await checkFolder(dataDir, 0);
  await assert.rejects(checkFolder(dataDir, somebodyElse), isRefused);
});

test('a folder that is not there yet is no trouble', async () => {
  await claimFolder(join(dataDir, 'new'));
  assert.equal(await checkFolder(join(dataDir, 'new')), undefined);
});

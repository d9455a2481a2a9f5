/** Tests of writing a config file of an agent: links, modes, folders, and others who write at the same time. */

import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readToEdit, writeEdited } from './edited-file.ts';

const read = (path: string) => readToEdit(path, 'jsonc');

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-edited-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

test("[GET-23] the mode of a file stays, and a new one is its owner's alone, in a folder that is made", async (t) => {
  const folder = await folderFor(t);
  const old = join(folder, 'old.json');
  await writeFile(old, '\uFEFFone\r\n');
  await chmod(old, 0o640);
  const seen = await read(old);
  assert.equal(seen.text, '\uFEFFone\r\n');
  await writeEdited(seen, '\uFEFFtwo\r\n');
  assert.equal(await readFile(old, 'utf8'), '\uFEFFtwo\r\n');
  assert.equal((await stat(old)).mode & 0o777, 0o640);
  const fresh = join(folder, 'a', 'b', 'new.json');
  await writeEdited(await read(fresh), 'three');
  assert.equal((await stat(fresh)).mode & 0o777, 0o600);
  await writeEdited(await read(fresh), null);
  assert.deepEqual(await readdir(join(folder, 'a', 'b')), []);
});

test('[GET-23] a symbolic link stays one, also one that leads to nothing yet', async (t) => {
  const folder = await folderFor(t);
  await mkdir(join(folder, 'dotfiles'));
  await writeFile(join(folder, 'dotfiles', 'real.json'), 'one');
  for (const [link, target] of [
    ['there', 'real.json'],
    ['not-yet', 'later.json'],
  ] as const) {
    await symlink(join('dotfiles', target), join(folder, link));
    await writeEdited(await read(join(folder, link)), 'two');
    assert.equal(await readFile(join(folder, 'dotfiles', target), 'utf8'), 'two');
  }
  assert.deepEqual((await readdir(join(folder, 'dotfiles'))).toSorted(), ['later.json', 'real.json']);
  await symlink('loop', join(folder, 'loop'));
  await assert.rejects(read(join(folder, 'loop')), { code: 'CONFIG_INVALID', message: /cannot be read: ELOOP/ });
});

test('[GET-23] a file that is read-only, no text, or no file is left as it is', async (t) => {
  const folder = await folderFor(t);
  const file = join(folder, 'mcp.json');
  await writeFile(file, 'one');
  await chmod(file, 0o444);
  const seen = await read(file);
  await assert.rejects(writeEdited(seen, 'two'), { code: 'CONFIG_INVALID', message: /mcp\.json is read-only/ });
  assert.equal(await readFile(file, 'utf8'), 'one');
  await writeFile(join(folder, 'wide.json'), Buffer.from('{}', 'utf16le').fill(0xff, 0, 1));
  await assert.rejects(read(join(folder, 'wide.json')), { message: /is not UTF-8 text/ });
  await assert.rejects(read(folder), { code: 'CONFIG_INVALID', message: /is a folder, not a file/ });
  assert.deepEqual((await readdir(folder)).toSorted(), ['mcp.json', 'wide.json']);
});

test('[GET-23] a file that somebody changed, made or deleted meanwhile is not overwritten', async (t) => {
  const folder = await folderFor(t);
  const file = join(folder, 'mcp.json');
  const missing = await read(file);
  await writeFile(file, 'theirs');
  const changed = { code: 'CONFIG_INVALID', message: /was changed by somebody else meanwhile/ };
  await assert.rejects(writeEdited(missing, 'ours'), changed);
  const seen = await read(file);
  await rm(file);
  await assert.rejects(writeEdited(seen, 'ours'), changed);
  await writeFile(file, 'other');
  await assert.rejects(writeEdited(seen, null), changed);
  assert.equal(await readFile(file, 'utf8'), 'other');
  assert.deepEqual(await readdir(folder), ['mcp.json']);
});

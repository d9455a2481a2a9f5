/** Tests of reading files of others: what is no file, what never ends, and what may not be read. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readOthersFile } from './others-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'toolcrib-others-'));
after(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);

test('a file is read up to its limit, with what the system knows of it', async () => {
  const bytes = Buffer.alloc(600_000, 'ab');
  await writeFile(at('whole'), bytes, { mode: 0o640 });
  const read = await readOthersFile(at('whole'), { mostBytes: bytes.length });
  assert.ok(read?.bytes.equals(bytes));
  assert.equal((read?.stats.mode ?? 0) & 0o777, 0o640);
  const cut = readOthersFile(at('whole'), { mostBytes: 1_024 * 512 });
  await assert.rejects(cut, { code: 'CONFIG_INVALID', message: `${at('whole')} is larger than 0.5 MiB.` });
  await writeFile(at('empty'), '');
  assert.equal((await readOthersFile(at('empty')))?.bytes.length, 0);
  assert.equal(await readOthersFile(at('none')), undefined);
  assert.equal(await readOthersFile(at('whole/none')), undefined);
});

test('a file of the system that says it is empty is read to its end', async () => {
  const read = await readOthersFile('/proc/self/status');
  assert.match(read?.bytes.toString() ?? '', /^Pid:/m);
  await assert.rejects(readOthersFile('/proc/self/pagemap', { mostBytes: 1_024 * 1_024 }), /larger than 1 MiB/);
});

test('folders, pipes, sockets, devices and links to them are refused at once, each with its kind', async () => {
  execFileSync('mkfifo', [at('pipe')]);
  const server = createServer().listen(at('socket'));
  await once(server, 'listening');
  await mkdir(at('folder'));
  await symlink('/dev/zero', at('endless'));
  await symlink('loop', at('loop'));
  const kinds = {
    folder: 'is a folder, not a file.',
    pipe: 'is a pipe, not a file.',
    socket: 'is a socket or a device, not a file.',
    endless: 'is a device, not a file.',
    loop: 'is a link that leads back to itself.',
  };
  for (const [name, reason] of Object.entries(kinds)) {
    const refused = readOthersFile(at(name), { code: 'USAGE', name: `"${name}"` });
    await assert.rejects(refused, { code: 'USAGE', message: `"${name}" ${reason}` });
  }
  server.close();
});

test('a signal ends the reading with its own reason', async () => {
  await writeFile(at('long'), Buffer.alloc(4_000_000));
  const ending = new AbortController();
  const reading = readOthersFile(at('long'), { signal: ending.signal });
  ending.abort(new Error('enough'));
  await assert.rejects(reading, /^Error: enough$/);
  await assert.rejects(readOthersFile(at('none'), { signal: ending.signal }), /^Error: enough$/);
});

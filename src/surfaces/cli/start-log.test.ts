/** Tests of the log file: it is private, it does not grow without end, and it never stops the gateway. */

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openLogFile } from './start-log.ts';

async function folder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'toolcrib-log-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

test('lines are appended to what was there, in a file for the owner alone', async () => {
  await using place = await folder();
  const file = join(place.path, 'deep', 'gateway.log');
  openLogFile(file)('one\n');
  openLogFile(file)('two\n');
  assert.equal(await readFile(file, 'utf8'), 'one\ntwo\n');
  assert.equal((await stat(file)).mode & 0o777, 0o600);
});

test('a full file is moved aside, and one old one is kept', async () => {
  await using place = await folder();
  const file = join(place.path, 'gateway.log');
  const write = openLogFile(file, 10);
  for (const line of ['aaaa\n', 'bbbb\n', 'cccc\n', 'dddd\n', 'eeee\n']) write(line);
  assert.equal(await readFile(file, 'utf8'), 'eeee\n');
  assert.equal(await readFile(`${file}.1`, 'utf8'), 'cccc\ndddd\n');
});

test('one line longer than the limit is still written', async () => {
  await using place = await folder();
  const file = join(place.path, 'gateway.log');
  openLogFile(file, 4)('longer\n');
  assert.equal(await readFile(file, 'utf8'), 'longer\n');
});

test('a place where nothing can be written is borne in silence', async () => {
  await using place = await folder();
  const blocker = join(place.path, 'file');
  await writeFile(blocker, '');
  openLogFile(join(blocker, 'gateway.log'))('lost\n');
  assert.equal(await readFile(blocker, 'utf8'), '');
});

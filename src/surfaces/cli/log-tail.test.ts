/** Tests of reading the log: the last lines, new ones, and a file that is moved aside in between. */

import assert from 'node:assert/strict';
import { appendFile, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { findLogFile, LogTail } from './log-tail.ts';
import { openLogFile } from './start-log.ts';

let dataDir = '';
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-tail-'));
});
afterEach(() => rm(dataDir, { recursive: true }));

const file = () => join(dataDir, 'gateway.log');

test('the last lines are taken from both files, and new ones follow', async () => {
  await writeFile(`${file()}.1`, 'a\nb\n');
  await writeFile(file(), 'c\nd\n');
  assert.deepEqual(await new LogTail(dataDir).last(1), ['d']);
  assert.deepEqual(await new LogTail(dataDir).last(0), []);
  const tail = new LogTail(dataDir);
  assert.deepEqual(await tail.last(3), ['b', 'c', 'd']);
  assert.deepEqual(await tail.next(), []);
  await appendFile(file(), 'e\nhal');
  assert.deepEqual(await tail.next(), ['e']);
  await appendFile(file(), 'f\n');
  assert.deepEqual(await tail.next(), ['half']);
});

test('nothing is lost or told twice when a full file is moved aside', async () => {
  const write = openLogFile(file(), 40);
  const tail = new LogTail(dataDir);
  const told: string[] = [];
  const written = Array.from({ length: 60 }, (_item, at) => `line ${at}`);
  for (const [at, line] of written.entries()) {
    write(`${line}\n`);
    if (at % 3 === 0) told.push(...(await tail.next()));
  }
  told.push(...(await tail.next()));
  assert.deepEqual(told, written);
});

test('a log that is not there yet, or was emptied, is read from its beginning', async () => {
  const tail = new LogTail(dataDir);
  assert.deepEqual([await tail.last(5), tail.isThere, await findLogFile(dataDir)], [[], false, null]);
  await writeFile(file(), 'one\ntwo\n');
  assert.deepEqual([await tail.next(), tail.isThere, await findLogFile(dataDir)], [['one', 'two'], true, file()]);
  await truncate(file());
  await appendFile(file(), 'new\n');
  assert.deepEqual(await tail.next(), ['new']);
});

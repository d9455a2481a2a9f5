/** How a secret is read: typed unseen at a terminal, or from stdin. */

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { readSecret } from './secrets.ts';

function stage(isTTY: boolean) {
  // Nothing else of a terminal is used.
  const input: PassThrough = Object.assign(new PassThrough(), { isTTY, setRawMode: () => input });
  const printed: string[] = [];
  const stderr = { write: (text: string) => printed.push(text) };
  const host = { stdin: input, stderr, signal: new AbortController().signal };
  return { input, printed, reading: readSecret('KEY', host) };
}

test('input at a terminal is not shown', async () => {
  const { input, printed, reading } = stage(true);
  input.write('my secreX\u007ft\r');
  assert.equal(await reading, 'my secret');
  assert.deepEqual(printed, ['Value of KEY: ', '\n']);
});

test('Ctrl-C ends the question, and nothing is set', async () => {
  const { input, reading } = stage(true);
  input.write('my secret\u0003');
  await assert.rejects(reading, { code: 'CANCELLED' });
});

test('from stdin all of it is read but the line break at its end', async () => {
  const { input, printed, reading } = stage(false);
  input.end('line one\nline two\r\n');
  assert.equal(await reading, 'line one\nline two');
  assert.deepEqual(printed, []);
});

test('nothing is no value', async () => {
  const { input, reading } = stage(false);
  input.end('\n');
  await assert.rejects(reading, { code: 'USAGE' });
});

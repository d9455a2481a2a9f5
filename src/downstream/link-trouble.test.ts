/** A server's words on its failure are repeated only so far, and without secrets. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../config/config.ts';
import { asTrouble } from './link-trouble.ts';

test('however long and hostile the words are, a sentence of them is made at once', () => {
  const before = process.cpuUsage();
  const { message } = asTrouble('far', new Error(`Bearer abcdefgh12345678 ${'eyJaaaaaaaa-'.repeat(500_000)}`));
  const { user, system } = process.cpuUsage(before);
  assert.match(message, /^Server "far" could not be connected: \*\*\* eyJ.*…$/);
  assert.ok(message.length < limits.serverWordsChars + 100);
  assert.ok(user + system < 1_000_000, `${user + system} µs`);
});

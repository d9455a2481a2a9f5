/** Errors around PostgreSQL: which of them say that it cannot be reached. A record that meets any other is given up. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOutOfReach } from './postgres-errors.ts';

const answered = (code: string) => Object.assign(new Error('no'), { severity: 'ERROR', code });
const failed = (code: string) => Object.assign(new Error(code), { syscall: 'write', code });

test('a database that did not answer, or has no connection for us, is out of reach', () => {
  for (const code of ['EPIPE', 'ECONNRESET', 'ECONNREFUSED', 'ENOTFOUND']) assert.ok(isOutOfReach(failed(code)), code);
  for (const code of ['57P01', '53300', '08006']) assert.ok(isOutOfReach(answered(code)), code);
  const driver = ['Connection terminated unexpectedly', 'timeout exceeded when trying to connect'];
  for (const message of [...driver, 'Client was closed and is not queryable'])
    assert.ok(isOutOfReach(new Error(message)), message);
});

test('a refused statement and a mistake of ours are something else', () => {
  for (const code of ['23505', '42P01', '22021']) assert.ok(!isOutOfReach(answered(code)), code);
  assert.ok(!isOutOfReach(new TypeError('x is not a function')));
  assert.ok(!isOutOfReach('gone'));
});

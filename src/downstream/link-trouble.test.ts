/** Failures of links: they quote a server's words within a limit and without secrets, and describe the server. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '../base/errors.ts';
import { limits } from '../config/config.ts';
import { asTrouble, isRefusedInitialize, isWrongTransport } from './link-trouble.ts';

test('however long and hostile the words are, a sentence of them is made at once', () => {
  const before = process.cpuUsage();
  const { message } = asTrouble('far', new Error(`Bearer abcdefgh12345678 ${'eyJaaaaaaaa-'.repeat(500_000)}`));
  const { user, system } = process.cpuUsage(before);
  assert.match(message, /^Server "far" could not be connected: \*\*\* eyJ.*…$/);
  assert.ok(message.length < limits.serverWordsChars + 100);
  assert.ok(user + system < 1_000_000, `${user + system} µs`);
});

test('only 404 and 405 are signs of an old transport', () => {
  const status = (code: number) =>
    new GatewayError('SERVER_NOT_RUNNING', 'no', { data: { reason: 'status', status: code } });
  assert.deepEqual(
    [404, 405, 400].map((code) => isWrongTransport(status(code))),
    [true, true, false],
  );
  assert.equal(isWrongTransport(new Error('404')), false);
  assert.deepEqual([status(404), new Error('no')].map(isRefusedInitialize), [false, false]);
});

/** Errors around PostgreSQL: which of them say that it cannot be reached. A record that meets any other is given up. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOutOfReach, postgresTrouble } from './postgres-errors.ts';

const answered = (code: string) => Object.assign(new Error('no'), { severity: 'ERROR', code });
const failed = (code: string) => Object.assign(new Error(code), { syscall: 'write', code });

test('a database that did not answer, or has no connection for us, is out of reach', () => {
  for (const code of ['EPIPE', 'ECONNRESET', 'ECONNREFUSED', 'ENOTFOUND']) assert.ok(isOutOfReach(failed(code)), code);
  for (const code of ['57P01', '53300', '08006']) assert.ok(isOutOfReach(answered(code)), code);
  const driver = ['Connection terminated unexpectedly', 'timeout exceeded when trying to connect'];
  for (const message of [...driver, 'Client was closed and is not queryable'])
    assert.ok(isOutOfReach(new Error(message)), message);
});

test('a host that refuses at each of its addresses is out of reach, and the trouble says so', () => {
  const all = Object.assign(new AggregateError([failed('ECONNREFUSED'), failed('ECONNREFUSED')]), {
    code: 'ECONNREFUSED',
  });
  assert.ok(isOutOfReach(all));
  assert.match(String(postgresTrouble(all, 'postgres://db')), /cannot be reached \(ECONNREFUSED\)/);
  assert.ok(!isOutOfReach(new AggregateError([new TypeError('x is not a function')])));
});

test('a refused statement and a mistake of ours are something else', () => {
  for (const code of ['23505', '42P01', '22021']) assert.ok(!isOutOfReach(answered(code)), code);
  assert.ok(!isOutOfReach(new TypeError('x is not a function')));
  assert.ok(!isOutOfReach('gone'));
});

test('a password that was not given is told apart from a wrong one', () => {
  const none = new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string');
  assert.match(
    String(postgresTrouble(none, 'postgres://db')),
    /postgres:\/\/db requires a password, and none is set\.$/,
  );
  assert.match(String(postgresTrouble(answered('53100'), 'postgres://db')), /has no space left on its disk \(no\)\.$/);
  assert.match(String(postgresTrouble(answered('28P01'), 'postgres://db')), /refuses the password \(no\)\.$/);
  // PgBouncer's word for a start with settings that it does not pass on.
  assert.match(String(postgresTrouble(answered('08P01'), 'postgres://db')), /refuses a setting of the connection/);
});

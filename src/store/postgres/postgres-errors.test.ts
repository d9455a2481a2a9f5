/** Errors around PostgreSQL: which of them say that it cannot be reached, and which are its trouble at all. A record that meets any other is given up. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '../../base/errors.ts';
import { isMetByOther, isOutOfReach, postgresTrouble } from './postgres-errors.ts';

const answered = (code: string) => Object.assign(new Error('no'), { severity: 'ERROR', code });
const failed = (code: string) => Object.assign(new Error(code), { syscall: 'write', code });

test('a database that did not answer, or has no connection for us, is out of reach', () => {
  for (const code of ['EPIPE', 'ECONNRESET', 'ECONNREFUSED', 'ENOTFOUND']) assert.ok(isOutOfReach(failed(code)), code);
  for (const code of ['57P01', '53300', '08006', '25P03']) assert.ok(isOutOfReach(answered(code)), code);
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
  for (const thrown of ['gone', null, undefined, {}, { code: 7 }])
    assert.ok(!isOutOfReach(thrown) && !isMetByOther(thrown));
});

test('a bad row and a mistake of ours stay as they are; every other error is trouble of the store', () => {
  class OwnError extends Error {}
  const ours = [...['22021', '23505', '54000'].map(answered), new TypeError('x is not a function'), new OwnError('no')];
  for (const error of [...ours, new AggregateError([new RangeError()])])
    assert.equal(postgresTrouble(error, 'postgres://db'), error);
  const codeOf = (error: unknown) => {
    const trouble = postgresTrouble(error, 'postgres://db');
    return trouble instanceof GatewayError ? trouble.code : String(trouble);
  };
  for (const code of ['25P03', '58030', 'XX001', '42P01']) assert.equal(codeOf(answered(code)), 'STORE_BROKEN', code);
  const expired = Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' });
  for (const error of [expired, new Error('Query read timeout'), new Error('write after end')])
    assert.equal(codeOf(error), 'STORE_BROKEN', error.message);
  for (const code of ['40P01', '40001', '55P03']) assert.equal(codeOf(answered(code)), 'STORE_BUSY', code);
});

test('a password that was not given is told apart from a wrong one', () => {
  const none = new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string');
  assert.match(
    String(postgresTrouble(none, 'postgres://db')),
    /postgres:\/\/db requires a password, and none is set\.$/,
  );
  assert.match(String(postgresTrouble(answered('53100'), 'postgres://db')), /has no space left on its disk \(no\)\.$/);
  assert.match(String(postgresTrouble(answered('28P01'), 'postgres://db')), /refuses the password \(no\)\.$/);
});

test('a pooler that refuses a setting is told apart from a broken protocol, which has the same code', () => {
  const refused = Object.assign(answered('08P01'), { message: 'unsupported startup parameter: lock_timeout' });
  assert.match(String(postgresTrouble(refused, 'postgres://db')), /refuses a setting of the connection/);
  assert.match(String(postgresTrouble(answered('08P01'), 'postgres://db')), /cannot be reached \(no\)/);
});

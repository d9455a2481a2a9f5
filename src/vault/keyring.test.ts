/** The keyring of the system: asked in time, and whatever is wrong with it is an error, never a wait. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { limits } from '../config/config.ts';
import { systemKeyring } from './keyring.ts';

const never = () => new Promise<never>(() => {});

test('a keyring that waits for somebody is given up after its time', async () => {
  const clock = new ManualClock();
  const signals: AbortSignal[] = [];
  const entry = {
    getPassword: (signal: AbortSignal) => {
      signals.push(signal);
      return never();
    },
    setPassword: never,
    deletePassword: never,
  };
  const keyring = systemKeyring(clock, async () => entry);
  const acts = [keyring.read('a'), keyring.write('a', 'x'), keyring.remove('a')];
  const outcomes = Promise.allSettled(acts);
  await clock.advance(limits.keyringTimeoutMs);
  for (const outcome of await outcomes) {
    assert.equal(outcome.status, 'rejected');
    assert.match(String(outcome.status === 'rejected' && outcome.reason), /did not answer in time/);
  }
  assert.equal(signals[0]?.aborted, true);
  assert.deepEqual(clock.waits, []);
});

test('an answer comes through, and so does the want of the package', async () => {
  const clock = new ManualClock();
  const entry = { getPassword: async () => 'x', setPassword: async () => {}, deletePassword: async () => true };
  assert.equal(await systemKeyring(clock, async () => entry).read('a'), 'x');
  const missing = systemKeyring(clock, () => Promise.reject(new Error('Cannot find package')));
  await assert.rejects(missing.read('a'), /Cannot find package/);
  assert.deepEqual(clock.waits, []);
});

/** States of servers that agents bring back: good for one principal, one request and a while, and never in the clear. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { limits } from '../config/config.ts';
import { StateSeal } from './seal-state.ts';

const refusal = { code: -32602, message: /unknown or has expired/ };

test('a state comes back as it was, whatever is in it, and cannot be read meanwhile', () => {
  const seal = new StateSeal(new ManualClock());
  for (const state of [
    '',
    'plain',
    'ünï\u0000code 🦊',
    'x'.repeat(100_000),
    'toolcrib-state.AAAA',
    'toolcrib-call.AAAA',
  ]) {
    const sealed = seal.seal(state, 'me');
    assert.equal(seal.open(sealed, 'me'), state);
    assert.match(sealed, /^toolcrib-state\.[\w-]+$/);
    if (state.length > 3) assert.ok(!Buffer.from(sealed.slice(15), 'base64url').includes(state));
  }
});

test('a state of somebody else, of another gateway, changed or made up is refused in the same words', () => {
  const clock = new ManualClock();
  const seal = new StateSeal(clock);
  const sealed = seal.seal('state', 'me');
  assert.throws(() => seal.open(sealed, 'you'), refusal);
  assert.throws(() => new StateSeal(clock).open(sealed, 'me'), refusal);
  for (let at = 0; at < sealed.length; at += 1) {
    const changed = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`;
    assert.throws(() => seal.open(changed, 'me'), refusal);
  }
  for (const other of ['', 'state', 'toolcrib-state.', `${sealed}A`, `${sealed}=`, ` ${sealed}`, 7, null, {}, [sealed]])
    assert.throws(() => seal.open(other, 'me'), refusal, String(other));
});

test('a state is taken for a while', async () => {
  const clock = new ManualClock();
  const seal = new StateSeal(clock);
  const sealed = seal.seal('state', 'me');
  await clock.advance(limits.sealedStateTtlMs - 1);
  assert.equal(seal.open(sealed, 'me'), 'state');
  await clock.advance(1);
  assert.throws(() => seal.open(sealed, 'me'), refusal);
});

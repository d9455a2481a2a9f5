/** Tests of the keys of an issuer: asked for seldom, whatever strangers send, and used for a while when it is away. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JSONWebKeySet } from 'jose';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { makeKey, type SigningKey } from '../../../test/kit/token-issuer.ts';
import { GatewayError } from '../../base/errors.ts';
import { silentLog } from '../../base/log.ts';
import { limits } from '../../config/config.ts';
import { IssuerKeys } from './issuer-keys.ts';

async function openKeys() {
  const clock = new ManualClock();
  const first = await makeKey('first');
  const write = (key: SigningKey['publicJwk']) => key;
  const state = { keys: [first] as SigningKey[], write, isAway: false, asked: 0, lost: 0 };
  const keys = new IssuerKeys({
    load: async () => {
      state.asked += 1;
      if (state.isAway) throw new GatewayError('UNREACHABLE', 'The issuer is away.');
      return { keys: state.keys.map(({ publicJwk }) => state.write(publicJwk)) } as JSONWebKeySet;
    },
    onLost: () => {
      state.lost += 1;
    },
    clock,
    log: silentLog,
  });
  return { clock, keys, state, first };
}

test('keys are fetched once for everybody who waits, and again when they are no longer fresh, without anybody waiting', async () => {
  const { clock, keys, state } = await openKeys();
  await Promise.all([keys.current(), keys.current(), keys.current()]);
  assert.equal(state.asked, 1);
  await clock.advance(limits.issuerKeysFreshMs);
  await keys.current();
  assert.equal(state.asked, 1);
  await clock.advance(1);
  await keys.current();
  assert.equal(state.asked, 2);
});

test('a key that is not known is asked for, but not more often than the limit says', async () => {
  const { clock, keys, state } = await openKeys();
  const known = await keys.current();
  assert.equal(await keys.newer(known), undefined, 'they were fetched just now');
  await clock.advance(limits.issuerAskMs);
  const found = await Promise.all([keys.newer(known), keys.newer(known)]);
  assert.equal(state.asked, 2);
  assert.ok(found[0] !== undefined && found[0] === found[1]);
  assert.equal(await keys.newer(known), found[0], 'what is newer than the old ones is there already');
  for (let at = 0; at < 100; at += 1) assert.equal(await keys.newer(found[0]), undefined);
  assert.equal(state.asked, 2);
});

test('a key that is written in another way is the same key, and one for something else is another', async () => {
  const { clock, keys, state } = await openKeys();
  const renew = async () => {
    await clock.advance(limits.issuerAskMs);
    await keys.newer(await keys.current());
    return state.lost;
  };
  await keys.current();
  state.write = (key) => Object.fromEntries(Object.entries(key).reverse());
  assert.equal(await renew(), 0);
  state.write = (key) => ({ ...key, x5t: 'abc', exp: clock.now() });
  assert.equal(await renew(), 0);
  let lost = 0;
  for (const change of [{ kid: 'other' }, { alg: 'ES512' }, { use: 'enc' }, { x: 'AAAA' }]) {
    state.write = (key) => ({ ...key, ...change });
    lost += 1;
    assert.equal(await renew(), lost, JSON.stringify(change));
  }
  assert.equal(state.asked, 7);
});

test('while the issuer is away its keys are used for a while, and not for ever', async () => {
  const { clock, keys, state } = await openKeys();
  const known = await keys.current();
  state.isAway = true;
  await clock.advance(limits.issuerKeysStaleMs);
  assert.equal(await keys.current(), known);
  await clock.advance(limits.issuerAskMs);
  await assert.rejects(keys.current(), { code: 'UNREACHABLE' });
  const { asked } = state;
  for (let at = 0; at < 100; at += 1) await assert.rejects(keys.current(), { code: 'UNREACHABLE' });
  assert.equal(state.asked, asked, 'nobody asks again so soon after a failure');
  state.isAway = false;
  await clock.advance(limits.issuerAskMs);
  assert.notEqual(await keys.current(), known);
});

test('a key that is gone is told, a key that has come is not', async () => {
  const { clock, keys, state, first } = await openKeys();
  const known = await keys.current();
  const second = await makeKey('second');
  state.keys = [first, second];
  await clock.advance(limits.issuerAskMs);
  const both = await keys.newer(known);
  assert.equal(state.lost, 0);
  state.keys = [second];
  await clock.advance(limits.issuerAskMs);
  await keys.newer(both ?? known);
  assert.deepEqual([state.lost, keys.losses], [1, 1]);
});

test('an invalid key set is an error and leaves the known keys in use', async () => {
  const { clock, keys, state } = await openKeys();
  const known = await keys.current();
  state.keys = [{ publicJwk: undefined }] as unknown as SigningKey[];
  await clock.advance(limits.issuerAskMs);
  await assert.rejects(keys.newer(known), { code: 'UNREACHABLE' });
  assert.equal(await keys.current(), known);
});

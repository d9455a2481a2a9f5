/** Tests of signing in with a browser: a link works once and soon, a cookie as long as it is used and its principal may come in. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { limits } from '../config/config.ts';
import { BrowserSignIns } from './browser-sign-ins.ts';
import { everybody, type Principal } from './principal.ts';

function openSignIns() {
  const clock = new ManualClock();
  const gone = new Set<string>();
  const renew = (principal: Principal) => (gone.has(principal.id) ? undefined : principal);
  return { clock, gone, signIns: new BrowserSignIns({ clock, renew }) };
}

test('a link signs in once', () => {
  const { signIns } = openSignIns();
  const code = signIns.makeCode(everybody);
  const cookie = signIns.redeem(code);
  assert.ok(cookie !== undefined && cookie !== code);
  assert.equal(signIns.redeem(code), undefined);
  assert.equal(signIns.find(cookie)?.id, 'everybody');
  for (const wrong of ['', code, `${cookie}x`, cookie.slice(1)]) assert.equal(signIns.find(wrong), undefined);
});

test('a link is good for five minutes, whoever else asks for one meanwhile', async () => {
  const { signIns, clock } = openSignIns();
  const [early, late] = [signIns.makeCode(everybody), signIns.makeCode(everybody)];
  await clock.advance(limits.signInCodeMs - 1);
  assert.ok(signIns.redeem(early));
  await clock.advance(1);
  assert.equal(signIns.redeem(late), undefined);
});

test('of many links only the newest are good', () => {
  const { signIns } = openSignIns();
  const codes = Array.from({ length: limits.maxSignInCodes + 1 }, () => signIns.makeCode(everybody));
  assert.equal(signIns.redeem(codes[0] ?? ''), undefined);
  assert.ok(signIns.redeem(codes[1] ?? ''));
  assert.ok(signIns.redeem(codes.at(-1) ?? ''));
});

test('a browser stays signed in while it is used, but not for ever', async () => {
  const { signIns, clock } = openSignIns();
  const quiet = signIns.redeem(signIns.makeCode(everybody)) ?? '';
  const used = signIns.redeem(signIns.makeCode(everybody)) ?? '';
  for (let at = limits.browserIdleMs; at <= limits.browserMs; at += limits.browserIdleMs) {
    await clock.advance(limits.browserIdleMs);
    assert.ok(signIns.find(used));
  }
  assert.equal(signIns.find(quiet), undefined);
  await clock.advance(1);
  assert.equal(signIns.find(used), undefined);
});

test('a browser is signed out with its principal, or by itself', () => {
  const { signIns, gone } = openSignIns();
  const [one, two] = [
    signIns.redeem(signIns.makeCode(everybody)) ?? '',
    signIns.redeem(signIns.makeCode(everybody)) ?? '',
  ];
  const unused = signIns.makeCode(everybody);
  signIns.end(one);
  assert.equal(signIns.find(one), undefined);
  assert.ok(signIns.find(two));
  gone.add('everybody');
  assert.equal(signIns.find(two), undefined);
  assert.equal(signIns.redeem(unused), undefined);
});

test('where too many browsers are signed in, the one that was quiet longest is signed out', () => {
  const { signIns } = openSignIns();
  const cookies = Array.from({ length: limits.maxBrowsers }, () => signIns.redeem(signIns.makeCode(everybody)) ?? '');
  assert.ok(signIns.find(cookies[0] ?? ''));
  assert.ok(signIns.redeem(signIns.makeCode(everybody)));
  assert.ok(signIns.find(cookies[0] ?? ''));
  assert.equal(signIns.find(cookies[1] ?? ''), undefined);
});

/** Tests of signing in with a browser: a link is good once and soon, a cookie as long as it is used and its principal may come in. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { limits } from '../config/config.ts';
import { everybody, type Principal } from './principal.ts';
import { SignInBook } from './sign-in-book.ts';

function openBook() {
  const clock = new ManualClock();
  const gone = new Set<string>();
  const renew = (principal: Principal) => (gone.has(principal.id) ? undefined : principal);
  return { clock, gone, book: new SignInBook({ clock, renew }) };
}

test('a link signs in once', () => {
  const { book } = openBook();
  const code = book.makeCode(everybody);
  const cookie = book.redeem(code);
  assert.ok(cookie !== undefined && cookie !== code);
  assert.equal(book.redeem(code), undefined);
  assert.equal(book.find(cookie)?.id, 'everybody');
  for (const wrong of ['', code, `${cookie}x`, cookie.slice(1)]) assert.equal(book.find(wrong), undefined);
});

test('a link is good for five minutes, whoever else asks for one meanwhile', async () => {
  const { book, clock } = openBook();
  const [early, late] = [book.makeCode(everybody), book.makeCode(everybody)];
  await clock.advance(limits.signInCodeMs - 1);
  assert.ok(book.redeem(early));
  await clock.advance(1);
  assert.equal(book.redeem(late), undefined);
});

test('of many links only the newest are good', () => {
  const { book } = openBook();
  const codes = Array.from({ length: limits.maxSignInCodes + 1 }, () => book.makeCode(everybody));
  assert.equal(book.redeem(codes[0] ?? ''), undefined);
  assert.ok(book.redeem(codes[1] ?? ''));
  assert.ok(book.redeem(codes.at(-1) ?? ''));
});

test('a browser stays signed in while it is used, but not for ever', async () => {
  const { book, clock } = openBook();
  const quiet = book.redeem(book.makeCode(everybody)) ?? '';
  const used = book.redeem(book.makeCode(everybody)) ?? '';
  for (let at = limits.browserIdleMs; at <= limits.browserMs; at += limits.browserIdleMs) {
    await clock.advance(limits.browserIdleMs);
    assert.ok(book.find(used));
  }
  assert.equal(book.find(quiet), undefined);
  await clock.advance(1);
  assert.equal(book.find(used), undefined);
});

test('a browser is signed out with its principal, or by itself', () => {
  const { book, gone } = openBook();
  const [one, two] = [book.redeem(book.makeCode(everybody)) ?? '', book.redeem(book.makeCode(everybody)) ?? ''];
  const unused = book.makeCode(everybody);
  book.end(one);
  assert.equal(book.find(one), undefined);
  assert.ok(book.find(two));
  gone.add('everybody');
  assert.equal(book.find(two), undefined);
  assert.equal(book.redeem(unused), undefined);
});

test('where too many browsers are signed in, the one that was quiet longest is signed out', () => {
  const { book } = openBook();
  const cookies = Array.from({ length: limits.maxBrowsers }, () => book.redeem(book.makeCode(everybody)) ?? '');
  assert.ok(book.find(cookies[0] ?? ''));
  assert.ok(book.redeem(book.makeCode(everybody)));
  assert.ok(book.find(cookies[0] ?? ''));
  assert.equal(book.find(cookies[1] ?? ''), undefined);
});

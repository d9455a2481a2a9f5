/** Tests of signing in with a browser: a link works once and soon, a token as long as it is used and its principal may come in. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { silentLog } from '../base/log.ts';
import { limits } from '../config/config.ts';
import type { StoredBrowser } from '../store/store.ts';
import { type BrowserSignInOptions, BrowserSignIns, browserIdOf } from './browser-sign-ins.ts';
import { everybody, type Principal } from './principal.ts';

const owner: Principal = { ...everybody, id: 'owner' };

type SignerToken = NonNullable<ReturnType<BrowserSignInOptions['tokenOf']>>;

class FakeStore {
  readonly isShared = false;
  readonly rows = new Map<string, StoredBrowser>();
  isBroken = false;

  async listBrowsers(): Promise<StoredBrowser[]> {
    return [...this.rows.values()];
  }

  async saveBrowser(browser: StoredBrowser): Promise<void> {
    this.#check();
    this.rows.set(browser.digest, browser);
  }

  async removeBrowser(digest: string): Promise<void> {
    this.#check();
    this.rows.delete(digest);
  }

  #check(): void {
    if (this.isBroken) throw new Error('The store is broken.');
  }
}

function openSignIns({ store = new FakeStore(), clock = new ManualClock() } = {}) {
  const tokens = new Map<string, SignerToken>([['owner', { digest: Buffer.of(1), expiresAt: null }]]);
  const told: string[] = [];
  const warned: string[] = [];
  const signIns = new BrowserSignIns({
    store,
    clock,
    replica: null,
    log: { ...silentLog, warn: (message) => void warned.push(message) },
    renew: (principal) => (tokens.has(principal.id) ? principal : undefined),
    tokenOf: (principal) => tokens.get(principal),
    onChange: () => told.push('changed'),
  });
  const signIn = () => signIns.redeem(signIns.makeCode(owner))?.token ?? '';
  return { clock, store, tokens, told, warned, signIns, signIn };
}

test('a link signs in once', async () => {
  const { signIns, told } = openSignIns();
  const code = signIns.makeCode(owner);
  assert.equal(signIns.stateOf(code), 'waiting');
  const browser = signIns.redeem(code);
  assert.ok(browser && browser.token !== code);
  assert.equal(signIns.stateOf(code), 'used');
  assert.equal(signIns.redeem(code), undefined);
  const digest = signIns.use(browser.token)?.digest;
  assert.deepEqual([browser.principal.id, browser.principal.browser], ['owner', digest]);
  for (const wrong of ['', code, digest ?? '', `${browser.token}x`, browser.token.slice(1)])
    assert.equal(signIns.use(wrong), undefined);
  assert.deepEqual(told, ['changed']);
});

test('a link is good for five minutes, whoever else asks for one meanwhile', async () => {
  const { signIns, clock } = openSignIns();
  const [early, late] = [signIns.makeCode(owner), signIns.makeCode(owner)];
  await clock.advance(limits.signInCodeMs - 1);
  assert.ok(signIns.redeem(early));
  await clock.advance(1);
  assert.equal(signIns.redeem(late), undefined);
  assert.equal(signIns.stateOf(late), 'gone');
});

test('of many links only the newest are good', async () => {
  const { signIns } = openSignIns();
  const codes = Array.from({ length: limits.maxSignInCodes + 1 }, () => signIns.makeCode(owner));
  assert.equal(signIns.redeem(codes[0] ?? ''), undefined);
  assert.ok(signIns.redeem(codes[1] ?? ''));
  assert.ok(signIns.redeem(codes.at(-1) ?? ''));
});

test('a browser stays signed in while it is used, but not for ever', async () => {
  const { signIns, signIn, clock } = openSignIns();
  const [quiet, used] = [signIn(), signIn()];
  const step = limits.browserIdleMs - limits.tokenUseWriteMs;
  let at = 0;
  for (; at + step < limits.browserMs; at += step) {
    await clock.advance(step);
    assert.ok(signIns.use(used));
  }
  assert.equal(signIns.use(quiet), undefined);
  assert.equal(signIns.nextExpiry(clock.now()), clock.now() + limits.browserMs - at);
  await clock.advance(limits.browserMs - at);
  assert.equal(signIns.use(used), undefined);
  assert.equal(signIns.nextExpiry(clock.now()), null);
});

test('a browser that was signed in by a link of another one ends with the time of that one', async () => {
  const { signIns, clock } = openSignIns();
  const first = signIns.redeem(signIns.makeCode(owner));
  assert.ok(first);
  const endsAt = clock.now() + limits.browserMs;
  const step = limits.browserIdleMs - limits.tokenUseWriteMs;
  for (; clock.now() + step < endsAt; await clock.advance(step)) assert.ok(signIns.use(first.token));
  const second = signIns.redeem(signIns.makeCode(first.principal));
  assert.equal(second?.expiresAt, endsAt);
  await clock.advance(endsAt - clock.now());
  assert.equal(signIns.use(second?.token ?? ''), undefined);
});

test('a browser ends with the token that signed it in, and says so', async () => {
  const { signIns, tokens, clock } = openSignIns();
  const expiresAt = clock.now() + 60_000;
  tokens.set('owner', { digest: Buffer.of(1), expiresAt });
  const browser = signIns.redeem(signIns.makeCode(owner));
  assert.equal(browser?.expiresAt, expiresAt);
  await clock.advance(60_000);
  assert.equal(signIns.use(browser?.token ?? ''), undefined);
});

test('a browser is known after a restart, as long as it was before', async () => {
  const first = openSignIns();
  const token = await first.signIn();
  await first.clock.advance(limits.tokenUseWriteMs);
  const used = first.signIns.use(token);
  assert.equal(used?.expiresAt, first.clock.now() + limits.browserIdleMs);
  const second = openSignIns({ store: first.store, clock: first.clock });
  assert.equal(second.signIns.use(token), undefined);
  await second.signIns.read();
  assert.deepEqual(second.signIns.use(token), used);
});

test('a browser is signed out by itself, with its principal, or with another token in the place of the one that signed it in', async () => {
  const { signIns, signIn, tokens, store } = openSignIns();
  const [one, two] = [signIn(), signIn()];
  const unused = signIns.makeCode(owner);
  await signIns.end(signIns.use(one)?.digest ?? '');
  assert.deepEqual([signIns.use(one), store.rows.size], [undefined, 1]);
  tokens.set('owner', { digest: Buffer.of(2), expiresAt: null });
  assert.equal(signIns.use(two), undefined);
  tokens.delete('owner');
  assert.equal(signIns.use(two), undefined);
  assert.equal(signIns.redeem(unused), undefined);
});

test('browsers that are signed in are listed, the latest first, with their last use', async () => {
  const { signIns, signIn, clock } = openSignIns();
  const first = signIn();
  await clock.advance(limits.tokenUseWriteMs);
  const second = signIn();
  const times = () => signIns.list().map(({ madeAt, usedAt }) => [madeAt, usedAt].map((at) => clock.now() - at));
  const minute = limits.tokenUseWriteMs;
  assert.deepEqual(times(), [
    [0, 0],
    [minute, minute],
  ]);
  const used = signIns.use(first);
  assert.deepEqual(times(), [
    [0, 0],
    [minute, 0],
  ]);
  const ids = signIns.list().map(({ digest }) => browserIdOf(digest));
  assert.ok(ids.every((id) => /^[0-9a-f]{8}$/.test(id) && !used?.digest.includes(id)));
  await signIns.end(signIns.use(second)?.digest ?? '');
  assert.deepEqual(signIns.list(), [used]);
  await clock.advance(limits.browserIdleMs);
  assert.deepEqual(signIns.list(), []);
});

test('a sign-out that cannot be written counts now, and says that it may not last', async () => {
  const { signIns, signIn, store } = openSignIns();
  const token = signIn();
  store.isBroken = true;
  await assert.rejects(signIns.end(signIns.use(token)?.digest ?? ''));
  assert.equal(signIns.use(token), undefined);
});

test('a browser signs in also while the store refuses, and is written with its next use', async () => {
  const { signIns, signIn, store, clock, warned } = openSignIns();
  store.isBroken = true;
  const token = signIn();
  assert.ok(signIns.use(token));
  await clock.advance(limits.tokenUseWriteMs);
  assert.deepEqual([store.rows.size, warned.length], [0, 1]);
  store.isBroken = false;
  assert.deepEqual(signIns.use(token), [...store.rows.values()][0]);
});

test('where too many browsers are signed in, the one that was quiet longest is signed out', async () => {
  const { signIns, signIn, clock, store } = openSignIns();
  const tokens: string[] = [];
  while (tokens.length < limits.maxBrowsers) tokens.push(signIn());
  await clock.advance(limits.tokenUseWriteMs);
  assert.ok(signIns.use(tokens[0] ?? ''));
  assert.ok(signIn());
  assert.ok(signIns.use(tokens[0] ?? ''));
  assert.equal(signIns.use(tokens[1] ?? ''), undefined);
  assert.equal(store.rows.size, limits.maxBrowsers);
});

test('a slow read does not bring back a browser that has signed out meanwhile', async () => {
  const { signIns, store, signIn } = openSignIns();
  const token = signIn();
  const before = await store.listBrowsers();
  const slow = Promise.withResolvers<StoredBrowser[]>();
  store.listBrowsers = () => slow.promise;
  const reading = signIns.read();
  Reflect.deleteProperty(store, 'listBrowsers');
  await signIns.end(before[0]?.digest ?? '');
  slow.resolve(before);
  await reading;
  assert.equal(signIns.use(token), undefined);
});

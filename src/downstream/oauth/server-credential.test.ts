/** One credential for all links of a server: when it is renewed, what is kept first, and what is lost when things go wrong. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { soleReplica } from '../../../test/kit/sole-replica.ts';
import { final, hour, isTrouble, passing, recordAt, refused, setup, url } from '../../../test/kit/stored-sign-in.ts';
import { GatewayError } from '../../base/errors.ts';
import { silentLog } from '../../base/log.ts';
import { limits } from '../../config/config.ts';
import type { TokenGrant } from './issuer-requests.ts';
import { ServerCredential } from './server-credential.ts';

test('a stored credential is used, and at once from the second time on', async () => {
  const { credential, asked } = await setup();
  assert.equal(credential.ready, undefined);
  assert.equal(await credential.prepare(), 'Bearer a0');
  assert.equal(credential.ready, 'Bearer a0');
  assert.equal(credential.state, 'signed-in');
  assert.deepEqual(asked, []);
});

test('a token is renewed before it expires, once for everybody who waits', async () => {
  const { credential, clock, asked, kept } = await setup();
  await credential.prepare();
  await clock.advance(hour - limits.tokenMarginMs - 1);
  assert.equal(credential.ready, 'Bearer a0');
  await clock.advance(1);
  assert.equal(credential.ready, undefined);
  const all = await Promise.all(Array.from({ length: 100 }, () => credential.prepare()));
  assert.deepEqual([...new Set(all)], ['Bearer a1']);
  assert.deepEqual(asked, ['r0']);
  assert.equal((await kept())?.tokens?.refresh, 'r1');
});

test('after a refusal there is one renewal for all that were refused, and those that come late get its token', async () => {
  const { credential, asked } = await setup();
  await credential.prepare();
  const all = Array.from({ length: 100 }, () => credential.afterRefusal(refused('Bearer a0')));
  assert.deepEqual([...new Set(await Promise.all(all))], ['Bearer a1']);
  assert.equal(await credential.afterRefusal(refused('Bearer a0')), 'Bearer a1');
  assert.deepEqual(asked, ['r0']);
});

test('the new refresh token is kept before the new access token is used', async () => {
  const { credential, secrets, kept } = await setup();
  await credential.prepare();
  const { promise, resolve } = Promise.withResolvers<void>();
  secrets.onReplace = () => promise;
  const waiting = credential.afterRefusal(refused('Bearer a0'));
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  assert.equal(credential.ready, 'Bearer a0');
  resolve();
  assert.equal(await waiting, 'Bearer a1');
  assert.equal((await kept())?.tokens?.refresh, 'r1');
});

test('new tokens that could not be kept are not used, not lost, and not asked for a second time', async () => {
  const { credential, secrets, clock, asked, kept } = await setup();
  await credential.prepare();
  secrets.onReplace = () => Promise.reject(new GatewayError('STORE_BUSY', 'The disk is full.'));
  await assert.rejects(credential.afterRefusal(refused('Bearer a0')), /disk is full/);
  assert.equal(credential.ready, 'Bearer a0');
  secrets.onReplace = async () => {};
  await clock.advance(limits.renewalStepsMs[0] ?? 0);
  assert.equal(await credential.afterRefusal(refused('Bearer a0')), 'Bearer a1');
  assert.deepEqual(asked, ['r0']);
  assert.equal((await kept())?.tokens?.refresh, 'r1');
});

test('a renewal that fails for now keeps everything, and the next one waits longer', async () => {
  const { credential, clock, asked, answers, kept } = await setup();
  await credential.prepare();
  answers.push(passing, passing);
  await assert.rejects(credential.afterRefusal(refused('Bearer a0')), isTrouble('renewal'));
  // Until it is time, nobody is asked.
  await assert.rejects(credential.afterRefusal(refused('Bearer a0')), isTrouble('renewal'));
  assert.equal(asked.length, 1);
  await clock.advance(limits.renewalStepsMs[0] ?? 0);
  await assert.rejects(credential.afterRefusal(refused('Bearer a0')), isTrouble('renewal'));
  await clock.advance(limits.renewalStepsMs[0] ?? 0);
  await assert.rejects(credential.afterRefusal(refused('Bearer a0')), isTrouble('renewal'));
  assert.equal(asked.length, 2);
  assert.equal((await kept())?.tokens?.refresh, 'r0');
  await clock.advance(limits.renewalStepsMs[1] ?? 0);
  assert.equal(await credential.afterRefusal(refused('Bearer a0')), 'Bearer a3');
});

test('a renewal ahead of time that fails leaves the token in use while the server takes it', async () => {
  const { credential, clock, answers } = await setup();
  await credential.prepare();
  answers.push(passing);
  await clock.advance(hour - limits.tokenMarginMs);
  assert.equal(await credential.prepare(), 'Bearer a0');
});

test('a clear no ends the sign-in: the tokens go, the client stays, and it survives a restart', async () => {
  const { credential, answers, kept, clock } = await setup();
  await credential.prepare();
  answers.push(() => final());
  await assert.rejects(credential.afterRefusal(refused('Bearer a0')), (error: GatewayError) => {
    assert.match(error.message, /toolcrib auth far/);
    return isTrouble('sign-in')(error);
  });
  assert.equal(credential.state, 'needed');
  const after = await kept();
  assert.equal(after?.tokens, null);
  assert.equal(after?.client.redirectUri, 'http://127.0.0.1:1/x');
  // Nothing is sent while it is known that it would be refused, and now and then it is looked whether that is still so.
  await assert.rejects(credential.prepare(), isTrouble('sign-in'));
  await clock.advance(limits.signInRecheckMs);
  assert.equal(await credential.prepare(), null);
});

test('a client that is gone is not used for the next sign-in', async () => {
  const { credential, answers, kept } = await setup();
  await credential.prepare();
  answers.push(() => final(true));
  await assert.rejects(credential.afterRefusal(refused('Bearer a0')), isTrouble('sign-in'));
  assert.equal((await kept())?.client.redirectUri, null);
});

test('a token that is refused right after it was renewed needs a person', async () => {
  const { credential, asked, clock } = await setup();
  await credential.prepare();
  assert.equal(await credential.afterRefusal(refused('Bearer a0')), 'Bearer a1');
  await assert.rejects(credential.afterRefusal(refused('Bearer a1', true)), isTrouble('sign-in'));
  assert.deepEqual(asked, ['r0']);
  // Later the same token may be good again, and its refusal worth a renewal.
  await clock.advance(limits.signInRecheckMs);
  assert.equal(await credential.prepare(), 'Bearer a1');
  assert.equal(await credential.afterRefusal(refused('Bearer a1')), 'Bearer a2');
});

test('a lack of rights asks for a sign-in only while another one would ask for more', async () => {
  const { credential } = await setup();
  await credential.prepare();
  const lacking = (scope: string) =>
    credential.afterRefusal({
      status: 403,
      challenge: `Bearer error="insufficient_scope", scope="${scope}"`,
      sent: 'Bearer a0',
      isRepeated: false,
    });
  const isWorthwhile = (is: boolean) => (error: GatewayError) => error.data?.isSignInWorthwhile === is;
  await assert.rejects(lacking('write'), isWorthwhile(true));
  assert.equal(credential.state, 'more-rights');
  assert.deepEqual(credential.challenge?.scopes, ['write']);
  await assert.rejects(lacking('read'), isWorthwhile(false));
  // The link is none the worse for it.
  assert.equal(credential.ready, 'Bearer a0');
});

test('a refusal that speaks of nothing here is left to others', async () => {
  const { credential } = await setup();
  const plain = { status: 403, challenge: undefined, sent: null, isRepeated: false };
  assert.equal(await credential.afterRefusal(plain), undefined);
});

test('a token for another address of the same server is not used', async () => {
  const { credential } = await setup((now) => ({ ...recordAt(now), url: 'https://moved.example/mcp' }));
  assert.equal(await credential.prepare(), null);
  assert.equal(credential.state, 'none');
});

test('a sign-in that is made while the old one is being renewed wins', async () => {
  const { credential, answers, clock, kept } = await setup();
  await credential.prepare();
  const { promise, resolve } = Promise.withResolvers<TokenGrant>();
  answers.push(() => promise);
  const waiting = credential.afterRefusal(refused('Bearer a0'));
  await clock.advance(0);
  await credential.adopt(recordAt(clock.now(), { access: 'new', refresh: 'new' }));
  resolve({ accessToken: 'late', refreshToken: 'late', expiresInMs: hour, scopes: null });
  assert.equal(await waiting, 'Bearer new');
  assert.equal((await kept())?.tokens?.refresh, 'new');
});

test('tokens for another address are not taken', async () => {
  const { credential, clock, kept } = await setup();
  await assert.rejects(
    credential.adopt({ ...recordAt(clock.now()), url: 'https://evil.example/mcp' }),
    /another address/,
  );
  assert.equal(await credential.prepare(), 'Bearer a0');
  assert.equal((await kept())?.tokens?.access, 'a0');
});

test('a sign-out during a renewal stands, and the newest token is the one to revoke', async () => {
  const { credential, secrets, answers, clock, kept } = await setup();
  await credential.prepare();
  const answer = Promise.withResolvers<TokenGrant>();
  answers.push(() => answer.promise);
  const waiting = assert.rejects(credential.afterRefusal(refused('Bearer a0')), isTrouble('sign-in'));
  await clock.advance(0);
  const forgetting = credential.forget();
  // At once nothing is sent any more, and nothing new is asked for.
  assert.equal(await credential.prepare(), null);
  await assert.rejects(credential.afterRefusal(refused(null)), isTrouble('sign-in'));
  secrets.onReplace = () => new Promise((resolve) => setImmediate(resolve));
  answer.resolve({ accessToken: 'a1', refreshToken: 'r1', expiresInMs: hour, scopes: null });
  assert.equal((await forgetting)?.tokens?.refresh, 'r1');
  await waiting;
  assert.equal(await kept(), null);
  assert.equal(credential.state, 'none');
});

test('a credential that cannot be deleted stays as before', async () => {
  const { credential, secrets, kept } = await setup();
  await credential.prepare();
  secrets.onReplace = () => Promise.reject(new GatewayError('STORE_BUSY', 'The disk is full.'));
  await assert.rejects(credential.forget(), /disk is full/);
  assert.equal(credential.ready, 'Bearer a0');
  assert.equal((await kept())?.tokens?.refresh, 'r0');
});

test('a sign-in that is made while renewed tokens are being kept is what is kept in the end', async () => {
  const { credential, secrets, clock, kept } = await setup();
  await credential.prepare();
  const slow = Promise.withResolvers<void>();
  let writes = 0;
  // The first to be written is the last to arrive, unless they are written one after the other.
  secrets.onReplace = async () => {
    writes += 1;
    if (writes === 1) await slow.promise;
  };
  const waiting = credential.afterRefusal(refused('Bearer a0'));
  await clock.advance(0);
  const adopting = credential.adopt(recordAt(clock.now(), { access: 'new', refresh: 'new' }));
  await clock.advance(0);
  slow.resolve();
  await Promise.all([waiting, adopting]);
  assert.equal((await kept())?.tokens?.refresh, 'new');
  assert.equal(credential.ready, 'Bearer new');
});

test('a removed server gives what is to be revoked, even if its record is gone already', async () => {
  const { credential, stored } = await setup();
  await credential.prepare();
  await stored.remove('far');
  assert.equal((await credential.forget())?.tokens?.refresh, 'r0');
});

test('the successor of a name reads only after its predecessor has finished writing', async () => {
  const { stored, clock, asked } = await setup();
  const before = Promise.withResolvers<void>();
  const renew = async () => assert.fail(`asked ${asked.length}`);
  const next = new ServerCredential({
    ...{ server: 'far', url, hasHeaders: false, stored, replicas: soleReplica(clock), clock, log: silentLog, renew },
    after: before.promise,
  });
  const ready = next.prepare();
  await clock.advance(0);
  await stored.remove('far');
  before.resolve();
  assert.equal(await ready, null);
});

test('one that was retired is used to its end, and not renewed', async () => {
  const { credential, clock, asked } = await setup();
  await credential.prepare();
  await credential.retire();
  assert.equal(credential.ready, 'Bearer a0');
  await clock.advance(hour);
  assert.equal(await credential.prepare(), 'Bearer a0');
  await assert.rejects(credential.afterRefusal(refused('Bearer a0')), isTrouble('sign-in'));
  assert.deepEqual(asked, []);
});

test('a token that is said to expire at once is not renewed for every request', async () => {
  const { credential, answers, asked, clock } = await setup((now) => recordAt(now, { expiresAt: now }));
  const brief = async (): Promise<TokenGrant> => ({
    accessToken: 'b',
    refreshToken: null,
    expiresInMs: 0,
    scopes: null,
  });
  answers.push(brief, brief);
  for (let request = 0; request < 10; request += 1) assert.equal(await credential.prepare(), 'Bearer b');
  assert.deepEqual(asked, ['r0']);
  await clock.advance(limits.freshTokenMs);
  await credential.prepare();
  // None came with it, so that the old one is still the right one.
  assert.deepEqual(asked, ['r0', 'r0']);
});

test('a clock that jumps makes no token expire while the process runs', async () => {
  const { credential, clock } = await setup();
  await credential.prepare();
  const now = clock.now.bind(clock);
  clock.now = () => now() + 24 * hour;
  assert.equal(credential.ready, 'Bearer a0');
  clock.now = () => now() - 24 * hour;
  assert.equal(credential.ready, 'Bearer a0');
});

/** Tokens in use: renewed once for everybody, kept before they are used, and lost only where nothing else is possible. */

import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTestGateway } from '../kit/gateway.ts';
import { startIssuer } from '../kit/oauth-issuer.ts';
import { type OAuthSetup, openOAuthSetup } from '../kit/oauth-setup.ts';
import { eventually } from '../kit/processes.ts';
import { ShiftedClock } from '../kit/shifted-clock.ts';

/** The requests for tokens since a moment, by grant. */
function since({ issuer }: OAuthSetup, count: number): string[] {
  return issuer.tokenRequests.slice(count).map(({ grantType }) => grantType);
}

async function outcomeOf({ test: opened }: OAuthSetup): Promise<string> {
  const [listing] = await opened.gateway.admin.run('servers.refresh', { name: 'far' });
  return listing?.error ?? 'ok';
}

test('[OAUTH-11] a hundred calls on an expired token: one renewal, a hundred answers', async () => {
  await using setup = await openOAuthSetup({ server: { maxConcurrent: 100 } });
  await setup.signIn();
  setup.gate.expire();
  const before = setup.issuer.tokenRequests.length;
  const texts = Array.from({ length: 100 }, (_, index) => `number ${index}`);
  const results = await Promise.all(texts.map((text) => setup.call('echo', { text })));
  for (const [index, result] of results.entries())
    assert.match(JSON.stringify(result), new RegExp(`"number ${index}"`));
  assert.deepEqual(since(setup, before), ['refresh_token']);
  assert.equal(setup.issuer.tokenRequests.at(-1)?.resource, setup.gate.url);
});

test('[OAUTH-12] a token is renewed before it expires, so that nobody is refused', async () => {
  const clock = new ShiftedClock();
  await using setup = await openOAuthSetup({ clock, issuer: { accessTokenSeconds: 600 } });
  await setup.signIn();
  const refused = setup.gate.refused;
  const before = setup.issuer.tokenRequests.length;
  clock.shift(500_000);
  await setup.call('echo', { text: 'x' });
  assert.deepEqual(since(setup, before), []);
  clock.shift(50_000);
  await Promise.all(Array.from({ length: 20 }, () => setup.call('echo', { text: 'x' })));
  assert.deepEqual(since(setup, before), ['refresh_token']);
  assert.equal(setup.gate.refused, refused);
});

test('[OAUTH-13] a sign-in that was withdrawn needs a person, says so, and works again after one', async () => {
  await using setup = await openOAuthSetup();
  await setup.signIn();
  await setup.issuer.withdraw();
  setup.gate.expire();
  assert.match(await outcomeOf(setup), /toolcrib auth far/);
  assert.equal(await setup.state(), 'needed');
  const [row] = await setup.test.gateway.admin.run('servers.list', {});
  assert.equal(row?.state, 'failed');
  assert.equal(row?.reason, 'sign-in');
  // While that is known, nobody is bothered with requests that would be refused.
  const seen = setup.gate.seen.length;
  await outcomeOf(setup);
  assert.equal(setup.gate.seen.length, seen);
  await setup.signIn();
  await setup.call('echo', { text: 'x' });
  assert.equal(setup.issuer.registrations, 1);
});

test('[OAUTH-14] while the authorization server is away everything is kept, and it heals without a person', async () => {
  const clock = new ShiftedClock();
  await using setup = await openOAuthSetup({ clock });
  await setup.signIn();
  setup.issuer.misbehave('unavailable');
  setup.gate.expire();
  assert.match(await outcomeOf(setup), /could not be renewed: .*HTTP 503/);
  assert.equal(await setup.state(), 'signed-in');
  setup.issuer.misbehave('not');
  clock.shift(60_000);
  assert.equal(await outcomeOf(setup), 'ok');
  assert.equal(setup.issuer.tokenRequests.filter(({ grantType }) => grantType === 'authorization_code').length, 1);
});

test('[OAUTH-15] an answer that is cut off after the authorization server has rotated loses no more than it must', async () => {
  const clock = new ShiftedClock();
  await using setup = await openOAuthSetup({ clock, issuer: { accessTokenSeconds: 600 } });
  await setup.signIn();
  setup.issuer.misbehave('cut-after-answer');
  clock.shift(550_000);
  // The token that is there is still good, and goes on being used.
  assert.match(JSON.stringify(await setup.call('echo', { text: 'still here' })), /still here/);
  assert.equal(await setup.state(), 'signed-in');
  setup.issuer.misbehave('not');
  // This one takes a refresh token that comes back for a stolen one: only a person can help then, and hears so.
  const outcome = await eventually('the next renewal', async () => {
    // Beyond every pause between two tries. One of before may still be under way, and is shared by whoever asks.
    clock.shift(60_000);
    const said = await outcomeOf(setup);
    return said === 'ok' ? undefined : said;
  });
  assert.match(outcome, /toolcrib auth far/);
  assert.equal(await setup.state(), 'needed');
  await setup.signIn();
  await setup.call('echo', { text: 'x' });
});

test('[OAUTH-16] tokens survive a restart, cannot be read where they are kept, and are for one address only', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-oauth-'));
  try {
    await using setup = await openOAuthSetup({ dataDir });
    await setup.signIn();
    await setup.call('echo', { text: 'x' });
    const token = setup.gate.seen.at(-1)?.replace('Bearer ', '') ?? '';
    await assertNowhere(dataDir, token);
    assert.ok(setup.test.logged.every((line) => !line.includes(token)));
    await setup.test.gateway.close();
    await assertNowhere(dataDir, token);
    assert.equal((await stat(join(dataDir, 'secret-key'))).mode & 0o777, 0o600);
    const config = { access: { privateHosts: ['127.0.0.1'], keyring: 'off' } };
    const servers = { far: { url: setup.gate.url } };
    await using again = await openTestGateway({ dataDir, servers, config });
    const before = setup.issuer.tokenRequests.length;
    const [listing] = await again.gateway.admin.run('servers.refresh', { name: 'far' });
    assert.equal(listing?.error, null);
    assert.equal(setup.issuer.tokenRequests.length, before);
    assert.equal(setup.gate.seen.at(-1), `Bearer ${token}`);
    await again.gateway.close();
    // At another address under the same name, nothing of it is used.
    await using moved = await openTestGateway({ dataDir, servers: { far: { url: `${setup.gate.url}?x=1` } }, config });
    assert.equal((await moved.gateway.admin.run('servers.signIns', {}))[0]?.state, 'none');
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});

/** The bytes of every file below a folder are searched. */
async function assertNowhere(folder: string, secret: string): Promise<void> {
  assert.ok(secret.length > 20);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    assert.ok(!(await readFile(path)).includes(secret), path);
  }
}

test('[OAUTH-17] a server that moves to another authorization server gets nothing of what was agreed with the first', async () => {
  await using second = await startIssuer({ scopes: 'notes:read notes:write' });
  let hasMoved = false;
  await using setup: OAuthSetup = await openOAuthSetup({
    gate: { issuer: () => (hasMoved ? second : setup.issuer) },
  });
  await setup.signIn();
  await setup.call('echo', { text: 'x' });
  hasMoved = true;
  // A listing that is under way asked before.
  await eventually('it is refused', async () => /toolcrib auth far/.test(await outcomeOf(setup)) || undefined);
  await setup.signIn();
  await setup.call('echo', { text: 'x' });
  assert.equal(second.registrations, 1);
  const [first] = setup.issuer.tokenRequests;
  assert.ok(second.tokenRequests.every(({ client }) => client !== first?.client));
});

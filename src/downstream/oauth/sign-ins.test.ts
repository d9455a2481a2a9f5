/** Sign-ins that are under way: on another device, given up, replaced, or never finished; and where they may lead. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { MemorySecrets, plainSealer } from '../../../test/kit/memory-secrets.ts';
import { soleReplica } from '../../../test/kit/sole-replica.ts';
import { recordAt } from '../../../test/kit/stored-sign-in.ts';
import { silentLog } from '../../base/log.ts';
import { limits, parseServer } from '../../config/config.ts';
import { markIn } from './client-identity.ts';
import { ServerSignIns } from './sign-ins.ts';
import { StoredCredentials } from './stored-credentials.ts';

const person = { id: 'owner', name: 'owner' };

interface Issuer extends AsyncDisposable {
  readonly url: string;
  readonly paths: string[];
}

type Answer = (path: string, form: URLSearchParams, url: string) => unknown;

/** A server that is its own authorization server: `answer` gives a body, with `error` as a refusal; undefined is not found. */
async function startIssuer(answer: Answer): Promise<Issuer> {
  const paths: string[] = [];
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const path = request.url ?? '';
    paths.push(path);
    const found =
      path === '/.well-known/oauth-protected-resource/mcp'
        ? undefined
        : await answer(path, new URLSearchParams(body), url);
    const status =
      found === undefined ? 404 : typeof found === 'object' && found !== null && 'error' in found ? 400 : 200;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(found ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paths,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const metadata = (url: string) => ({
  issuer: url,
  authorization_endpoint: `${url}/authorize`,
  token_endpoint: `${url}/token`,
  registration_endpoint: `${url}/register`,
  device_authorization_endpoint: `${url}/device`,
  code_challenge_methods_supported: ['S256'],
  grant_types_supported: ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'],
  token_endpoint_auth_methods_supported: ['none'],
});

const device = {
  device_code: 'of-the-device',
  user_code: 'WDJB-MJHT',
  verification_uri: 'https://id.example/device',
  expires_in: 300,
  interval: 5,
};

function usual(path: string, url: string): unknown {
  if (path === '/.well-known/oauth-authorization-server') return metadata(url);
  if (path === '/register') return { client_id: 'registered' };
  return path === '/device' ? device : undefined;
}

function openHarness(address: string | null = 'http://0.0.0.0:3333', secrets = new MemorySecrets(), isShared = false) {
  const clock = new ManualClock();
  const warnings: string[] = [];
  const sole = soleReplica(clock);
  const config = () => ({ access: { privateHosts: [] }, oauth: { publicUrl: null, clientMetadataUrl: null } });
  const harness = new ServerSignIns({
    store: secrets,
    sealer: plainSealer,
    replicas: { isShared, inTurn: (work, act) => sole.inTurn(work, act) },
    clock,
    log: { ...silentLog, warn: (text) => void warnings.push(text) },
    // Only these settings are looked at.
    config: config as never,
    address: () => address,
  });
  return { clock, secrets, harness, warnings };
}

/** A visit of a browser that was sent to an address, with what it brings back. */
function visitTo(address: string, parameters: Record<string, string>) {
  const asked = new URL(address).searchParams;
  const mark = markIn(new URL(asked.get('redirect_uri') ?? '').pathname) ?? '';
  return { mark, parameters: new URLSearchParams({ state: asked.get('state') ?? '', ...parameters }) };
}

const markOf = (issuer: string) => createHash('sha256').update(issuer).digest('base64url').slice(0, 22);

const specAt = (url: string) => parseServer('far', { url: `${url}/mcp` }, {}, 'file');

test('a code for another device is asked about as slowly as the issuer wants, until it was entered', async () => {
  const answers: unknown[] = [
    { error: 'authorization_pending' },
    { error: 'slow_down' },
    { access_token: 'of-the-device-token', token_type: 'Bearer', expires_in: 60 },
  ];
  const forms: URLSearchParams[] = [];
  await using issuer = await startIssuer((path, form, url) => {
    if (path !== '/token') return usual(path, url);
    forms.push(form);
    return answers.shift();
  });
  // Nothing comes back to a device, so that nobody has to listen.
  const { harness, clock } = openHarness(null);
  const spec = specAt(issuer.url);
  const started = await harness.begin(spec, 'device', person);
  assert.equal(started.userCode, 'WDJB-MJHT');
  assert.equal(started.address, 'https://id.example/device');
  for (const waitMs of [5_000, 5_000, 10_000]) {
    await clock.awaited(waitMs);
    await clock.advance(waitMs);
  }
  assert.deepEqual(await harness.outcome(started.flow), { server: 'far', trouble: null });
  assert.equal(await harness.stateOf(spec), 'signed-in');
  assert.equal(forms.length, 3);
  assert.ok(forms.every((form) => form.get('resource') === `${issuer.url}/mcp`));
  await harness.close();
});

test('a clear no to a device ends the sign-in with its reason', async () => {
  await using issuer = await startIssuer((path, _form, url) =>
    path === '/token' ? { error: 'access_denied', error_description: 'no\u001b[31m thanks' } : usual(path, url),
  );
  const { harness, clock } = openHarness();
  const { flow } = await harness.begin(specAt(issuer.url), 'device', person);
  await clock.awaited(5_000);
  await clock.advance(5_000);
  const { trouble } = await harness.outcome(flow);
  assert.match(trouble?.message ?? '', /says access_denied: no\[31m thanks\./);
  await harness.close();
});

test('a sign-in that nobody finishes ends by itself, and can no longer be finished then', async () => {
  await using issuer = await startIssuer((path, _form, url) => usual(path, url));
  const { harness, clock } = openHarness();
  const { flow, address, expiresAt } = await harness.begin(specAt(issuer.url), 'browser', person);
  assert.equal(expiresAt, clock.now() + limits.signInTtlMs);
  const outcome = harness.outcome(flow);
  await clock.advance(limits.signInTtlMs);
  assert.match((await outcome).trouble?.message ?? '', /nobody finished it in time/);
  const state = new URL(address).searchParams.get('state') ?? '';
  await assert.rejects(harness.complete(visitTo(address, { state, code: 'x' })), /not known here/);
  assert.ok(!issuer.paths.includes('/token'));
});

test('the request of a sign-in holds what it must, and its address is on this machine whatever the gateway listens on', async () => {
  await using issuer = await startIssuer((path, _form, url) => usual(path, url));
  const { harness } = openHarness();
  const { address } = await harness.begin(specAt(issuer.url), 'browser', person);
  const { state, code_challenge, ...rest } = Object.fromEntries(new URL(address).searchParams);
  assert.match(`${state}`, /^[\w-]{43}$/);
  assert.match(`${code_challenge}`, /^[\w-]{43}$/);
  assert.deepEqual(rest, {
    response_type: 'code',
    client_id: 'registered',
    redirect_uri: `http://127.0.0.1:3333/oauth/callback/${markOf(issuer.url)}`,
    code_challenge_method: 'S256',
    resource: `${issuer.url}/mcp`,
  });
  const again = new URL((await harness.begin(specAt(issuer.url), 'browser', person)).address);
  assert.notEqual(again.searchParams.get('state'), state);
  await harness.close();
});

test('a callback that denies, or comes from another or an unknown issuer, is not redeemed', async () => {
  const isIssSent = { authorization_response_iss_parameter_supported: true };
  await using issuer = await startIssuer((path, _form, url) =>
    path === '/.well-known/oauth-authorization-server' ? { ...metadata(url), ...isIssSent } : usual(path, url),
  );
  const { harness } = openHarness();
  const answers: [Record<string, string>, RegExp][] = [
    [{ error: 'access_denied', iss: issuer.url }, /access was denied/],
    [{ code: 'x' }, /iss/],
    [{ code: 'x', iss: 'https://evil.example' }, /iss/],
    [{ code: 'x', iss: `${issuer.url}/` }, /iss/],
  ];
  for (const [parameters, why] of answers) {
    const { address } = await harness.begin(specAt(issuer.url), 'browser', person);
    const state = new URL(address).searchParams.get('state') ?? '';
    const end = await harness.complete(visitTo(address, { ...parameters, state }));
    assert.match(end.trouble?.message ?? '', why);
    // An answer counts only once.
    await assert.rejects(harness.complete(visitTo(address, { ...parameters, state })), /not known here/);
  }
  assert.ok(!issuer.paths.includes('/token'));
  await harness.close();
});

test('an issuer without PKCE, and a gateway that does not listen, make no sign-in', async () => {
  await using issuer = await startIssuer((path, _form, url) =>
    path === '/.well-known/oauth-authorization-server'
      ? { ...metadata(url), code_challenge_methods_supported: ['plain'] }
      : usual(path, url),
  );
  await assert.rejects(openHarness().harness.begin(specAt(issuer.url), 'browser', person), /PKCE/);
  await assert.rejects(openHarness(null).harness.begin(specAt(issuer.url), 'browser', person), /none is running/);
});

const token = { access_token: 'of-the-honest-one', token_type: 'Bearer', refresh_token: 'lasting', expires_in: 3600 };

function withTokens(path: string, url: string): unknown {
  if (path === '/.well-known/oauth-authorization-server')
    return { ...metadata(url), revocation_endpoint: `${url}/revoke` };
  if (path === '/revoke') return {};
  return path === '/token' ? token : usual(path, url);
}

test('a grant for one address never reaches another that has taken its name', async () => {
  await using issuer = await startIssuer((path, _form, url) => withTokens(path, url));
  await using evil = await startIssuer(() => ({}));
  for (const way of ['browser', 'device'] as const) {
    const { harness, secrets, clock } = openHarness();
    const started = await harness.begin(specAt(issuer.url), way, person);
    const outcome = harness.outcome(started.flow);
    // Its address is another one now, and its links ask for their credential.
    const credential = harness.credentialOf(specAt(evil.url));
    assert.equal(await credential?.prepare(), null);
    assert.match((await outcome).trouble?.message ?? '', /address of the server was changed/);
    if (way === 'browser')
      await assert.rejects(harness.complete(visitTo(started.address, { code: 'x' })), /not known here/);
    else await clock.advance(10_000);
    assert.equal(await credential?.prepare(), null);
    assert.equal(secrets.kept.size, 0);
    await harness.close();
  }
});

test('a sign-in that is redeemed while the address changes is of use at the old one only', async () => {
  const asked = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  await using issuer = await startIssuer(async (path, _form, url) => {
    if (path === '/token') {
      asked.resolve();
      await go.promise;
    }
    return withTokens(path, url);
  });
  await using evil = await startIssuer(() => ({}));
  const { harness } = openHarness();
  const { address } = await harness.begin(specAt(issuer.url), 'browser', person);
  const ending = harness.complete(visitTo(address, { code: 'x' }));
  await asked.promise;
  const credential = harness.credentialOf(specAt(evil.url));
  go.resolve();
  assert.match((await ending).trouble?.message ?? '', /address of the server was changed/);
  assert.equal(await credential?.prepare(), null);
  await harness.close();
});

test('a code that came by way of another authorization server is shown to nobody', async () => {
  const isIssSent = { authorization_response_iss_parameter_supported: true };
  await using unnamed = await startIssuer((path, _form, url) => withTokens(path, url));
  await using named = await startIssuer((path, _form, url) =>
    path === '/.well-known/oauth-authorization-server' ? { ...metadata(url), ...isIssSent } : withTokens(path, url),
  );
  const { harness } = openHarness();
  const honest = markOf('https://honest.example');
  for (const [issuer, marks] of [
    // As the browser would come back from an honest one with a client of ours there, or with one of the owner.
    [unnamed, ['', honest, `${markOf(unnamed.url)}x`]],
    [named, [honest, markOf(named.url)]],
  ] as const) {
    for (const mark of marks) {
      const { address } = await harness.begin(specAt(issuer.url), 'browser', person);
      const { parameters } = visitTo(address, { code: 'of the honest one' });
      const end = await harness.complete({ mark, parameters });
      assert.match(end.trouble?.message ?? '', /not sent back by the authorization server/, mark);
      // And there is no second try.
      await assert.rejects(harness.complete(visitTo(address, { code: 'x' })), /not known here/);
    }
    assert.ok(!issuer.paths.includes('/token'));
  }
  const { address } = await harness.begin(specAt(unnamed.url), 'browser', person);
  assert.equal((await harness.complete(visitTo(address, { code: 'x' }))).trouble, null);
  await harness.close();
});

test('a client of the owner comes back where the owner registered it, and goes to the issuer it is for alone', async () => {
  await using issuer = await startIssuer((path, _form, url) => withTokens(path, url));
  const withClient = (oauth: object) => parseServer('far', { url: `${issuer.url}/mcp`, oauth }, {}, 'file');
  const { harness } = openHarness();
  const client = { clientId: 'mine', clientSecret: 'of the owner' };
  await assert.rejects(harness.begin(withClient(client), 'browser', person), /does not say which authorization server/);
  const other = { ...client, issuer: 'https://honest.example' };
  await assert.rejects(harness.begin(withClient(other), 'browser', person), /is for "https:\/\/honest.example"/);
  const started = await harness.begin(withClient({ ...client, issuer: issuer.url }), 'browser', person);
  assert.equal(started.redirectUri, 'http://127.0.0.1:3333/oauth/callback');
  assert.equal(started.issuer, issuer.url);
  await harness.close();
});

test('the words of a stranger are fit to be shown', async () => {
  await using issuer = await startIssuer((path, _form, url) => withTokens(path, url));
  const { harness } = openHarness();
  const { address } = await harness.begin(specAt(issuer.url), 'browser', person);
  const error = 'no\u001b[31m\u202e\n Bearer abcdefghijklmnopqrstuvwxyz0123456789';
  const message = (await harness.complete(visitTo(address, { error }))).trouble?.message ?? '';
  assert.match(message, /authorization server says no/);
  assert.doesNotMatch(message, /[\u0000-\u001f\u202e]|abcdefgh/);
  await harness.close();
});

test('a removed server leaves nothing behind: not here, not at the issuer, not for another one of its name', async () => {
  await using issuer = await startIssuer((path, _form, url) => withTokens(path, url));
  const { harness, secrets } = openHarness();
  const spec = specAt(issuer.url);
  const { address } = await harness.begin(spec, 'browser', person);
  await harness.complete(visitTo(address, { code: 'x' }));
  const before = harness.credentialOf(spec);
  assert.equal(await before?.prepare(), 'Bearer of-the-honest-one');
  const begun = await harness.begin(spec, 'browser', person);
  const outcome = harness.outcome(begun.flow);
  harness.leave('far');
  assert.match((await outcome).trouble?.message ?? '', /the server was removed/);
  // Added again at once, with the same address.
  assert.notEqual(harness.credentialOf(spec), before);
  assert.equal(await harness.credentialOf(spec)?.prepare(), null);
  assert.equal(await harness.stateOf(spec), 'none');
  assert.equal(secrets.kept.size, 0);
  await harness.close();
  assert.equal(issuer.paths.filter((path) => path === '/revoke').length, 1);
});

test('a sign-in to a local server, or to one with a credential in its config, is refused', async () => {
  const { harness } = openHarness();
  const local = parseServer('far', { command: 'far' }, {}, 'file');
  const withKey = parseServer('far', { url: 'https://far.example/mcp', headers: { Authorization: 'x' } }, {}, 'file');
  assert.deepEqual([harness.credentialOf(local), harness.credentialOf(withKey)], [null, null]);
  await assert.rejects(harness.begin(local, 'browser', person), { code: 'USAGE', message: /started by a command/ });
  await assert.rejects(harness.begin(withKey, 'browser', person), { code: 'USAGE', message: /in its "headers"/ });
});

test('an expired token is renewed at its issuer', async () => {
  const renewed = { ...token, access_token: 'renewed' };
  await using issuer = await startIssuer((path, form, url) =>
    path === '/token' && form.get('grant_type') === 'refresh_token' ? renewed : withTokens(path, url),
  );
  const { harness, clock } = openHarness();
  const spec = specAt(issuer.url);
  const { address } = await harness.begin(spec, 'browser', person);
  await harness.complete(visitTo(address, { code: 'x' }));
  await clock.advance(3_600_000);
  assert.equal(await harness.credentialOf(spec)?.prepare(), 'Bearer renewed');
  await harness.close();
});

test('nothing is sent, or begun, where others could read it on the way', async () => {
  const { harness } = openHarness();
  const spec = parseServer('far', { url: 'http://mcp.example/mcp' }, {}, 'file');
  await assert.rejects(harness.begin(spec, 'browser', person), /reached by plain http/);
  assert.equal(await harness.stateOf(spec), null);
  const credential = harness.credentialOf(spec);
  assert.equal(credential?.ready, null);
  const refusal = { status: 401, challenge: 'Bearer', sent: null, isRepeated: false };
  await assert.rejects(credential?.afterRefusal(refusal) ?? Promise.resolve(), ({ hint }: { hint: string }) =>
    hint.includes('add "mcp.example" to "access.privateHosts"'),
  );
  // Without a word about signing in, it is no matter of it.
  assert.equal(await credential?.afterRefusal({ ...refusal, challenge: undefined }), undefined);
});

const strangerWith = (state: string) => ({ mark: '', parameters: new URLSearchParams({ state, code: 'x' }) });
const addressIsThere = 'http://0.0.0.0:3333';

test('with replicas, a state that nobody gave out costs one look, for its own name alone', async () => {
  await using issuer = await startIssuer((path, _form, url) => withTokens(path, url));
  const secrets = new MemorySecrets();
  const { harness } = openHarness(addressIsThere, secrets, true);
  const { harness: other } = openHarness(addressIsThere, secrets, true);
  const { address } = await harness.begin(specAt(issuer.url), 'browser', person);
  const looks: number[] = [];
  secrets.listSecrets = async (prefix) => {
    const found = await MemorySecrets.prototype.listSecrets.call(secrets, prefix);
    looks.push(found.length);
    return found;
  };
  await assert.rejects(other.complete(strangerWith('made-up')), /not known here/);
  assert.deepEqual(looks, [0]);
  assert.equal((await other.complete(visitTo(address, { code: 'x' }))).trouble, null);
  assert.equal(looks[1], 1);
  await harness.close();
  await other.close();
});

test('with replicas, a sign-in that was begun again cannot be finished by the earlier address', async () => {
  await using issuer = await startIssuer((path, _form, url) => withTokens(path, url));
  const secrets = new MemorySecrets();
  const { harness } = openHarness(addressIsThere, secrets, true);
  const { harness: other } = openHarness(addressIsThere, secrets, true);
  const earlier = await harness.begin(specAt(issuer.url), 'browser', person);
  const later = await other.begin(specAt(issuer.url), 'browser', person);
  await assert.rejects(harness.complete(visitTo(earlier.address, { code: 'x' })), /not known here/);
  assert.equal((await harness.complete(visitTo(later.address, { code: 'x' }))).trouble, null);
  await harness.close();
  await other.close();
});

test('with replicas, the end of a sign-in made elsewhere is told as soon as its tokens can be read', async () => {
  await using issuer = await startIssuer((path, _form, url) => withTokens(path, url));
  const secrets = new MemorySecrets();
  const { harness } = openHarness(addressIsThere, secrets, true);
  const { harness: other } = openHarness(addressIsThere, secrets, true);
  const spec = specAt(issuer.url);
  const { address, flow } = await harness.begin(spec, 'browser', person);
  assert.equal(await other.stateOf(spec), 'none');
  await other.lookElsewhere(flow);
  const outcome = other.outcome(flow);
  await harness.complete(visitTo(address, { code: 'x' }));
  // The end can be read, and the tokens cannot.
  secrets.listSecrets = async (prefix) => {
    if (prefix.startsWith('oauth/')) assert.fail('The store cannot be reached.');
    return MemorySecrets.prototype.listSecrets.call(secrets, prefix);
  };
  await assert.rejects(other.lookElsewhere(flow), /cannot be reached/);
  assert.equal(await Promise.race([outcome, 'it waits']), 'it waits');
  Reflect.deleteProperty(secrets, 'listSecrets');
  await other.lookElsewhere(flow);
  assert.deepEqual(await Promise.race([outcome, 'it waits']), { server: 'far', trouble: null });
  assert.equal(await other.stateOf(spec), 'signed-in');
  await harness.close();
  await other.close();
});

test('with replicas, whoever waits for a sign-in made elsewhere hears that its browser came back here', async () => {
  await using issuer = await startIssuer((path, _form, url) => withTokens(path, url));
  const secrets = new MemorySecrets();
  const { harness } = openHarness(addressIsThere, secrets, true);
  const { harness: other } = openHarness(addressIsThere, secrets, true);
  const { address, flow } = await harness.begin(specAt(issuer.url), 'browser', person);
  await other.lookElsewhere(flow);
  const outcome = other.outcome(flow);
  assert.equal((await other.complete(visitTo(address, { code: 'x' }))).trouble, null);
  assert.equal((await outcome).trouble, null);
  await harness.close();
  await other.close();
});

test('browsers that come back with made-up states wait in line for the store, and not without end', async () => {
  const secrets = new MemorySecrets();
  const { harness } = openHarness(addressIsThere, secrets, true);
  const slow = Promise.withResolvers<[]>();
  let looks = 0;
  secrets.listSecrets = () => {
    looks += 1;
    return slow.promise;
  };
  const most = limits.signInLooks + limits.signInLookQueue;
  const visits = Array.from({ length: most }, (_, at) => harness.complete(strangerWith(`made-up-${at}`)));
  await assert.rejects(harness.complete(strangerWith('one-more')), /Too many browsers/);
  assert.equal(looks, limits.signInLooks);
  slow.resolve([]);
  for (const visit of visits) await assert.rejects(visit, /not known here/);
  assert.equal(looks, most);
  await harness.close();
});

test('a sign-in elsewhere that cannot be unsealed is told once, and those to other servers are taken over', async () => {
  const { harness, secrets, warnings, clock } = openHarness(addressIsThere, new MemorySecrets(), true);
  await harness.open();
  const specs = ['far', 'near'].map((name) => parseServer(name, { url: `https://${name}.example/mcp` }, {}, 'file'));
  for (const spec of specs) assert.equal(await harness.stateOf(spec), 'none');
  const taken = new Promise((resolve) => harness.changed.on(resolve));
  const stored = new StoredCredentials({ store: secrets, sealer: plainSealer, log: silentLog, now: () => clock.now() });
  await stored.save('near', { ...recordAt(clock.now()), url: 'https://near.example/mcp' });
  const name = 'oauth/far/https://id.example';
  secrets.kept.set(name, { name, sealed: await plainSealer.seal('{}', 'another'), at: 1 });
  secrets.events.emit({ type: 'secrets', prefix: '', isOthers: true });
  assert.deepEqual(await taken, { server: 'near', graceMs: limits.drainGraceMs });
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(warnings, ['A sign-in that another gateway made is not used here']);
  assert.deepEqual(clock.waits, [], 'It is not read again.');
  await harness.close();
});

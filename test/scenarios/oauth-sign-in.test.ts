/** Signing in to a remote server, against a real authorization server: from the refusal to the call, and out again. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectAgent, KINDS } from '../kit/agents.ts';
import { openTestGateway } from '../kit/gateway.ts';
import { visit } from '../kit/oauth-browser.ts';
import { startGate } from '../kit/oauth-gate.ts';
import { openOAuthSetup } from '../kit/oauth-setup.ts';
import { openServer } from '../servers/hosted.ts';

test('[OAUTH-01] a server that wants a sign-in says so, works after it for agents of every kind, and the token is its own', async () => {
  await using setup = await openOAuthSetup();
  const { test: opened, gate, issuer } = setup;
  const { admin } = opened.gateway;
  await admin.run('servers.refresh', { name: 'far' });
  const [before] = await admin.run('servers.list', {});
  assert.equal(before?.state, 'failed');
  assert.equal(before?.reason, 'sign-in');
  assert.match(before?.lastError ?? '', /toolcrib auth far/);
  assert.equal(await setup.state(), 'needed');
  await setup.signIn();
  assert.equal(await setup.state(), 'signed-in');
  for (const kind of KINDS) {
    await using agent = await connectAgent(kind, `${opened.url}/servers/far/mcp?names=plain`, {
      headers: { ...opened.agentHeaders, cookie: 'canary=1', 'x-api-key': 'canary' },
    });
    assert.equal(await agent.say('echo', { text: 'hello' }), 'hello');
  }
  const token = opened.agentHeaders.authorization ?? '';
  assert.ok(!gate.seen.includes(token), 'the token of an agent reached the server');
  assert.equal(new Set(gate.seen.filter((header) => header !== undefined)).size, 1);
  assert.equal(issuer.registrations, 1);
  assert.equal(issuer.lastRegistration?.application_type, 'native');
  assert.deepEqual(
    issuer.tokenRequests.map(({ grantType, resource }) => [grantType, resource]),
    [['authorization_code', gate.url]],
  );
});

test('[OAUTH-02] a sign-in ends once: with its own state, in its own time, and never a second time', async () => {
  await using setup = await openOAuthSetup();
  const { admin } = setup.test.gateway;
  const callback = `${setup.test.url}/oauth/callback`;
  const started = await admin.run('servers.signIn', { name: 'far' });
  const back = await visit(started.address, callback);
  for (const wrong of ['', '?code=x', '?code=x&state=', '?code=x&state=guessed', `?code=x&state=a&state=b`]) {
    const answer = await visit(`${callback}${wrong}`);
    assert.equal(answer.status, 400, wrong);
    assert.match(answer.text, /not known here/);
  }
  const first = await visit(back.url);
  assert.equal(first.status, 200);
  assert.match(first.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  assert.equal(first.headers.get('referrer-policy'), 'no-referrer');
  assert.equal(first.headers.get('cache-control'), 'no-store');
  assert.doesNotMatch(first.text, /<script/i);
  assert.equal((await visit(back.url)).status, 400);
  assert.equal(setup.issuer.tokenRequests.length, 1);
  // One that was begun is over as soon as another one is.
  const old = await admin.run('servers.signIn', { name: 'far' });
  await admin.run('servers.signIn', { name: 'far' });
  await assert.rejects(admin.run('servers.signInEnd', { name: 'far', flow: old.flow }), /not known here/);
  assert.equal((await visit(old.address)).status, 400);
});

test('[OAUTH-03] without a browser here, the address that it ended at is pasted', async () => {
  await using setup = await openOAuthSetup({ servers: { other: { url: 'http://127.0.0.1:9/mcp' } } });
  const { admin } = setup.test.gateway;
  const { address, redirectUri } = await admin.run('servers.signIn', { name: 'far' });
  const { url } = await visit(address, redirectUri ?? '');
  // It belongs to the server it was begun for.
  await assert.rejects(admin.run('servers.finishSignIn', { name: 'other', address: url }), /not known here/);
  await assert.rejects(admin.run('servers.finishSignIn', { name: 'far', address: 'https://example.com/' }));
  const report = await admin.run('servers.finishSignIn', { name: 'far', address: ` ${url}\n` });
  assert.equal(report.state, 'done');
  await admin.run('servers.refresh', { name: 'far' });
  await setup.call('echo', { text: 'x' });
});

test('[OAUTH-04] a missing right is named, granted by another sign-in together with the existing ones, and then works', async () => {
  await using setup = await openOAuthSetup({ gate: { toolScopes: { echo: 'notes:write' } } });
  await setup.signIn();
  const refused = JSON.stringify(await setup.call('echo', { text: 'x' }).catch((error) => error.message));
  assert.match(refused, /notes:write/);
  assert.match(refused, /toolcrib auth far/);
  assert.equal(await setup.state(), 'more-rights');
  // The others work meanwhile.
  await setup.call('add', { a: 1, b: 2 });
  await setup.signIn();
  assert.equal(await setup.state(), 'signed-in');
  assert.match(JSON.stringify(await setup.call('echo', { text: 'granted' })), /granted/);
  await setup.call('add', { a: 1, b: 2 });
  assert.equal(setup.issuer.registrations, 1);
});

test('[OAUTH-05] a client of the owner is used instead of registering one', async () => {
  const redirect_uris = ['http://127.0.0.1/oauth/callback'];
  const client = {
    client_id: 'crib',
    client_secret: 'a-secret-of-the-owner',
    redirect_uris,
    application_type: 'native',
  };
  const own = { clientId: 'crib', clientSecret: 'a-secret-of-the-owner', scopes: ['notes:read'] };
  await using setup = await openOAuthSetup({
    issuer: { hasRegistration: false, clients: [{ ...client, grant_types: ['authorization_code', 'refresh_token'] }] },
    server: { oauth: own },
  });
  const { admin } = setup.test.gateway;
  // To whom it may be shown only its owner can say.
  await assert.rejects(admin.run('servers.signIn', { name: 'far' }), /does not say which authorization server/);
  const spec = { url: setup.gate.url, oauth: { ...own, issuer: setup.issuer.url } };
  await admin.run('servers.add', { name: 'told', spec });
  await setup.signIn('told');
  const told = { toolKey: 'told:echo', arguments: { text: 'x' } };
  assert.match(JSON.stringify(await admin.run('tools.call', told)), /"x"/);
  assert.equal(setup.issuer.registrations, 0);
});

test('[OAUTH-06] where nobody lets us register, it is said what the owner can do', async () => {
  await using setup = await openOAuthSetup({ issuer: { hasRegistration: false } });
  const started = setup.test.gateway.admin.run('servers.signIn', { name: 'far' });
  await assert.rejects(started, (error: { message: string; hint?: string }) => {
    assert.match(error.message, /does not let programs register/);
    assert.match(error.hint ?? '', /clientId.*/);
    return true;
  });
});

test('[OAUTH-07] signing out forgets the token, here and at the authorization server', async () => {
  await using setup = await openOAuthSetup();
  const { admin } = setup.test.gateway;
  await setup.signIn();
  await setup.call('echo', { text: 'x' });
  const token = setup.gate.seen.at(-1)?.replace('Bearer ', '') ?? '';
  assert.ok(await setup.issuer.check(token));
  assert.deepEqual(await admin.run('servers.signOut', { name: 'far' }), {
    name: 'far',
    wasSignedIn: true,
    isRevoked: true,
  });
  assert.equal(await setup.issuer.check(token), undefined);
  const [listing] = await admin.run('servers.refresh', { name: 'far', force: true });
  assert.match(listing?.error ?? '', /asks for a sign-in/);
  assert.equal(setup.gate.seen.at(-1), undefined);
  assert.deepEqual(await admin.run('servers.signOut', { name: 'far' }), {
    name: 'far',
    wasSignedIn: false,
    isRevoked: false,
  });
});

test('[OAUTH-31] a server that is removed takes its sign-in along, here and at the authorization server', async () => {
  await using setup = await openOAuthSetup();
  const { admin } = setup.test.gateway;
  const { gate, issuer } = setup;
  const added = { name: 'near', spec: { url: gate.url } };
  await admin.run('servers.add', added);
  await setup.signIn('near');
  await admin.run('tools.call', { toolKey: 'near:echo', arguments: { text: 'x' } });
  const token = gate.seen.at(-1)?.replace('Bearer ', '') ?? '';
  assert.ok(await issuer.check(token));
  await admin.run('servers.remove', { name: 'near' });
  const before = gate.seen.length;
  await admin.run('servers.add', added);
  assert.equal(await setup.state('near'), 'needed');
  assert.deepEqual([...new Set(gate.seen.slice(before))], [undefined]);
  while ((await issuer.check(token)) !== undefined) await new Promise((resolve) => setTimeout(resolve, 20));
});

test('[OAUTH-32] an answer counts only where the browser comes back to as it was asked to', async () => {
  await using setup = await openOAuthSetup();
  const { admin } = setup.test.gateway;
  const callback = `${setup.test.url}/oauth/callback`;
  const { address } = await admin.run('servers.signIn', { name: 'far' });
  const back = new URL((await visit(address, callback)).url);
  back.pathname += '/of-another-issuer';
  const answer = await visit(back.href);
  assert.equal(answer.status, 400);
  assert.match(answer.text, /not sent back by the authorization server/);
  assert.equal(setup.issuer.tokenRequests.length, 0);
  // By hand it is the same, and what says nothing about where it came back to is not enough.
  const again = await admin.run('servers.signIn', { name: 'far' });
  const { url } = await visit(again.address, callback);
  const bare = new URL(url).search;
  for (const pasted of [bare, bare.slice(1), 'https://example.com/'])
    await assert.rejects(
      admin.run('servers.finishSignIn', { name: 'far', address: pasted }),
      /not the address a sign-in/,
    );
  const moved = url.replace('/callback', '/callback/of-another-issuer');
  const report = await admin.run('servers.finishSignIn', { name: 'far', address: moved });
  assert.equal(report.state, 'failed');
  assert.equal(setup.issuer.tokenRequests.length, 0);
});

test("[OAUTH-08] one server's token never reaches another, not even one with the same issuer", async () => {
  await using server = await openServer({});
  await using setup = await openOAuthSetup();
  const { issuer, gate, test: opened } = setup;
  await using other = await startGate({ upstream: server.url, issuer: () => issuer, scope: 'notes:read' });
  const { admin } = opened.gateway;
  await admin.run('servers.add', { name: 'near', spec: { url: other.url } });
  await setup.signIn();
  await setup.call('echo', { text: 'x' });
  const [listing] = await admin.run('servers.refresh', { name: 'near', force: true });
  assert.match(listing?.error ?? '', /toolcrib auth near/);
  assert.deepEqual([...new Set(other.seen)], [undefined]);
  await setup.signIn('near');
  const [far, near] = [gate, other].map(({ seen }) => new Set(seen.filter((header) => header !== undefined)));
  assert.equal(near?.size, 1);
  assert.ok(near && far?.isDisjointFrom(near));
});

test("[OAUTH-10] the owner's own header wins, and oauth: false means never", async () => {
  await using server = await openServer({});
  await using setup = await openOAuthSetup({
    servers: { open: { url: server.url } },
    config: { access: { privateHosts: ['127.0.0.1'] }, connect: { maxRetries: 0 } },
  });
  const { admin } = setup.test.gateway;
  const { url } = setup.gate;
  await admin.run('servers.add', { name: 'keyed', spec: { url, headers: { AUTHORIZATION: 'Bearer of-the-owner' } } });
  await admin.run('servers.add', { name: 'never', spec: { url, oauth: false } });
  assert.deepEqual(new Set(setup.gate.seen), new Set(['Bearer of-the-owner', undefined]));
  await assert.rejects(admin.run('servers.signIn', { name: 'keyed' }), /"headers"/);
  await assert.rejects(admin.run('servers.signIn', { name: 'never' }), /"oauth": false/);
  await assert.rejects(admin.run('servers.signIn', { name: 'open' }), /does not ask for one/);
  const states = await admin.run('servers.signIns', {});
  assert.deepEqual(states.map(({ name }) => name).toSorted(), ['far', 'open']);
});

test('[OAUTH-09] the gateway describes itself to authorization servers where it has a public address, and only there', async () => {
  await using plain = await openTestGateway();
  assert.equal((await fetch(`${plain.url}/oauth/client.json`)).status, 404);
  await using known = await openTestGateway({ config: { oauth: { publicUrl: 'https://crib.example/' } } });
  const response = await fetch(`${known.url}/oauth/client.json`);
  assert.equal(response.headers.get('content-type'), 'application/json');
  assert.deepEqual(await response.json(), {
    client_id: 'https://crib.example/oauth/client.json',
    client_name: 'Toolcrib',
    client_uri: 'https://crib.example',
    redirect_uris: ['https://crib.example/oauth/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'web',
  });
});

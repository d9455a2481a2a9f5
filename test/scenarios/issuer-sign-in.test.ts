/** The whole way of an agent that knows nothing but a URL: refused, signed in at a real authorization server, let in. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auth } from '@modelcontextprotocol/client';
import { decodeJwt } from 'jose';
import { openTestGateway } from '../kit/gateway.ts';
import { startIssuer } from '../kit/oauth-issuer.ts';
import { connectSigning, redirectUrl, SigningClient } from '../kit/signing-client.ts';
import { hostedServer } from '../servers/hosted.ts';

/** A client that the issuer knows, and lets ask for anything. */
const registered = {
  client_id: 'registered',
  redirect_uris: [redirectUrl],
  token_endpoint_auth_method: 'none',
  application_type: 'native',
  grant_types: ['authorization_code', 'refresh_token'],
};
const scopes = 'toolcrib:use toolcrib:admin toolcrib:metrics';

async function openSetup() {
  await using parts = new AsyncDisposableStack();
  const issuer = parts.use(await startIssuer({ scopes, tokenFormat: 'jwt', listsScopes: true, clients: [registered] }));
  const test = parts.use(
    await openTestGateway({
      servers: { one: hostedServer({ name: 'one' }) },
      config: { access: { auth: 'oauth', oauth: { issuer: issuer.url } } },
    }),
  );
  // The tools of a server must be known before anybody searches, however busy the machine is.
  await test.gateway.admin.run('servers.refresh', {});
  const all = parts.move();
  return { issuer, test, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

test('[OAUTH-29] a client of either era finds the way in by itself, and its token is for this door alone', async () => {
  await using setup = await openSetup();
  const { issuer, test: opened } = setup;
  for (const isModern of [false, true]) {
    for (const path of ['/mcp', '/servers/one/mcp']) {
      const door = `${opened.url}${path}`;
      const provider = new SigningClient();
      const client = await connectSigning(provider, door, isModern);
      assert.ok((await client.listTools()).tools.length > 0);
      await client.close();
      const [sentTo] = provider.sentTo;
      assert.equal(sentTo?.searchParams.get('resource'), door);
      assert.deepEqual(wishes(provider), ['toolcrib:use']);
      const { iss, aud, scope } = decodeJwt(provider.tokens()?.access_token ?? '');
      assert.deepEqual([iss, aud, scope], [issuer.url, door, 'toolcrib:use']);
    }
  }
  assert.ok(issuer.tokenRequests.every(({ resource }) => resource?.startsWith(opened.url)));
});

test('[OAUTH-29] a client that lacks a scope is told which, asks for it besides what it has, and goes on', async () => {
  await using setup = await openSetup();
  const door = `${setup.test.url}/mcp`;
  for (const isModern of [false, true]) {
    const provider = new SigningClient({ client_id: registered.client_id, issuer: setup.issuer.url });
    assert.equal(await auth(provider, { serverUrl: door, scope: 'toolcrib:metrics' }), 'REDIRECT');
    const back = await provider.agree();
    await auth(provider, { serverUrl: door, authorizationCode: back.get('code') ?? '', iss: back.get('iss') ?? '' });
    assert.equal(decodeJwt(provider.tokens()?.access_token ?? '').scope, 'toolcrib:metrics');
    const client = await connectSigning(provider, door, isModern);
    assert.ok((await client.listTools()).tools.length > 0);
    await client.close();
    assert.deepEqual(wishes(provider), ['toolcrib:metrics', 'toolcrib:use']);
  }
});

/** The scopes of the gateway that the last sign-in asked for; clients ask for others besides. */
function wishes({ sentTo }: SigningClient): string[] {
  const asked = sentTo.at(-1)?.searchParams.get('scope')?.split(' ') ?? [];
  return asked.filter((scope) => scopes.includes(scope)).sort();
}

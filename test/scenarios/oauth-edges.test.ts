/** Signing in where somebody means harm, and by the command line. */

import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createListener } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { readLock } from '../../src/store/lock/lock.ts';
import { CliMachine } from '../kit/cli.ts';
import { openTestGateway } from '../kit/gateway.ts';
import { visit } from '../kit/oauth-browser.ts';
import { startGate } from '../kit/oauth-gate.ts';
import { startIssuer } from '../kit/oauth-issuer.ts';
import { allGone } from '../kit/processes.ts';
import { openServer } from '../servers/hosted.ts';

/** An address that nobody may be sent to; counts connections. */
async function startCanary() {
  const seen = { connections: 0 };
  const listener = createListener((socket) => {
    seen.connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => listener.listen(0, '::', resolve));
  const { port } = listener.address() as AddressInfo;
  const close = () => new Promise<void>((resolve) => listener.close(() => resolve()));
  return { seen, port, [Symbol.asyncDispose]: close };
}

interface Lies {
  /** In the challenge; the usual address by default. */
  readonly metadata?: string;
  readonly issuer?: string;
  /** Where a request for the resource metadata is sent on to. */
  readonly redirect?: string;
  /** Members of the metadata of the authorization server, which is the server itself. */
  readonly members?: Record<string, unknown>;
}

/** A server that wants a sign-in, with any metadata that a test wants. */
async function startLiar() {
  let lies: Lies = {};
  const server = createServer((request, response) => {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const json = (body: unknown) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.url === '/metadata') {
      if (lies.redirect !== undefined) return void sendOn(response, lies.redirect);
      return void json({ resource: `${origin}/mcp`, authorization_servers: [lies.issuer ?? origin] });
    }
    if (request.url === '/.well-known/oauth-authorization-server') {
      const facts = { authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token` };
      return void json({ issuer: origin, ...facts, code_challenge_methods_supported: ['S256'], ...lies.members });
    }
    const metadata = lies.metadata ?? `${origin}/metadata`;
    response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    lie: (next: Lies) => {
      lies = next;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function sendOn(response: ServerResponse, location: string): void {
  response.writeHead(302, { location }).end();
}

test('[OAUTH-18] a server cannot send the gateway, or the browser of its owner, where they must not go', async () => {
  await using canary = await startCanary();
  await using liar = await startLiar();
  await using opened = await openTestGateway({
    servers: { far: { url: liar.url } },
    config: { connect: { maxRetries: 0 } },
  });
  const { admin } = opened.gateway;
  const { port } = canary;
  const places = [
    ...[
      '127.0.0.1',
      'localhost',
      '[::1]',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      '[::ffff:127.0.0.1]',
    ].flatMap((host) => [`http://${host}:${port}`, `https://${host}:${port}`]),
    'http://169.254.169.254',
    'http://10.0.0.1',
    'http://192.168.0.1',
    'http://[fe80::1]',
    'http://[fd00::1]',
  ];
  for (const place of places) {
    const lies: Lies[] = [
      { metadata: `${place}/metadata` },
      { issuer: place },
      { redirect: `${place}/metadata` },
      { members: { registration_endpoint: `${place}/register` } },
    ];
    for (const lie of lies) {
      liar.lie(lie);
      await admin.run('servers.refresh', { name: 'far', force: true });
      await assert.rejects(admin.run('servers.signIn', { name: 'far' }), /failed/, JSON.stringify(lie));
    }
  }
  for (const odd of ['javascript:alert(1)', 'file:///etc/passwd', 'http://a$(touch P)', 'http://x/";calc', 'x:y']) {
    for (const member of ['authorization_endpoint', 'token_endpoint']) {
      liar.lie({ members: { [member]: odd } });
      await admin.run('servers.refresh', { name: 'far', force: true });
      await assert.rejects(admin.run('servers.signIn', { name: 'far' }), new RegExp(member), odd);
    }
  }
  assert.equal(canary.seen.connections, 0);
});

test('[OAUTH-19] by the command line: what to do is said, a gateway is started, and the sign-in is waited for', async () => {
  await using issuer = await startIssuer({ scopes: 'notes:read' });
  await using server = await openServer({});
  await using gate = await startGate({ upstream: server.url, issuer: () => issuer, scope: 'notes:read' });
  await using machine = await CliMachine.make();
  await mkdir(machine.dataDir, { recursive: true });
  const config = { access: { privateHosts: ['127.0.0.1'], keyring: 'off' } };
  await writeFile(join(machine.dataDir, 'toolcrib.json'), JSON.stringify(config));
  const added = await machine.run('add', 'far', gate.url);
  assert.equal(added.code, 1);
  assert.match(added.stderr, /asks for a sign-in\. Run: .*toolcrib auth far/);
  const signing = machine.launch(['auth', 'far', '--no-browser']);
  await signing.until(({ stderr }) => /https?:\S+\n/.test(stderr));
  const pid = (await readLock(machine.dataDir))?.pid ?? 0;
  try {
    const address = /https?:\S+/.exec(signing.printed.stderr)?.[0] ?? '';
    assert.match((await visit(address)).text, /signed in to the server far/);
    const { code, stdout, stderr } = await signing.ended;
    assert.equal(code, 0, stderr);
    assert.match(stdout, /Signed in to far, with \d+ tools/);
    assert.deepEqual((await machine.run('auth', '--json')).json(), [{ name: 'far', state: 'signed-in' }]);
    const out = await machine.run('auth', 'far', '--sign-out');
    assert.match(out.stdout, /forgotten and revoked/);
  } finally {
    process.kill(pid, 'SIGTERM');
    await allGone([pid]);
  }
});

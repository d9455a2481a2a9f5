/** Two gateways on one database let in the same people: at once, and no longer than they may, also while the database is unreachable. */

import assert from 'node:assert/strict';
import { idAt, randomId } from '../../src/base/ids.ts';
import { codeIn, postSignIn, signIn, signInLink } from '../kit/browser.ts';
import { CliMachine } from '../kit/cli.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { hostServers } from '../kit/planned-servers.ts';
import { postgresTest } from '../kit/postgres.ts';
import { eventually } from '../kit/processes.ts';
import { type Replica, replicaTest, withReplicas } from '../kit/replicas.ts';
import { TcpProxy } from '../kit/tcp-proxy.ts';

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** The answer to a question that every token may ask. */
const knock = ({ gateway }: Replica, token: string) =>
  fetch(`${gateway.url}/mcp`, {
    method: 'POST',
    headers: { ...bearer(token), 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: legacyHello }),
  });
const legacyHello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'knocker', version: '1' } };

const statusOf = async (replica: Replica, token: string) => {
  const response = await knock(replica, token);
  await response.body?.cancel();
  return response.status;
};

const isRefused = (replica: Replica, token: string) =>
  eventually('the token is refused', async () => (await statusOf(replica, token)) === 401 || undefined);

replicaTest('[REP-10] a token that one gateway made works at every other at once', { count: 3 }, async (replicas) => {
  for (const [at, maker] of replicas.entries()) {
    const { token } = await maker.admin.run('tokens.create', { name: `made-${at}` });
    const statuses = await Promise.all(replicas.map((replica) => statusOf(replica, token)));
    assert.deepEqual(statuses, [200, 200, 200]);
  }
});

replicaTest(
  '[REP-11] a token that one gateway revoked is refused at the other, and its streams end there',
  { servers: hostServers({ shop: {} }).servers },
  async ([one, other]) => {
    const { token } = await one.admin.run('tokens.create', { name: 'ann' });
    const agent = new ModernAgent({ url: other.gateway.url, agentHeaders: bearer(token) });
    const stream = await agent.listen();
    await one.admin.run('tokens.revoke', { name: 'ann' });
    await isRefused(other, token);
    await stream.ended;
    // The other way round, in a project that was made there.
    await other.admin.run('projects.create', { name: 'till', servers: ['shop'] });
    const made = await other.admin.run('tokens.create', { name: 'ben', project: 'till' });
    assert.equal(await statusOf(one, made.token), 200);
    await eventually(
      'the project is here',
      async () => (await one.admin.run('projects.list', {}))[0]?.name === 'till' || undefined,
    );
    await other.admin.run('tokens.revoke', { name: 'ben' });
    await isRefused(one, made.token);
  },
);

replicaTest(
  '[REP-10] an approval for always that was given at one gateway holds at the other at once',
  {
    servers: hostServers({ shop: { entry: { permissions: { echo: 'ask' } } } }).servers,
    config: { access: { askBy: ['owner'] } },
  },
  async ([one, other]) => {
    const { token } = await one.admin.run('tokens.create', { name: 'ann' });
    const agentAt = (replica: Replica) => new ModernAgent({ url: replica.gateway.url, agentHeaders: bearer(token) });
    assert.equal((await agentAt(one).call('shop.echo', { text: 'now' })).errorType, 'APPROVAL_NEEDED');
    const [waiting] = await one.admin.run('approvals.list', {});
    await one.admin.run('approvals.answer', { id: waiting?.id ?? '', answer: 'always' });
    assert.equal(await agentAt(other).say('shop.echo', { text: 'here too' }), 'here too');
  },
);

replicaTest(
  '[REP-08] a browser that signed in at one gateway is known at the other, until it signs out there',
  {},
  async ([one, other]) => {
    const { token } = await one.admin.run('tokens.create', { name: 'ann', scopes: ['admin'] });
    const browser = await signIn(one.gateway, bearer(token));
    const ask = (replica: Replica, path: string) =>
      fetch(`${replica.gateway.url}${path}`, {
        method: 'POST',
        headers: { ...browser, 'content-type': 'application/json' },
        body: '{}',
      });
    for (const replica of [one, other]) assert.equal((await ask(replica, '/api/browsers.list')).status, 200);
    assert.equal((await ask(other, '/sign-out')).status, 204);
    await eventually(
      'it is signed out',
      async () => (await ask(one, '/api/browsers.list')).status === 401 || undefined,
    );
  },
);

replicaTest('[REP-08] a link that one gateway made signs a browser in at any other, once', {}, async ([one, other]) => {
  const code = codeIn(await signInLink(one.gateway));
  assert.equal((await postSignIn(other.gateway, { code }, { origin: 'https://page.example' })).status, 403);
  const signedIn = await postSignIn(other.gateway, { code });
  assert.equal(signedIn.status, 200);
  const { token } = (await signedIn.json()) as { token: string };
  for (const { gateway } of [one, other]) {
    const listed = await fetch(`${gateway.url}/api/browsers.list`, {
      method: 'POST',
      headers: { ...bearer(token), 'content-type': 'application/json' },
      body: '{}',
    });
    assert.equal(listed.status, 200);
    assert.equal((await postSignIn(gateway, { code })).status, 401);
  }
});

const probes = async ({ gateway }: Replica) => ({
  healthz: (await fetch(`${gateway.url}/healthz`)).status,
  readyz: (await fetch(`${gateway.url}/readyz`)).status,
});

/** The gateway behind the wire, and one that reaches the database directly. */
function awayTest(
  title: string,
  act: (away: Replica, near: Replica, wire: TcpProxy) => Promise<void>,
  cacheMs: number,
): void {
  postgresTest(title, async (url) => {
    await using wire = await TcpProxy.to(url);
    const through = new URL(url);
    through.port = new URL(wire.url).port;
    const { servers } = hostServers({ shop: {} });
    const options = { urls: [through.href, url], config: { access: { cacheMs } }, servers };
    await withReplicas(url, options, ([away, near]) => act(away, near, wire));
  });
}

awayTest(
  '[REP-12] while the database is unreachable, tokens count for access.cacheMs, then requests get 503 until it is back',
  async (away, near, wire) => {
    const { token } = await near.admin.run('tokens.create', { name: 'ann' });
    const kept = await near.admin.run('tokens.create', { name: 'ben' });
    assert.deepEqual([await statusOf(away, token), await statusOf(away, kept.token)], [200, 200]);
    await wire.close();
    const refused = await eventually('requests are refused', async () => {
      const response = await knock(away, token);
      if (response.status === 503) return response;
      assert.equal(response.status, 200);
      return undefined;
    });
    assert.match(await refused.text(), /store is unreachable/);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.equal(await statusOf(away, away.gateway.gateway.tokens.owner), 200, 'the owner of the folder can look why');
    await using machine = await CliMachine.make();
    const here = { env: { TOOLCRIB_DATA: away.gateway.dataDir } };
    const shown = await machine.launch(['status'], here).ended;
    assert.equal(shown.code, 0, shown.stderr);
    assert.match(shown.stdout, /is running \(process \d+\).*The store .* cannot be reached .*toolcrib doctor/s);
    const listed = (await machine.launch(['list', '--json'], here).ended).json<{ name: string }[]>();
    assert.deepEqual(
      listed.map(({ name }) => name),
      ['shop'],
    );
    assert.deepEqual(await probes(away), { healthz: 200, readyz: 503 });
    assert.deepEqual(await probes(near), { healthz: 200, readyz: 200 });
    await near.admin.run('tokens.revoke', { name: 'ann' });
    await wire.open();
    await eventually(
      'the gateway lets people in again',
      async () => (await statusOf(away, kept.token)) === 200 || undefined,
    );
    assert.equal(await statusOf(away, token), 401, 'what was revoked meanwhile is revoked here');
    assert.deepEqual(await probes(away), { healthz: 200, readyz: 200 });
  },
  // Long enough for the reads of a busy machine.
  3_000,
);

awayTest(
  '[REP-12] within access.cacheMs a gateway without its database answers those that it knows',
  async (away, near, wire) => {
    const { token } = await near.admin.run('tokens.create', { name: 'ann' });
    assert.equal(await statusOf(away, token), 200);
    await eventually('both know its tools', async () => (await away.agent.tools()).includes('shop.echo') || undefined);
    await wire.close();
    const unknown = await near.admin.run('tokens.create', { name: 'ben' });
    await eventually('it has noticed', async () => (await statusOf(away, unknown.token)) === 503 || undefined);
    assert.equal(await statusOf(away, token), 200);
    assert.equal(await away.agent.say('shop.echo', { text: 'without it' }), 'without it');
    assert.deepEqual(await probes(away), { healthz: 200, readyz: 200 });
    // Nobody can say whether such a replica is there: its session may live.
    const elsewhere = { ...bearer(token), 'mcp-session-id': idAt(randomId()), accept: 'text/event-stream' };
    const answer = await fetch(`${away.gateway.url}/mcp`, { headers: elsewhere });
    assert.deepEqual([answer.status, Number(answer.headers.get('retry-after')) > 0], [503, true]);
    await wire.open();
    await eventually('it asks again', async () => (await statusOf(away, unknown.token)) === 200 || undefined);
  },
  600_000,
);

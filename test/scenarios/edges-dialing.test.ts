/** The gateway dials only addresses that the owner meant, for any requester, and with headers of its own alone. */

import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { GatewayError } from '../../src/base/errors.ts';
import { connectAgent, KINDS } from '../kit/agents.ts';
import { openTestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { openServer } from '../servers/hosted.ts';

const quick = { connect: { maxRetries: 0, timeoutMs: 30_000 } };

/** Notes everybody who connects. */
class Canary implements AsyncDisposable {
  readonly #server;
  hits = 0;

  private constructor(answer: RequestListener) {
    this.#server = createServer(answer);
    this.#server.on('connection', () => {
      this.hits += 1;
    });
  }

  static async open(answer: RequestListener = (_request, response) => response.end('{}')): Promise<Canary> {
    const canary = new Canary(answer);
    await new Promise<void>((resolve) => canary.#server.listen(0, '127.0.0.1', resolve));
    return canary;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

async function stateOf(url: string, more: Record<string, unknown> = {}): Promise<{ error: string; state: string }> {
  await using gateway = await openTestGateway({ servers: { far: { url } }, config: { ...quick, ...more } });
  await gateway.gateway.admin.run('servers.refresh', { name: 'far', force: true, once: true });
  const [row] = await gateway.gateway.admin.run('servers.list', {});
  return { error: row?.lastError ?? '', state: row?.state ?? '' };
}

test('[EDGE-05] link-local, unspecified and multicast addresses are not dialled unless the owner lists them', async () => {
  const near = ['169.254.169.254', '[fe80::1]', '0.0.0.0', '[::]', '224.0.0.1', '255.255.255.255', '[fd00:ec2::254]'];
  for (const host of [...near, '100.100.100.200', '[64:ff9b::a9fe:a9fe]', '[2002:7f00:1::]']) {
    const { error, state } = await stateOf(`http://${host}/mcp`);
    assert.match(error, /was not contacted; to allow it, add ".+" to "access\.privateHosts"/, host);
    assert.equal(state, 'failed');
  }
  await using server = await openServer({});
  const unspecified = server.url.replace('127.0.0.1', '0.0.0.0');
  assert.match((await stateOf(unspecified)).error, /was not contacted/);
  assert.equal((await stateOf(unspecified, { access: { privateHosts: ['0.0.0.0'] } })).state, 'connected');
});

test('[EDGE-05] odd spellings of addresses are refused in every URL of the config, with the plain one', async () => {
  await using canary = await Canary.open();
  const { port } = canary;
  const hosts = ['2130706433', '0x7f000001', '0177.0.0.1', '127.1', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]'];
  for (const host of hosts) {
    const url = `http://${host}:${port}/mcp`;
    for (const [servers, config] of [
      [{ far: { url } }, {}],
      [{}, { search: { embedding: { baseUrl: url } } }],
      [{}, { search: { cloud: { url } } }],
      [{}, { llm: { baseUrl: url } }],
      [{}, { telemetry: { otlpUrl: url } }],
    ] as const) {
      await assert.rejects(openTestGateway({ servers, config }), (error) => {
        assert.ok(error instanceof GatewayError && error.code === 'CONFIG_INVALID');
        assert.match(error.message, /plainly, as 127\.0\.0\.1/, `${host} ${JSON.stringify(config)}`);
        return true;
      });
    }
    await using gateway = await openTestGateway();
    await assert.rejects(gateway.gateway.admin.run('servers.add', { name: 'far', spec: { url } }), /as 127\.0\.0\.1/);
  }
  assert.equal(canary.hits, 0);
});

test('[EDGE-05] services that the config names are held to the same rule', async () => {
  const baseUrl = 'http://169.254.169.254/v1';
  const config = { search: { mode: 'cloud', cloud: { url: baseUrl }, embedding: { provider: 'openai', baseUrl } } };
  await using server = await openServer({});
  await using gateway = await openTestGateway({ servers: { far: { url: server.url } }, config });
  await new ModernAgent(gateway).tools();
  await gateway.gateway.admin.run('tools.search', { query: ['add numbers'] });
  const { problems } = await gateway.gateway.admin.run('search.status', {});
  assert.match(problems.join('\n'), /cloud search.*169\.254\.169\.254 is an address that is not meant for servers/);
});

test('[EDGE-06] neither a redirect nor the address of an old server leads anywhere else', async () => {
  await using canary = await Canary.open();
  const { port } = canary;
  for (const location of [`http://127.0.0.1:${port}/x`, `http://localhost:${port}/x`, 'http://169.254.169.254/x']) {
    await using redirecting = await Canary.open((_request, response) => response.writeHead(302, { location }).end());
    assert.match((await stateOf(`http://127.0.0.1:${redirecting.port}/mcp`)).error, /redirect \(HTTP 302\)/);
    await using old = await Canary.open((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`event: endpoint\ndata: ${location}\n\n`);
    });
    await using gateway = await openTestGateway({
      servers: {
        far: { url: `http://127.0.0.1:${old.port}/sse`, type: 'sse', headers: { Authorization: 'Bearer mine' } },
      },
      config: quick,
    });
    await gateway.gateway.admin.run('servers.refresh', { name: 'far', force: true, once: true });
    const [row] = await gateway.gateway.admin.run('servers.list', {});
    assert.match(row?.lastError ?? '', /wants its messages sent to another place/);
  }
  assert.equal(canary.hits, 0);
});

test('[EDGE-06] the answer of an address that is not a server is not repeated', async () => {
  await using secretive = await Canary.open((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end('canary-of-a-private-service');
  });
  const { error } = await stateOf(`http://127.0.0.1:${secretive.port}/mcp`);
  assert.match(error, /is not JSON/);
  assert.ok(!error.includes('canary'), error);
});

for (const kind of KINDS) {
  test(`[EDGE-07] no header of an agent crosses to a server, and each server gets its own alone (${kind})`, async () => {
    await using one = await openServer({ bearer: 'of-one' });
    await using two = await openServer({ bearer: 'of-two' });
    await using gateway = await openTestGateway({
      servers: {
        one: { url: one.url, headers: { Authorization: 'Bearer of-one', 'X-One': '1' } },
        two: { url: two.url, headers: { Authorization: 'Bearer of-two' } },
      },
    });
    const planted = {
      cookie: 'session=canary-cookie',
      'proxy-authorization': 'Basic canary-proxy',
      'x-api-key': 'canary-key',
      'x-mcp-auth': 'canary-auth',
      'x-forwarded-for': 'canary-forwarded',
      'user-agent': 'canary-agent',
      'mcp-param-other': 'canary-param',
    };
    const headers = { ...planted, ...gateway.agentHeaders };
    await using agent = await connectAgent(kind, `${gateway.url}/mcp?surface=direct`, { headers });
    const [atOne, atTwo] = [await agent.say('one.headers'), await agent.say('two.headers')];
    assert.doesNotMatch(`${atOne}${atTwo}`, /canary/);
    const token = gateway.agentHeaders.authorization ?? '';
    assert.ok(!`${atOne}${atTwo}`.includes(token.slice(7)), 'the token of the agent');
    assert.match(atOne, /of-one/);
    assert.match(atTwo, /of-two/);
    assert.doesNotMatch(atTwo, /of-one|x-one/i);
  });
}

/** Bodies that come long after their heads: by then rights may be others, and nobody may have named themselves yet. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { limits } from '../../src/config/config.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { askModern, RawSession } from '../kit/hand-made.ts';
import { HANG_MS } from '../kit/processes.ts';
import { openSocket } from '../kit/raw-http.ts';
import { makeToken, type TestToken } from '../kit/tokens.ts';
import { hostedServer } from '../servers/hosted.ts';
import { newJournal, readJournal, waitForEntry } from '../servers/launch.ts';
import { META, MODERN_VERSION } from '../servers/rpc.ts';

const DOOR = '/servers/one/mcp?names=plain';
const add = { name: 'add', arguments: { a: 40, b: 2 } };
const journal = newJournal();

let gateway: TestGateway;
before(async () => {
  gateway = await openTestGateway({ servers: { one: hostedServer({ name: 'one', journal }) } });
  await gateway.gateway.admin.run('servers.refresh', {});
});
after(() => gateway.close());

interface Late {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: unknown;
}

/** A request whose head the gateway has taken in, and whose body is still to come. */
class LateRequest {
  readonly #socket: Socket;
  readonly #body: string;
  #text = '';

  private constructor(socket: Socket, body: string) {
    this.#socket = socket;
    this.#body = body;
    // A missing answer fails the test instead of hanging it.
    socket.setTimeout(HANG_MS, () => socket.destroy());
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      this.#text += chunk;
    });
  }

  static async open({ path, headers, body }: Late, at: TestGateway = gateway): Promise<LateRequest> {
    const late = new LateRequest(await openSocket(at.url), JSON.stringify(body));
    const all = {
      host: '127.0.0.1',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      expect: '100-continue',
      'content-length': String(Buffer.byteLength(late.#body)),
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
    late.#socket.write([`POST ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n'));
    await late.until(/^HTTP\/1\.1 100 /);
    return late;
  }

  /** The answer so far, once it fits. */
  async until(fits: RegExp): Promise<string> {
    while (!fits.test(this.#text)) {
      assert.ok(!this.#socket.destroyed, `closed after ${this.#text}`);
      await Promise.race([once(this.#socket, 'data'), once(this.#socket, 'close')]);
    }
    return this.#text;
  }

  sendBody(): void {
    this.#socket.write(this.#body);
  }

  /** Asks for something else on the same connection: its answer comes when the body was read. */
  async untilRead(): Promise<void> {
    this.#socket.write('GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n');
    await this.until(/HTTP\/1\.1 200 OK[\s\S]*ok\n/);
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}

function modern(path: string, { headers }: Pick<TestToken, 'headers'>, params: Record<string, unknown>): Late {
  const _meta = { [META.protocolVersion]: MODERN_VERSION, [META.clientCapabilities]: {} };
  const more = { 'mcp-protocol-version': MODERN_VERSION, 'mcp-method': 'tools/call', 'mcp-name': String(params.name) };
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, _meta } };
  return { path, headers: { ...headers, ...more }, body };
}

const evil = { ...hostedServer({ name: 'evil' }) };
const plain = (path: string, { headers }: TestToken, body: unknown): Late => ({ path, headers, body });

/** The effect that the body of each door would have had. */
const doors: Readonly<Record<string, (token: TestToken) => Late | Promise<Late>>> = {
  'the API': (token) => plain('/api/servers.add', token, { name: 'evil', spec: evil }),
  'the search for programs': (token) => plain('/catalog/search', token, { query: 'add two numbers' }),
  'the door of a server': (token) => modern(DOOR, token, add),
  'the door of agents': (token) => modern('/mcp', token, { name: 'call_tool', arguments: { tool: 'one:add' } }),
  "the owner's door": (token) =>
    modern('/gateway/mcp', token, { name: 'add_server', arguments: { name: 'evil', ...evil } }),
  'a session of the legacy era': async (token) => {
    const { headers } = await RawSession.open(`${gateway.url}${DOOR}`, token.headers);
    return { path: DOOR, headers, body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: add } };
  },
};

for (const [name, requestTo] of Object.entries(doors)) {
  test(`[ACC-55] at ${name} nothing is carried out for a token that was revoked before the body came`, async () => {
    const { admin } = gateway.gateway;
    const token = await makeToken(gateway, { scopes: ['use', 'admin'] });
    using late = await LateRequest.open(await requestTo(token));
    const actsOf = async () =>
      (await admin.run('audit.list', { limit: 100 })).records
        .filter(({ principal }) => principal.name === token.name)
        .map(({ action }) => action);
    const before = await actsOf();
    await admin.run('tokens.revoke', { name: token.name });
    await late.until(/HTTP\/1\.1 401 /);
    late.sendBody();
    await late.untilRead();
    // Anything begun before would take the same path as this, ahead of it.
    const calls = readJournal(journal).filter(({ event, name: tool }) => event === 'tool' && tool === 'add').length;
    await askModern(`${gateway.url}${DOOR}`, gateway.agentHeaders, 'tools/call', {
      name: 'echo',
      arguments: { text: 'x' },
    });
    await admin.run('servers.add', { name: 'good', spec: evil });
    await admin.run('servers.remove', { name: 'good' });
    const servers = (await admin.run('servers.list', {})).map((server) => server.name);
    assert.deepEqual([servers, await actsOf()], [['one'], before]);
    const later = readJournal(journal).filter(({ event, name: tool }) => event === 'tool' && tool === 'add').length;
    assert.equal(later, calls);
  });
}

test('[ACC-56] a tool that a project denies is not called by a request whose head came before', async () => {
  const { admin } = gateway.gateway;
  await admin.run('projects.create', { name: 'shop', servers: ['one'] });
  const token = await makeToken(gateway, { project: 'shop' });
  for (const request of [modern(DOOR, token, add), await doors['a session of the legacy era']?.(token)]) {
    assert.ok(request);
    await admin.run('projects.set', { name: 'shop', permissions: { '*': 'allow' } });
    using good = await LateRequest.open(request);
    good.sendBody();
    assert.match(await good.until(/"id":1/), /"42"/);
    using late = await LateRequest.open(request);
    await admin.run('projects.set', { name: 'shop', permissions: { '*': 'deny' } });
    late.sendBody();
    assert.doesNotMatch(await late.until(/"id":1/), /"42"/);
  }
});

test('[ACC-56] the last calls of a batch are made with the rights of their moment', async () => {
  const { admin } = gateway.gateway;
  await admin.run('projects.create', { name: 'desk', servers: ['one'] });
  const token = await makeToken(gateway, { project: 'desk' });
  const session = await RawSession.open(`${gateway.url}${DOOR}`, token.headers, { version: '2025-03-26' });
  const call = (id: number, params: unknown) => ({ jsonrpc: '2.0', id, method: 'tools/call', params });
  const slow = Array.from({ length: 8 }, (_, id) => call(id, { name: 'slow', arguments: { ms: 1_500 } }));
  const going = session.send([...slow, call(8, add)]);
  await waitForEntry(journal, ({ event, name }) => event === 'tool' && name === 'slow');
  await admin.run('projects.set', { name: 'desk', permissions: { '*': 'deny' } });
  const { messages } = await going;
  const last = messages.find(({ id }) => id === 8);
  assert.ok(last);
  assert.doesNotMatch(JSON.stringify(last), /"42"/);
});

test('[ACC-57] bodies of nobody have a limit by sender, and hinder nobody with a token', async () => {
  await using trusting = await openTestGateway({ config: { access: { trustedFrontEnds: ['127.0.0.1'] } } });
  const guest = await makeToken(trusting);
  const ask = async (address: string, headers: Record<string, string> = {}) => {
    const from = { ...headers, 'x-forwarded-for': address };
    return (await askModern(`${trusting.url}/mcp`, from, 'tools/list', {}, { meta: { token: guest.token } })).status;
  };
  const open = (address: string) =>
    LateRequest.open({ path: '/mcp', headers: { 'x-forwarded-for': address }, body: {} }, trusting);
  using stack = new DisposableStack();
  for (let at = 0; at < limits.anonymousRequests; at += 1) stack.use(await open('203.0.113.9'));
  assert.equal(await ask('203.0.113.9'), 429);
  assert.equal(await ask('203.0.113.9:4711'), 429, 'the port is no part of the sender');
  assert.deepEqual([await ask('203.0.113.8'), await ask('203.0.113.9', guest.headers)], [200, 200]);
  for (let at = limits.anonymousRequests; at < limits.anonymousRequestsInAll; at += 1)
    stack.use(await open(`198.51.100.${at}`));
  assert.equal(await ask('203.0.113.8'), 503);
  assert.equal(await ask('203.0.113.8', guest.headers), 200);
});

test('[ACC-57] a principal named in a message takes no slot of anonymous requests, however long it stays', async () => {
  await using trusting = await openTestGateway({ config: { access: { trustedFrontEnds: ['127.0.0.1'] } } });
  const guest = await makeToken(trusting);
  const meta = { [META.protocolVersion]: MODERN_VERSION, [META.clientCapabilities]: {}, token: guest.token };
  const params = { notifications: { toolsListChanged: true }, _meta: meta };
  const body = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params };
  const headers = { 'mcp-protocol-version': MODERN_VERSION, 'mcp-method': 'subscriptions/listen' };
  using stack = new DisposableStack();
  for (let at = 0; at <= limits.anonymousRequests; at += 1) {
    const listening = stack.use(await LateRequest.open({ path: '/mcp', headers, body }, trusting));
    listening.sendBody();
    await listening.until(/HTTP\/1\.1 200 /);
  }
});

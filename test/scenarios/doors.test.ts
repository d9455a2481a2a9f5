/** The doors as HTTP sees them: who is let in, what a session is, and how each wrong request is answered. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import { after, before, test } from 'node:test';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { askModern, post, type RawAnswer, RawSession } from '../kit/hand-made.ts';
import { hostedServer } from '../servers/hosted.ts';
import { newJournal, readJournal, waitForEntry } from '../servers/launch.ts';
import { LEGACY_VERSIONS, META, type Message } from '../servers/rpc.ts';

let gateway: TestGateway;
const journal = newJournal();
before(async () => {
  gateway = await openTestGateway({
    servers: { one: hostedServer({ name: 'one', journal }), two: hostedServer({ name: 'two' }) },
    config: { access: { allowedHosts: ['crib.example'] }, limits: { bodyBytes: 100_000 } },
  });
});
after(() => gateway.close());

const at = (path: string) => `${gateway.url}${path}`;
const DOORS = ['/mcp', '/servers/one/mcp', '/s/one/mcp', '/gateway/mcp', '/g/mcp'];
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const ECHO = { name: 'echo', arguments: { text: 'hi' } };

function openSession(path = '/servers/one/mcp?names=plain', version = '2025-11-25'): Promise<RawSession> {
  return RawSession.open(at(path), gateway.agentHeaders, { version });
}

function echoed(message: Message | undefined): unknown {
  return (message?.result as { content: { text: string }[] } | undefined)?.content[0]?.text;
}

/** A request with headers that fetch does not let through. */
async function bareRequest(
  path: string,
  headers: Record<string, string | string[]>,
  method = 'POST',
): Promise<IncomingMessage> {
  const request = http.request(at(path), {
    method,
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
  });
  request.end(method === 'POST' ? JSON.stringify(PING) : undefined);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.resume();
  return response;
}

test('[DOOR-01] without a valid token every door answers 401 and says how to sign in', async () => {
  const wrong = [
    {},
    { authorization: 'Bearer tc_wrong' },
    { authorization: 'Basic YTpi' },
    { authorization: 'Bearer' },
  ];
  for (const path of DOORS) {
    for (const headers of wrong) {
      const { status, headers: answered } = await post(at(path), headers, PING);
      assert.equal(status, 401, path);
      assert.match(answered.get('www-authenticate') ?? '', /^Bearer realm="toolcrib"(, error="invalid_token")?$/, path);
    }
    for (const method of ['GET', 'DELETE']) assert.equal((await fetch(at(path), { method })).status, 401);
  }
  const token = gateway.agentHeaders.authorization ?? '';
  const twice = await bareRequest('/mcp', { authorization: [token, 'Bearer tc_other'] });
  assert.equal(twice.statusCode, 401, 'two tokens are none');
  for (const path of ['/healthz', '/readyz']) assert.equal((await fetch(at(path))).status, 200);
});

test('[DOOR-02] a request with a foreign Host or Origin is refused before anything is looked at', async () => {
  const hosts = {
    'evil.example': 403,
    'evil.example:80': 403,
    '127.0.0.1.evil.example': 403,
    localhost: 400,
    'crib.example': 400,
  };
  for (const [host, status] of Object.entries(hosts))
    assert.equal((await bareRequest('/mcp', { ...gateway.agentHeaders, host })).statusCode, status, host);
  const origins = {
    'https://evil.example': 403,
    null: 403,
    'http://localhost.evil.example': 403,
    'http://localhost:1': 400,
  };
  for (const [origin, status] of Object.entries(origins)) {
    assert.equal((await bareRequest('/mcp', { ...gateway.agentHeaders, origin })).statusCode, status, origin);
    if (status === 403) assert.equal((await bareRequest('/healthz', { origin }, 'GET')).statusCode, 403);
  }
});

test("[DOOR-03] the owner's door is closed to an agent's token", async () => {
  for (const path of ['/gateway/mcp', '/g/mcp']) {
    assert.equal((await askModern(at(path), gateway.agentHeaders, 'tools/list')).status, 403);
    assert.equal((await askModern(at(path), gateway.ownerHeaders, 'tools/list')).status, 200);
  }
  const refused = await fetch(at('/api/servers'), { headers: gateway.agentHeaders });
  assert.equal(refused.status, 403);
  const { error } = (await refused.json()) as { error: { code: string; message: string } };
  assert.equal(error.code, 'ACCESS_DENIED');
  assert.match(error.message, /lacks the scope "admin": use the owner's token, kept in owner-token/);
  const page = await fetch(at('/metrics'), { headers: gateway.agentHeaders });
  assert.match(await page.text(), /lacks the scope \\?"metrics\\?": make one .*token create NAME --scope metrics/);
});

test('[DOOR-04] DELETE ends a session', async () => {
  const session = await openSession();
  assert.equal(echoed((await session.request('tools/call', ECHO)).message), 'hi');
  using stream = await session.listen();
  await stream.next();
  assert.equal((await fetch(session.url, { method: 'DELETE', headers: session.headers })).status, 200);
  await assert.rejects(stream.next(), /ended/, 'its streams end with it');
  assert.equal((await session.send(PING)).status, 404);
  assert.equal((await fetch(session.url, { method: 'DELETE', headers: session.headers })).status, 404);
});

test('[DOOR-05] a session is found only by its own principal at its own door', async () => {
  const session = await openSession();
  const url = new URL(session.url);
  const statusOf = async (path: string, headers: Record<string, string>) =>
    (await post(at(path), headers, PING)).status;
  const here = url.pathname + url.search;
  assert.equal(await statusOf(here, session.headers), 200);
  assert.equal(await statusOf(here, { ...session.headers, 'mcp-session-id': 'unknown' }), 404);
  assert.equal(await statusOf(here, gateway.agentHeaders), 400, 'no session at all');
  const stolen = { ...session.headers, ...gateway.ownerHeaders };
  assert.equal(await statusOf(here, stolen), 404);
  for (const method of ['GET', 'DELETE']) {
    const response = await fetch(session.url, { method, headers: { ...stolen, accept: 'text/event-stream' } });
    assert.equal(response.status, 404, method);
  }
  assert.equal(await statusOf('/servers/two/mcp', session.headers), 404);
  assert.equal(await statusOf(here, session.headers), 200, 'and all that did it no harm');
});

test('[DOOR-06] a batch of the legacy era is answered as one', async () => {
  const session = await openSession(undefined, '2025-03-26');
  assert.equal(session.opened.protocolVersion, '2025-03-26');
  const echo = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: ECHO });
  const notice = { jsonrpc: '2.0', method: 'notifications/roots/list_changed' };
  const { status, messages } = await session.send([
    echo(11),
    notice,
    echo(12),
    { ...PING, id: 'p' },
    { ...PING, method: 'no' },
  ]);
  assert.equal(status, 200);
  assert.deepEqual(
    messages.map(({ id, error }) => error?.code ?? id),
    [11, 12, 'p', -32601],
  );
  assert.deepEqual([echoed(messages[0]), echoed(messages[1])], ['hi', 'hi']);
  assert.equal((await session.send([notice, notice])).status, 202);
  assert.equal((await session.send([])).status, 400);
  assert.equal((await session.send([PING, 7])).status, 400);
});

test('[DOOR-07] an answer whose stream was lost is delivered to the agent that comes back for it', async () => {
  const session = await openSession();
  const call = { name: 'progress', arguments: { steps: 2, delayMs: 150 }, _meta: { progressToken: 't' } };
  using lost = await session.stream('tools/call', call);
  const first = await lost.next();
  assert.ok(first.id, 'an id to come back with is there before anything has happened');
  lost.drop();
  using resumed = await session.listen(first.id);
  const messages = [await resumed.message(), await resumed.message(), await resumed.message()];
  assert.deepEqual(
    messages.map(({ params, result }) => params?.progress ?? (result as { content: unknown }).content),
    [1, 2, [{ type: 'text', text: 'did 2 steps' }]],
  );
  await assert.rejects(resumed.next(), /ended/);
  using again = await session.listen(first.id);
  assert.equal((await again.message()).params?.progress, 1, 'even after it ended');
  for (const id of ['nonsense', `${first.id}9999999999`, `x${first.id}`, 'AAAAAAAAAAAAAAAAAAAAAA.0']) {
    using refused = await session.listen(id);
    assert.equal(refused.status, 400, id);
  }
  const other = await openSession();
  using foreign = await other.listen(first.id);
  assert.equal(foreign.status, 400, 'a stream belongs to its session');
});

test('[DOOR-08] losing the connection does not cancel a legacy call, and cancelling does', async () => {
  const session = await openSession();
  const before = readJournal(journal).length;
  const isOurs = (event: string) => (entry: { event: string }, at: number) => entry.event === event && at >= before;
  using stream = await session.stream('tools/call', { name: 'wait_for_cancel', arguments: {} });
  await waitForEntry(journal, isOurs('tool'));
  stream.drop();
  assert.equal(echoed((await session.request('tools/call', ECHO)).message), 'hi');
  assert.equal(readJournal(journal).some(isOurs('cancelled')), false);
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
  assert.equal((await session.send(cancel)).status, 202);
  const { wasRunning } = await waitForEntry(journal, isOurs('cancelled'));
  assert.equal(wasRunning, true);
});

test('[DOOR-09] a GET that does not accept an event stream is answered 406', async () => {
  const session = await openSession();
  for (const accept of ['application/json', '*/json']) {
    const response = await fetch(session.url, { headers: { ...session.headers, accept } });
    assert.equal(response.status, 406);
  }
});

test('[DOOR-10] every legacy version is agreed to, an unknown one is answered with the latest', async () => {
  for (const version of LEGACY_VERSIONS)
    assert.equal((await openSession(undefined, version)).opened.protocolVersion, version);
  const session = await openSession(undefined, '2031-01-01');
  assert.equal(session.opened.protocolVersion, '2025-11-25');
  const { status, message } = await session.send(PING, { 'mcp-protocol-version': '1999-01-01' });
  assert.deepEqual([status, message.error?.code], [400, -32000]);
});

test('[DOOR-11] an unsupported modern version is refused with those that are supported', async () => {
  const meta = { [META.protocolVersion]: '2031-01-01' };
  const headers = { ...gateway.agentHeaders, 'mcp-protocol-version': '2031-01-01' };
  const { status, message } = await askModern(at('/mcp'), headers, 'tools/list', {}, { meta });
  assert.deepEqual([status, message.error?.code], [400, -32022]);
  assert.deepEqual(message.error?.data, { supported: ['2026-07-28'], requested: '2031-01-01' });
});

test('[DOOR-12] an unknown method is -32601, with 404 in the modern era and 200 in the legacy one', async () => {
  for (const path of ['/mcp', '/servers/one/mcp', '/servers/one/mcp?names=plain']) {
    for (const method of ['tools/unheard_of', 'ping', 'initialize', 'constructor']) {
      const modern = await askModern(at(path), gateway.agentHeaders, method);
      assert.deepEqual([modern.status, modern.message.error?.code], [404, -32601], `${method} at ${path}`);
    }
    const session = await openSession(path);
    for (const method of ['tools/unheard_of', 'server/discover', 'subscriptions/listen', 'constructor']) {
      const legacy = await session.request(method);
      assert.deepEqual([legacy.status, legacy.message.error?.code], [200, -32601], `${method} at ${path}`);
    }
  }
});

test('[DOOR-13] a modern request whose headers and body disagree is refused', async () => {
  const codeOf = ({ status, message }: RawAnswer) => [status, message.error?.code];
  const ask = (headers: Record<string, string>, params = {}) =>
    askModern(at('/servers/one/mcp?names=plain'), { ...gateway.agentHeaders, ...headers }, 'tools/call', {
      ...ECHO,
      ...params,
    });
  assert.deepEqual(codeOf(await ask({ 'mcp-name': 'fail' })), [400, -32020]);
  assert.deepEqual(codeOf(await ask({ 'mcp-method': 'tools/list' })), [400, -32020]);
  assert.deepEqual(codeOf(await ask({ 'mcp-protocol-version': '2025-11-25' })), [400, -32020]);
  const region = { name: 'regional', arguments: { region: 'north' } };
  assert.deepEqual(codeOf(await ask({ 'mcp-param-region': 'south' }, region)), [400, -32020]);
  assert.deepEqual(codeOf(await ask({ 'mcp-param-region': 'north' }, region)), [200, undefined]);
});

test('[DOOR-14] a body that cannot be taken is answered with the status that says why', async () => {
  const statusOf = async (body: unknown, more: Record<string, string> = {}) => {
    const { status, message } = await post(at('/mcp'), { ...gateway.agentHeaders, ...more }, body);
    return [status, message.error?.code];
  };
  assert.deepEqual(await statusOf('{"jsonrpc":'), [400, -32700]);
  assert.deepEqual(await statusOf('7'), [400, -32600]);
  assert.deepEqual(await statusOf({ jsonrpc: '1.0', id: 1, method: 'ping' }), [400, -32600]);
  assert.deepEqual(await statusOf({ jsonrpc: '2.0', id: {}, method: 'ping' }), [400, -32600]);
  assert.deepEqual(await statusOf('['.repeat(500) + ']'.repeat(500)), [400, -32600]);
  assert.deepEqual(await statusOf(PING, { 'content-type': 'text/plain' }), [415, -32600]);
  assert.deepEqual(await statusOf({ ...PING, params: { text: 'x'.repeat(100_001) } }), [413, -32600]);
});

test('[DOOR-14] a refusal outside the protocol carries a code', async () => {
  const json = { 'content-type': 'application/json' };
  const codeOf = async (path: string, headers: Record<string, string>) => {
    const response = await fetch(at(path), { method: 'POST', headers, body: '{}' });
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    assert.ok(error.message.endsWith('.'));
    return [response.status, error.code];
  };
  const owner = gateway.ownerHeaders;
  assert.deepEqual(await codeOf('/catalog/search', json), [401, 'UNAUTHENTICATED']);
  assert.deepEqual(await codeOf('/catalog/search', { ...json, ...owner, origin: 'https://evil.example' }), [
    403,
    'ACCESS_DENIED',
  ]);
  assert.deepEqual(await codeOf('/elsewhere', { ...json, ...owner }), [404, 'USAGE']);
  assert.deepEqual(await codeOf('/api/nothing', { ...json, ...owner }), [404, 'USAGE']);
  assert.deepEqual(await codeOf('/api/tools/search', { ...owner, 'content-type': 'text/plain' }), [415, 'USAGE']);
});

test('[DOOR-15] unknown paths are not found, and wrong methods name the allowed ones', async () => {
  const headers = gateway.agentHeaders;
  assert.equal((await askModern(at('/elsewhere'), headers, 'tools/list')).status, 404);
  assert.equal((await askModern(at('/servers/none/mcp'), headers, 'tools/list')).status, 404);
  assert.equal((await askModern(at('/servers/one/mcp?names=odd'), headers, 'tools/list')).status, 400);
  for (const [path, said] of [
    ['/mcp?surface=odd', 'There is no surface "odd"; there are auto, search, direct, code, full.'],
    ['/mcp?surface=serch', 'There is no surface "serch"; did you mean "search"?'],
    ['/s/one/mcp?surface=code', /^A server door shows the tools of its server/],
  ] as const) {
    const { status, message } = await askModern(at(path), headers, 'tools/list');
    assert.equal(status, 400, path);
    if (typeof said === 'string') assert.equal(message.error?.message, said);
    else assert.match(message.error?.message ?? '', said);
  }
  const put = await fetch(at('/mcp'), { method: 'PUT', headers });
  assert.deepEqual([put.status, put.headers.get('allow')], [405, 'POST, GET, DELETE']);
});

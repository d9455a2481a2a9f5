/** The doors at their limits: batches, bridges, odd addresses, and the time in which the gateway ends. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import http, { type IncomingMessage } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { GatewayError } from '../../src/base/errors.ts';
import { silentLog } from '../../src/base/log.ts';
import { limits } from '../../src/config/config.ts';
import { openGateway } from '../../src/gateway.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { askModern, post, type RawAnswer, RawSession } from '../kit/hand-made.ts';
import { ManualClock } from '../kit/manual-clock.ts';
import { eventually } from '../kit/processes.ts';
import { openSocket, readAnswer } from '../kit/raw-http.ts';
import { hostedServer } from '../servers/hosted.ts';

const DOOR = '/servers/one/mcp?names=plain';
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const ECHO = { name: 'echo', arguments: { text: 'hi' } };

let gateway: TestGateway;
before(async () => {
  gateway = await openTestGateway({ servers: { one: hostedServer({ name: 'one' }) } });
});
after(() => gateway.close());

const at = (path: string) => `${gateway.url}${path}`;
const codeOf = ({ status, message }: RawAnswer) => [status, message.error?.code];

test('[DOOR-16] a batch has a limit, and only versions that know batches have them', async () => {
  const pings = (count: number) => Array.from({ length: count }, (_, id) => ({ ...PING, id }));
  for (const version of ['2024-11-05', '2025-03-26']) {
    const session = await RawSession.open(at(DOOR), gateway.agentHeaders, { version });
    assert.equal((await session.send(pings(50))).messages.length, 50);
    assert.deepEqual(codeOf(await session.send(pings(51))), [400, -32600]);
    assert.deepEqual(codeOf(await session.send([PING, { ...PING, id: 2, method: 'initialize' }])), [400, -32600]);
  }
  for (const version of ['2025-06-18', '2025-11-25']) {
    const session = await RawSession.open(at(DOOR), gateway.agentHeaders, { version });
    assert.deepEqual(codeOf(await session.send([PING])), [400, -32600]);
  }
  const params = { protocolVersion: '2025-03-26', capabilities: {} };
  const opening = await post(at(DOOR), gateway.agentHeaders, [{ ...PING, method: 'initialize', params }]);
  assert.deepEqual([...codeOf(opening), opening.headers.get('mcp-session-id')], [400, -32600, null]);
});

test('[DOOR-17] while the gateway ends, a running call can be answered, and nothing new begins', async () => {
  const ending = await openTestGateway({ servers: { one: hostedServer({ name: 'one' }) } });
  const url = `${ending.url}${DOOR}`;
  const session = await RawSession.open(url, ending.agentHeaders, { capabilities: { elicitation: {} } });
  using call = await session.stream('tools/call', { name: 'elicit', arguments: {} });
  const question = await call.message();
  assert.equal(question.method, 'elicitation/create');
  const closed = ending.close();
  assert.equal((await fetch(`${ending.url}/readyz`)).status, 503);
  assert.deepEqual(codeOf(await session.request('tools/call', ECHO)), [503, -32000]);
  assert.deepEqual(codeOf(await askModern(url, ending.agentHeaders, 'tools/call', ECHO)), [503, -32000]);
  const resumed = await askModern(url, ending.agentHeaders, 'tools/call', { ...ECHO, requestState: 'of no call' });
  assert.notEqual(resumed.status, 503, 'a call that is taken up again is looked at');
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'none' } };
  assert.equal((await session.send(cancel)).status, 202);
  const result = { action: 'accept', content: { name: 'Ada' } };
  assert.equal((await session.send({ jsonrpc: '2.0', id: question.id, result })).status, 202);
  assert.match(JSON.stringify((await call.message()).result), /Ada/);
  await closed;
});

test('[DOOR-18] a bridge may leave out what it cannot know, and what it sends must be right', async () => {
  const ask = (headers: Record<string, string>, params: Record<string, unknown> = ECHO) =>
    askModern(at(DOOR), { ...gateway.agentHeaders, 'x-toolcrib-bridge': 'stdio', ...headers }, 'tools/call', params);
  assert.deepEqual(codeOf(await ask({})), [200, undefined]);
  assert.deepEqual(codeOf(await ask({ 'mcp-name': 'fail' })), [400, -32020]);
  assert.deepEqual(codeOf(await ask({ 'mcp-method': 'tools/list' })), [400, -32020]);
  assert.deepEqual(codeOf(await ask({ 'mcp-protocol-version': '2025-11-25' })), [400, -32020]);
  const region = { name: 'regional', arguments: { region: 'north' } };
  assert.deepEqual(codeOf(await ask({}, region)), [200, undefined]);
  assert.deepEqual(codeOf(await ask({ 'mcp-param-region': 'north' }, region)), [200, undefined]);
  assert.deepEqual(codeOf(await ask({ 'mcp-param-region': 'south' }, region)), [400, -32020]);
  const whole = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'echo' };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const body = { ...PING, method: 'tools/call', params: { ...ECHO, _meta } };
  for (const missing of [undefined, ...Object.keys(whole)]) {
    const headers = Object.fromEntries(Object.entries(whole).filter(([name]) => name !== missing));
    const sent = await post(at(DOOR), { ...gateway.agentHeaders, 'x-toolcrib-bridge': 'stdio', ...headers }, body);
    assert.equal(sent.message.error?.code, missing === undefined ? undefined : -32020, `without ${missing}`);
  }
});

test('[DOOR-19] a request to listen that accepts no event stream is answered 406', async () => {
  const params = { notifications: { toolsListChanged: true } };
  const headers = { ...gateway.agentHeaders, accept: 'application/json' };
  const answer = await askModern(at('/mcp'), headers, 'subscriptions/listen', params);
  assert.deepEqual([...codeOf(answer), answer.message.id], [406, -32600, 'raw-1']);
});

/** Not every machine has IPv6, or more than one loopback address. */
async function canListen(host: string): Promise<boolean> {
  const server = createServer().listen(0, host.replace(/[[\]]/g, ''));
  const isListening = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  server.close();
  return isListening;
}

test('[DOOR-33] the gateway answers at the address that it printed, and listens on none that was not named', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-test-'));
  const open = (host: string) =>
    openGateway({ dataDir, cwd: dataDir, env: {}, log: silentLog, listen: { host, port: 0, isAuthOff: false } });
  for (const host of ['127.0.0.2', '::1', '[::1]', '::', '0.0.0.0', 'LOCALHOST']) {
    if (!(await canListen(host))) continue;
    const opened = await open(host);
    const { hostname, host: name, port } = new URL(opened.url ?? '');
    const request = http.get({ host: hostname.replace(/[[\]]/g, ''), port, path: '/healthz', headers: { host: name } });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    assert.equal(response.resume().statusCode, 200, `${host} at ${name}`);
    await opened.close();
  }
  for (const host of ['', ' ']) {
    const isUsage = (error: unknown) => error instanceof GatewayError && error.code === 'USAGE';
    await assert.rejects(open(host), isUsage);
  }
  await rm(dataDir, { recursive: true, force: true });
});

test('[BAD-18] [BAD-19] bodies of many keys and bodies that drip are refused, and leave the slots of their token free', async () => {
  const clock = new ManualClock();
  const config = { limits: { requestsPerToken: 1 } };
  await using slow = await openTestGateway({ servers: {}, clock, config });
  const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\nAuthorization: ${slow.agentHeaders.authorization}\r\n\r\n{`;
  const slots = 1 + limits.spareRequests;
  const sockets = await Promise.all(Array.from({ length: slots }, () => openSocket(slow.url)));
  const answers = sockets.map((socket) => readAnswer(socket));
  const watched = () => clock.waits.filter((ms) => ms === limits.bodyGraceMs).length;
  const before = watched();
  for (const socket of sockets) socket.write(head);
  await eventually('every slot is taken', async () => watched() === before + slots || undefined);
  const ask = () => askModern(`${slow.url}/mcp`, slow.agentHeaders, 'tools/list');
  assert.equal((await ask()).status, 429);
  await clock.advance(limits.bodyGraceMs);
  for (const { status, body } of await Promise.all(answers)) {
    assert.equal(status, 408);
    assert.match(body, /slower than 1024 bytes a second/);
  }
  assert.equal((await ask()).status, 200);
  const keys = Object.fromEntries(Array.from({ length: 350_000 }, (_, at) => [`k${at}`, 0]));
  for (const path of ['/mcp', '/catalog/search']) {
    const { status } = await post(`${slow.url}${path}`, slow.agentHeaders, keys);
    assert.equal(status, 400, path);
  }
});

/** Requests that are too large, too deep, malformed or in disguise: each gets a clear no, and the gateway goes on. */

import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type GatewayProcess, startGatewayProcess } from '../kit/gateway-process.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { hostServers } from '../kit/planned-servers.ts';
import { isAlive, residentBytes } from '../kit/processes.ts';
import { openSocket, pour, type RawAnswer, readAnswer, sendRaw } from '../kit/raw-http.ts';

const plan = hostServers({ good: {} });
let gateway: GatewayProcess;
let agent: ModernAgent;
/** Opened first, because what they wait for takes longest. */
let lorises: { readonly socket: Socket; readonly startedAt: number; readonly closed: Promise<number> }[];

before(async () => {
  gateway = await startGatewayProcess({ servers: plan.servers });
  agent = new ModernAgent(gateway);
  await agent.tools();
  lorises = await Promise.all([1, 2, 3].map(() => openLoris()));
});

after(async () => {
  for (const { socket } of lorises) socket.destroy();
  await gateway[Symbol.asyncDispose]();
});

/** A client that sends its headers one byte at a time. */
async function openLoris(): Promise<(typeof lorises)[number]> {
  const socket = await openSocket(gateway.url);
  const startedAt = performance.now();
  const drip = setInterval(() => socket.write('x'), 200);
  const closed = new Promise<number>((resolve) => {
    socket.once('close', () => {
      clearInterval(drip);
      resolve(performance.now() - startedAt);
    });
  });
  socket.resume().write('POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
  return { socket, startedAt, closed };
}

/** The gateway is the same process, answers at once, and noticed nothing unusual. */
async function assertUnharmed(): Promise<void> {
  assert.ok(isAlive(gateway.pid));
  const health = await fetch(`${gateway.url}/healthz`);
  assert.equal(health.status, 200);
  assert.equal(await agent.say('good.echo', { text: 'fine' }), 'fine');
  assert.doesNotMatch(gateway.log(), /should not happen|unhandled|uncaught/i);
}

function headOf(more: Record<string, string | number>, path = '/mcp'): string {
  const headers = {
    Host: new URL(gateway.url).host,
    Authorization: gateway.agentHeaders.authorization,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    ...more,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

async function post(body: string | Buffer, more: Record<string, string | number> = {}): Promise<RawAnswer> {
  const bytes = Buffer.from(body);
  return sendRaw(gateway.url, Buffer.concat([Buffer.from(headOf({ 'Content-Length': bytes.length, ...more })), bytes]));
}

function rpcCodeOf(answer: RawAnswer): number {
  return (JSON.parse(answer.body) as { error: { code: number } }).error.code;
}

const hundredMegabytes = 100 * 1024 * 1024;

test('[BAD-01] a body of 100 MB is refused with 413 before it is read, announced or not', async () => {
  const before = residentBytes(gateway.pid);
  const filler = Buffer.alloc(64 * 1024, 'x');
  const announced = await openSocket(gateway.url);
  announced.write(headOf({ 'Content-Length': hundredMegabytes }));
  const first = await pour(announced, filler, hundredMegabytes);
  const chunk = Buffer.concat([Buffer.from(`${filler.length.toString(16)}\r\n`), filler, Buffer.from('\r\n')]);
  const chunked = await openSocket(gateway.url);
  chunked.write(headOf({ 'Transfer-Encoding': 'chunked' }));
  const second = await pour(chunked, chunk, hundredMegabytes);
  for (const { answer, sentBytes } of [first, second]) {
    assert.equal(answer.status, 413, answer.head);
    assert.match(answer.body, /larger than 4194304 bytes/);
    assert.ok(sentBytes < 40 * 1024 * 1024, `${sentBytes} bytes were taken`);
  }
  const grownMb = (residentBytes(gateway.pid) - before) / 1024 / 1024;
  assert.ok(grownMb < 64, `it grew by ${Math.round(grownMb)} MB`);
  await assertUnharmed();
});

test('[BAD-02] an ordinary client that sends too much reads the 413 rather than a broken connection', async () => {
  for (let turn = 0; turn < 5; turn += 1) {
    const response = await fetch(`${gateway.url}/mcp`, {
      method: 'POST',
      headers: { ...gateway.agentHeaders, 'content-type': 'application/json' },
      body: 'x'.repeat(8 * 1024 * 1024),
    });
    assert.equal(response.status, 413);
    assert.match(await response.text(), /larger than/);
  }
  await assertUnharmed();
});

test('[BAD-03] JSON that is nested ten thousand or a million levels deep is refused at once', async () => {
  for (const depth of [10_000, 1_000_000]) {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const levels = Math.min(depth, Math.floor(4_000_000 / (open.length + close.length)));
      const answer = await post(`${open.repeat(levels)}1${close.repeat(levels)}`);
      assert.equal(answer.status, 400, `${depth} of ${open}`);
      assert.equal(rpcCodeOf(answer), -32600);
      assert.match(answer.body, /nested deeper than 256 levels/);
    }
  }
  await assertUnharmed();
});

test('[BAD-04] only plain application/json is read', async () => {
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/jsonp',
    '',
  ]) {
    assert.equal((await post(ping, { 'Content-Type': type })).status, 415, type);
  }
  for (const coding of ['gzip', 'br', 'deflate', 'gzip, gzip, gzip', 'identity']) {
    const answer = await post(gzipSync(Buffer.alloc(1024 * 1024)), { 'Content-Encoding': coding });
    assert.equal(answer.status, 415, coding);
  }
  await assertUnharmed();
});

test('[BAD-05] bodies that are not UTF-8, JSON or JSON-RPC are refused with the right code', async () => {
  const cases: readonly (readonly [Buffer | string, number])[] = [
    [
      Buffer.concat([
        Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'),
        Buffer.from([0xc3, 0x28, 0xff]),
        Buffer.from('"}'),
      ]),
      -32700,
    ],
    ['', -32700],
    ['{', -32700],
    ['{"jsonrpc":"2.0","id":1,"method":"ping"} trailing', -32700],
    ["{'jsonrpc':'2.0'}", -32700],
    ['null', -32600],
    ['42', -32600],
    ['{}', -32600],
    ['[]', -32600],
    ['[[]]', -32600],
    ['{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":7}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32600],
  ];
  for (const [body, code] of cases) {
    const answer = await post(body);
    assert.equal(answer.status, 400, String(body));
    assert.equal(rpcCodeOf(answer), code, `${body}: ${answer.body}`);
  }
  await assertUnharmed();
});

test('[BAD-06] more headers than fit are refused, and so are requests that end early', async () => {
  const huge = await sendRaw(gateway.url, headOf({ 'X-Huge': 'h'.repeat(64 * 1024) }));
  assert.equal(huge.status, 431);
  const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`X-Many-${at}`, 'v']));
  assert.equal((await sendRaw(gateway.url, headOf(many))).status, 431);
  const socket = await openSocket(gateway.url);
  socket.end(`${headOf({ 'Content-Length': 100 })}{"jsonrpc"`);
  assert.ok([0, 400].includes((await readAnswer(socket)).status));
  assert.equal((await sendRaw(gateway.url, 'NONSENSE\r\n\r\n')).status, 400);
  await assertUnharmed();
});

test('[BAD-07] two Host, Authorization or length headers are one too many', async () => {
  const host = new URL(gateway.url).host;
  const { authorization } = gateway.agentHeaders;
  const twice = (line: string) =>
    sendRaw(gateway.url, headOf({ 'Content-Length': 2 }).replace('\r\n\r\n', `\r\n${line}\r\n\r\n{}`));
  assert.ok([400, 403].includes((await twice(`Host: ${host}`)).status));
  assert.ok([400, 403].includes((await twice('Host: evil.example')).status));
  assert.equal((await twice(`Authorization: ${authorization}`)).status, 401);
  assert.equal((await twice('Authorization: Bearer other')).status, 401);
  assert.equal((await twice('Content-Length: 3')).status, 400);
  assert.equal((await twice('Transfer-Encoding: chunked')).status, 400);
  await assertUnharmed();
});

test('[BAD-08] clients that send their headers a byte at a time are cut off, and nobody waits for them', async () => {
  assert.equal(await agent.say('good.echo', { text: 'beside' }), 'beside');
  for (const { closed } of lorises) {
    const openMs = await closed;
    assert.ok(openMs > 5_000, `it was open for ${Math.round(openMs)} ms`);
  }
  await assertUnharmed();
});

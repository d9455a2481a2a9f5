/** Single exchanges: what Retry-After means, and which failures may have been carried out. */

import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { ownerPolicy } from '../base/dial-guard.ts';
import { httpExchange, networkTrouble, parseRetryAfter, statusTrouble } from './http-exchange.ts';

const now = Date.UTC(2026, 0, 1, 12);

test('Retry-After is seconds or a date, capped at five minutes, and anything else is not there', () => {
  for (const [value, ms] of [
    ['0', 0],
    ['7', 7_000],
    [' 30 ', 30_000],
    ['300', 300_000],
    ['301', 300_000],
    ['99999999999999', 300_000],
    [new Date(now + 60_000).toUTCString(), 60_000],
    [new Date(now - 60_000).toUTCString(), 0],
    [new Date(now + 86_400_000).toUTCString(), 300_000],
    ['-5', undefined],
    ['1.5', undefined],
    ['1e3', undefined],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
  ] as const)
    assert.equal(parseRetryAfter(value, now), ms, String(value));
});

test('a connection that was never made is told from one that broke', () => {
  const request = { server: 'far', url: new URL('http://example.test:81/mcp?secret=1') };
  const trouble = (code: string) => networkTrouble(request, Object.assign(new Error('x'), { code }));
  for (const code of ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH']) {
    assert.equal(trouble(code).code, 'SERVER_NOT_RUNNING', code);
    assert.deepEqual([trouble(code).data?.reason, trouble(code).data?.isUnexecuted], ['unreachable', true], code);
  }
  for (const code of ['ECONNRESET', 'EPIPE']) {
    assert.equal(trouble(code).code, 'SERVER_DISCONNECTED', code);
    assert.deepEqual([trouble(code).data?.reason, trouble(code).data?.isUnexecuted], ['reset', false], code);
  }
  assert.equal(trouble('ETIMEDOUT').data?.isUnexecuted, false);
  assert.ok(!trouble('ECONNREFUSED').message.includes('secret'), 'the query may hold a credential');
});

test('statuses without a message become trouble in words', () => {
  const of = (statusCode: number, headers = {}) =>
    statusTrouble('far', { statusCode, headers } as unknown as IncomingMessage, now);
  assert.deepEqual([of(401).data?.reason, of(403).data?.reason], ['credential', 'credential']);
  const busy = of(429, { 'retry-after': '9' });
  assert.deepEqual([busy.code, busy.data?.retryAfterMs], ['RATE_LIMITED', 9_000]);
  assert.equal(of(308).data?.reason, 'redirect');
  assert.equal(of(500).data?.reason, 'status');
});

async function withServer(answer: RequestListener, act: (url: URL) => Promise<void>): Promise<void> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await act(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const get = (url: URL) =>
  httpExchange({ server: 'far', url, policy: ownerPolicy([], url), method: 'GET', headers: {} });

test('a compressed answer is refused unread', async () => {
  await withServer(
    (_request, response) => response.writeHead(200, { 'content-encoding': 'br' }).end('x'),
    (url) => assert.rejects(get(url), /compressed its answer/),
  );
});

test('giving up ends the exchange with the reason given', async () => {
  const giving = new AbortController();
  await withServer(
    () => giving.abort(new Error('no longer wanted')),
    (url) =>
      assert.rejects(
        httpExchange({
          server: 'far',
          url,
          policy: ownerPolicy([], url),
          method: 'POST',
          headers: {},
          body: '{}',
          signal: giving.signal,
        }),
        /no longer wanted/,
      ),
  );
});

/** Guarded requests: nothing is dialled that the policy refuses, and answers stay within their limits. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { systemClock } from './clock.ts';
import { type DialPolicy, foundPolicy, ownerPolicy } from './dial-guard.ts';
import { dialing, guardedFetch, guardedRequest, RequestFault, type RequestFaultKind } from './guarded-fetch.ts';

const limits = { clock: systemClock, timeoutMs: 60_000, maxBytes: 10_000 };

class Listener {
  readonly #server;
  connections = 0;

  constructor(answer: RequestListener) {
    this.#server = createServer(answer);
    this.#server.on('connection', () => {
      this.connections += 1;
    });
  }

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): URL {
    return new URL(`http://127.0.0.1:${this.port}/`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function fetchOf(listener: Listener, more: Partial<typeof limits> = {}) {
  return guardedFetch(ownerPolicy([], listener.url), { ...limits, ...more });
}

async function failureOf(fetching: Promise<unknown>, kind: RequestFaultKind): Promise<RequestFault> {
  const error = await fetching.then(
    () => assert.fail('it did not fail'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof RequestFault, String(error));
  assert.equal(error.kind, kind, error.message);
  return error;
}

test('a form goes out, an answer with its headers comes back, and each request has a connection of its own', async () => {
  const seen: unknown[] = [];
  await using listener = await new Listener(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    seen.push([request.method, request.url, request.headers['content-type'], request.headers['x-own'], body]);
    response.setHeader('www-authenticate', 'Bearer scope="a"');
    response.setHeader('set-cookie', ['a=1', 'b=2']);
    response.end('{"ok":true}');
  }).open();
  const fetching = fetchOf(listener);
  const init = { method: 'POST', headers: { 'x-own': '1' }, body: new URLSearchParams({ code: 'a b' }) };
  const response = await fetching(new URL('/token?x=1', listener.url), init);
  assert.deepEqual(await response.json(), { ok: true });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('www-authenticate'), 'Bearer scope="a"');
  assert.deepEqual(response.headers.getSetCookie(), ['a=1', 'b=2']);
  const type = 'application/x-www-form-urlencoded;charset=UTF-8';
  assert.deepEqual(seen, [['POST', '/token?x=1', type, '1', 'code=a+b']]);
  assert.equal(await (await fetching(listener.url)).text(), '{"ok":true}');
  assert.equal(listener.connections, 2);
});

test('refused addresses are never dialled, by address or by name', async () => {
  await using listener = await new Listener((_request, response) => response.end('secret')).open();
  const { port } = listener;
  const found = guardedFetch(foundPolicy([], new URL('https://mcp.example.com/')), limits);
  const hosts = [
    '127.0.0.1',
    'localhost',
    '2130706433',
    '0x7f.1',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
    '127.0.0.2',
    '[::1]',
  ];
  for (const host of hosts) {
    for (const scheme of ['http', 'https']) {
      const failure = await failureOf(found(`${scheme}://${host}:${port}/`), 'refused');
      assert.match(failure.message, /was not contacted.*\.$/);
    }
  }
  assert.equal(listener.connections, 0);
});

test('a redirect is an answer: what it names is not asked', async () => {
  await using inner = await new Listener((_request, response) => response.end('secret')).open();
  await using outer = await new Listener((_request, response) => {
    response.writeHead(302, { location: inner.url.href }).end();
  }).open();
  const response = await fetchOf(outer)(outer.url);
  assert.deepEqual([response.status, response.headers.get('location')], [302, inner.url.href]);
  assert.equal(inner.connections, 0);
});

test('a compressed answer is refused unread', async () => {
  await using listener = await new Listener((request, response) => {
    assert.equal(request.headers['accept-encoding'], 'identity');
    response.setHeader('content-encoding', 'gzip');
    response.end(gzipSync(Buffer.alloc(1_000_000)));
  }).open();
  const failure = await failureOf(fetchOf(listener)(listener.url), 'compressed');
  assert.equal(failure.message, `${listener.url.origin} sent a compressed answer, which was not requested.`);
});

test('an answer that is too long, never ends, or breaks off is no answer', async () => {
  let act: RequestListener = () => {};
  await using listener = await new Listener((request, response) => act(request, response)).open();
  act = (_request, response) => response.end('x'.repeat(10_001));
  await failureOf(fetchOf(listener)(listener.url), 'too-large');
  act = (_request, response) => response.end('x'.repeat(10_000));
  assert.equal((await (await fetchOf(listener)(listener.url)).text()).length, 10_000);
  act = (_request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('x', () => response.destroy());
  };
  await failureOf(fetchOf(listener)(listener.url), 'unreachable');
  const clock = new ManualClock();
  const waiting = new Promise<void>((resolve) => {
    act = (_request, response) => {
      response.write('x');
      resolve();
    };
  });
  const failing = failureOf(fetchOf(listener, { clock, timeoutMs: 2_000 })(listener.url), 'timeout');
  await waiting;
  await clock.advance(2_000);
  assert.match((await failing).message, /did not answer within 2 s\.$/);
});

test('a caller that gives up gets the reason of the signal', async () => {
  await using listener = await new Listener(() => {}).open();
  const giving = new AbortController();
  const fetching = fetchOf(listener)(listener.url, { signal: giving.signal });
  giving.abort(new Error('no longer wanted'));
  await assert.rejects(fetching, /no longer wanted/);
  await assert.rejects(fetchOf(listener)(listener.url, { signal: giving.signal }), /no longer wanted/);
});

test('an answer without a body has none', async () => {
  await using listener = await new Listener((_request, response) => response.writeHead(204).end()).open();
  const response = await fetchOf(listener)(listener.url);
  assert.deepEqual([response.status, await response.text()], [204, '']);
});

test('a URL with a user name or of another scheme is refused without being quoted', async () => {
  const anything: DialPolicy = { faultOf: () => undefined };
  const fetching = guardedFetch(anything, limits);
  const failure = await failureOf(fetching('http://me:canary-secret@127.0.0.1/'), 'refused');
  assert.ok(!failure.message.includes('canary-secret'));
  for (const url of ['file:///etc/hosts', 'javascript:alert(1)', 'ftp://example.com/', 'data:text/plain,x']) {
    await failureOf(fetching(url), 'refused');
  }
});

test('a connection that one policy allowed is not inherited by another', async () => {
  await using listener = await new Listener((_request, response) => response.end('x')).open();
  const asked = { url: listener.url, method: 'GET', headers: {} };
  const own = ownerPolicy([], listener.url);
  for (let round = 0; round < 2; round += 1) await guardedRequest(own, asked, limits);
  assert.equal(listener.connections, 1);
  const other = foundPolicy([], new URL('https://mcp.example.com/'));
  await failureOf(guardedRequest(other, asked, limits), 'refused');
});

test('a name that the owner wrote is resolved once, and what it leads to is asked', async () => {
  await using listener = await new Listener((request, response) => response.end(request.headers.host)).open();
  const url = new URL(`http://localhost:${listener.port}/`);
  const response = await guardedFetch(ownerPolicy([], url), limits)(url);
  assert.equal(await response.text(), `localhost:${listener.port}`);
});

test('[LINK-48] an idle connection is given up before servers usually close theirs', async () => {
  await using listener = await new Listener((_request, response) => response.end('hello')).open();
  const policy = ownerPolicy([], listener.url);
  const { agent } = dialing(policy, listener.url);
  const freed = once(agent, 'free') as Promise<[Socket]>;
  const ask = () => guardedRequest(policy, { url: listener.url, method: 'POST', headers: {} }, limits);
  await ask();
  const [kept] = await freed;
  assert.ok(kept.timeout && kept.timeout < 5_000, `${kept.timeout}`);
  kept.emit('timeout');
  await ask();
  assert.deepEqual([kept.destroyed, listener.connections], [true, 2]);
});

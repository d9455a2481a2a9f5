/** Requests that are passed on to another gateway on the same database, and those that are not. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { GatewayError } from '../base/errors.ts';
import { fingerprintOf, idAt, randomId } from '../base/ids.ts';
import { silentLog } from '../base/log.ts';
import { http } from '../base/node-http.ts';
import { Signal } from '../base/signal.ts';
import { HttpError } from './exchange.ts';
import { noOthers, passOn, type ReplicaAddresses, vouchedSender } from './pass-on.ts';
import { refuse } from './refuse.ts';

const own = randomId();
const other = randomId();
const sender = { address: '203.0.113.5', isKnown: true, isTrusted: true, isBridge: false };

async function serve(handler: RequestListener): Promise<AsyncDisposable & { readonly url: string }> {
  const server = http.createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A gateway that passes on what belongs to another one, and answers everything else with 204. */
function serveBeside(
  otherUrl: string | undefined,
  unreachable: string[] = [],
  onPassed = () => {},
  more: Partial<ReplicaAddresses & Pick<Parameters<typeof passOn>[1], 'mayAnswerLost'>> = {},
) {
  return serve(async (request, response) => {
    const urlOf = async (replica: string) => (replica === other ? otherUrl : undefined);
    const reportUnreachable = (_replica: string, url: string) => void unreachable.push(url);
    const replicas = { ...noOthers, own, urlOf, reportUnreachable, ...more };
    const id = request.headers['mcp-session-id'];
    try {
      if (await passOn(replicas, { request, response, sender, id, mayAnswerLost: more.mayAnswerLost })) onPassed();
      else response.writeHead(204).end();
    } catch (error) {
      assert.ok(error instanceof HttpError);
      response.writeHead(error.status, error.headers).end();
    }
  });
}

const post = (url: string, id: string) =>
  fetch(`${url}/mcp?surface=direct`, {
    method: 'POST',
    headers: { 'mcp-session-id': id, authorization: 'Bearer ann', 'content-type': 'application/json' },
    body: '{"n":1.0}',
  });

test('a request of a session elsewhere is answered there, to the letter', async () => {
  await using there = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method, url, headers } = request;
    response.writeHead(207, { 'x-answer': 'yes' });
    response.end(JSON.stringify([method, url, headers.authorization, Buffer.concat(chunks).toString()]));
  });
  await using here = await serveBeside(there.url);
  const answer = await post(here.url, idAt(other));
  assert.deepEqual([answer.status, answer.headers.get('x-answer')], [207, 'yes']);
  assert.deepEqual(await answer.json(), ['POST', '/mcp?surface=direct', 'Bearer ann', '{"n":1.0}']);
});

for (const method of ['GET', 'DELETE'])
  test(`a ${method} with a body is one request at the other gateway`, async () => {
    await using there = await serve(async (request, response) => {
      response.end((await request.toArray()).join(''));
    });
    await using here = await serveBeside(there.url);
    const body = 'GET /hidden HTTP/1.1\r\nhost: there\r\n\r\n';
    const headers = { 'mcp-session-id': idAt(other), 'transfer-encoding': 'chunked' };
    const sent = http.request(`${here.url}/mcp`, { method, headers });
    sent.end(body);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    assert.equal((await answer.toArray()).join(''), body);
  });

test('a request line that names another host leads to the replica all the same', async () => {
  await using there = await serve((request, response) => response.end(request.url));
  await using elsewhere = await serve((_request, response) => response.end('elsewhere'));
  await using here = await serveBeside(there.url);
  const { host } = new URL(elsewhere.url);
  for (const path of [`//${host}/mcp?a=1`, `http://${host}/mcp?a=1`]) {
    const { hostname, port } = new URL(here.url);
    const sent = http.request({ hostname, port, path, headers: { 'mcp-session-id': idAt(other) } }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    assert.equal((await answer.toArray()).join(''), '/mcp?a=1');
  }
});

test('the other gateway hears of the sender from this one alone, and nobody else can tell it of one', async () => {
  const markOf = (text: string) => fingerprintOf(`key ${text}`);
  let headers: IncomingHttpHeaders = {};
  await using there = await serve((request, response) => {
    headers = request.headers;
    response.end();
  });
  await using here = await serveBeside(there.url, [], () => {}, { markOf });
  const forged = { 'x-forwarded-for': '198.51.100.1', forwarded: 'for=198.51.100.1', 'x-real-ip': '198.51.100.1' };
  await fetch(`${here.url}/mcp`, { method: 'POST', headers: { 'mcp-session-id': idAt(other), ...forged } });
  assert.deepEqual(
    Object.keys(forged).filter((name) => name in headers),
    [],
  );
  const heard = (said: string | string[] | undefined, at: string | null = other, mark = markOf) =>
    vouchedSender({ headers: { 'x-toolcrib-passed-on': said } } as unknown as IncomingMessage, {
      ...noOthers,
      own: at,
      markOf: mark,
    });
  const said = String(headers['x-toolcrib-passed-on']);
  assert.deepEqual(heard(said), sender);
  const [facts = '', mark = ''] = said.split('.');
  const local = Buffer.from(JSON.stringify({ ...sender, address: '127.0.0.1' })).toString('base64url');
  for (const wrong of [undefined, '1', '', facts, `${facts}.`, `${local}.${mark}`, `${facts}.${mark}0`])
    assert.equal(heard(wrong), undefined, String(wrong));
  assert.equal(heard(said, own), undefined, 'at another replica');
  assert.equal(heard(said, null), undefined, 'without others');
  assert.equal(
    heard(said, other, (text) => fingerprintOf(text)),
    undefined,
    'with another key',
  );
});

test('a stream is passed on while it lasts, and its end ends it there', async () => {
  const ended = Promise.withResolvers<void>();
  await using there = await serve((_request, response) => {
    response.on('close', () => ended.resolve());
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
  });
  await using here = await serveBeside(there.url);
  const stop = new AbortController();
  const headers = { 'mcp-session-id': idAt(other) };
  const answer = await fetch(`${here.url}/mcp`, { headers, signal: stop.signal });
  assert.ok(answer.body);
  const { value } = await answer.body.getReader().read();
  assert.equal(Buffer.from(value ?? []).toString(), 'data: 1\n\n');
  stop.abort();
  await ended.promise;
});

for (const method of ['POST', 'GET'])
  test(`a ${method} counts as passed on ${method === 'GET' ? 'at the beginning' : 'at the end'} of its answer`, async () => {
    let answering: ServerResponse | undefined;
    await using there = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
      answering = response;
    });
    const passed = Promise.withResolvers<void>();
    let isPassed = false;
    await using here = await serveBeside(there.url, [], () => {
      isPassed = true;
      passed.resolve();
    });
    const answer = await fetch(`${here.url}/mcp`, { method, headers: { 'mcp-session-id': idAt(other) } });
    const reader = answer.body?.getReader();
    await reader?.read();
    assert.equal(isPassed, method === 'GET');
    answering?.end();
    await passed.promise;
    await reader?.cancel();
  });

test('where nothing listens at the address of a gateway that is there, the request can be sent again, and the log says so', async () => {
  await using closed = await serve(() => {});
  await closed[Symbol.asyncDispose]();
  const unreachable: string[] = [];
  await using here = await serveBeside(closed.url, unreachable, () => {}, { isStored: async () => true });
  const { status, headers } = await post(here.url, idAt(other));
  assert.deepEqual([status, headers.get('retry-after')], [503, '5']);
  assert.deepEqual(unreachable, [closed.url]);
});

test('what this gateway has, or names none, or a gateway that is gone, is answered here', async () => {
  await using gone = await serve(() => {});
  await gone[Symbol.asyncDispose]();
  await using here = await serveBeside(gone.url);
  for (const id of [idAt(own), idAt(null), 'nonsense', idAt(other), idAt(randomId())])
    assert.equal((await post(here.url, id)).status, 204);
});

test('a gateway that was lost with the request may have carried it out: nobody else does', async () => {
  await using there = await serve((request) => request.socket.destroy());
  await using here = await serveBeside(there.url);
  assert.equal((await post(here.url, idAt(other))).status, 502);
});

test('a gateway that takes the connection and cannot speak TLS was not reached: the request can be sent again later', async () => {
  await using there = await serve((_request, response) => response.end());
  const unreachable: string[] = [];
  const url = there.url.replace('http:', 'https:');
  await using here = await serveBeside(url, unreachable, () => {}, { isStored: async () => true });
  const { status, headers } = await post(here.url, idAt(other));
  assert.deepEqual([status, headers.get('retry-after')], [503, '5']);
  assert.deepEqual(unreachable, [url]);
});

test('a call that waited is answered here when its gateway is lost with the request', async () => {
  await using there = await serve((request) => request.socket.destroy());
  await using here = await serveBeside(there.url, [], () => {}, { mayAnswerLost: true });
  assert.equal((await post(here.url, idAt(other))).status, 204);
});

test('a gateway that is lost in the middle of its answer has answered: nobody else does', async () => {
  let reset = () => {};
  await using there = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    reset = () => response.socket?.resetAndDestroy();
  });
  const passed = Promise.withResolvers<void>();
  await using here = await serveBeside(there.url, [], passed.resolve, { mayAnswerLost: true });
  const reader = (await post(here.url, idAt(other))).body?.getReader();
  await reader?.read();
  reset();
  await assert.rejects(reader?.read() ?? Promise.resolve());
  await passed.promise;
});

test('an answer that comes after its sender was refused goes nowhere', async () => {
  const came = Promise.withResolvers<ServerResponse>();
  await using there = await serve((_request, response) => came.resolve(response));
  const waiting = Promise.withResolvers<ServerResponse>();
  const refused = Promise.withResolvers<boolean>();
  await using here = await serve(async (request, response) => {
    if (request.url === '/first') return waiting.resolve(response);
    const replicas = { ...noOthers, own, urlOf: async () => there.url };
    const passing = passOn(replicas, { request, response, sender, id: idAt(other) });
    const answering = await came.promise;
    response.writeHead(401).end();
    answering.end();
    refused.resolve(await passing);
  });
  const { hostname, port } = new URL(here.url);
  const socket = connect(Number(port), hostname);
  // The second answer waits for the first.
  socket.write(
    'GET /first HTTP/1.1\r\nhost: here\r\n\r\nGET /second HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n',
  );
  assert.ok(await refused.promise);
  (await waiting.promise).end();
  const heard = Buffer.concat(await socket.toArray()).toString();
  assert.deepEqual(heard.match(/HTTP\/1.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 401']);
});

test('a request at a gateway that falls silent ends once that one counts as gone, and a stream is cut', async () => {
  const changed = new Signal<void>();
  const gone = new Set<string>();
  const came = Promise.withResolvers<void>();
  await using there = await serve((request, response) => {
    if (request.method === 'POST') came.resolve();
    else response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
  });
  await using here = await serveBeside(there.url, [], () => {}, { changed, isGone: (id) => gone.has(id) });
  const standing = await fetch(`${here.url}/mcp`, { headers: { 'mcp-session-id': idAt(other) } });
  const reader = standing.body?.getReader();
  assert.equal(Buffer.from((await reader?.read())?.value ?? []).toString(), 'data: 1\n\n');
  const answering = post(here.url, idAt(other));
  await came.promise;
  changed.emit();
  assert.equal(changed.size, 2, 'the change was about others');
  gone.add(other);
  changed.emit();
  assert.equal((await answering).status, 502);
  await assert.rejects(reader?.read() ?? Promise.resolve());
  assert.equal(changed.size, 0);
});

test('where nobody can say which gateway has a session, the request can be sent again later', async () => {
  await using here = await serve(async (request, response) => {
    const urlOf = () => Promise.reject(new GatewayError('STORE_BROKEN', 'Unreachable.'));
    const passing = passOn({ ...noOthers, own, urlOf }, { request, response, sender, id: idAt(other) });
    await passing.catch((error) => refuse(response, error, undefined, null, silentLog));
  });
  const { status, headers } = await post(here.url, idAt(other));
  assert.deepEqual([status, headers.get('retry-after')], [503, '5']);
});

test('a request is passed on once, whatever it names', async () => {
  const urls = { a: '', b: '' };
  await using a = await serveBeside('http://127.0.0.1:9/');
  await using b = await serve(async (request, response) => {
    // It knows the sender under another name, as two that disagree do.
    const replicas = { ...noOthers, own: randomId(), urlOf: async () => urls.b };
    const isPassed = await passOn(replicas, { request, response, sender, id: request.headers['mcp-session-id'] });
    if (!isPassed) response.writeHead(204).end();
  });
  Object.assign(urls, { a: a.url, b: b.url });
  assert.equal((await post(b.url, idAt(other))).status, 204);
});

/** Streamable HTTP against servers made by hand: lost sessions, answers that are none, streams that break and come back. */

import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { eventually } from '../../test/kit/processes.ts';
import { testSpool } from '../../test/kit/spool.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import type { GatewayError } from '../base/errors.ts';
import type { RpcMessage } from '../protocol/messages.ts';
import { HttpTransport } from './http-transport.ts';
import { SseTransport } from './sse-transport.ts';

type Handler = (message: { id?: number; method?: string }, request: IncomingMessage, response: ServerResponse) => void;

async function withServer(handler: Handler, act: (url: string, stop: () => void) => Promise<void>): Promise<void> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    handler(body === '' ? {} : JSON.parse(body), request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  try {
    await act(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, stop);
  } finally {
    stop();
  }
}

async function openTransport(url: string, clock: Clock = systemClock) {
  const transport = new HttpTransport('far', { kind: 'http', url, headers: {} }, clock, spool);
  const heard: RpcMessage[] = [];
  await transport.open({ onMessage: (message) => heard.push(message), onClose: () => {} });
  return { transport, heard };
}

const spool = testSpool();

const json = (response: ServerResponse, body: unknown, headers: Record<string, string> = {}) =>
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const stream = (response: ServerResponse, text: string) =>
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text);
const ask = (id: number, method = 'tools/call') => ({ jsonrpc: '2.0' as const, id, method });
const legacy = { era: 'legacy', version: '2025-11-25' } as const;

test('every call of a lost session learns that it was lost, and nothing is sent outside of a session', async () => {
  const sessions: (string | undefined)[] = [];
  const waiting: ServerResponse[] = [];
  const handler: Handler = ({ id, method }, request, response) => {
    if (method === 'initialize') return json(response, { jsonrpc: '2.0', id, result: {} }, { 'mcp-session-id': 'one' });
    sessions.push(request.headers['mcp-session-id'] as string | undefined);
    waiting.push(response);
    // They were all sent before the first of them was refused.
    if (waiting.length === 3) for (const one of waiting) one.writeHead(404).end();
  };
  await withServer(handler, async (url) => {
    const { transport } = await openTransport(url);
    await transport.send(ask(1, 'initialize'));
    const outcomes = await Promise.allSettled([2, 3, 4].map((id) => transport.send(ask(id))));
    for (const outcome of [...outcomes, ...(await Promise.allSettled([transport.send(ask(5))]))]) {
      const { reason } = outcome as PromiseRejectedResult;
      assert.deepEqual((reason as GatewayError).data, { reason: 'session-lost', isUnexecuted: true });
    }
    assert.deepEqual(sessions, ['one', 'one', 'one']);
    await transport.close();
  });
});

test('a call under way learns that it was not executed where the stream hears first that the session is lost', async () => {
  let call: ServerResponse | undefined;
  const handler: Handler = ({ id, method }, { method: verb }, response) => {
    if (method === 'initialize') return json(response, { jsonrpc: '2.0', id, result: {} }, { 'mcp-session-id': 'one' });
    if (verb === 'POST') call = response;
    else void eventually('the call is under way', async () => call).then(() => response.writeHead(404).end());
  };
  await withServer(handler, async (url) => {
    const transport = new HttpTransport('far', { kind: 'http', url, headers: {} }, systemClock, spool);
    const closed = Promise.withResolvers<void>();
    await transport.open({ onMessage: () => {}, onClose: () => closed.resolve() });
    await transport.send(ask(1, 'initialize'));
    const settling = transport.settle(legacy);
    const calling = transport.send(ask(2)).catch((error: GatewayError) => error.data);
    await settling;
    assert.equal(await Promise.race([closed.promise, Promise.resolve('open')]), 'open');
    call?.writeHead(404).end();
    assert.deepEqual(await calling, { reason: 'session-lost', isUnexecuted: true });
    await closed.promise;
    await transport.close();
  });
});

test('a body that breaks off is a broken connection, and an error without an id belongs to its request', async () => {
  const handler: Handler = ({ id }, _request, response) => {
    if (id === 2) return json(response, { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'no' } });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 });
    response.write('{"jsonrpc":', () => response.destroy());
  };
  await withServer(handler, async (url) => {
    const { transport, heard } = await openTransport(url);
    await assert.rejects(transport.send(ask(1)), { code: 'SERVER_DISCONNECTED', message: /closed the connection/ });
    await transport.send(ask(2));
    assert.deepEqual(heard, [{ jsonrpc: '2.0', id: 2, error: { code: -32600, message: 'no' } }]);
    await transport.close();
  });
});

test('only the answer to initialize begins a session', async () => {
  const sessions: unknown[] = [];
  const handler: Handler = ({ id }, request, response) => {
    sessions.push(request.headers['mcp-session-id']);
    json(response, { jsonrpc: '2.0', id, result: {} }, { 'mcp-session-id': `s${id}` });
  };
  await withServer(handler, async (url) => {
    const { transport } = await openTransport(url);
    await transport.send(ask(1));
    await transport.send(ask(2, 'initialize'));
    await transport.send(ask(3));
    await transport.send(ask(4));
    assert.deepEqual(sessions, [undefined, undefined, 's2', 's2']);
    await transport.close();
  });
});

test('a protocol error counts with any status; any other body with an error status is a failure', async () => {
  const refusal = (id: number | undefined) => ({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } });
  const handler: Handler = ({ id }, _request, response) => {
    if (id === 2) return json(response, { note: 'accepted' });
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify(id === 1 ? refusal(id) : { note: 'no message' }));
  };
  await withServer(handler, async (url) => {
    const { transport, heard } = await openTransport(url);
    await transport.send(ask(1));
    await transport.send(ask(2));
    assert.deepEqual(heard, [refusal(1)]);
    await assert.rejects(transport.send(ask(3)), { message: /HTTP 400/ });
    await transport.close();
  });
});

test('a stream without event ids that ends early is a broken connection', async () => {
  const handler: Handler = (_message, _request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': hello\n\n', () => response.destroy());
  };
  await withServer(handler, async (url) => {
    const { transport } = await openTransport(url);
    await assert.rejects(transport.send(ask(1)), { code: 'SERVER_DISCONNECTED', message: /closed the connection/ });
    await transport.close();
  });
});

test('a stream is resumed for as long as that brings something', async () => {
  let resumes = 0;
  const handler: Handler = (_message, request, response) => {
    if (request.method === 'POST') return stream(response, 'id: 0\nretry: 1\ndata: \n\n');
    resumes += 1;
    const answer = resumes === 8 ? JSON.stringify({ jsonrpc: '2.0', id: 1, result: {} }) : '';
    stream(response, `id: ${resumes}\ndata: ${answer}\n\n`);
  };
  await withServer(handler, async (url) => {
    const { transport, heard } = await openTransport(url);
    const startedAt = performance.now();
    await transport.send(ask(1));
    assert.equal(heard.length, 1);
    assert.ok(performance.now() - startedAt > 8 * 90, 'with a pause each time, however short the server wants it');
    await transport.close();
  });
});

test('a stream that cannot be resumed because nobody is there does not make its request one that was never sent', async () => {
  const clock = new ManualClock();
  const handler: Handler = (_message, _request, response) => stream(response, 'id: 1\ndata: \n\n');
  await withServer(handler, async (url, stop) => {
    const { transport } = await openTransport(url, clock);
    const sending = assert.rejects(transport.send(ask(1)), { data: { reason: 'stream-ended' } });
    await clock.awaited(1_000);
    stop();
    await clock.advance(1_000);
    await sending;
  });
});

test('the standing stream comes back after an outage, and never more often than once a second', async () => {
  const clock = new ManualClock();
  let gets = 0;
  const handler: Handler = (_message, _request, response) => {
    gets += 1;
    if (gets === 2) return void response.writeHead(503).end();
    if (gets === 4) return void response.writeHead(405).end();
    stream(response, 'retry: 0\ndata: \n\n');
  };
  await withServer(handler, async (url) => {
    const { transport } = await openTransport(url, clock);
    await transport.settle(legacy);
    for (const count of [1, 2, 3, 4]) {
      await eventually('it is opened', () => (gets === count ? true : undefined));
      if (count < 4) await clock.awaited(1_000);
      assert.equal(gets, count);
      await clock.advance(1_000);
    }
    await clock.advance(60_000);
    assert.equal(gets, 4, '405 is final');
    await transport.close();
  });
});

test('the standing stream is opened at once when somebody is known to be there again', async () => {
  const clock = new ManualClock();
  let opened = 0;
  const handler: Handler = (_message, _request, response) => {
    opened += 1;
    response.writeHead(503).end();
  };
  await withServer(handler, async (url) => {
    const { transport } = await openTransport(url, clock);
    void transport.settle(legacy);
    // The pauses grow from a second on.
    for (const waitMs of [1_000, 2_000, 4_000]) {
      await clock.awaited(waitMs);
      await clock.advance(waitMs);
    }
    await clock.awaited(8_000);
    const before = opened;
    transport.hurry();
    await clock.awaited(1_000);
    assert.equal(opened, before + 1, 'and the pauses start anew');
    await transport.close();
  });
});

test('the old SSE stream outlives the attempt to connect', async () => {
  let said: ServerResponse | undefined;
  const handler: Handler = (_message, _request, response) => {
    said = response;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('event: endpoint\ndata: /messages\n\n');
  };
  await withServer(handler, async (url) => {
    const transport = new SseTransport('far', { kind: 'sse', url, headers: {} }, systemClock, spool);
    const connecting = new AbortController();
    let close = (_reason: Error) => {};
    const heard = new Promise((resolve, reject) => {
      close = reject;
      void transport.open({ onMessage: resolve, onClose: (reason) => close(reason) }, connecting.signal).then(() => {
        connecting.abort(new Error('The config was edited.'));
        said?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/any' })}\n\n`);
      });
    });
    assert.deepEqual(await heard, { jsonrpc: '2.0', method: 'notifications/any' });
    await transport.close();
  });
});

test('a message that an old SSE server refuses is a failure', async () => {
  const handler: Handler = (_message, request, response) => {
    if (request.method === 'POST') return void response.writeHead(500).end();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('event: endpoint\ndata: /messages\n\n');
  };
  await withServer(handler, async (url) => {
    const transport = new SseTransport('far', { kind: 'sse', url, headers: {} }, systemClock, spool);
    await transport.open({ onMessage: () => {}, onClose: () => {} }, new AbortController().signal);
    await assert.rejects(transport.send(ask(1)), { message: /HTTP 500/ });
    await transport.close();
  });
});

test('connecting to an old SSE server can be given up', async () => {
  await withServer(
    () => {},
    async (url) => {
      const transport = new SseTransport('far', { kind: 'sse', url, headers: {} }, systemClock, spool);
      const connecting = new AbortController();
      const events = { onMessage: () => {}, onClose: () => {} };
      const opening = assert.rejects(transport.open(events, connecting.signal), /edited/);
      connecting.abort(new Error('The config was edited.'));
      await opening;
    },
  );
});

test('an old SSE server cannot have its messages sent elsewhere', async () => {
  let named = '';
  const handler: Handler = (_message, _request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`event: endpoint\ndata: ${named}\n\n`);
  };
  await withServer(handler, async (url) => {
    const { port } = new URL(url);
    for (named of [`http://localhost:${port}/m`, `//127.0.0.2:${port}/m`, `https://127.0.0.1:${port}/m`, 'http://[x']) {
      const transport = new SseTransport('far', { kind: 'sse', url, headers: {} }, systemClock, spool);
      const events = { onMessage: () => {}, onClose: () => {} };
      const opening = transport.open(events, new AbortController().signal);
      await assert.rejects(opening, /wants its messages sent to another place than http:\/\/127\.0\.0\.1/);
      await transport.close();
    }
  });
});

test('a server that leads to a place that must not be dialled is not asked, and told of by name', async () => {
  for (const url of ['http://169.254.169.254/mcp', 'http://0.0.0.0:1/mcp', 'http://[fe80::1]/mcp']) {
    const transport = new HttpTransport('far', { kind: 'http', url, headers: {} }, systemClock, spool);
    await transport.open({ onMessage: () => {}, onClose: () => {} });
    const sending = transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
    await assert.rejects(sending, /Server "far" cannot be used: .* is an address that is not meant for servers/);
  }
});

/** Answers over HTTP that are too long for the memory: as a body and as an event, whole, broken off, given up, too much. */

import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { eventually } from '../../test/kit/processes.ts';
import { testSpool } from '../../test/kit/spool.ts';
import { systemClock } from '../base/clock.ts';
import type { RpcMessage } from '../protocol/messages.ts';
import { LongValue, releaseLong } from '../results/results.ts';
import { HttpTransport } from './http-transport.ts';
import { SseTransport } from './sse-transport.ts';

type Answer = (id: number, response: ServerResponse) => void;

const spool = testSpool();
const long = 'ä🙂 "x" \\ '.repeat(400_000);
const idle = { onMessage: () => {}, onClose: () => {} };

async function withServer(answer: Answer, act: (url: string) => Promise<void>): Promise<void> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    answer(body === '' ? 0 : (JSON.parse(body) as { id: number }).id, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await act(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
  assert.equal(spool.bytes, 0, 'nothing is left on the disk');
}

async function openTransport(url: string) {
  const transport = new HttpTransport('far', { kind: 'http', url, headers: {} }, systemClock, spool);
  const heard: RpcMessage[] = [];
  await transport.open({ onMessage: (message) => heard.push(message), onClose: () => {} });
  const send = (id: number, signal?: AbortSignal) =>
    transport.send({ jsonrpc: '2.0', id, method: 'tools/call' }, { signal });
  return { heard, send };
}

const result = { content: [{ type: 'text', text: long }], isError: false };
const message = (id: number) => JSON.stringify({ jsonrpc: '2.0', id, result });
const asJson = { 'content-type': 'application/json' };
const asStream = { 'content-type': 'text/event-stream' };

/** The long text of an answer; its file is let go. */
async function textOf(answer: RpcMessage | undefined): Promise<string> {
  const { content } = (answer as unknown as { result: typeof result }).result;
  const value: unknown = content[0]?.text;
  assert.ok(value instanceof LongValue);
  let text = '';
  for await (const chunk of value.textChunks()) text += chunk;
  releaseLong({ content });
  return text;
}

test('a long body, and a long event among short ones, in one line or many, arrive whole', async () => {
  const spread = (text: string) => text.replaceAll(',"', ',\ndata: "').replace(/^/, 'data: ');
  const progress = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: {} })}\n\n`;
  const answers: Answer[] = [
    (id, response) => response.writeHead(200, asJson).end(message(id)),
    (id, response) => response.writeHead(200, asStream).end(`${progress}id: 1\ndata: ${message(id)}\n\n`),
    (id, response) => response.writeHead(200, asStream).end(`${progress}${spread(message(id))}\r\n\r\n`),
  ];
  for (const [at, answer] of answers.entries()) {
    await withServer(answer, async (url) => {
      const { heard, send } = await openTransport(url);
      await send(7);
      assert.equal(heard.length, at === 0 ? 1 : 2);
      assert.ok((await textOf(heard.at(-1))) === long);
    });
  }
});

test('a long batch is taken whole, message by message', async () => {
  const answer: Answer = (id, response) => response.writeHead(200, asJson).end(`[${message(id)},${message(8)}]`);
  await withServer(answer, async (url) => {
    const { heard, send } = await openTransport(url);
    await send(7);
    assert.deepEqual(heard, [JSON.parse(message(7)), JSON.parse(message(8))]);
  });
});

test('an answer that is too much, or no JSON, is cut off and told as what it is', async () => {
  const blocks = JSON.stringify(
    Array.from({ length: 60_000 }, () => ({ type: 'text', text: 'one block of very many' })),
  );
  const endless = (head: Record<string, string>, begin: (id: number) => string): Answer => {
    return (id, response) => void response.writeHead(200, head).write(begin(id));
  };
  const cases: [Answer, string, RegExp][] = [
    [
      endless(asJson, (id) => `{"jsonrpc":"2.0","id":${id},"result":{"content":${blocks}`),
      'TOO_LARGE',
      /20000 content/,
    ],
    [
      endless(asStream, (id) => `data: {"jsonrpc":"2.0","id":${id},"result":{"content":${blocks}`),
      'TOO_LARGE',
      /20000/,
    ],
    [endless(asJson, () => `{"jsonrpc":"2.0","text":"${long}`), 'SERVER_NOT_RUNNING', /a message that is not JSON/],
  ];
  for (const [answer, code, told] of cases) {
    await withServer(answer, async (url) => {
      const { heard, send } = await openTransport(url);
      await assert.rejects(send(7), { code, message: told });
      assert.deepEqual(heard, []);
    });
  }
});

test('a long answer that breaks off, or is given up, leaves nothing on the disk', async () => {
  for (const head of [asJson, asStream]) {
    let cut = (): void => {};
    const answer: Answer = (id, response) => {
      response.writeHead(200, head).write(`${head === asStream ? 'data: ' : ''}${message(id).slice(0, -9)}`);
      cut = () => response.destroy();
    };
    await withServer(answer, async (url) => {
      const { send } = await openTransport(url);
      const isOnDisk = () => (spool.bytes > 1_000_000 ? true : undefined);
      const broken = assert.rejects(send(7), { code: 'SERVER_DISCONNECTED' });
      await eventually('it is on the disk', isOnDisk);
      cut();
      await broken;
      assert.equal(spool.bytes, 0);
      const giving = new AbortController();
      const given = assert.rejects(send(8, giving.signal));
      await eventually('it is on the disk', isOnDisk);
      giving.abort(new Error('no longer wanted'));
      await given;
    });
  }
});

test('a full spool fails the call that needs it, and no other', async () => {
  const small = testSpool({ limitBytes: 1_500_000 });
  const answer: Answer = (id, response) =>
    response.writeHead(200, asJson).end(id === 7 ? message(id) : JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
  await withServer(answer, async (url) => {
    const transport = new HttpTransport('far', { kind: 'http', url, headers: {} }, systemClock, small);
    await transport.open(idle);
    const call = (id: number) => transport.send({ jsonrpc: '2.0', id, method: 'tools/call' });
    const [full, other] = await Promise.allSettled([call(7), call(8)]);
    assert.equal(((full as PromiseRejectedResult).reason as { code: string }).code, 'RATE_LIMITED');
    assert.equal(other?.status, 'fulfilled');
    assert.equal(small.bytes, 0);
  });
});

test('on the old SSE stream, too, long answers arrive, and one that is too much does not end the stream', async () => {
  const blocks = JSON.stringify(
    Array.from({ length: 60_000 }, () => ({ type: 'text', text: 'one block of very many' })),
  );
  const answer: Answer = (_id, response) => {
    response.writeHead(200, asStream);
    response.write('event: endpoint\ndata: /messages\n\n');
    response.write(`data: {"jsonrpc":"2.0","id":1,"result":{"content":${blocks}}}\n\ndata: ${message(2)}\n\n`);
  };
  await withServer(answer, async (url) => {
    const transport = new SseTransport('far', { kind: 'sse', url, headers: {} }, systemClock, spool);
    const heard: RpcMessage[] = [];
    const events = { ...idle, onMessage: (said: RpcMessage) => void heard.push(said) };
    await transport.open(events, new AbortController().signal);
    const second = await eventually('both are heard', () => heard[1]);
    assert.match(
      (heard[0] as { error: { message: string } }).error.message,
      /"far" was not read.*20000 content blocks/,
    );
    assert.ok((await textOf(second)) === long);
    await transport.close();
  });
});

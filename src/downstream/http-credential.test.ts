/** Requests that carry a credential: sent again once where it was refused, on both transports. */

import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { testSpool } from '../../test/kit/spool.ts';
import { systemClock } from '../base/clock.ts';
import { ownerPolicy } from '../base/dial-guard.ts';
import { exchangeAs } from './http-exchange.ts';
import type { Credential, CredentialRefusal } from './oauth/stored-credentials.ts';
import { SseTransport } from './sse-transport.ts';

interface Seen {
  readonly authorization: string | undefined;
  readonly method: string | undefined;
  readonly body: string;
}

type Answer = (seen: Seen, response: ServerResponse) => void;

async function withServer(answer: Answer, act: (url: URL, seen: Seen[]) => Promise<void>): Promise<void> {
  const seen: Seen[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const item = { authorization: request.headers.authorization, method: request.method, body };
    seen.push(item);
    answer(item, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await act(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`), seen);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Answers each refusal with `next`, and records it. */
function played(ready: string | null | undefined, next: (refusal: CredentialRefusal) => string | undefined) {
  const refusals: CredentialRefusal[] = [];
  const credential: Credential = {
    ready,
    prepare: async () => 'Bearer prepared',
    afterRefusal: async (refusal) => {
      refusals.push(refusal);
      return next(refusal);
    },
  };
  return { credential, refusals };
}

const post = (url: URL, credential: Credential | null) => {
  const headers = { 'content-type': 'application/json' };
  const policy = ownerPolicy([], url);
  return exchangeAs(credential, { server: 'far', url, policy, method: 'POST', headers, body: '{"a":1}' });
};

const only =
  (good: string): Answer =>
  ({ authorization }, response) => {
    if (authorization === good) response.writeHead(200).end('{}');
    else response.writeHead(401, { 'www-authenticate': 'Bearer scope="x"' }).end();
  };

test('a ready credential is sent, another is prepared first, and without one there is no header', async () => {
  await withServer(
    (_seen, response) => response.writeHead(200).end(),
    async (url, seen) => {
      const credentials = [null, played(null, () => undefined), played('Bearer a', () => undefined)];
      for (const item of [...credentials, played(undefined, () => undefined)])
        await post(url, item?.credential ?? null);
      assert.deepEqual(
        seen.map(({ authorization }) => authorization),
        [undefined, undefined, 'Bearer a', 'Bearer prepared'],
      );
    },
  );
});

test('a request that was refused is sent again as it was, with the new credential', async () => {
  await withServer(only('Bearer new'), async (url, seen) => {
    const { credential, refusals } = played('Bearer old', () => 'Bearer new');
    assert.equal((await post(url, credential)).statusCode, 200);
    assert.deepEqual(
      seen.map(({ authorization, body }) => [authorization, body]),
      [
        ['Bearer old', '{"a":1}'],
        ['Bearer new', '{"a":1}'],
      ],
    );
    const first = { status: 401, challenge: 'Bearer scope="x"', sent: 'Bearer old', isRepeated: false };
    assert.deepEqual(refusals, [first]);
  });
});

test('a second refusal is told as one, and where there is nothing to send the answer is handed on', async () => {
  await withServer(only('Bearer never'), async (url, seen) => {
    const { credential, refusals } = played('Bearer a', ({ isRepeated }) => (isRepeated ? undefined : 'Bearer b'));
    assert.equal((await post(url, credential)).statusCode, 401);
    assert.deepEqual(
      refusals.map(({ sent, isRepeated }) => [sent, isRepeated]),
      [
        ['Bearer a', false],
        ['Bearer b', true],
      ],
    );
    assert.equal(seen.length, 2);
  });
});

test('the older transport sends its credential with the stream and with each message', async () => {
  const answer: Answer = ({ authorization, method }, response) => {
    if (authorization !== 'Bearer new') response.writeHead(401).end();
    else if (method === 'POST') response.writeHead(202).end();
    else response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: endpoint\ndata: /messages\n\n');
  };
  await withServer(answer, async (url, seen) => {
    const { credential } = played('Bearer old', () => 'Bearer new');
    const spec = { kind: 'sse', url: url.href, headers: {} } as const;
    const transport = new SseTransport('far', spec, systemClock, testSpool(), ownerPolicy([], url), credential);
    await transport.open({ onMessage: () => {}, onClose: () => {} }, new AbortController().signal);
    await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    assert.deepEqual(
      seen.map(({ method, authorization }) => `${method} ${authorization}`),
      ['GET Bearer old', 'GET Bearer new', 'POST Bearer old', 'POST Bearer new'],
    );
    await transport.close();
  });
});

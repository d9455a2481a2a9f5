/** Modern requests: listening, also while the gateway closes, and the agent's signals after the answer. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import { everybody } from '../access/access.ts';
import { systemClock } from '../base/clock.ts';
import { http } from '../base/node-http.ts';
import type { Endpoint, EndpointInfo } from '../endpoint/endpoint.ts';
import { request as rpcRequest } from '../protocol/messages.ts';
import { Slots } from './connections.ts';
import { Answer } from './exchange.ts';
import { serveListen } from './modern-leg.ts';

const info: EndpointInfo = { serverInfo: {}, capabilities: { tools: { listChanged: true } } };

/** Listens at an endpoint that describes itself in its own time; gives what the agent reads. */
async function listen(
  describe: () => Promise<EndpointInfo>,
  ending: AbortSignal,
  listening: Endpoint['listen'] = () => () => {},
  notifications: Record<string, unknown> = { toolsListChanged: true },
): Promise<string> {
  const server = http.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const answered = fetch(`http://127.0.0.1:${(server.address() as { port: number }).port}`);
  const [request, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  // Listening uses no more of an endpoint than this.
  const endpoint = { describe, listen: listening } as unknown as Endpoint;
  const answer = new Answer({ response, clock: systemClock, canStream: true });
  const message = rpcRequest('one', 'subscriptions/listen', { notifications });
  const context = { endpoint, principal: everybody, subscriptions: new Slots(() => 1), claimStream() {}, ending };
  await serveListen({ ...context, request, response }, message, answer);
  const text = await (await answered).text();
  server.close();
  server.closeAllConnections();
  return text;
}

test('a stream that is being opened ends with the gateway', async () => {
  const ending = new AbortController();
  const never = () => {
    setImmediate(() => ending.abort());
    return new Promise<EndpointInfo>(() => {});
  };
  assert.match(await listen(never, ending.signal), /acknowledged.*"resultType":"complete"/s);
});

test('a stream that was opened at the moment of the end ends too', async () => {
  const ending = new AbortController();
  const listening = () => {
    ending.abort();
    return () => {};
  };
  assert.match(await listen(async () => info, ending.signal, listening), /acknowledged.*"resultType":"complete"/s);
});

test('a listener hears of the kinds that it asked for and that this endpoint announces', async () => {
  const ending = new AbortController();
  const described = { ...info, capabilities: { ...info.capabilities, prompts: {}, resources: { listChanged: true } } };
  const listening: Endpoint['listen'] = (_principal, hear) => {
    setImmediate(() => {
      for (const kind of ['tools', 'prompts', 'resources'] as const) hear({ kind });
      ending.abort();
    });
    return () => {};
  };
  const wanted = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: 'yes' };
  const text = await listen(async () => described, ending.signal, listening, wanted);
  assert.match(text, /"notifications":\{"toolsListChanged":true\}/);
  assert.deepEqual(
    [...text.matchAll(/(\w+)\/list_changed/g)].map(([, kind]) => kind),
    ['tools'],
  );
});

test('listening to nothing ends at once', async () => {
  const never = new AbortController().signal;
  const text = await listen(
    async () => info,
    never,
    () => assert.fail('Nobody listens.'),
    {},
  );
  assert.match(text, /acknowledged.*"resultType":"complete"/s);
});

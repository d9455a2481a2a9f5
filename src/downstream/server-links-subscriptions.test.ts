/** Subscriptions on the links to one server: which link tells the server of them, and when the server hears that they end. */

import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { eventually } from '../../test/kit/processes.ts';
import { testSpool } from '../../test/kit/spool.ts';
import { systemClock } from '../base/clock.ts';
import { silentLog } from '../base/log.ts';
import { parseServer } from '../config/config.ts';
import { ServerLinks } from './server-links.ts';
import { Guard } from './server-process.ts';
import type { ResourceSubscription } from './subscriptions.ts';

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly uri?: string; readonly notifications?: { readonly resourceSubscriptions?: string[] } };
}

/** A remote server of both eras that writes down the subscriptions it hears of, by legacy session. */
class SubscribedServer implements AsyncDisposable {
  readonly heard: string[] = [];
  readonly methods = new Set<string>();
  /** Held back until it resolves: answers to `resources/subscribe`. */
  answers: Promise<void> = Promise.resolve();
  readonly subscriptions = new Set<ResourceSubscription>();
  readonly #http = createServer((request, response) => void this.#serve(request, response));
  readonly #isPerSession: boolean;
  #sessions = 0;
  #links: ServerLinks | undefined;

  constructor({ perSession = false } = {}) {
    this.#isPerSession = perSession;
  }

  async open(): Promise<ServerLinks> {
    await new Promise<void>((resolve) => this.#http.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/mcp`;
    const spec = parseServer('far', { url, perSession: this.#isPerSession }, {}, 'file');
    const decidedAt = systemClock.now();
    const context = {
      guard: new Guard('test', silentLog),
      clock: systemClock,
      runMark: 'test',
      env: process.env,
      privateHosts: () => [],
      connect: {
        lazy: true,
        preconnect: [],
        timeoutMs: 30_000,
        installTimeoutMs: 60_000,
        maxRetries: 0,
        idleMs: 0,
        roots: [],
      },
      verdicts: {
        findVerdict: async (key: string) => ({ key, modern: true, legacy: true, discover: null, decidedAt }),
        saveVerdict: async () => {},
        removeVerdict: async () => {},
      },
      log: silentLog,
      random: () => 0.5,
      spool: testSpool(),
    };
    this.#links = new ServerLinks(spec, context, () => this.subscriptions);
    return this.#links;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#links?.close();
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = JSON.parse(Buffer.concat(chunks).toString()) as Message;
    if (message.id === undefined) return void response.writeHead(202).end();
    this.methods.add(message.method);
    const session = request.headers['mcp-session-id'];
    const { uri, notifications } = message.params ?? {};
    const asked = /^resources\/(subscribe|unsubscribe)$/.exec(message.method)?.[1];
    if (asked) this.heard.push(`${session} ${asked} ${uri}`);
    if (message.method === 'subscriptions/listen') this.heard.push(`modern ${notifications?.resourceSubscriptions}`);
    if (asked === 'subscribe') await this.answers;
    const own = message.method === 'initialize' ? { 'mcp-session-id': this.#newSession() } : {};
    response.writeHead(200, { 'content-type': 'application/json', ...own });
    const result = { ...agreements[message.method], resultType: 'complete', capabilities: {} };
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
  }

  #newSession(): string {
    this.#sessions += 1;
    return `s${this.#sessions}`;
  }
}

const agreements: Readonly<Record<string, object>> = {
  initialize: { protocolVersion: '2025-11-25', serverInfo: { name: 'far', version: '1' } },
  'server/discover': { supportedVersions: ['2026-07-28'] },
};

const requestOf = (method: string) => ({ method, timeoutMs: 5_000, agent: { capabilities: {} } });

function subscriptionTo(uri: string, more: Partial<ResourceSubscription> = {}): ResourceSubscription {
  return { server: 'far', uri, era: 'legacy', session: undefined, ...more };
}

async function subscribe(server: SubscribedServer, links: ServerLinks, one: ResourceSubscription): Promise<void> {
  server.subscriptions.add(one);
  await links.subscribe(one);
}

async function unsubscribe(server: SubscribedServer, links: ServerLinks, one: ResourceSubscription): Promise<void> {
  server.subscriptions.delete(one);
  await links.unsubscribe(one);
}

test('a shared server hears of a resource once, and of its end when the last subscriber has left', async () => {
  await using server = new SubscribedServer();
  const links = await server.open();
  const [first, second] = [subscriptionTo('test://a', { session: 'x' }), subscriptionTo('test://a', { session: 'y' })];
  const other = subscriptionTo('test://b');
  for (const one of [first, second, other]) await subscribe(server, links, one);
  await unsubscribe(server, links, first);
  assert.deepEqual(server.heard, ['s1 subscribe test://a', 's1 subscribe test://b']);
  await unsubscribe(server, links, second);
  assert.deepEqual(server.heard.slice(2), ['s1 unsubscribe test://a']);
  await unsubscribe(server, links, other);
  assert.deepEqual(server.heard.slice(3), ['s1 unsubscribe test://b']);
});

test('two links of different eras to a remote server tell it of a resource once', async () => {
  await using server = new SubscribedServer();
  const links = await server.open();
  await subscribe(server, links, subscriptionTo('test://a'));
  await subscribe(server, links, subscriptionTo('test://a', { era: 'modern' }));
  assert.deepEqual(server.methods, new Set(['initialize', 'resources/subscribe', 'server/discover']));
  assert.deepEqual(server.heard, ['s1 subscribe test://a']);
});

test('where each session has its own link, a subscription begins and ends on that of its session', async () => {
  await using server = new SubscribedServer({ perSession: true });
  const links = await server.open();
  const [first, second] = [subscriptionTo('test://a', { session: 'x' }), subscriptionTo('test://a', { session: 'y' })];
  await subscribe(server, links, first);
  await subscribe(server, links, second);
  assert.deepEqual(server.heard, ['s1 subscribe test://a', 's2 subscribe test://a']);
  await unsubscribe(server, links, second);
  assert.deepEqual(server.heard.slice(2), ['s2 unsubscribe test://a']);
  await unsubscribe(server, links, first);
  assert.deepEqual(server.heard.slice(3), ['s1 unsubscribe test://a']);
});

test('a new link tells the server of the subscriptions that belong to it, each resource once, before it is used', async () => {
  await using server = new SubscribedServer({ perSession: true });
  const links = await server.open();
  for (const session of ['x', 'y', 'x']) server.subscriptions.add(subscriptionTo(`test://${session}`, { session }));
  const answer = Promise.withResolvers<void>();
  server.answers = answer.promise;
  const request = links.request(requestOf('ping'), { era: 'legacy', session: 'x' });
  await eventually('the server has heard of it', () => server.heard.length > 0 || undefined);
  // A request that did not wait would be there by the time that another session has its answer.
  await links.request(requestOf('tools/list'), { era: 'legacy', session: 'z' });
  assert.ok(!server.methods.has('ping'));
  answer.resolve();
  await request;
  assert.deepEqual(server.heard, ['s1 subscribe test://x']);
});

test('after a reset every subscription is told again', async () => {
  await using server = new SubscribedServer();
  const links = await server.open();
  await subscribe(server, links, subscriptionTo('test://a'));
  await subscribe(server, links, subscriptionTo('test://b'));
  await links.reset();
  await eventually('both are told again', () => server.heard.length === 4 || undefined);
  assert.deepEqual(server.heard.slice(2).sort(), ['s2 subscribe test://a', 's2 subscribe test://b']);
});

test('a subscription that was withdrawn while its link was opening is not told', async () => {
  await using server = new SubscribedServer();
  const links = await server.open();
  const one = subscriptionTo('test://a');
  await Promise.all([subscribe(server, links, one), unsubscribe(server, links, one)]);
  assert.deepEqual(server.heard, []);
});

test('a subscription ends only after the server has confirmed it, and not if somebody else wants it by then', async () => {
  await using server = new SubscribedServer();
  const links = await server.open();
  for (const isWantedAgain of [false, true]) {
    server.heard.length = 0;
    const answer = Promise.withResolvers<void>();
    server.answers = answer.promise;
    const one = subscriptionTo('test://a');
    const subscribing = subscribe(server, links, one);
    await eventually('the server has heard of it', () => server.heard.length === 1 || undefined);
    const unsubscribing = unsubscribe(server, links, one);
    if (isWantedAgain) server.subscriptions.add(subscriptionTo('test://a'));
    answer.resolve();
    await Promise.all([subscribing, unsubscribing]);
    const ended = isWantedAgain ? [] : ['s1 unsubscribe test://a'];
    assert.deepEqual(server.heard, ['s1 subscribe test://a', ...ended]);
  }
});

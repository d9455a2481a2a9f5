/** Subscriptions on the links to one server: which link announces them to the server, and when it announces their end. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../test/kit/processes.ts';
import { testSpool } from '../../test/kit/spool.ts';
import { SubscribedServer } from '../../test/kit/subscribed-server.ts';
import { systemClock } from '../base/clock.ts';
import { silentLog } from '../base/log.ts';
import { parseServer } from '../config/config.ts';
import { ServerLinks } from './server-links.ts';
import { Guard } from './server-process.ts';
import type { ResourceSubscription } from './subscriptions.ts';

const connect = {
  ...{ lazy: true, preconnect: [], timeoutMs: 30_000, installTimeoutMs: 60_000, maxRetries: 0, idleMs: 0 },
  roots: [],
};

/** Links to a server that is known to speak both eras. */
class Stage implements AsyncDisposable {
  readonly subscriptions = new Set<ResourceSubscription>();
  readonly links: ServerLinks;

  private constructor(url: string, perSession: boolean) {
    const decidedAt = systemClock.now();
    const context = {
      ...{ guard: new Guard('test', silentLog), clock: systemClock, log: silentLog, runMark: 'test', env: process.env },
      ...{ connect, privateHosts: () => [], random: () => 0.5, spool: testSpool() },
      verdicts: {
        findVerdict: async (key: string) => ({ key, modern: true, legacy: true, discover: null, decidedAt }),
        saveVerdict: async () => {},
        removeVerdict: async () => {},
      },
    };
    const spec = parseServer('far', { url, perSession }, {}, 'file');
    this.links = new ServerLinks(spec, context, () => this.subscriptions);
  }

  static async open(server: SubscribedServer, { perSession = false } = {}): Promise<Stage> {
    return new Stage(await server.open(), perSession);
  }

  async subscribe(one: ResourceSubscription): Promise<void> {
    this.subscriptions.add(one);
    await this.links.subscribe(one);
  }

  async unsubscribe(one: ResourceSubscription): Promise<void> {
    this.subscriptions.delete(one);
    await this.links.unsubscribe(one);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.links.close();
  }
}

const requestOf = (method: string) => ({ method, timeoutMs: 5_000, agent: { capabilities: {} } });

function subscriptionTo(uri: string, more: Partial<ResourceSubscription> = {}): ResourceSubscription {
  return { server: 'far', uri, era: 'legacy', session: undefined, ...more };
}

test('a shared server gets one subscription to a resource, which ends with the last subscriber', async () => {
  await using server = new SubscribedServer();
  await using stage = await Stage.open(server);
  const [first, second] = [subscriptionTo('test://a', { session: 'x' }), subscriptionTo('test://a', { session: 'y' })];
  const other = subscriptionTo('test://b');
  for (const one of [first, second, other]) await stage.subscribe(one);
  await stage.unsubscribe(first);
  assert.deepEqual(server.heard, ['s1 subscribe test://a', 's1 subscribe test://b']);
  await stage.unsubscribe(second);
  assert.deepEqual(server.heard.slice(2), ['s1 unsubscribe test://a']);
  await stage.unsubscribe(other);
  assert.deepEqual(server.heard.slice(3), ['s1 unsubscribe test://b']);
});

test('two links of different eras to a remote server send one subscription to a resource', async () => {
  await using server = new SubscribedServer();
  await using stage = await Stage.open(server);
  await stage.subscribe(subscriptionTo('test://a'));
  await stage.subscribe(subscriptionTo('test://a', { era: 'modern' }));
  assert.deepEqual(server.methods, new Set(['initialize', 'resources/subscribe', 'server/discover']));
  assert.deepEqual(server.heard, ['s1 subscribe test://a']);
});

test('with one link a session, a subscription begins and ends on the link of its session', async () => {
  await using server = new SubscribedServer();
  await using stage = await Stage.open(server, { perSession: true });
  const [first, second] = [subscriptionTo('test://a', { session: 'x' }), subscriptionTo('test://a', { session: 'y' })];
  await stage.subscribe(first);
  await stage.subscribe(second);
  assert.deepEqual(server.heard, ['s1 subscribe test://a', 's2 subscribe test://a']);
  await stage.unsubscribe(second);
  assert.deepEqual(server.heard.slice(2), ['s2 unsubscribe test://a']);
  await stage.unsubscribe(first);
  assert.deepEqual(server.heard.slice(3), ['s1 unsubscribe test://a']);
});

test('a new link sends its subscriptions, one a resource, before it is used', async () => {
  await using server = new SubscribedServer();
  await using stage = await Stage.open(server, { perSession: true });
  for (const session of ['x', 'y', 'x']) stage.subscriptions.add(subscriptionTo(`test://${session}`, { session }));
  const answer = Promise.withResolvers<void>();
  server.answers = answer.promise;
  const request = stage.links.request(requestOf('ping'), { era: 'legacy', session: 'x' });
  await eventually('the server has heard of it', () => server.heard.length > 0 || undefined);
  // A request that did not wait would arrive before another session gets its answer.
  await stage.links.request(requestOf('tools/list'), { era: 'legacy', session: 'z' });
  assert.ok(!server.methods.has('ping'));
  answer.resolve();
  await request;
  assert.deepEqual(server.heard, ['s1 subscribe test://x']);
});

test('after a reset, every subscription is sent again', async () => {
  await using server = new SubscribedServer();
  await using stage = await Stage.open(server);
  await stage.subscribe(subscriptionTo('test://a'));
  await stage.subscribe(subscriptionTo('test://b'));
  await stage.links.reset();
  await eventually('both are sent again', () => server.heard.length === 4 || undefined);
  assert.deepEqual(server.heard.slice(2).sort(), ['s2 subscribe test://a', 's2 subscribe test://b']);
});

test('a subscription that was withdrawn while its link was opening is not sent', async () => {
  await using server = new SubscribedServer();
  await using stage = await Stage.open(server);
  const one = subscriptionTo('test://a');
  await Promise.all([stage.subscribe(one), stage.unsubscribe(one)]);
  assert.deepEqual(server.heard, []);
});

test('a subscription ends only after the server has confirmed it, and not if somebody else wants it by then', async () => {
  await using server = new SubscribedServer();
  await using stage = await Stage.open(server);
  for (const isWantedAgain of [false, true]) {
    server.heard.length = 0;
    const answer = Promise.withResolvers<void>();
    server.answers = answer.promise;
    const one = subscriptionTo('test://a');
    const subscribing = stage.subscribe(one);
    await eventually('the server has heard of it', () => server.heard.length === 1 || undefined);
    const unsubscribing = stage.unsubscribe(one);
    if (isWantedAgain) stage.subscriptions.add(subscriptionTo('test://a'));
    answer.resolve();
    await Promise.all([subscribing, unsubscribing]);
    const ended = isWantedAgain ? [] : ['s1 unsubscribe test://a'];
    assert.deepEqual(server.heard, ['s1 subscribe test://a', ...ended]);
  }
});

/** Tests of subscriptions at one endpoint: what is held does not depend on what the catalog says later, and our own are told when they read differently. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChangeHarness, listenerOf } from '../../test/kit/change-harness.ts';
import { everybody, projectOf } from '../access/access.ts';
import { Signal } from '../base/signal.ts';
import { type AgentSide, RequestTrace } from '../caller/caller.ts';
import type { Downstream, ResourceSubscription, ResourceUpdate } from '../downstream/downstream.ts';
import type { Offers } from './offers.ts';
import { Subscriptions } from './subscriptions.ts';

/** A downstream that only notes who wants what. */
class Harness {
  readonly resourceUpdated = new Signal<ResourceUpdate>();
  readonly made = new Set<ResourceSubscription>();
  readonly heard: unknown[] = [];
  find: Offers['find'] = async (uri) => ({ server: 's', uri: `own-${uri}` });
  answer: Promise<void> = Promise.resolve();
  readonly subscriptions: Subscriptions;

  constructor() {
    // Only these members are used.
    const downstream = {
      resourceUpdated: this.resourceUpdated,
      subscribe: (one: ResourceSubscription) => {
        this.made.add(one);
        return this.answer;
      },
      unsubscribe: async (one: ResourceSubscription) => void this.made.delete(one),
    } as unknown as Downstream;
    const offers = { find: (...asked: Parameters<Offers['find']>) => this.find(...asked) } as Offers;
    this.subscriptions = new Subscriptions(downstream, offers, ({ params, session }) =>
      this.heard.push([params.uri, session]),
    );
  }
}

function agent(session: string, era: AgentSide['era'] = 'legacy', signal = new AbortController().signal): AgentSide {
  return { era, session, signal, capabilities: {}, notify() {}, trace: new RequestTrace() };
}

test('an update of a server that is just leaving is told under the URI that was asked for', async () => {
  const harness = new Harness();
  await harness.subscriptions.add('a', everybody, agent('one'));
  harness.find = () => {
    throw new Error('There is no such server.');
  };
  harness.resourceUpdated.emit({ server: 's', params: { uri: 'own-a' } });
  harness.resourceUpdated.emit({ server: 's', params: { uri: 'own-b' } });
  assert.deepEqual(harness.heard, [['a', undefined]]);
  await harness.subscriptions.remove('a', everybody, 'one');
  assert.equal(harness.made.size, 0, 'it is released without asking whose it would be now');
});

test('a legacy session holds one subscription, each modern stream its own', async () => {
  const harness = new Harness();
  await Promise.all([1, 2].map(() => harness.subscriptions.add('a', everybody, agent('one'))));
  assert.equal(harness.made.size, 1);
  for (let at = 0; at < 2; at += 1) await harness.subscriptions.add('a', everybody, agent('principal', 'modern'));
  assert.equal(harness.made.size, 3);
  await harness.subscriptions.remove('a', everybody, 'principal');
  await harness.subscriptions.remove('a', everybody, 'one');
  assert.deepEqual(
    [...harness.made].map(({ session }) => session),
    ['principal'],
  );
});

test('an agent that goes while it subscribes leaves nothing behind', async () => {
  const harness = new Harness();
  const slow = Promise.withResolvers<void>();
  harness.answer = slow.promise;
  const going = new AbortController();
  const adding = harness.subscriptions.add('a', everybody, agent('one', 'legacy', going.signal));
  going.abort(new Error('gone'));
  slow.resolve();
  await assert.rejects(adding, /gone/);
  assert.equal(harness.made.size, 0);
});

test('an update of a server that is not shared is told to its session alone', async () => {
  const harness = new Harness();
  await harness.subscriptions.add('a', everybody, agent('one'));
  harness.resourceUpdated.emit({ server: 's', session: 'two', params: { uri: 'own-a' } });
  harness.resourceUpdated.emit({ server: 's', session: 'one', params: { uri: 'own-a' } });
  assert.deepEqual(harness.heard, [['a', 'one']]);
});

test('each of our resources is told when it reads differently, and only to who subscribed to it', async () => {
  const harness = await new ChangeHarness().open({ a: {}, b: {} });
  const uris = ['servers', 'tools', 'server/a', 'server/a/tools', 'tool/a/look'].map((path) => `toolcrib://${path}`);
  for (const uri of uris) await harness.endpoint.subscribe(uri, everybody, listenerOf('s'));
  const updates = async () => (await harness.later()).filter((item) => item.startsWith('toolcrib://'));
  const told = (...paths: string[]) => paths.map((path) => `toolcrib://${path}`);
  await harness.list('b', ['find']);
  assert.deepEqual(await updates(), told('servers', 'tools'));
  await harness.list('a', ['look', 'find']);
  assert.deepEqual(await updates(), told('servers', 'tools', 'server/a', 'server/a/tools'));
  harness.become('a', 'failed');
  assert.deepEqual(await updates(), told('servers', 'server/a'));
  harness.setServers({ a: { permissions: { look: 'deny' } }, b: {} });
  assert.deepEqual(await updates(), told('servers', 'tools', 'server/a', 'server/a/tools', 'tool/a/look'));
  await harness.list('a', ['look', 'find']);
  assert.deepEqual(await updates(), []);
  for (const uri of uris) await harness.endpoint.unsubscribe(uri, everybody, 's');
  await harness.list('a', []);
  assert.deepEqual(await updates(), []);
});

test('a legacy session holds one subscription of ours, each modern stream its own, and all hear once', async () => {
  const harness = await new ChangeHarness().open({ a: {} });
  const uri = 'toolcrib://tools';
  for (const name of ['one', 'one', 'two']) await harness.endpoint.subscribe(uri, everybody, listenerOf(name));
  for (let at = 0; at < 2; at += 1) await harness.endpoint.subscribe(uri, everybody, listenerOf('modern', 'modern'));
  await harness.endpoint.unsubscribe(uri, everybody, 'modern');
  await harness.endpoint.unsubscribe(uri, everybody, 'one');
  await harness.list('a', ['find']);
  assert.deepEqual(
    (await harness.later()).filter((item) => item.startsWith(uri)),
    [uri, uri],
  );
});

test('invisible resources cannot be subscribed to, in the words of the era', async () => {
  const harness = await new ChangeHarness().open({ a: { projects: ['shop'], permissions: { look: 'deny' } } });
  const stranger = { ...everybody, project: projectOf('school') };
  for (const [uri, principal] of [
    ['toolcrib://server/a', stranger],
    ['toolcrib://server/none/tools', everybody],
    ['toolcrib://tool/a/look', everybody],
  ] as const) {
    await assert.rejects(harness.endpoint.subscribe(uri, principal, listenerOf('s')), { code: -32002 }, uri);
    await assert.rejects(harness.endpoint.subscribe(uri, principal, listenerOf('s', 'modern')), { code: -32602 }, uri);
  }
});

test('a resource of ours is told by whatever makes it read differently, and by nothing else', async () => {
  const every = ['overview', 'servers', 'tools', 'server/a', 'server/a/tools', 'server/a/types', 'tool/a/look'];
  const acts: readonly (readonly [string, (harness: ChangeHarness) => void, readonly string[]])[] = [
    [
      'a category',
      (harness) => harness.setServers({ a: { category: 'email' } }),
      ['overview', 'server/a', 'tool/a/look'],
    ],
    ['a title', (harness) => harness.setServers({ a: { title: 'Boats' } }), ['servers', 'server/a']],
    ['a separator', (harness) => harness.set({ names: { separator: '__' } }), ['tool/a/look']],
    ['a longer timeout', (harness) => harness.setServers({ a: { timeoutMs: 5_000 } }), []],
  ];
  for (const [what, act, told] of acts) {
    const harness = await new ChangeHarness({ surface: 'direct' }).open({ a: {} });
    for (const path of every) await harness.endpoint.subscribe(`toolcrib://${path}`, everybody, listenerOf('s'));
    act(harness);
    const updates = (await harness.later()).filter((item) => item.startsWith('toolcrib://'));
    assert.deepEqual(
      updates,
      told.map((path) => `toolcrib://${path}`),
      what,
    );
  }
});

test('a page of an index cannot be subscribed to', async () => {
  const harness = await new ChangeHarness().open({ a: {} });
  for (const era of ['legacy', 'modern'] as const) {
    const page = harness.endpoint.subscribe('toolcrib://tools?cursor=1', everybody, listenerOf('s', era));
    await assert.rejects(page, { code: -32602, message: /subscribe to toolcrib:\/\/tools\./ });
  }
});

test('however many spellings and subscribers a resource has, it is read once a change', async () => {
  const spellings = ['look', '%6Cook', 'l%6Fok', 'lo%6Fk'].map((name) => `toolcrib://tool/a/${name}`);
  const reads: number[] = [];
  for (const uris of [spellings.slice(0, 1), spellings]) {
    const harness = await new ChangeHarness({ surface: 'direct' }).open({ a: {} });
    for (const session of ['one', 'two', 'three'])
      for (const uri of uris) await harness.endpoint.subscribe(uri, everybody, listenerOf(session));
    harness.categoryReads = 0;
    harness.setServers({ a: { category: 'email' } });
    const updates = (await harness.later()).filter((item) => item.startsWith('toolcrib://'));
    assert.deepEqual(updates, [...uris, ...uris, ...uris], 'each hears under the spelling that it used');
    reads.push(harness.categoryReads);
  }
  assert.deepEqual(reads, [1, 1]);
});

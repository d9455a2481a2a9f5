/** Tests of subscriptions at one endpoint: what is held does not depend on what the catalog says later. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everybody } from '../access/access.ts';
import { Signal } from '../base/signal.ts';
import { type AgentSide, RequestTrace } from '../caller/caller.ts';
import type { Downstream, ResourceUpdate, Wish } from '../downstream/downstream.ts';
import type { Offers } from './offers.ts';
import { Subscriptions } from './subscriptions.ts';

/** A downstream that only notes who wants what. */
class Harness {
  readonly resourceUpdated = new Signal<ResourceUpdate>();
  readonly wishes = new Set<Wish>();
  readonly heard: unknown[] = [];
  find: Offers['find'] = async (uri) => ({ server: 's', uri: `own-${uri}` });
  answer: Promise<void> = Promise.resolve();
  readonly subscriptions: Subscriptions;

  constructor() {
    // Only these members are used.
    const downstream = {
      resourceUpdated: this.resourceUpdated,
      subscribe: (wish: Wish) => {
        this.wishes.add(wish);
        return this.answer;
      },
      unsubscribe: async (wish: Wish) => void this.wishes.delete(wish),
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
  assert.equal(harness.wishes.size, 0, 'it is released without asking whose it would be now');
});

test('a legacy session holds one subscription, each modern stream its own', async () => {
  const harness = new Harness();
  await Promise.all([1, 2].map(() => harness.subscriptions.add('a', everybody, agent('one'))));
  assert.equal(harness.wishes.size, 1);
  for (let at = 0; at < 2; at += 1) await harness.subscriptions.add('a', everybody, agent('principal', 'modern'));
  assert.equal(harness.wishes.size, 3);
  await harness.subscriptions.remove('a', everybody, 'principal');
  await harness.subscriptions.remove('a', everybody, 'one');
  assert.deepEqual(
    [...harness.wishes].map(({ session }) => session),
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
  assert.equal(harness.wishes.size, 0);
});

test('an update of a server that is not shared is told to its session alone', async () => {
  const harness = new Harness();
  await harness.subscriptions.add('a', everybody, agent('one'));
  harness.resourceUpdated.emit({ server: 's', session: 'two', params: { uri: 'own-a' } });
  harness.resourceUpdated.emit({ server: 's', session: 'one', params: { uri: 'own-a' } });
  assert.deepEqual(harness.heard, [['a', 'one']]);
});

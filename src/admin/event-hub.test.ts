/** Events: who hears of what, and what is kept while nobody reads. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { bothHalves, evaluating, playedJobs } from '../../test/kit/played-jobs.ts';
import { writtenSnapshot } from '../../test/kit/written-catalog.ts';
import { everybody, type Principal } from '../access/access.ts';
import { systemClock } from '../base/clock.ts';
import { Signal } from '../base/signal.ts';
import { EventHub, lingerMs, type PublishEvent } from './event-hub.ts';
import { type WatchedLayers, watchGateway } from './watch-gateway.ts';

test('a job on a server that was removed ends for all that could follow it, and for nobody else', async () => {
  const { jobs, store, ended } = playedJobs();
  store.prompts = bothHalves('direct', 3);
  const layers = quietLayers({ optimizer: { jobs } });
  const hub = new EventHub({ clock: systemClock, watch: (publish) => watchGateway(asWatched(layers), publish) });
  const heard = (principal: Principal) => {
    const states: unknown[] = [];
    hub.follow({ after: undefined, principal: () => principal, onEvent: ({ data }) => states.push(data.state) });
    return states;
  };
  const [all, some, others] = [undefined, ['wea*'], ['other']].map((servers) => heard({ ...everybody, servers }));
  const job = await jobs.start(evaluating, 'owner');
  layers.catalog.snapshot = writtenSnapshot({ other: { forecast: 'Does it.' } });
  await ended(job.id);
  assert.deepEqual([all?.at(-1), some?.at(-1), others], ['done', 'done', [undefined]]);
  hub.close();
});

test('the minutes that changed are told together, with all their calls; those of a reset too', async () => {
  const clock = new ManualClock();
  const counts = new Map([[1, 2]]);
  const metrics = {
    ...quietMetrics(),
    lastHour: () => [...counts].map(([start, callCount]) => ({ start, callCount })),
  };
  const told: unknown[] = [];
  const layers = quietLayers({ optimizer: { jobs: { changed: new Signal<never>() } }, metrics, clock });
  const watch = watchGateway(asWatched(layers), (_, minute) => told.push(minute));
  counts.set(2, 1).set(3, 0);
  metrics.recorded.emit();
  counts.set(2, 2);
  metrics.recorded.emit();
  assert.deepEqual(told, []);
  await clock.advance(1_000);
  assert.deepEqual(told, [{ start: 2, callCount: 2 }]);
  counts.set(1, 0).set(2, 0);
  metrics.forgotten.emit();
  await clock.advance(1_000);
  assert.deepEqual(told.slice(1), [
    { start: 1, callCount: 0 },
    { start: 2, callCount: 0 },
  ]);
  watch.stop();
});

test('of many servers only those are read again whose entry changed or whose listing was tried', async () => {
  const clock = new ManualClock();
  const read: string[] = [];
  const store = {
    isShared: false,
    countLastChange: async (server: string) => {
      read.push(server);
      return null;
    },
  };
  const spec = { transport: { kind: 'http' }, origin: 'file' };
  const layers = quietLayers({
    ...{ optimizer: { jobs: { changed: new Signal<never>() } }, clock, store, registry: { find: () => spec } },
    downstream: { changed: new Signal<never>(), status: () => undefined },
  });
  const all = writtenSnapshot({ one: { look: 'Looks.' }, two: { look: 'Looks.' }, three: { look: 'Looks.' } });
  layers.catalog.snapshot = all;
  const watch = watchGateway(asWatched(layers), () => {});
  const readAfter = async (act: () => void) => {
    read.length = 0;
    act();
    await clock.advance(1_000);
    return read.toSorted();
  };
  assert.deepEqual(await readAfter(() => layers.catalog.renewed.emit()), ['one', 'three', 'two']);
  const changed = writtenSnapshot({ two: { look: 'Looks elsewhere.' } }).servers;
  layers.catalog.snapshot = { ...all, servers: new Map([...all.servers, ...changed]) };
  assert.deepEqual(await readAfter(() => layers.catalog.renewed.emit()), ['two']);
  assert.deepEqual(await readAfter(() => layers.catalog.listingEnded.emit('one')), ['one']);
  watch.stop();
});

test('events are kept from the first look on, and a while after the last reader has gone; then nothing is watched', async () => {
  const clock = new ManualClock();
  const watching = new Set<PublishEvent>();
  const watch = (publish: PublishEvent) => {
    watching.add(publish);
    return { forget() {}, stop: () => void watching.delete(publish) };
  };
  const remove = (name: string) => {
    for (const publish of watching) publish('server-removed', { name });
  };
  const hub = new EventHub({ clock, watch });
  const readAfter = (after: string | undefined) => {
    const read: string[] = [];
    const onEvent = ({ kind }: { readonly kind: string }) => void read.push(kind);
    return { read, stop: hub.follow({ after, principal: () => everybody, onEvent }) };
  };
  assert.equal(watching.size, 0);
  const { id } = hub.mark();
  for (const publish of watching) publish('changed', { topic: 'tokens' });
  const first = readAfter(id);
  remove('git');
  assert.deepEqual(first.read, ['changed', 'server-removed']);
  assert.deepEqual(Object.keys(hub.mark().revisions), ['tokens']);
  first.stop();
  remove('docs');
  await clock.advance(lingerMs - 1);
  const second = readAfter(id);
  assert.deepEqual(second.read, ['changed', 'server-removed', 'server-removed']);
  await clock.advance(2 * lingerMs);
  assert.equal(watching.size, 1, 'somebody reads');
  second.stop();
  await clock.advance(lingerMs);
  assert.equal(watching.size, 0);
  assert.deepEqual(readAfter(id).read, ['begin']);
  hub.close();
});

/** Layers in which nothing happens but what a test brings. */
function quietLayers<T extends object>(own: T) {
  const quiet = { changed: new Signal<never>() };
  const catalog = {
    snapshot: writtenSnapshot({ weather: { forecast: 'Does it.' } }),
    ...{ ...quiet, renewed: new Signal<void>(), configured: new Signal<never>(), listingEnded: new Signal<string>() },
    trouble: () => undefined,
    pins: { told: new Signal<never>(), takenOver: new Signal<never>(), countWaiting: () => ({}) },
  };
  return {
    ...{ catalog, clock: systemClock, audit: { written: new Signal<never>() }, store: { isShared: false } },
    metrics: { ...quietMetrics(), lastHour: () => [] },
    ...{
      downstream: quiet,
      access: quiet,
      projects: quiet,
      approvals: quiet,
      secrets: quiet,
      recorder: quiet,
      agents: quiet,
    },
    ...own,
  };
}

function quietMetrics() {
  const [recorded, forgotten] = [new Signal<void>(), new Signal<void>()];
  return { recorded, forgotten, outdated: new Signal<void>(), recounted: new Signal<void>() };
}

/** No more of the layers is used than what a test has. */
function asWatched(layers: object): WatchedLayers {
  return layers as WatchedLayers;
}

test('others than the owner get ids that do not tell how much happens besides, and can go on after them', () => {
  let publish: PublishEvent = () => {};
  const watch = (given: PublishEvent) => {
    publish = given;
    return { forget() {}, stop() {} };
  };
  const hub = new EventHub({ clock: new ManualClock(), watch });
  const other: Principal = { ...everybody, scopes: new Set(['optimize']) };
  const readAfter = (after?: string) => {
    const read: { readonly id: string; readonly kind: string }[] = [];
    hub.follow({ after, principal: () => other, onEvent: (event) => void read.push(event) });
    return read;
  };
  const job = (jobId: string) => publish('job', { jobId, state: 'running', progress: {}, message: '' }, () => true);
  const first = readAfter();
  for (let count = 0; count < 50; count += 1) publish('server-removed', { name: 'git' });
  job('a');
  for (let count = 0; count < 50; count += 1) publish('server-removed', { name: 'git' });
  job('b');
  const numbers = first.map(({ id, kind }) => `${kind} ${id.split('.')[1]}`);
  assert.deepEqual(numbers, ['begin s0', 'job s1', 'job s2']);
  for (const [at, { id }] of first.entries()) assert.deepEqual(readAfter(id), first.slice(at + 1));
  assert.equal(readAfter(first[0]?.id.replace('s0', 's7'))[0]?.kind, 'begin');
  hub.close();
});

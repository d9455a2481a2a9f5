/** Tests of what one endpoint tells: with a real catalog, servers that only answer, and a clock that the test moves. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { everybody } from '../access/access.ts';
import { silentLog } from '../base/log.ts';
import { Signal } from '../base/signal.ts';
import type { AgentSide } from '../caller/caller.ts';
import { Catalog } from '../catalog/catalog.ts';
import { parseServer, type ServerSpec } from '../config/config.ts';
import type { Downstream, Offer, ServerStatus } from '../downstream/downstream.ts';
import type { Store } from '../store/store.ts';
import type { EndpointChange } from './endpoint.ts';
import { EndpointChanges, toldToAgents } from './endpoint-changes.ts';
import { OwnSubscriptions } from './own-subscriptions.ts';
import { isVisible } from './visible.ts';

/** A catalog of servers that list what `tools` says, and the endpoint of one project (or of all). */
class Desk {
  readonly clock = new ManualClock();
  readonly tools = new Map<string, readonly string[]>();
  readonly states = new Map<string, ServerStatus['state']>();
  readonly heard: string[] = [];
  readonly changed = new Signal<EndpointChange>();
  readonly catalog: Catalog;
  readonly own: OwnSubscriptions;
  readonly #moved = new Signal<string>();
  #specs: readonly ServerSpec[] = [];

  constructor(project?: string) {
    const diff = { added: [], updated: [], removed: [], unchanged: 0 };
    // Only these members are used.
    const store = {
      listListings: async () => [],
      markStale: async () => {},
      removeListing: async () => {},
      applyListing: async () => diff,
    } as unknown as Store;
    const downstream = {
      listChanged: new Signal(),
      changed: this.#moved,
      spec: (name: string) => this.#specs.find((spec) => spec.name === name),
      status: (name: string) => ({ state: this.states.get(name) ?? 'configured', connectedElapsed: 0 }),
      list: async (name: string) => offerOf(this.tools.get(name) ?? []),
    } as unknown as Downstream;
    const { clock } = this;
    this.catalog = new Catalog({ store, downstream, clock, log: silentLog, listsUnknown: false });
    this.own = new OwnSubscriptions(this, (uri, session) => this.heard.push(`${uri} ${session}`));
    this.listen('', this.heard);
    new EndpointChanges(this, {
      isHere: (server) => isVisible(server, { project }),
      changed: this.changed,
      listsTold: toldToAgents,
      onLook: () => this.own.look(),
    });
  }

  listen(name: string, heard: string[]): void {
    this.changed.on((change) => heard.push(`${name}${change.kind}`));
  }

  async open(entries: Readonly<Record<string, Record<string, unknown>>>): Promise<this> {
    await this.catalog.open();
    this.setServers(entries);
    for (const name of Object.keys(entries)) await this.list(name, ['look']);
    await this.later();
    this.heard.length = 0;
    return this;
  }

  setServers(entries: Readonly<Record<string, Record<string, unknown>>>): void {
    this.#specs = Object.entries(entries).map(([name, raw]) =>
      parseServer(name, { command: 'serve', ...raw }, {}, 'file'),
    );
    this.catalog.setServers(this.#specs);
  }

  async list(name: string, tools: readonly string[]): Promise<void> {
    this.tools.set(name, tools);
    await this.catalog.refresh(name);
  }

  become(name: string, state: ServerStatus['state']): void {
    this.states.set(name, state);
    this.#moved.emit(name);
  }

  /** What was heard after so long. */
  async later(ms = 5_000): Promise<string[]> {
    await this.clock.advance(ms);
    return this.heard.splice(0);
  }
}

function offerOf(names: readonly string[]): Offer {
  const tools = names.map((name) => ({ name, inputSchema: {} }));
  const nothing = { resources: [], templates: [], prompts: [], warnings: [] };
  return { serverInfo: null, capabilities: {}, instructions: null, tools, ...nothing };
}

test('a server that is added and then listed came once, when it was listed', async () => {
  const desk = await new Desk().open({ a: {} });
  desk.setServers({ a: {}, b: {} });
  assert.deepEqual(await desk.later(), []);
  await desk.list('b', ['look']);
  assert.deepEqual(await desk.later(249), []);
  assert.deepEqual(await desk.later(1), ['tools', 'resources']);
});

test('servers that come within a quarter of a second, and a refresh of all, are told as one', async () => {
  const names = Array.from({ length: 50 }, (_, at) => `s${at}`);
  const entries = Object.fromEntries(names.map((name) => [name, {}]));
  const desk = await new Desk().open({});
  desk.setServers(entries);
  for (const name of names) {
    await desk.list(name, ['look']);
    await desk.clock.advance(4);
  }
  assert.deepEqual(await desk.later(), ['tools', 'resources']);
  await Promise.all(names.map((name) => desk.list(name, ['look', 'find'])));
  assert.deepEqual(await desk.later(), ['tools', 'resources']);
  await Promise.all(names.map((name) => desk.list(name, ['look', 'find'])));
  assert.deepEqual(await desk.later(), []);
});

test('what came and went in one moment is no news', async () => {
  const desk = await new Desk().open({ a: {} });
  await desk.list('a', ['look', 'find']);
  await desk.list('a', ['look']);
  desk.become('a', 'failed');
  desk.become('a', 'connected');
  assert.deepEqual(await desk.later(), []);
});

test('a server that fails is told once, however often it is tried, and its return once', async () => {
  const desk = await new Desk().open({ a: {} });
  for (const state of ['failed', 'connecting', 'failed', 'connecting', 'failed'] as const) {
    desk.become('a', state);
    await desk.clock.advance(8_000);
  }
  assert.deepEqual(await desk.later(), ['resources']);
  desk.become('a', 'connected');
  assert.deepEqual(await desk.later(), ['resources']);
  for (const state of ['configured', 'connecting', 'connected'] as const) {
    desk.become('a', state);
    await desk.clock.advance(1_000);
  }
  assert.deepEqual(await desk.later(), [], 'closed when idle and opened again');
});

test('a server that cannot even be listed is told when it fails', async () => {
  const desk = await new Desk().open({ a: {} });
  desk.setServers({ a: {}, b: {} });
  desk.become('b', 'connecting');
  assert.deepEqual(await desk.later(), []);
  desk.become('b', 'failed');
  assert.deepEqual(await desk.later(), ['resources']);
  desk.setServers({ a: {} });
  assert.deepEqual(await desk.later(), ['resources'], 'and when it goes');
});

test('news of a server that became another one waits until it is listed, but not for ever', async () => {
  const desk = await new Desk().open({ a: {} });
  desk.setServers({ a: { env: { EDITED: 'yes' } } });
  await desk.clock.advance(1_000);
  await desk.list('a', ['look']);
  assert.deepEqual(await desk.later(), [], 'it offers what the last one did');
  desk.setServers({ a: { env: { EDITED: 'again' } } });
  assert.deepEqual(await desk.later(1_499), []);
  assert.deepEqual(await desk.later(1), ['tools', 'resources']);
});

test('who does not see a server hears nothing of it', async () => {
  const desk = await new Desk('shop').open({ a: { projects: ['shop'] }, b: { projects: ['school'] } });
  await desk.list('b', ['find']);
  desk.become('b', 'failed');
  assert.deepEqual(await desk.later(), []);
  desk.setServers({ a: { projects: ['shop'] }, b: { projects: ['school', 'shop'] } });
  assert.deepEqual(await desk.later(), ['tools', 'resources']);
});

test('who comes after a change has read it already; who came before hears of it', async () => {
  const desk = await new Desk().open({ a: {}, b: {} });
  await desk.list('a', ['find']);
  const late: string[] = [];
  desk.listen('late ', late);
  assert.deepEqual([await desk.later(), late], [['tools', 'resources'], []]);
  await desk.list('a', ['look']);
  assert.deepEqual(
    [await desk.later(), late],
    [
      ['tools', 'resources'],
      ['late tools', 'late resources'],
    ],
  );
});

test('new names are told to those who see a server', async () => {
  const desk = await new Desk('shop').open({ a: { projects: ['shop'] } });
  desk.catalog.announce(['tools', 'prompts']);
  assert.deepEqual(await desk.later(), ['tools', 'prompts', 'resources']);
  desk.setServers({});
  await desk.later();
  desk.catalog.announce(['tools']);
  assert.deepEqual(await desk.later(), []);
});

function agent(session: string, era: AgentSide['era'] = 'legacy'): AgentSide {
  return { era, session, signal: new AbortController().signal, capabilities: {}, notify() {} };
}

test('each of our resources is told when it reads differently, and only to who subscribed to it', async () => {
  const desk = await new Desk().open({ a: {}, b: {} });
  const uris = ['servers', 'tools', 'server/a', 'server/a/tools', 'tool/a/look'].map((path) => `toolcrib://${path}`);
  for (const uri of uris) await desk.own.add(uri, everybody, agent('s'));
  const updates = async () => (await desk.later()).filter((item) => item.startsWith('toolcrib://'));
  const told = (...paths: string[]) => paths.map((path) => `toolcrib://${path} s`);
  await desk.list('b', ['find']);
  assert.deepEqual(await updates(), told('servers', 'tools'));
  await desk.list('a', ['look', 'find']);
  assert.deepEqual(await updates(), told('servers', 'tools', 'server/a', 'server/a/tools'));
  desk.become('a', 'failed');
  assert.deepEqual(await updates(), told('servers', 'server/a'));
  desk.setServers({ a: { permissions: { look: 'deny' } }, b: {} });
  assert.deepEqual(await updates(), told('servers', 'tools', 'server/a', 'server/a/tools', 'tool/a/look'));
  await desk.list('a', ['look', 'find']);
  assert.deepEqual(await updates(), []);
  for (const uri of uris) await desk.own.remove(uri, everybody, 's');
  await desk.list('a', []);
  assert.deepEqual(await updates(), []);
});

test('a legacy session holds one subscription of ours, each modern stream its own, and all hear once', async () => {
  const desk = await new Desk().open({ a: {} });
  const uri = 'toolcrib://tools';
  for (const name of ['one', 'one', 'two']) await desk.own.add(uri, everybody, agent(name));
  for (let at = 0; at < 2; at += 1) await desk.own.add(uri, everybody, agent('modern', 'modern'));
  await desk.own.remove(uri, everybody, 'modern');
  await desk.own.remove(uri, everybody, 'one');
  await desk.list('a', ['find']);
  assert.deepEqual(
    (await desk.later()).filter((item) => item.startsWith(uri)),
    [`${uri} two`, `${uri} modern`],
  );
});

test('what a principal cannot see cannot be subscribed to, in the words of its era', async () => {
  const desk = await new Desk().open({ a: { projects: ['shop'], permissions: { look: 'deny' } } });
  const stranger = { ...everybody, project: 'school' };
  for (const [uri, principal] of [
    ['toolcrib://server/a', stranger],
    ['toolcrib://server/none/tools', everybody],
    ['toolcrib://tool/a/look', everybody],
  ] as const) {
    await assert.rejects(desk.own.add(uri, principal, agent('s')), { code: -32002 }, uri);
    await assert.rejects(desk.own.add(uri, principal, agent('s', 'modern')), { code: -32602 }, uri);
  }
});

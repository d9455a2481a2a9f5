/** Tests of the agent door: it reports what is there, and shows nothing that is remembered for one viewer to another. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeAgent } from '../../test/kit/made-call.ts';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { everybody, type Principal, projectFrom, projectOf } from '../access/access.ts';
import { Signal } from '../base/signal.ts';
import type { Catalog, Entry, ServerEntry } from '../catalog/catalog.ts';
import { parseProject, parseServer } from '../config/config.ts';
import type { ResourceUpdate } from '../downstream/downstream.ts';
import type { LayerName, Uses } from '../tools/tools.ts';
import { AgentEndpoint, AgentView } from './agent-endpoint.ts';

const uri = 'file:///notes';

const nothingHeld = { resource: new Set(), template: new Set() };

/** A server with one resource, as the config has it. */
function serverIn(...projects: string[]): ServerEntry {
  const spec = parseServer('s', { command: 'serve', projects }, {}, 'file');
  const resource = { key: `s:${uri}`, server: 's', name: uri, serverName: uri, definition: { uri }, fingerprint: 'f' };
  // Only these members are used.
  return { spec, resources: [resource], templates: [], heldOffers: nothingHeld } as unknown as ServerEntry;
}

test('updates of a resource end for who subscribed at the door of a project when its server leaves', async () => {
  const servers = new Map([['s', serverIn('shop')]]);
  const resourceUpdated = new Signal<ResourceUpdate>();
  const failing = { names: () => new Set<string>(), changed: new Signal<string>() };
  const signals = { renewed: new Signal(), configured: new Signal() };
  const catalog = { snapshot: { servers }, failing, ...signals } as unknown as Catalog;
  const downstream = { resourceUpdated, subscribe: async () => {} };
  const access = { changed: new Signal<void>(), renew: (principal: Principal) => principal };
  // Only these members are used.
  const parts = { catalog, downstream, access, clock: new ManualClock(), config: () => ({}) };
  const endpoint = new AgentEndpoint(parts as unknown as Uses<LayerName>, 'search');
  const inShop = { ...everybody, project: projectOf('shop') };
  const heard = { shop: 0, everywhere: 0 };
  endpoint.listen(inShop, () => (heard.shop += 1));
  endpoint.listen(everybody, () => (heard.everywhere += 1));
  for (const principal of [inShop, everybody]) await endpoint.subscribe(uri, principal, madeAgent());
  const update = () => resourceUpdated.emit({ server: 's', params: { uri } });
  update();
  assert.deepEqual(heard, { shop: 1, everywhere: 1 });
  servers.set('s', serverIn('school'));
  update();
  assert.deepEqual(heard, { shop: 1, everywhere: 2 });
  servers.delete('s');
  update();
  assert.deepEqual(heard, { shop: 2, everywhere: 3 }, 'what a server says while it is removed is still told');
});

test('an update reaches who subscribed to that resource, and nobody whose resource has the same address', async () => {
  const entryOf = (name: string) => {
    const { resources, ...rest } = serverIn();
    const spec = parseServer(name, { command: 'serve' }, {}, 'file');
    return { ...rest, spec, resources: resources.map((item) => ({ ...item, server: name })) };
  };
  const servers = new Map(['s', 't'].map((name) => [name, entryOf(name)]));
  const resourceUpdated = new Signal<ResourceUpdate>();
  const failing = { names: () => new Set<string>(), changed: new Signal<string>() };
  const catalog = { snapshot: { servers }, failing, renewed: new Signal(), configured: new Signal() };
  const downstream = { resourceUpdated, subscribe: async () => {} };
  let gone: string | undefined;
  const renew = (principal: Principal) => (principal.id === gone ? undefined : principal);
  const access = { changed: new Signal<void>(), renew };
  const parts = { catalog, downstream, access, clock: new ManualClock(), config: () => ({}) };
  const endpoint = new AgentEndpoint(parts as unknown as Uses<LayerName>, 'search');
  const heard: string[] = [];
  for (const server of ['s', 't']) {
    const principal = { ...everybody, id: `token:${server}`, servers: [server] };
    endpoint.listen(principal, () => heard.push(server));
    await endpoint.subscribe(uri, principal, madeAgent());
  }
  const update = (server: string) => {
    resourceUpdated.emit({ server, params: { uri } });
    return heard.splice(0);
  };
  assert.deepEqual([update('s'), update('t')], [['s'], ['t']]);
  gone = 'token:s';
  assert.deepEqual([update('s'), update('t')], [[], ['t']], 'who may not come in any more hears nothing');
});

const ann: Principal = { id: 'token:1', name: 'ann', scopes: new Set(['use']), mark: '1' };

/** Servers with one tool each. */
function placeOf(tools: Readonly<Record<string, string>>, separator = '__'): AgentView {
  const entries = Object.entries(tools).map(([server, name]): Entry => {
    const definition = { name, description: 'x'.repeat(8_000) };
    return { key: `${server}:${name}`, server, name, serverName: name, definition, fingerprint: '' };
  });
  const servers = Object.keys(tools).map((name): [string, ServerEntry] => {
    const spec = parseServer(name, { command: 'serve' }, {}, 'file');
    const resource = {
      key: '',
      server: name,
      name: 'shared://note',
      serverName: 'shared://note',
      definition: {},
      fingerprint: '',
    };
    // Only these members are used.
    return [name, { spec, resources: [resource], templates: [], prompts: [] } as unknown as ServerEntry];
  });
  const snapshot = { servers: new Map(servers), tools: new Map(entries.map((tool) => [tool.key, tool])) };
  const surfaces = { tokens: new Map(), projects: new Map() };
  const config = { names: { separator }, surfaces, chains: { enabled: true } };
  return new AgentView({ catalog: { snapshot }, config: () => config } as unknown as Uses<LayerName>, undefined);
}

test('a name that a hidden tool would have stays free for the one that is there', () => {
  const place = placeOf({ a: 'b__c', a__b: 'c', other: 'tool' });
  const nameOf = (principal: Principal) => place.nameOf('a__b:c', principal);
  assert.match(nameOf(ann), /^a__b__c_[0-9a-f]{8}$/, 'two tools want it');
  const narrow = { ...ann, mark: '2', servers: ['a__b', 'other'] };
  assert.equal(nameOf(narrow), 'a__b__c');
  assert.equal(place.table(narrow).find('a__b__c')?.key, 'a__b:c');
  assert.equal(place.table(ann).find('a__b__c')?.key, 'a:b__c');
  assert.equal(place.nameOf('other:tool', ann), place.nameOf('other:tool', narrow));
});

test('names are those of all where no two tools want one', () => {
  const place = placeOf({ a: 'one', b: 'two' });
  assert.equal(place.table(ann), place.table({ ...ann, id: 'token:2', servers: ['b'] }));
});

test('the surface is that of the viewer as it is now, not of the one before', () => {
  const place = placeOf({ a: 'one', b: 'two' });
  assert.equal(place.surfaceOf(ann), 'search');
  assert.equal(place.surfaceOf({ ...ann, mark: '2', servers: ['a'] }), 'direct', 'it sees less');
  assert.equal(place.surfaceOf(ann), 'search');
  const project = projectFrom('shop', 'store', parseProject('shop', { servers: ['*'], surface: 'code' }));
  assert.equal(place.surfaceOf({ ...ann, project }), 'code');
  const changed = projectFrom('shop', 'store', parseProject('shop', { servers: ['*'], surface: 'full' }));
  assert.equal(place.surfaceOf({ ...ann, project: changed }), 'full');
});

test('a resource that two servers have is shown under its own name to who sees one of them', () => {
  const place = placeOf({ a: 'one', b: 'two' });
  const urisFor = (principal: Principal) =>
    place
      .namesFor(principal)
      .resources()
      .map(({ name }) => name);
  assert.deepEqual(urisFor({ ...ann, servers: ['a'] }), ['shared://note']);
  assert.equal(urisFor(ann).length, 2);
  assert.ok(urisFor(ann).every((uri) => uri.startsWith('toolcrib://server/')));
});

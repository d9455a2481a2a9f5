/** Tests of the agent door of a project: it tells of what is there, from the moment it is until it is no more. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeAgent } from '../../test/kit/made-call.ts';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { everybody, type Principal, projectOf } from '../access/access.ts';
import { Signal } from '../base/signal.ts';
import type { Catalog, ServerEntry } from '../catalog/catalog.ts';
import { parseServer } from '../config/config.ts';
import type { ResourceUpdate } from '../downstream/downstream.ts';
import type { LayerName, Uses } from '../tools/tools.ts';
import { AgentEndpoint } from './agent-endpoint.ts';

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

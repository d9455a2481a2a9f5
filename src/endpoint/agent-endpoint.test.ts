/** Tests of the agent door of a project: it tells of what is there, from the moment it is until it is no more. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeAgent } from '../../test/kit/made-call.ts';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { everybody } from '../access/access.ts';
import { Signal } from '../base/signal.ts';
import type { Catalog, ServerEntry } from '../catalog/catalog.ts';
import { parseServer } from '../config/config.ts';
import type { ResourceUpdate } from '../downstream/downstream.ts';
import { AgentEndpoint } from './agent-endpoint.ts';
import type { EndpointContext } from './endpoint.ts';

const uri = 'file:///notes';

/** A server with one resource, as the config has it. */
function serverIn(...projects: string[]): ServerEntry {
  const spec = parseServer('s', { command: 'serve', projects }, {}, 'file');
  const resource = { key: `s:${uri}`, server: 's', name: uri, serverName: uri, definition: { uri }, fingerprint: 'f' };
  // Only these members are used.
  return { spec, resources: [resource], templates: [] } as unknown as ServerEntry;
}

test('updates of a resource end for who subscribed at the door of a project when its server leaves', async () => {
  const servers = new Map([['s', serverIn('shop')]]);
  const resourceUpdated = new Signal<ResourceUpdate>();
  const failing = { names: () => new Set<string>(), changed: new Signal<string>() };
  const signals = { renewed: new Signal(), configured: new Signal() };
  const catalog = { snapshot: { servers }, failing, ...signals } as unknown as Catalog;
  const downstream = { resourceUpdated, subscribe: async () => {} };
  // Only these members are used.
  const context = { catalog, downstream, clock: new ManualClock(), config: () => ({}) } as unknown as EndpointContext;
  const [shop, everywhere] = [
    new AgentEndpoint(context, 'search', 'shop'),
    new AgentEndpoint(context, 'search', undefined),
  ];
  const heard = { shop: 0, everywhere: 0 };
  shop.listen(everybody, () => (heard.shop += 1));
  everywhere.listen(everybody, () => (heard.everywhere += 1));
  for (const door of [shop, everywhere]) await door.subscribe(uri, everybody, madeAgent());
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

/** How often the tools of disabled servers are read. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everybody } from '../access/access.ts';
import type { ServerEntry, Snapshot } from '../catalog/catalog.ts';
import { parseServer } from '../config/config.ts';
import { sayDisabled } from './disabled-servers.ts';
import type { LayerName, Uses } from './layers.ts';

test('the tools of disabled servers are read once for each catalog, not with every search', async () => {
  let reads = 0;
  const definition = {
    name: 'find_slot',
    get description() {
      reads += 1;
      return 'Finds a free slot in the calendar.';
    },
  };
  const spec = parseServer('calendar', { command: 'x', enabled: false }, {}, 'store');
  const tool = {
    key: 'calendar:find_slot',
    server: 'calendar',
    name: 'find_slot',
    serverName: 'find_slot',
    definition,
  };
  const server = { spec, tools: [tool] } as unknown as ServerEntry;
  const snapshot = (): Snapshot => ({ servers: new Map([['calendar', server]]), tools: new Map() });
  const layersOf = (now: Snapshot) =>
    ({ catalog: { snapshot: now }, config: () => ({ search: { synonyms: new Map() } }) }) as unknown as Uses<LayerName>;
  const say = (layers: Uses<LayerName>) =>
    sayDisabled(layers, everybody, { query: ['free slot'] }, () => true, new AbortController().signal);
  const layers = layersOf(snapshot());
  for (let search = 0; search < 3; search += 1) assert.match((await say(layers)) ?? '', /toolcrib enable calendar$/);
  assert.equal(reads, 1);
  await say(layersOf(snapshot()));
  assert.equal(reads, 2, 'another catalog is read again');
});

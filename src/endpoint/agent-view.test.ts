/** Tests of the agent door as a place to look from: nothing that is remembered for one viewer is shown to another. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Principal, projectFrom } from '../access/access.ts';
import type { Entry, ServerEntry } from '../catalog/catalog.ts';
import { parseProject, parseServer } from '../config/config.ts';
import type { LayerName, Uses } from '../tools/tools.ts';
import { AgentView } from './agent-view.ts';

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

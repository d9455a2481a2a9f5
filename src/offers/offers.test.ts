/** Tests of whose a resource is when several servers are shown together. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everybody } from '../access/access.ts';
import type { ServerEntry } from '../catalog/catalog.ts';
import type { EndpointRequest, LayerName, Uses } from '../tools/tools.ts';
import { OfferedNames, resourceNotFound } from './offered-names.ts';
import { Offers, type OwnPart } from './offers.ts';

// Of no server more is known than its names.
const nowhere = { catalog: { snapshot: { servers: new Map() } } } as unknown as Uses<LayerName>;

function offers(servers: Readonly<Record<string, { resources?: string[]; templates?: string[] }>>): Offers {
  const entries = Object.entries(servers).map(([server, { resources = [], templates = [] }]) => {
    const named = (names: string[]) => names.map((name) => ({ server, name, definition: { uri: name } }));
    // Only these members are used to find an owner.
    return {
      spec: { name: server },
      resources: named(resources),
      templates: named(templates),
    } as unknown as ServerEntry;
  });
  const config = () => ({ names: { separator: '.' as const } });
  const names = new OfferedNames({ servers: () => entries, isPlain: false, config });
  return new Offers(nowhere, () => names);
}

test('the template that says most about a URI decides, and one that fits everything decides nothing', () => {
  const several = offers({
    aaa: { templates: ['{+anything}', 'note://{+rest}'] },
    notes: { templates: ['note://private/{id}'] },
  });
  assert.deepEqual(several.route('note://private/42', everybody), { server: 'notes', uri: 'note://private/42' });
  assert.deepEqual(several.route('note://public', everybody), { server: 'aaa', uri: 'note://public' });
  assert.equal(several.route('other://42', everybody), undefined);
  const alone = offers({ aaa: { templates: ['{+anything}'] } });
  assert.deepEqual(alone.route('other://42', everybody), { server: 'aaa', uri: 'other://42' });
});

test('a URI that several servers claim alike must say whose it is, and can', () => {
  const several = offers({ one: { templates: ['note://{id}'] }, two: { templates: ['note://{name}'] } });
  assert.throws(
    () => several.route('note://42', everybody),
    /"toolcrib:\/\/server\/one\/resource\/note%3A%2F%2F42" or "toolcrib/,
  );
  assert.deepEqual(several.route('toolcrib://server/two/resource/note%3A%2F%2F42', everybody), {
    server: 'two',
    uri: 'note://42',
  });
  assert.equal(several.route('toolcrib://server/three/resource/note%3A%2F%2F42', everybody), undefined);
  assert.equal(several.route('toolcrib://server/two/resource/%', everybody), undefined);
});

test('an address that is not found is told back, but not a page of it', () => {
  assert.deepEqual(resourceNotFound('a://b', 'modern', 'a://c').toBody(), {
    code: -32602,
    message: 'Resource not found: a://b. Did you mean "a://c"?',
    data: { uri: 'a://b' },
  });
  const body = resourceNotFound(`a://${'x'.repeat(1_000_000)}`, 'legacy').toBody();
  assert.ok(JSON.stringify(body).length < 5_000);
});

test("no server speaks in the gateway's own scheme", () => {
  const [mine, theirs] = ['toolcrib://server/good/resource/a', 'toolcrib://{+all}'];
  const several = offers({ bad: { resources: [mine], templates: [theirs] }, good: { resources: ['a'] } });
  assert.deepEqual(several.route(mine, everybody), { server: 'good', uri: 'a' });
  assert.equal(several.route('toolcrib://else', everybody), undefined);
});

test('a priority is added to the resources of a server that is used, and one that the server gave stays', async () => {
  const definitions = [
    { uri: 'a://1', name: 'one' },
    { uri: 'a://2', name: 'two', annotations: { audience: ['user'] } },
    { uri: 'a://3', name: 'three', annotations: { priority: 0 } },
  ];
  const entryOf = (server: string) => ({
    spec: { name: server },
    resources: definitions.map((definition) => ({
      server,
      name: definition.uri.replace('a', server),
      definition: { ...definition, uri: definition.uri.replace('a', server) },
    })),
    templates: [],
  });
  const servers = () => ['busy', 'idle'].map(entryOf) as unknown as ServerEntry[];
  const names = new OfferedNames({ servers, isPlain: false, config: () => ({ names: { separator: '.' } }) });
  const own: OwnPart = {
    list: () => [],
    read: () => undefined,
    getPrompt: () => undefined,
    complete: () => undefined,
    nearTo: () => undefined,
    priorityOf: ({ spec }) => (spec.name === 'busy' ? 0.7 : undefined),
  };
  const listing = new Offers(nowhere, () => names, own);
  const request = { method: 'resources/list', params: {}, principal: everybody } as unknown as EndpointRequest;
  const { resources } = (await listing.handle(request)) as { resources: { annotations?: unknown }[] };
  assert.deepEqual(
    resources.map(({ annotations }) => annotations),
    [
      { priority: 0.7 },
      { audience: ['user'], priority: 0.7 },
      { priority: 0 },
      undefined,
      { audience: ['user'] },
      { priority: 0 },
    ],
  );
});

/** Tests of whose a resource is when several servers are shown together. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerEntry } from '../catalog/catalog.ts';
import type { EndpointContext } from './endpoint.ts';
import { Offers } from './offers.ts';

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
  return new Offers({} as EndpointContext, () => entries, false);
}

test('the template that says most about a URI decides, and one that fits everything decides nothing', () => {
  const several = offers({
    aaa: { templates: ['{+anything}', 'note://{+rest}'] },
    notes: { templates: ['note://private/{id}'] },
  });
  assert.deepEqual(several.route('note://private/42'), { server: 'notes', uri: 'note://private/42' });
  assert.deepEqual(several.route('note://public'), { server: 'aaa', uri: 'note://public' });
  assert.equal(several.route('other://42'), undefined);
  const alone = offers({ aaa: { templates: ['{+anything}'] } });
  assert.deepEqual(alone.route('other://42'), { server: 'aaa', uri: 'other://42' });
});

test('a URI that several servers claim alike must say whose it is, and can', () => {
  const several = offers({ one: { templates: ['note://{id}'] }, two: { templates: ['note://{name}'] } });
  assert.throws(() => several.route('note://42'), /"toolcrib:\/\/server\/one\/resource\/note%3A%2F%2F42" or "toolcrib/);
  assert.deepEqual(several.route('toolcrib://server/two/resource/note%3A%2F%2F42'), {
    server: 'two',
    uri: 'note://42',
  });
  assert.equal(several.route('toolcrib://server/three/resource/note%3A%2F%2F42'), undefined);
  assert.equal(several.route('toolcrib://server/two/resource/%'), undefined);
});

test("no server speaks in the gateway's own scheme", () => {
  const [mine, theirs] = ['toolcrib://server/good/resource/a', 'toolcrib://{+all}'];
  const several = offers({ bad: { resources: [mine], templates: [theirs] }, good: { resources: ['a'] } });
  assert.deepEqual(several.route(mine), { server: 'good', uri: 'a' });
  assert.equal(several.route('toolcrib://else'), undefined);
});

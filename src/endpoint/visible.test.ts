/** Tests of what of the catalog a principal can see. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Principal, projectOf } from '../access/access.ts';
import type { Entry, ServerEntry, Snapshot } from '../catalog/catalog.ts';
import { parseServer } from '../config/config.ts';
import { countVisible, isThere } from './visible.ts';

const agent: Principal = { id: 'agent', name: 'agent', scopes: new Set(['use']), mark: '' };
const inShop: Principal = { ...agent, project: projectOf('shop') };

/** Each server with the tools `look` and `wipe`. */
function snapshotOf(configs: Readonly<Record<string, Record<string, unknown>>>): Snapshot {
  const servers = new Map<string, ServerEntry>();
  const tools = new Map<string, Entry>();
  for (const [server, config] of Object.entries(configs)) {
    const spec = parseServer(server, { command: 'serve', ...config }, {}, 'file');
    // Only these members are used.
    servers.set(server, { spec } as unknown as ServerEntry);
    for (const name of ['look', 'wipe']) {
      const key = `${server}:${name}`;
      tools.set(key, { key, server, name, serverName: name, definition: {}, fingerprint: key });
    }
  }
  return { servers, tools };
}

const servers = { a: { projects: ['shop'] }, b: { permissions: { wipe: 'deny' } }, c: {} };

test('a principal counts what it can see, and only that', () => {
  const snapshot = snapshotOf(servers);
  assert.equal(countVisible(snapshot, agent), 5);
  assert.equal(countVisible(snapshot, inShop), 2);
  assert.equal(countVisible(snapshot, agent), 5, 'the one does not count for the other');
  assert.equal(countVisible(snapshotOf({ ...servers, d: { projects: ['shop'] } }), inShop), 4);
});

test('a tool is there for those who can see it', () => {
  const snapshot = snapshotOf(servers);
  assert.deepEqual(
    ['a:look', 'b:look', 'b:wipe', 'b:none'].map((key) => isThere(snapshot, agent, key)),
    [true, true, false, false],
  );
  assert.equal(isThere(snapshot, inShop, 'b:look'), false);
});

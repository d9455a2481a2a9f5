/** Tests of what of the catalog a principal can see. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Principal, projectFrom, projectOf } from '../access/access.ts';
import type { Entry, ServerEntry, Snapshot } from '../catalog/catalog.ts';
import { limits, parseProject, parseServer } from '../config/config.ts';
import { countVisible, isThere, perViewer, rightsOf, visibleTools } from './visible.ts';

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

/** Says which tools one sees, and counts how often that is found out. */
function counted() {
  const made: string[] = [];
  const keysOf = perViewer((snapshot, principal) => {
    made.push(principal.id);
    return visibleTools(snapshot, principal).map(({ key }) => key);
  });
  return { made, keysOf };
}

const inProject = (settings: object) => projectFrom('shop', 'store', parseProject('shop', settings));

test('what a thousand tokens with the same rights see is found out once', () => {
  const snapshot = snapshotOf(servers);
  const { made, keysOf } = counted();
  const tokens = Array.from({ length: 1_000 }, (_, at): Principal => {
    const project = inProject({ servers: ['*'], permissions: { 'c:wipe': 'deny' } });
    return { ...agent, id: `token:${at}`, name: `t${at}`, mark: `${at}`, servers: ['a', 'c'], project };
  });
  for (const token of [...tokens, ...tokens]) assert.deepEqual(keysOf(snapshot, token), ['a:look', 'a:wipe', 'c:look']);
  assert.deepEqual(made, ['token:0']);
  keysOf(snapshotOf(servers), agent);
  assert.equal(made.length, 2, 'another catalog is another question');
});

test('two principals with different rights never share what they see, though all else is the same', () => {
  const snapshot = snapshotOf(servers);
  const { made, keysOf } = counted();
  const project = inProject({ servers: ['a'] });
  const different: Principal[] = [
    agent,
    { ...agent, servers: [] },
    { ...agent, servers: ['a'] },
    { ...agent, servers: ['a', 'b'] },
    { ...agent, servers: ['a,b'] },
    { ...agent, scopes: new Set(['metrics']) },
    { ...agent, scopes: new Set(['use', 'admin']) },
    { ...agent, project },
    { ...agent, project, servers: ['a'] },
    { ...agent, project: { ...projectOf('shop') } },
    { ...agent, project: projectOf('school') },
    { ...agent, project: inProject({ servers: ['a'], permissions: { 'a:wipe': 'deny' } }) },
    { ...agent, project: inProject({ servers: ['a'], permissions: { 'a:wipe': 'ask' } }) },
  ];
  const alone = (one: Principal) => visibleTools(snapshot, one).map(({ key }) => key);
  for (const one of [...different, ...different.toReversed()]) assert.deepEqual(keysOf(snapshot, one), alone(one));
  assert.equal(made.length, different.length);
  assert.equal(new Set(different.map(rightsOf)).size, different.length);
});

test('of more rights than are remembered, those that are looked at again and again stay', () => {
  const snapshot = snapshotOf(servers);
  const { made, keysOf } = counted();
  for (let at = 0; at < 3 * limits.rightsRemembered; at += 1) {
    keysOf(snapshot, { ...agent, id: 'busy' });
    keysOf(snapshot, { ...agent, id: 'rare', servers: [`s${at}`] });
  }
  assert.equal(made.filter((id) => id === 'busy').length, 1);
  assert.equal(made.length, 3 * limits.rightsRemembered + 1);
  keysOf(snapshot, { ...agent, id: 'again', servers: ['s0'] });
  assert.equal(made.at(-1), 'again', 'the number is bounded');
});

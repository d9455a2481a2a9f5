/** Tests of what a principal is shown: what of the catalog it can see, and on which surface. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Principal, projectFrom, projectOf } from '../access/access.ts';
import type { Catalog, Entry, ServerEntry, Snapshot } from '../catalog/catalog.ts';
import { type Config, limits, parseProject, parseServer, type SurfaceName } from '../config/config.ts';
import { chooseSurface, countVisible, isThere, perViewer, rightsOf, type SurfaceChoice, visibleTools } from './view.ts';

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

test('the view of a thousand tokens with the same rights is computed once', () => {
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

interface Settings {
  readonly tokens?: Readonly<Record<string, SurfaceName>>;
  readonly projects?: Readonly<Record<string, SurfaceName>>;
  readonly chains?: boolean;
  /** Characters of the one tool's description. */
  readonly length?: number;
  /** True if a server was never listed. */
  readonly hasUnlisted?: boolean;
}

function choose(
  asked: SurfaceName | undefined,
  { tokens = {}, projects = {}, chains = true, length = 10, hasUnlisted = false }: Settings,
  project?: string,
): SurfaceChoice {
  const spec = parseServer('s', { command: 'serve', projects: ['shop'] }, {}, 'file');
  const definition = { name: 't', description: 'x'.repeat(length) };
  const tool: Entry = { key: 's:t', server: 's', name: 't', serverName: 't', definition, fingerprint: '' };
  const surfaces = { tokens: new Map(Object.entries(tokens)), projects: new Map(Object.entries(projects)) };
  const config = { surfaces, chains: { enabled: chains } } as unknown as Config;
  const snapshot = {
    tools: new Map([['s:t', tool]]),
    servers: new Map([['s', { spec, listedAt: hasUnlisted ? null : 1 } as ServerEntry]]),
  };
  const own = project === undefined ? undefined : projectOf(project);
  const principal: Principal = { id: 'agent', name: 'agent', scopes: new Set(['use']), mark: '', project: own };
  // Only these members are used.
  const catalog = { snapshot } as unknown as Catalog;
  return chooseSurface(asked, { catalog, config: () => config }, principal);
}

test('the URL goes before the token, the token before the project, the project before the size of the catalog', () => {
  const set = { tokens: { agent: 'code' }, projects: { shop: 'full' } } as const;
  const byUrl = { surface: 'search', by: 'url', reason: 'asked for by ?surface=search' };
  assert.deepEqual(choose('search', set, 'shop'), byUrl);
  const byToken = { surface: 'code', by: 'token', reason: 'set for the token "agent" in the config' };
  assert.deepEqual(choose(undefined, set), byToken);
  assert.deepEqual(choose(undefined, { ...set, projects: { shop: 'code' } }, 'shop'), byToken);
  const overruled = `${byToken.reason}, which overrides "full" of the project "shop"`;
  assert.deepEqual(choose(undefined, set, 'shop'), { ...byToken, reason: overruled });
  const others = { ...set, tokens: { owner: 'code' } } as const;
  const byProject = { surface: 'full', by: 'project', reason: 'set for the project "shop" in the config' };
  assert.deepEqual(choose(undefined, others, 'shop'), byProject);
  const bySize = {
    surface: 'direct',
    by: 'auto',
    reason: 'the whole definition of the one tool is about 10 tokens, at most 3,000',
  };
  assert.deepEqual(choose(undefined, others), bySize);
});

test('auto is direct up to 3,000 tokens and search beyond, whoever asks for it', () => {
  assert.equal(choose(undefined, { length: 11_000 }).surface, 'direct');
  assert.equal(choose(undefined, { length: 13_000 }).surface, 'search');
  const { surface, by, reason } = choose('auto', { tokens: { agent: 'code' }, length: 13_000 });
  assert.deepEqual([surface, by], ['search', 'url']);
  assert.match(
    reason,
    /^asked for by \?surface=auto: the whole definition of the one tool is about 3,2\d0 tokens, more than 3,000$/,
  );
  const ofToken = choose(undefined, { tokens: { agent: 'auto' }, projects: { shop: 'full' } }, 'shop');
  assert.deepEqual([ofToken.surface, ofToken.by], ['direct', 'token']);
});

test('while a server was never listed the size is unknown, and auto is search', () => {
  const reason = 'the tools of the server "s" were never listed, so the size of the catalog is unknown';
  assert.deepEqual(choose(undefined, { hasUnlisted: true }), { surface: 'search', by: 'auto', reason });
  assert.equal(choose('direct', { hasUnlisted: true }).surface, 'direct', 'who asks for a surface gets it');
});

test('code without programs is search, and says why', () => {
  const { surface, by, reason } = choose('code', { chains: false });
  assert.deepEqual([surface, by], ['search', 'url']);
  assert.equal(
    reason,
    '"code" is asked for by ?surface=code, but needs programs, which are switched off (chains.enabled)',
  );
});

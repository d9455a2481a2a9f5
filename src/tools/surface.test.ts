/** Tests of the choice of a surface: who decides, in which order, and how the reason reads. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Principal, projectOf } from '../access/access.ts';
import type { Catalog, Entry, ServerEntry } from '../catalog/catalog.ts';
import { type Config, parseServer, type SurfaceName } from '../config/config.ts';
import { chooseSurface, type SurfaceChoice } from './surface.ts';

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

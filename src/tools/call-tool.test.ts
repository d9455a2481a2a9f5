/** Tests of alternatives: only tools that a principal may see and call now, and which may be called without asking anybody. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeCall } from '../../test/kit/made-call.ts';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { MemoryVectors } from '../../test/kit/memory-vectors.ts';
import type { Principal } from '../access/access.ts';
import { silentLog } from '../base/log.ts';
import { Signal } from '../base/signal.ts';
import type { AlternativeTool } from '../caller/caller.ts';
import type { Catalog, Entry, ServerEntry } from '../catalog/catalog.ts';
import { type Config, parseServer } from '../config/config.ts';
import { getToolAlternatives } from '../meta-tools/meta-tools.ts';
import { ToolSearch } from '../search/search.ts';
import type { Store } from '../store/store.ts';
import { findAlternatives, makeAdvisor } from './call-tool.ts';
import type { LayerName, Uses } from './layers.ts';

const alternative: AlternativeTool = {
  server: 'other',
  tool: 'read',
  toolKey: 'other:read',
  similarity: 1,
  successRate: null,
  reason: 'Same purpose.',
  arguments: { path: 'a' },
};

function retried(permissions: Record<string, string>) {
  const spec = parseServer('other', { command: 'serve', permissions }, {}, 'file');
  const { definition } = madeCall();
  const entry = { key: 'other:read', server: 'other', name: 'read', serverName: 'read', definition, fingerprint: 'f' };
  const snapshot = { servers: new Map([['other', { spec }]]), tools: new Map([[entry.key, entry]]) };
  // Only these members are used.
  const layers = {
    catalog: { snapshot, pins: { isRenewed: () => false } },
    config: () => ({ calls: { timeoutMs: 1_000, maxResultBytes: 1_000 } }),
    search: { queryBehind: () => null },
  } as unknown as Uses<LayerName>;
  const advisor = makeAdvisor(layers, { way: 'execute', reader: 'search' });
  return advisor.retry(madeCall(), alternative)?.key;
}

test('a tool that only reads may be; one that somebody has to approve, or that is denied, never is', () => {
  assert.equal(retried({}), 'other:read');
  assert.equal(retried({ read: 'ask' }), undefined);
  assert.equal(retried({ '*': 'deny' }), undefined);
});

const agent: Principal = { id: 'agent', name: 'agent', scopes: new Set(['use']), mark: '' };
const never = new AbortController().signal;

interface Plan {
  /** The server's part of the config. */
  readonly servers?: Readonly<Record<string, Record<string, unknown>>>;
  readonly states?: Readonly<Record<string, { readonly state: string; readonly nextRetryAt?: number }>>;
  /** Successes and failures by key. */
  readonly calls?: Readonly<Record<string, readonly [ok: number, failed: number]>>;
}

const texts: Readonly<Record<string, string>> = {
  tavily: 'Searches the web for pages about a topic.',
  exa: 'Searches the web and gives the pages about a topic.',
  bing: 'Searches the web for pages on a topic.',
};

/** Three servers with one tool each, all for the same. */
async function layersOf({ servers = {}, states = {}, calls = {} }: Plan = {}): Promise<Uses<LayerName>> {
  const clock = new ManualClock();
  const entries = Object.entries(texts).map(([name, description]): ServerEntry => {
    const spec = parseServer(name, { command: 'serve', ...servers[name] }, {}, 'file');
    const inputSchema = { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] };
    const definition = { name: 'search_web', description, inputSchema, annotations: { readOnlyHint: true } };
    const key = `${name}:search_web`;
    const tool: Entry = {
      key,
      server: name,
      name: 'search_web',
      serverName: 'search_web',
      definition,
      fingerprint: key,
    };
    const aliases = [...spec.aliases.keys()].map((alias) => ({ ...tool, key: `${name}:${alias}`, name: alias }));
    const tools = [tool, ...aliases];
    // Only these members are used.
    return { spec, title: name, description: '', instructions: '', tools } as unknown as ServerEntry;
  });
  const snapshot = {
    servers: new Map(entries.map((server) => [server.spec.name, server])),
    tools: new Map(entries.flatMap(({ tools }) => tools.map((tool) => [tool.key, tool]))),
  };
  const embedding = { provider: 'builtin', model: 'made-up', baseUrl: '', apiKeyEnv: null, dimensions: 256 };
  const search = { embedding, synonyms: new Map(), usage: false };
  // Only these members are used here and below.
  const config = () => ({ search, keys: { ttlMinutes: 0 }, calls: { maxResultBytes: 20_000 } }) as unknown as Config;
  const catalog = { snapshot, changed: new Signal(), settle: async () => {} } as unknown as Catalog;
  const store = new MemoryVectors() as unknown as Store;
  const found = new ToolSearch({ catalog, store, config, env: {}, clock, log: silentLog });
  // Vectors are made with the first search.
  await found.search({ queries: ['web'], limit: 1, mode: 'hybrid', filter: () => true, signal: never });
  return {
    catalog,
    search: found,
    config,
    clock,
    downstream: { status: (name: string) => ({ state: 'connected', nextRetryAt: null, ...states[name] }) },
    metrics: { of: (key: string) => figuresOf(calls[key], clock.now()) },
  } as unknown as Uses<LayerName>;
}

function figuresOf(calls: readonly [ok: number, failed: number] | undefined, now: number) {
  if (!calls) return undefined;
  const [ok, tool] = calls;
  const outcomes = { ok, tool, server: 0, timeout: 0, arguments: 0, cancelled: 0, refused: 0 };
  return { outcomes, successRate: ok / (ok + tool), lastOkAt: ok > 0 ? now : null, failuresInARow: ok > 0 ? 0 : tool };
}

async function keysWith(plan: Plan, principal = agent): Promise<string[]> {
  const found = findAlternatives(await layersOf(plan), principal, { toolKey: 'tavily:search_web' }, 5);
  return found.map(({ server }) => server).sort();
}

test('tools of other servers for the same purpose are alternatives', async () => {
  assert.deepEqual(await keysWith({}), ['bing', 'exa']);
});

test('not one that the principal may not call, or only after asking, and none of a server that is off', async () => {
  for (const permission of ['deny', 'ask'])
    assert.deepEqual(await keysWith({ servers: { exa: { permissions: { search_web: permission } } } }), ['bing']);
  assert.deepEqual(await keysWith({ servers: { exa: { tools: ['other'] } } }), ['bing']);
  assert.deepEqual(await keysWith({ servers: { exa: { enabled: false } } }), ['bing']);
});

test('a tool is suggested once, by its own name, and never in its own place under another', async () => {
  const aliases = { seek: 'search_web' };
  const layers = await layersOf({ servers: { tavily: { aliases }, exa: { aliases } } });
  for (const toolKey of ['tavily:search_web', 'tavily:seek']) {
    const found = findAlternatives(layers, agent, { toolKey }, 5).map((alternative) => alternative.toolKey);
    assert.deepEqual(found.sort(), ['bing:search_web', 'exa:search_web'], toolKey);
  }
});

test('not one on a server that cannot be reached; one that is not started yet can be', async () => {
  assert.deepEqual(await keysWith({ states: { exa: { state: 'failed' } } }), ['bing']);
  assert.deepEqual(await keysWith({ states: { exa: { state: 'connecting', nextRetryAt: 5 } } }), ['bing']);
  assert.deepEqual(await keysWith({ states: { exa: { state: 'configured' } } }), ['bing', 'exa']);
});

test('a tool that the principal may not see, or that is not there, has no alternatives', async () => {
  assert.deepEqual(await keysWith({ servers: { tavily: { permissions: { '*': 'deny' } } } }), []);
  assert.deepEqual(await keysWith({}, { ...agent, scopes: new Set() }), []);
  assert.deepEqual(findAlternatives(await layersOf(), agent, { toolKey: 'tavily:gone' }, 5), []);
});

test('a tool that succeeded twice comes first, and a failing one is gone', async () => {
  const first = async (calls: NonNullable<Plan['calls']>) => {
    const found = findAlternatives(await layersOf({ calls }), agent, { toolKey: 'tavily:search_web' }, 5);
    return found.map(({ server }) => server);
  };
  const [better = '', other = ''] = await first({});
  assert.deepEqual(await first({ [`${other}:search_web`]: [2, 0] }), [other, better]);
  assert.deepEqual(await first({ 'exa:search_web': [0, 2] }), ['bing']);
});

test('get_tool_alternatives takes a key, or server and tool, and maps arguments', async () => {
  const layers = await layersOf({ calls: { 'exa:search_web': [12, 0] } });
  const ask = async (args: Record<string, unknown>) => {
    // The others are not used.
    const request = { layers, principal: agent, args } as unknown as Parameters<typeof getToolAlternatives.run>[0];
    return (await getToolAlternatives.run(request)).structuredContent as {
      readonly toolKey: string;
      readonly alternatives: readonly Record<string, unknown>[];
    };
  };
  const found = await ask({ toolKey: 'tavily:search_web', arguments: { query: 'rain' } });
  assert.equal(found.toolKey, 'tavily:search_web');
  assert.equal(found.alternatives.length, 2);
  const { similarity, ...best } = found.alternatives[0] ?? {};
  assert.ok(Number(similarity) > 0.7);
  assert.deepEqual(best, {
    server: 'exa',
    tool: 'search_web',
    toolKey: 'exa:search_web',
    successRate: 1,
    reason: 'Same purpose on server "exa"; 100 % of 12 calls succeeded; it takes the same arguments.',
    arguments: { query: 'rain' },
  });
  const same = await ask({ server: 'tavily', tool: 'search_web' });
  assert.equal(same.alternatives.length, 2);
  await assert.rejects(ask({ toolKey: 'tavily:nothing' }), { code: 'TOOL_NOT_FOUND' });
  await assert.rejects(ask({ toolKey: 'tavily:search_web', arguments: 'rain' }), { code: 'ARGUMENTS_INVALID' });
});

/** Tests of the capability index: small for any catalog, true, and the same for the same catalog. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { everybody } from '../access/access.ts';
import type { Catalog, Entry, ServerEntry, Snapshot } from '../catalog/catalog.ts';
import { parseServer } from '../config/config.ts';
import { categories, type ToolSearch } from '../search/search.ts';
import { capabilityIndex, mostIndexTokens, namedServers, usualNames } from './capability-index.ts';

type Made = readonly [server: string, category: string];

/** The index of a catalog in which each tool has a server and a category. */
function indexOf(made: readonly Made[]): string {
  return capabilityIndex(groundsOf(made), everybody);
}

function groundsOf(made: readonly Made[]): Parameters<typeof capabilityIndex>[0] {
  const tools = new Map<string, Entry>();
  const byTool = new Map<string, string>();
  const servers = new Map<string, ServerEntry>();
  for (const [at, [server, category]] of made.entries()) {
    const name = `tool_${at}`;
    const key = `${server}:${name}`;
    tools.set(key, { key, server, name, serverName: name, definition: { name }, fingerprint: '' });
    byTool.set(key, category);
    // Only this member is used.
    servers.set(server, { spec: parseServer(server, { command: 'serve' }, {}, 'file') } as ServerEntry);
  }
  // Only these members are used.
  const catalog = { snapshot: { tools, servers } as unknown as Snapshot } as Catalog;
  const search = { categoryOf: ({ key }: Entry) => byTool.get(key) } as unknown as ToolSearch;
  return { catalog, search };
}

const names = categories.map(({ name }) => name);

test('it names categories with their servers, those with most tools first, and what fits nowhere last', () => {
  const tools: Made[] = [
    ['scraps', 'other'],
    ['scraps', 'other'],
    ['scraps', 'other'],
    ['neon', 'database'],
    ['exa', 'search'],
    ['tavily', 'search'],
    ['exa', 'search'],
    ['disk', 'file_operations'],
  ];
  const said = 'Search 8 tools on 5 servers: search (exa, tavily), databases (neon), files (disk), other (scraps).';
  assert.equal(indexOf(tools), said);
  assert.equal(indexOf([['disk', 'file_operations']]), 'Search 1 tool on 1 server: files (disk).');
  assert.match(indexOf([]), /none is listed yet/);
});

test('a server is named where it has most tools, and again only where nobody is at home', () => {
  const tools: Made[] = [
    ['suite', 'email'],
    ['suite', 'email'],
    ['suite', 'calendar'],
    ['suite', 'crm'],
    ['clock', 'calendar'],
  ];
  assert.equal(indexOf(tools), 'Search 5 tools on 2 servers: calendar (clock), email (suite), crm (suite).');
});

test('thirty servers of every kind are named within the limit, the more the shorter their names', () => {
  const words = [...usualNames].slice(0, 30);
  const tools = words.flatMap((server, at): Made[] => [
    [server, names[at % 12] ?? ''],
    [server, names[at % 12] ?? ''],
    [server, names[(at + 5) % 21] ?? ''],
  ]);
  const said = indexOf(tools);
  const named = words.filter((word) => new RegExp(`[( ]${word}[,) ]`).test(said));
  assert.ok(countTokens(said) <= mostIndexTokens);
  assert.ok(named.length >= 25, `${named.length} of 30: ${said}`);
});

test('without categories the servers are named alone', () => {
  const tools: Made[] = [
    ['mail', 'email'],
    ['files', 'other'],
    ['mail', 'email'],
  ];
  assert.equal(namedServers(groundsOf(tools), everybody), '3 tools on 2 servers: files, mail');
  assert.equal(namedServers(groundsOf([]), everybody), null);
});

test('every server is named where there is room for it', () => {
  const servers = [
    'alpha',
    'beta',
    'github',
    'gmail',
    'jira',
    'linear',
    'mail',
    'maps',
    'notes',
    'redis',
    'stripe',
    'web',
  ];
  const said = indexOf(servers.map((server, at): Made => [server, names[at % 5] ?? '']));
  for (const server of servers) assert.match(said, new RegExp(`[( ]${server}[,)]`));
  assert.doesNotMatch(said, /…/);
});

test('it is within its limit for any catalog, and does not depend on the order of the tools', () => {
  const serverName = fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,62}$/);
  const tool = fc.tuple(fc.nat(60), fc.constantFrom(...names));
  const catalogs = fc.tuple(fc.array(serverName, { minLength: 61, maxLength: 61 }), fc.array(tool, { maxLength: 300 }));
  fc.assert(
    fc.property(catalogs, ([servers, tools]) => {
      const made = tools.map(([at, category]): Made => [servers[at] ?? 'x', category]);
      const said = indexOf(made);
      assert.ok(countTokens(said) <= mostIndexTokens, said);
      assert.equal(indexOf(made.toReversed()), said);
      const bare = namedServers(groundsOf(made), everybody) ?? '';
      assert.ok(countTokens(bare) <= mostIndexTokens, bare);
    }),
    { numRuns: 200 },
  );
  const many = Array.from({ length: 3_000 }, (_, at): Made => [`server-${at % 500}`, names[at % 21] ?? '']);
  assert.ok(countTokens(indexOf(many)) <= mostIndexTokens);
});

test('every usual name is one token alone and after a space and at most two after a sign, every label one a word', () => {
  for (const name of usualNames) {
    assert.deepEqual([countTokens(name), countTokens(` ${name}`)], [1, 1], name);
    for (const sign of '(-_') assert.ok(countTokens(sign + name) <= 2, sign + name);
  }
  const labels = names.map((name) => indexOf([['x', name]]).replace(/^.*: (.*) \(x\)\.$/, '$1'));
  for (const label of labels) assert.equal(countTokens(` ${label}`), label.split(' ').length, label);
});

/** Tests of the projects of a config: their members, and the messages about mistakes. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LoadedConfig, parseConfig } from './load-config.ts';
import { parseProject } from './project-schema.ts';

function parse(text: string): LoadedConfig {
  const place = { cwd: '/w', dataDir: '/w/data', env: {} };
  return parseConfig({ file: '/w/f.json', bytes: new TextEncoder().encode(text), fingerprint: '' }, place);
}

function mistakeIn(projects: string): string {
  try {
    parse(`{\n  "projects": ${projects}\n}`);
  } catch (error) {
    return String((error as Error).message);
  }
  return assert.fail('it was taken');
}

test('a project has what is written, and the usual where nothing is; it cannot be changed', () => {
  const { config } = parse(`{ "projects": {
    "shop": { "servers": ["My Till", "stock-*"], "search": null, "surface": "code", "permissions": { "My Till:x": "deny", "*": "ask" } },
    "office": {},
    "constructor": { "search": "bm25" }
  } }`);
  const shop = config.projects.get('shop');
  assert.deepEqual(shop, {
    description: null,
    servers: ['my-till', 'stock-*'],
    search: null,
    surface: 'code',
    permissions: new Map([
      ['my-till:x', 'deny'],
      ['*', 'ask'],
    ]),
  });
  assert.equal(config.projects.get('office')?.search, 'hybrid');
  assert.equal(config.projects.get('constructor')?.search, 'bm25');
  assert.equal(config.projects.get('toString'), undefined);
  assert.ok(Object.isFrozen(shop));
  assert.equal(parse('{}').config.projects.size, 0);
});

test('mistakes are told at their places', () => {
  assert.equal(
    mistakeIn('{ "shop": { "search": "bm52" } }'),
    '/w/f.json:2:37: "projects.shop.search" must be "bm25", "hybrid" or "cloud", but the string "bm52" was found; did you mean "bm25"?',
  );
  assert.match(
    mistakeIn('{ "shop": { "permissions": { "till:*": "forbid" } } }'),
    /^\/w\/f\.json:2:54: "projects\.shop\.permissions\['till:\*'\]" must be "allow", "ask" or "deny"/,
  );
  assert.equal(
    mistakeIn('{ "shop": { "permissions": { "till": "deny" } } }'),
    '/w/f.json:2:44: "till" names no tool: write "server:tool", in which * stands for any characters: "till:*" for all tools of a server, "*:till" for such a tool of any server.',
  );
  assert.match(mistakeIn('{ "UNASSIGNED": {} }'), /^\/w\/f\.json:2:17: "UNASSIGNED" cannot be a project/);
  assert.match(mistakeIn('{ "shop": { "server": [] } }'), /unknown key "server"; did you mean "servers"\?/);
});

test('a server that a project nearly names is warned of', () => {
  const servers = '"mcpServers": { "github": { "command": "t" } }';
  const warned = (projects: string) => parse(`{ ${servers},\n "projects": ${projects} }`).warnings;
  assert.deepEqual(warned('{ "shop": { "servers": ["githb"], "permissions": { "gitub:wipe": "deny" } } }'), [
    '/w/f.json:2:37: In "projects.shop.servers": this file has no server "githb"; did you mean "github"?',
    '/w/f.json:2:65: In "projects.shop.permissions": this file has no server "gitub"; did you mean "github"?',
  ]);
  assert.deepEqual(warned('{ "shop": { "servers": ["github", "added-later", "gith*"] } }'), []);
});

test('a project from elsewhere is read by the same rules, and every mistake is named', () => {
  assert.equal(parseProject('shop', { servers: ['a'] }).search, 'hybrid');
  assert.throws(
    () => parseProject('shop', { search: 'all', permissions: 7 }),
    /"search" must be .*\n.*"permissions" must/,
  );
  for (const name of ['', ' shop', 'UNASSIGNED', 'a\nb', 'a\u202eb', 'x'.repeat(129)])
    assert.throws(() => parseProject(name, {}), /cannot be a project/, name);
});

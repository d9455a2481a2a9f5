/** How programs write the names of tools, and what is made of it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Principal } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import type { Catalog, Entry, ServerEntry, Snapshot } from '../catalog/catalog.ts';
import { type Config, parseServer } from '../config/config.ts';
import type { LayerName, Uses } from '../tools/tools.ts';
import { findWrittenTool, findWrittenTools, writtenForm } from './find-written-tool.ts';

const agent: Principal = { id: 'agent', name: 'agent', scopes: new Set(['use']), mark: '' };

const tools: Readonly<Record<string, readonly string[]>> = {
  github: ['create_issue', 'list-issues', 'search.code', 'get_ab', 'getA_b', 'wipe_all'],
  'my-server': ['read-file', 'readAll'],
  my_files: ['read_file'],
  'my-files': ['read_file', 'only_here'],
  secret: ['open_vault'],
};

function layersOf(): Uses<LayerName> {
  const servers = new Map<string, ServerEntry>();
  const entries = new Map<string, Entry>();
  const permissions: Readonly<Record<string, Record<string, unknown>>> = {
    github: { permissions: { wipe_all: 'deny' } },
    secret: { projects: ['vault'], permissions: { '*': 'deny' } },
  };
  for (const [server, names] of Object.entries(tools)) {
    const spec = parseServer(server, { command: 'serve', ...permissions[server] }, {}, 'file');
    // Only these members are used.
    servers.set(server, { spec, tools: [], listedAt: 1 } as unknown as ServerEntry);
    for (const name of names) {
      const key = `${server}:${name}`;
      entries.set(key, { key, server, name, serverName: name, definition: {}, fingerprint: key });
    }
  }
  const snapshot: Snapshot = { servers, tools: entries };
  const catalog = { snapshot, settle: async () => {} } as unknown as Catalog;
  const config = () => ({ keys: { ttlMinutes: 0 } }) as unknown as Config;
  return { catalog, config, clock: { now: () => 0 } } as unknown as Uses<LayerName>;
}

const layers = layersOf();
const keyOf = async (server: string, tool: string) => (await findWrittenTool(layers, agent, { server, tool })).key;
const keyAt = async (toolKey: string) => (await findWrittenTool(layers, agent, { toolKey })).key;

async function trouble(promise: Promise<unknown>): Promise<GatewayError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof GatewayError, String(error));
  return error;
}

test('dashes, dots and cases in which a name is written do not matter where one tool fits', async () => {
  const written: readonly (readonly [server: string, tool: string, key: string])[] = [
    ['github', 'create_issue', 'github:create_issue'],
    ['github', 'createIssue', 'github:create_issue'],
    ['GitHub', 'Create_Issue', 'github:create_issue'],
    ['github', 'list_issues', 'github:list-issues'],
    ['github', 'searchCode', 'github:search.code'],
    ['my_server', 'read_file', 'my-server:read-file'],
    ['myServer', 'read_all', 'my-server:readAll'],
  ];
  for (const [server, tool, key] of written) assert.equal(await keyOf(server, tool), key, `${server}.${tool}`);
});

test('a key is understood with a colon, a dot, two underscores or a slash, and a tool by its name alone', async () => {
  for (const key of ['github:create_issue', 'github.create_issue', 'github__create_issue', 'github/createIssue'])
    assert.equal(await keyAt(key), 'github:create_issue', key);
  for (const key of ['create_issue', 'createIssue', 'servers.github.create_issue', 'mcp__github__create_issue'])
    assert.equal(await keyAt(key), 'github:create_issue', key);
  assert.equal(await keyAt('my_server:readFile'), 'my-server:read-file');
});

test('an exact name goes before a similar one', async () => {
  assert.equal(await keyOf('my_files', 'read_file'), 'my_files:read_file');
  assert.equal(await keyOf('my-files', 'readFile'), 'my-files:read_file');
  assert.equal(await keyOf('github', 'get_ab'), 'github:get_ab');
  assert.equal(await keyOf('my_files', 'only_here'), 'my-files:only_here');
});

test('if several tools fit, all are named and none is called', async () => {
  const servers = await trouble(keyOf('myFiles', 'read_file'));
  assert.equal(servers.code, 'TOOLKEY_INVALID');
  assert.deepEqual(servers.data?.nearest, ['my_files:read_file', 'my-files:read_file']);
  assert.match(String(servers.hint), /call\("my_files:read_file", \{…\}\) or call\("my-files:read_file", \{…\}\)/);
  assert.deepEqual((await trouble(keyOf('github', 'getAB'))).data?.nearest, ['github:get_ab', 'github:getA_b']);
});

test('an unknown name comes with the nearest, and a tool in the place of a server with the right form', async () => {
  const near = await trouble(keyOf('github', 'create_isue'));
  assert.equal(near.code, 'TOOL_NOT_FOUND');
  assert.match(String(near.hint), /github:create_issue/);
  assert.match(String((await trouble(keyOf('gitub', 'create_issue'))).hint), /"github"/);
  const misplaced = await trouble(keyOf('create_issue', 'run'));
  assert.equal(misplaced.code, 'SERVER_NOT_FOUND');
  assert.match(String(misplaced.hint), /servers\.github\.create_issue\(\{…\}\)/);
});

test('a forbidden tool reads like a missing one, in every spelling', async () => {
  const words = async (name: string, find: (name: string) => Promise<unknown>) => {
    const { code, message, hint, data } = await trouble(find(name));
    return JSON.stringify([code, message.replaceAll(name, '?'), hint, data]);
  };
  const ways = [
    (name: string) => keyOf('github', name),
    (name: string) => keyOf(name, 'run'),
    (name: string) => keyAt(`github.${name}`),
    keyAt,
    (name: string) => findWrittenTools(layers, agent, name),
  ];
  for (const find of ways) {
    for (const name of ['wipe_all', 'wipeAll', 'open_vault', 'openVault'])
      assert.equal(await words(name, find), await words('zzzz_zzz', find), `${name} in ${String(find)}`);
  }
});

test('a server stands for all its tools that can be seen, a key for one', async () => {
  const keys = async (name: string) => (await findWrittenTools(layers, agent, name)).map(({ key }) => key);
  assert.deepEqual(await keys('myServer'), ['my-server:read-file', 'my-server:readAll']);
  assert.equal((await keys('github')).includes('github:wipe_all'), false);
  assert.deepEqual(await keys('github:createIssue'), ['github:create_issue']);
});

test('a tool is shown as a program writes it', () => {
  assert.equal(writtenForm({ server: 'github', name: 'create_issue' }), 'servers.github.create_issue');
  assert.equal(writtenForm({ server: 'my-server', name: 'read.file' }), 'servers["my-server"]["read.file"]');
});

test('a name that is neither a server nor a tool is told as that, and a server without tools says why', async () => {
  assert.match((await trouble(findWrittenTools(layers, agent, 'nope'))).message, /no server and no tool "nope"/);
  assert.match((await trouble(findWrittenTools(layers, agent, 'github:nope'))).message, /no tool "nope" on server/);
  const broken = layersOf();
  const bare = (name: string, listedAt: number | null) => {
    const spec = parseServer(name, { command: 'serve' }, {}, 'file');
    const servers = broken.catalog.snapshot.servers as Map<string, ServerEntry>;
    servers.set(name, { spec, tools: [], listedAt } as unknown as ServerEntry);
  };
  bare('broken', null);
  bare('idle', 1);
  const refresh = async (name: string) => {
    throw new GatewayError('SERVER_NOT_RUNNING', `Server "${name}" does not start.`);
  };
  Object.assign(broken.catalog, { refresh });
  assert.equal((await trouble(findWrittenTools(broken, agent, 'broken'))).code, 'SERVER_NOT_RUNNING');
  assert.match((await trouble(findWrittenTools(broken, agent, 'idle'))).message, /Server "idle" has no tools/);
});

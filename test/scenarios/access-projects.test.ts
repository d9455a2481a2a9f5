/** Projects: what each token finds in each of them, how it searches there, what it sees, and what a change of either does at once. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { connectAgent, type Kind } from '../kit/agents.ts';
import { Audience } from '../kit/audience.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { askModern, type RawAnswer, RawSession } from '../kit/hand-made.ts';
import { eventually } from '../kit/processes.ts';
import { hostedServer } from '../servers/hosted.ts';

type Dict = Record<string, unknown>;
type Ask = (method: string, params?: Dict) => Promise<RawAnswer>;

const ERAS: readonly Kind[] = ['v2 legacy', 'v2 modern'];
const NAMES = ['alpha', 'beta', 'gamma', 'delta'] as const;

function serverOf(name: string, more: Dict = {}): Dict {
  const command = hostedServer({
    name,
    tools: [
      {
        name: 'look',
        description: `Looks around in ${name}.`,
        respond: { content: [{ type: 'text', text: `seen ${name}` }] },
      },
      { name: 'wipe', description: `Wipes ${name}.`, respond: { content: [{ type: 'text', text: `wiped ${name}` }] } },
    ],
    resources: [{ uri: `${name}://note`, name: 'note', text: `note of ${name}` }],
    templates: [],
    prompts: [{ name: 'greet', text: `Hello from ${name}` }],
  });
  return { ...command, ...more };
}

const servers = (): Record<string, unknown> => Object.fromEntries(NAMES.map((name) => [name, serverOf(name)]));

async function tokenFor({ gateway }: TestGateway, name: string, wish: Dict = {}): Promise<Record<string, string>> {
  const made = await gateway.admin.run('tokens.create', { name, ...wish } as { name: string });
  return { authorization: `Bearer ${made.token}` };
}

/** A way to ask at a door, in each era; where there is no such door, what that is answered with. */
async function asker(kind: Kind, url: string, headers: Record<string, string>): Promise<Ask> {
  if (kind === 'v2 modern') return (method, params) => askModern(url, headers, method, params);
  const first = await askModern(url, headers, 'tools/list');
  if (first.status !== 200) return async () => first;
  const session = await RawSession.open(url, headers);
  return (method, params) => session.request(method, params);
}

/** The servers that somebody finds, by every method there is. */
async function found(ask: Ask): Promise<Record<string, string[]>> {
  const list = async (method: string, member: string, name: string) => {
    const { message } = await ask(method);
    const items = ((message.result as Dict | undefined)?.[member] ?? []) as Dict[];
    return NAMES.filter((server) => items.some((item) => String(item[name]).startsWith(server)));
  };
  const byCall = async (name: string, args: (server: string) => Dict, sign: (server: string) => string) => {
    const all = await Promise.all(
      NAMES.map(async (server) => {
        const { message } = await ask('tools/call', { name, arguments: args(server) });
        return JSON.stringify(message).includes(sign(server)) ? [server] : [];
      }),
    );
    return all.flat();
  };
  const byRequest = async (method: string, params: (server: string) => Dict, sign: (server: string) => string) => {
    const all = await Promise.all(
      NAMES.map(async (server) => {
        const { message } = await ask(method, params(server));
        return JSON.stringify(message.result ?? {}).includes(sign(server)) ? [server] : [];
      }),
    );
    return all.flat();
  };
  const once = async (name: string, args: Dict) => {
    const { message } = await ask('tools/call', { name, arguments: args });
    return NAMES.filter((server) => JSON.stringify(message.result ?? {}).includes(server));
  };
  const inProgram = 'return Object.keys(servers)';
  return {
    'tools/list': await list('tools/list', 'tools', 'name'),
    'resources/list': await list('resources/list', 'resources', 'uri'),
    'prompts/list': await list('prompts/list', 'prompts', 'name'),
    tool_execute: await byCall(
      'tool_execute',
      (server) => ({ toolKey: `${server}:look` }),
      (server) => `seen ${server}`,
    ),
    tool_info: await byCall(
      'tool_info',
      (server) => ({ toolKey: `${server}:look` }),
      (server) => `Looks around in ${server}`,
    ),
    'resources/read': await byRequest(
      'resources/read',
      (server) => ({ uri: `${server}://note` }),
      (server) => `note of ${server}`,
    ),
    'own resource': await byRequest(
      'resources/read',
      (server) => ({ uri: `toolcrib://tool/${server}/look` }),
      (server) => `Looks around in ${server}`,
    ),
    'prompts/get': await byRequest(
      'prompts/get',
      (server) => ({ name: `${server}.greet` }),
      (server) => `Hello from ${server}`,
    ),
    completion: await byRequest(
      'completion/complete',
      (server) => ({ ref: { type: 'ref/prompt', name: 'server_status' }, argument: { name: 'server', value: server } }),
      (server) => server,
    ),
    tool_discovery: await once('tool_discovery', { query: 'look around', maxResults: 50 }),
    list_mcp_servers: await once('list_mcp_servers', {}),
    tool_capabilities: await once('tool_capabilities', {}),
    call_tool_chain: await once('call_tool_chain', { code: inProgram }),
  };
}

test('[ACC-35] every token finds in every project exactly what both grant, by every method, in both eras', async () => {
  const projects: Record<string, readonly string[]> = {
    one: ['alpha'],
    two: ['alpha', 'beta'],
    three: ['g*', 'delta'],
  };
  const config = {
    projects: Object.fromEntries(Object.entries(projects).map(([name, names]) => [name, { servers: names }])),
  };
  await using gateway = await openTestGateway({ servers: servers(), config });
  await gateway.gateway.admin.run('servers.refresh', {});
  const tokens: Record<string, { readonly wish: Dict; readonly grants: readonly string[]; readonly bound?: string }> = {
    bound: { wish: { project: 'two' }, grants: NAMES, bound: 'two' },
    narrow: { wish: { servers: ['beta', 'g*'] }, grants: ['beta', 'gamma'] },
    both: { wish: { project: 'three', servers: ['delta'] }, grants: ['delta'], bound: 'three' },
  };
  const members: Record<string, readonly string[]> = {
    one: ['alpha'],
    two: ['alpha', 'beta'],
    three: ['gamma', 'delta'],
  };
  for (const [name, { wish, grants, bound }] of Object.entries(tokens)) {
    const headers = await tokenFor(gateway, name, wish);
    for (const project of [undefined, 'one', 'two', 'three', 'none']) {
      const isThere = project === undefined || (bound === undefined ? project in members : project === bound);
      const own = project ?? bound;
      const declared = isThere
        ? NAMES.filter((server) => grants.includes(server) && (own === undefined || members[own]?.includes(server)))
        : [];
      const path = project === undefined ? '/mcp' : `/projects/${project}/mcp`;
      for (const kind of ERAS) {
        const observed = await found(await asker(kind, `${gateway.url}${path}?surface=direct`, headers));
        const expected = Object.fromEntries(Object.keys(observed).map((method) => [method, declared]));
        assert.deepEqual(observed, expected, `token ${name}, project ${project}, ${kind}`);
      }
      const byHeader = { ...headers, ...(project !== undefined && { 'x-toolcrib-project': project }) };
      const { status, message } = await askModern(`${gateway.url}/mcp?surface=direct`, byHeader, 'tools/list');
      assert.equal(status, isThere ? 200 : 404, `${name} ${project}`);
      if (!isThere) assert.match(JSON.stringify(message), new RegExp(`There is no project \\\\"${project}\\\\"`));
      for (const server of NAMES) {
        const door = await askModern(`${gateway.url}/servers/${server}/mcp`, byHeader, 'tools/list');
        const expected = isThere && declared.includes(server) ? 200 : 404;
        assert.equal(door.status, expected, `token ${name}, project ${project}, door of ${server}`);
      }
    }
  }
});

test('[ACC-36] a project searches by its own strategy, or not at all, and then what is known can still be called', async () => {
  const projects = {
    off: { servers: ['*'], search: null },
    words: { servers: ['*'], search: 'bm25' },
    usual: { servers: ['*'] },
  };
  await using gateway = await openTestGateway({
    servers: servers(),
    config: { projects, search: { mode: 'semantic' } },
  });
  await gateway.gateway.admin.run('servers.refresh', {});
  for (const kind of ERAS) {
    const call = async (project: string, name: string, args: Dict) => {
      const url = `${gateway.url}/projects/${project}/mcp?surface=full`;
      await using agent = await connectAgent(kind, url, { headers: gateway.agentHeaders });
      const result = await agent.call(name, args);
      return {
        isError: result.isError === true,
        data: (result.structuredContent ?? {}) as Dict,
        text: JSON.stringify(result.content),
      };
    };
    const off = { code: 'DISCOVERY_DISABLED', notice: 'Discovery is switched off in this project.' };
    for (const [name, args, member] of [
      ['tool_discovery', { query: 'look' }, 'tools'],
      ['search_tools', { query: 'look' }, 'tools'],
      ['recommend_tools', { task: 'look' }, 'recommendations'],
    ] as const) {
      const { isError, data } = await call('off', name, args);
      assert.equal(isError, false);
      assert.deepEqual(data[member], [], name);
      const { code, notice, mode } = data.metadata as Dict;
      assert.deepEqual({ code, notice, mode }, { ...off, mode: null }, name);
    }
    assert.match((await call('off', 'tool_execute', { toolKey: 'alpha:look' })).text, /seen alpha/);
    assert.match(
      (await call('off', 'call_tool_chain', { code: 'return (await search("look")).metadata.code' })).text,
      /DISCOVERY_DISABLED/,
    );
    assert.match(
      (await call('off', 'call_tool_chain', { code: 'return await servers.alpha.look({})' })).text,
      /seen alpha/,
    );
    const modeIn = async (project: string) =>
      ((await call(project, 'tool_discovery', { query: 'look' })).data.metadata as Dict).mode;
    assert.deepEqual([await modeIn('words'), await modeIn('usual')], ['bm25', 'hybrid']);
  }
  const headers = { ...gateway.agentHeaders, 'content-type': 'application/json', 'x-toolcrib-project': 'off' };
  const response = await fetch(`${gateway.url}/catalog/search`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query: 'look' }),
  });
  assert.deepEqual(await response.json(), {
    results: [],
    code: 'DISCOVERY_DISABLED',
    notice: 'Discovery is switched off in this project.',
  });
});

test('[ACC-37] the surface comes from the URL, else the token, else the project, and doctor says which', async () => {
  const projects = { shop: { servers: ['*'], surface: 'code' }, plain: { servers: ['*'] } };
  const surfaces = { projects: { shop: 'full', plain: 'direct' } };
  await using gateway = await openTestGateway({ servers: servers(), config: { projects, surfaces } });
  await gateway.gateway.admin.run('servers.refresh', {});
  const own = await tokenFor(gateway, 'own', { surface: 'search' });
  const firstAt = async (path: string, headers: Record<string, string>) => {
    const { message } = await askModern(`${gateway.url}${path}`, headers, 'tools/list');
    return ((message.result as Dict).tools as Dict[]).map(({ name }) => name).slice(0, 2);
  };
  const shown = {
    code: ['tool_discovery', 'call_tool_chain'],
    search: ['tool_discovery', 'tool_execute'],
    direct: ['alpha.look', 'alpha.wipe'],
  };
  assert.deepEqual(await firstAt('/projects/shop/mcp', gateway.agentHeaders), shown.code);
  assert.deepEqual(await firstAt('/projects/plain/mcp', gateway.agentHeaders), shown.direct);
  assert.deepEqual(await firstAt('/projects/shop/mcp', own), shown.search);
  assert.deepEqual(await firstAt('/projects/plain/mcp', own), shown.search);
  assert.deepEqual(await firstAt('/projects/shop/mcp?surface=direct', own), shown.direct);
  const { doors } = await gateway.gateway.admin.run('gateway.surfaces', {});
  assert.deepEqual(doors.map(({ project, surface, by, reason }) => [project, surface, by, reason]).slice(1), [
    ['plain', 'direct', 'project', 'set for the project "plain" in the config'],
    ['shop', 'code', 'project', 'set with the project "shop" in the config'],
  ]);
});

test('[ACC-38] a permission that is taken away counts from the next call on, also in a program that runs', async () => {
  await using gateway = await openTestGateway({ servers: servers() });
  const { admin } = gateway.gateway;
  await admin.run('servers.refresh', {});
  await admin.run('projects.create', { name: 'shop', servers: ['alpha', 'beta'] });
  for (const kind of ERAS) {
    const url = `${gateway.url}/projects/shop/mcp?surface=full`;
    await using agent = await connectAgent(kind, url, { headers: gateway.agentHeaders });
    assert.equal(await agent.say('tool_execute', { toolKey: 'alpha:wipe' }), 'wiped alpha');
    const code = `
      for (;;) {
        await servers.alpha.wipe({});
        await new Promise((done) => setTimeout(done, 50));
      }`;
    const running = agent.call('call_tool_chain', { code });
    await pause(300);
    await admin.run('projects.set', { name: 'shop', permissions: { 'alpha:w*': 'deny' } });
    const ended = await running;
    assert.match(JSON.stringify(ended), /There is no tool \\*"wipe\\*" on server \\*"alpha\\*"/);
    const refused = await agent.call('tool_execute', { toolKey: 'alpha:wipe' });
    assert.match(JSON.stringify(refused), /TOOL_NOT_FOUND/);
    assert.equal(await agent.say('tool_execute', { toolKey: 'beta:wipe' }), 'wiped beta');
    await admin.run('projects.set', { name: 'shop', permissions: { 'alpha:w*': null } });
    assert.equal(await agent.say('tool_execute', { toolKey: 'alpha:wipe' }), 'wiped alpha');
  }
});

test('[ACC-34] agents that gain or lose tools by a change of a project hear of it within a second, and nobody else', async () => {
  await using gateway = await openTestGateway({ servers: servers() });
  const { admin } = gateway.gateway;
  await admin.run('projects.create', { name: 'shop', servers: ['alpha', 'beta'] });
  await admin.run('projects.create', { name: 'office', servers: ['alpha'] });
  const shop = '/projects/shop/mcp';
  const uris = ['toolcrib://tools', 'toolcrib://server/alpha/tools', 'toolcrib://server/beta/tools'];
  await using audience = await Audience.gather(gateway, { [shop]: uris, '/projects/office/mcp': [], '/mcp': [] });
  const set = (change: Dict) => () => admin.run('projects.set', { name: 'shop', ...change });
  const tools = { tools: 1, resources: 1 };
  await audience.hears('a tool is denied', set({ permissions: { 'alpha:wipe': 'deny' } }), {
    [shop]: { ...tools, updated: ['toolcrib://server/alpha/tools', 'toolcrib://tools'] },
  });
  await audience.hears('it is denied in other words', set({ permissions: { 'alpha:wip*': 'deny' } }), {});
  await audience.hears('a description', set({ description: 'For sale.' }), {});
  await audience.hears('a server goes', set({ servers: ['alpha'] }), {
    [shop]: { ...tools, prompts: 1, updated: ['toolcrib://server/beta/tools', 'toolcrib://tools'] },
  });
  await audience.hears('and comes back', set({ servers: ['alpha', 'beta'] }), {
    [shop]: { ...tools, prompts: 1, updated: ['toolcrib://server/beta/tools', 'toolcrib://tools'] },
  });
});

test('[ACC-34] an edit of a project in the file is told and counts as well, and one that is gone has nothing', async () => {
  const named = servers();
  await using gateway = await openTestGateway({
    servers: named,
    config: { projects: { shop: { servers: ['alpha'] } } },
  });
  const shop = '/projects/shop/mcp';
  await using audience = await Audience.gather(gateway, { [shop]: [], '/mcp': [] });
  const edit = (projects: Dict) => () => writeFile(gateway.configFile, JSON.stringify({ projects, mcpServers: named }));
  const tools = { [shop]: { tools: 1, resources: 1 } };
  const denied = { servers: ['alpha'], permissions: { 'alpha:wipe': 'deny' } };
  await audience.hears('a tool is denied in the file', edit({ shop: denied }), tools);
  await audience.hears('another project', edit({ shop: denied, office: {} }), {});
  const call = async () => {
    const params = { name: 'tool_execute', arguments: { toolKey: 'alpha:wipe' } };
    return JSON.stringify(
      (await askModern(`${gateway.url}${shop}`, gateway.agentHeaders, 'tools/call', params)).message,
    );
  };
  assert.match(await call(), /TOOL_NOT_FOUND/);
  await edit({})();
  await eventually('the project is gone', async () =>
    (await call()).includes('There is no project') ? true : undefined,
  );
});

/** The tools on each surface, the choice of the surface, and the instructions at the start. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { connectAgent, KINDS } from '../kit/agents.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { listedNowhere, onCode, onFull, onSearch } from '../kit/own-tools.ts';
import { hostedServer } from '../servers/hosted.ts';
import type { Dict } from '../servers/rpc.ts';

const DIRECT = ['files.read_file', 'mail.send_mail', 'mail.status'];

const hinted = { 'anthropic/searchHint': 'postbox', 'example/own': 1 };
const tools = {
  files: [{ name: 'read_file', description: 'Reads the text of a file from disk.' }],
  mail: [
    { name: 'send_mail', description: 'Sends an e-mail to somebody.' },
    { name: 'status', description: 'Says how the mailbox is.', _meta: hinted },
  ],
};

function servers(): Record<string, Dict> {
  return {
    files: {
      ...hostedServer({ name: 'files', tools: tools.files }),
      description: 'All that lies on the disk. And more.',
      category: 'file_operations',
    },
    mail: { ...hostedServer({ name: 'mail', tools: tools.mail }), projects: ['shop'] },
  };
}

let gateway: TestGateway;
before(async () => {
  gateway = await openTestGateway({ servers: servers() });
  await namesAt('/mcp?surface=direct');
});
after(() => gateway.close());

type Doors = Pick<TestGateway, 'url' | 'agentHeaders'>;

function owner({ url, ownerHeaders }: TestGateway): Doors {
  return { url, agentHeaders: ownerHeaders };
}

function namesAt(path: string, at: Doors = gateway): Promise<string[]> {
  return new ModernAgent(at, path).tools();
}

async function toolsAt(path: string): Promise<Dict[]> {
  return (await new ModernAgent(gateway, path).request('tools/list')).tools as Dict[];
}

async function instructionsAt(path: string, at: Doors = gateway): Promise<string> {
  return String((await new ModernAgent(at, path).request('server/discover')).instructions);
}

test('[SEE-01] each surface lists its tools in one order, what is for owners only to owners', async () => {
  assert.deepEqual(await namesAt('/mcp?surface=search'), onSearch);
  assert.deepEqual(await namesAt('/mcp?surface=code'), onCode);
  assert.deepEqual(await namesAt('/mcp?surface=direct'), DIRECT);
  assert.deepEqual(await namesAt('/mcp?surface=full', owner(gateway)), onFull);
  const forAgents = onFull.filter((name) => name !== 'reset_tool_metrics');
  assert.deepEqual(await namesAt('/mcp?surface=full'), forAgents);
  for (const kind of KINDS) {
    const url = `${gateway.url}/mcp?surface=full`;
    await using agent = await connectAgent(kind, url, { headers: gateway.agentHeaders });
    const { tools: listed } = await agent.client.listTools();
    assert.deepEqual(
      listed.map(({ name }) => name),
      forAgents,
      kind,
    );
  }
});

test('[SEE-02] a tool of ours that a surface does not list is answered there all the same', async () => {
  const calls: [string, Dict][] = [
    ['tool_discovery', { query: 'send an e-mail' }],
    ['tool_execute', { toolKey: 'mail:status' }],
    ['tool_capabilities', {}],
    ['tool_info', { toolKey: 'mail:status' }],
    ['call_tool_chain', { code: 'return 1 + 1' }],
    ['list_tools_meta', {}],
    ['recommend_tools', { task: 'send an e-mail' }],
    ['get_tool_alternatives', { toolKey: 'mail:status' }],
    ['get_tool_metrics', {}],
    ['list_mcp_servers', {}],
    ['search_tools', { query: 'send an e-mail' }],
    ['call_tool', { server: 'mail', tool: 'status' }],
    ['get_tool_schema', { server: 'mail', tool: 'status' }],
    ['list_tools', {}],
  ];
  // One is for owners, the other needs a stored result.
  const others = ['reset_tool_metrics', 'read_result'];
  assert.deepEqual([...calls.map(([name]) => name), ...others].sort(), [...onFull, ...listedNowhere].sort());
  for (const surface of ['search', 'code', 'direct', 'full']) {
    const agent = new ModernAgent(gateway, `/mcp?surface=${surface}`);
    for (const [name, args] of calls) {
      const { isError, text } = await agent.call(name, args);
      assert.ok(!isError, `${name} on ${surface}: ${text}`);
    }
    for (const name of listedNowhere)
      assert.ok(!(await agent.tools()).includes(name), `${name} is listed on ${surface}`);
    const through = await agent.call('tool_execute', { toolKey: 'toolcrib:list_mcp_servers' });
    assert.equal((through.result.structuredContent as Dict).serverCount, 2);
  }
});

test('[SEE-03] the URL decides, else the token, else the project, else the size of the catalog', async () => {
  const surfaces = { tokens: { owner: 'full' }, projects: { shop: 'code' } };
  await using own = await openTestGateway({ servers: servers(), config: { surfaces } });
  await namesAt('/mcp?surface=direct', own);
  const at = (path: string, who: Doors = own) => namesAt(path, who);
  assert.deepEqual(await at('/mcp'), DIRECT, 'a small catalog');
  assert.deepEqual(await at('/projects/shop/mcp'), onCode, 'the project');
  assert.deepEqual(await at('/projects/shop/mcp', owner(own)), onFull, 'the token');
  assert.deepEqual(await at('/projects/shop/mcp?surface=search', owner(own)), onSearch, 'the URL');
  assert.deepEqual(await at('/mcp?surface=auto', owner(own)), DIRECT, 'the URL may ask for the size too');
  const response = await fetch(`${own.url}/mcp?surface=everything`, {
    method: 'POST',
    headers: { ...own.agentHeaders, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25' } }),
  });
  assert.equal(response.status, 400);
  assert.match(
    await response.text(),
    /There is no surface \\"everything\\"; there are auto, search, direct, code, full/,
  );
});

test('[SEE-04] where programs are switched off, no surface lists them, and code shows what search shows', async () => {
  await using own = await openTestGateway({ servers: servers(), config: { chains: { enabled: false } } });
  const without = onSearch.filter((name) => name !== 'call_tool_chain');
  assert.deepEqual(await namesAt('/mcp?surface=search', own), without);
  assert.deepEqual(await namesAt('/mcp?surface=code', own), without);
  assert.doesNotMatch(await instructionsAt('/mcp?surface=search', own), /call_tool_chain/);
  const answer = await new ModernAgent(own, '/mcp?surface=code').call('call_tool_chain', { code: 'return 1' });
  assert.equal(answer.isError, true);
  assert.match(answer.text, /switched off/);
});

test('[SEE-05] tools that are the way in ask to be loaded; on direct every tool has a hint to be found by', async () => {
  for (const surface of ['search', 'code']) {
    const loaded = (await toolsAt(`/mcp?surface=${surface}`))
      .filter(({ _meta }) => (_meta as Dict | undefined)?.['anthropic/alwaysLoad'] === true)
      .map(({ name }) => name);
    const wayIn = surface === 'code' ? onCode : ['tool_discovery', 'tool_execute', 'call_tool_chain'];
    assert.deepEqual(loaded, wayIn);
  }
  const listed = await toolsAt('/mcp?surface=direct');
  const metaOf = (name: string) => listed.find((tool) => tool.name === name)?._meta as Dict;
  const hint = String(metaOf('files.read_file')['anthropic/searchHint']);
  assert.match(hint, /^Test server files: All that lies on the disk; read, write, move and list files and folders$/);
  assert.deepEqual(metaOf('mail.status'), hinted, 'what the server says itself stays');
  const { _meta, name, ...rest } = listed[0] ?? {};
  assert.deepEqual({ ...rest, name: 'read_file' }, await plainDefinition('files', 'read_file'), 'nothing else differs');
});

async function plainDefinition(server: string, tool: string): Promise<Dict | undefined> {
  return (await toolsAt(`/servers/${server}/mcp?names=plain`)).find(({ name }) => name === tool);
}

test('[SEE-06] the instructions of each surface name what its agents have, and how names are built', async () => {
  const [search, code, full, direct] = await Promise.all(
    ['search', 'code', 'full', 'direct'].map((surface) => instructionsAt(`/mcp?surface=${surface}`)),
  );
  for (const text of [search, full]) {
    assert.match(text ?? '', /tool_discovery.*tool_execute.*call_tool_chain/s);
    assert.match(text ?? '', /one need per query/);
  }
  assert.match(code ?? '', /tool_discovery.*call_tool_chain/s);
  assert.doesNotMatch(code ?? '', /tool_execute|tool_info|tool_capabilities/);
  assert.match(
    direct ?? '',
    /^3 tools on 2 servers: files, mail\. /,
    'the servers, and the same from the first moment on',
  );
  assert.match(direct ?? '', /SERVER\.TOOL/);
  assert.doesNotMatch(direct ?? '', /tool_|call_tool_chain/);
});

test('[SEE-07] the list of searchable servers stays the same to the letter until servers change, however tools are used', async () => {
  await using own = await openTestGateway({ servers: servers() });
  const agent = new ModernAgent(own, '/mcp?surface=search');
  await namesAt('/mcp?surface=direct', own);
  const read = async () => JSON.stringify(await agent.request('tools/list'));
  const before = await read();
  assert.match(before, /Search 3 tools on 2 servers: /);
  for (let calls = 0; calls < 5; calls += 1) await agent.say('tool_execute', { toolKey: 'files:read_file' });
  await agent.call('tool_execute', { toolKey: 'mail:nothing' });
  assert.equal(await read(), before);
  await own.gateway.admin.run('servers.add', {
    name: 'zoo',
    spec: { ...hostedServer({ name: 'zoo', tools: tools.files }) },
  });
  assert.match(await read(), /Search 4 tools on 3 servers: .*zoo/);
  await own.gateway.admin.run('servers.remove', { name: 'zoo' });
  assert.equal(await read(), before);
});

test('[SEE-08] an agent on code is advised with what it has', async () => {
  const agent = new ModernAgent(gateway, '/mcp?surface=code');
  const nothing = await agent.call('tool_discovery', { query: 'xyzzy plugh frobnicate' });
  const wrong = await agent.call('tool_discovery', { query: 'x', maxResults: 'all' });
  const unknown = await agent.call('mail.nothing');
  const server = await agent.call('tool_discovery', { query: 'x', server: 'nobody' });
  for (const { result } of [nothing, wrong, unknown, server])
    assert.doesNotMatch(JSON.stringify(result), /tool_capabilities|tool_execute|tool_info/);
  assert.match(wrong.text, /await info\(/);
  assert.match(server.text, /Object\.keys\(servers\)/);
});

test('[SEE-09] a surface that is set while the gateway runs is shown at once, and told to who listens', async () => {
  await using own = await openTestGateway({ servers: servers() });
  await using agent = await connectAgent('v2 legacy', `${own.url}/mcp`, { headers: own.agentHeaders });
  await agent.listen();
  assert.deepEqual(await namesAt('/mcp', own), DIRECT);
  const config = { surfaces: { tokens: { agent: 'code' } }, mcpServers: servers() };
  await writeFile(own.configFile, JSON.stringify(config));
  await agent.heard.atLeast('notifications/tools/list_changed', 1);
  assert.deepEqual(await namesAt('/mcp', own), onCode);
});

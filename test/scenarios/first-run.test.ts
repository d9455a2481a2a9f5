/** A first run: a new data folder and servers that take their time. Agents get a list to work with, over HTTP and stdio. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectAgent, KINDS } from '../kit/agents.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { onSearch } from '../kit/own-tools.ts';
import { discover } from '../kit/search-requests.ts';
import { RawBridge, toolcribStdio } from '../kit/stdio-agent.ts';
import { TcpProxy } from '../kit/tcp-proxy.ts';
import { startServer } from '../servers/launch.ts';
import type { Dict } from '../servers/rpc.ts';

const changed = 'notifications/tools/list_changed';
const bell = {
  name: 'ring_bell',
  description: 'Rings the bell.',
  respond: { content: [{ type: 'text', text: 'ding' }] },
};

/** A gateway with servers that answer nothing until `release`. */
interface ColdGateway extends TestGateway {
  readonly names: readonly string[];
  /** Resolves when all of them are listed. */
  release(): Promise<void>;
}

async function openCold(count: number): Promise<ColdGateway> {
  const server = await startServer({ name: 'cold', tools: [bell] });
  const wire = await TcpProxy.to(server.url);
  wire.hold();
  const names = Array.from({ length: count }, (_, at) => `cold-${at}`);
  const url = server.url.replace(new URL(server.url).origin, wire.url);
  const servers = Object.fromEntries(names.map((name) => [name, { url }]));
  const config = { connect: { timeoutMs: 600_000 } };
  const gateway = await openTestGateway({ servers, config, isCold: true });
  const close = async () => {
    await gateway.close();
    await wire.close();
    await server.stop();
  };
  const release = async () => {
    wire.release();
    await gateway.gateway.admin.run('servers.refresh', {});
  };
  return { ...gateway, names, release, close, [Symbol.asyncDispose]: close };
}

async function reasonAt({ gateway }: TestGateway): Promise<string> {
  const { doors } = await gateway.admin.run('gateway.surfaces', {});
  return doors[0]?.reason ?? '';
}

test('[SEE-19] the first list of ten cold servers is the search surface, which names them; then the tools themselves', async () => {
  await using gateway = await openCold(10);
  const agents = await Promise.all(
    KINDS.map((kind) => connectAgent(kind, `${gateway.url}/mcp`, { headers: gateway.agentHeaders })),
  );
  try {
    for (const { client, kind, listen } of agents) {
      await listen();
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        onSearch,
        kind,
      );
    }
    const { metadata } = await discover(gateway, 'ring the bell');
    assert.match(String(metadata.notice), /Servers that are still listing: cold-0, cold-1, .* and 5 more/);
    const because = 'the tools of the servers "cold-0", "cold-1", "cold-2" and 7 more were never listed';
    assert.equal(await reasonAt(gateway), `${because}, so the size of the catalog is unknown`);
    await gateway.release();
    for (const { client, heard, kind } of agents) {
      await heard.atLeast(changed, 1);
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        gateway.names.map((name) => `${name}.ring_bell`),
        kind,
      );
    }
    assert.match(await reasonAt(gateway), /^the whole definitions of the 10 tools are about .* at most 3,000$/);
  } finally {
    await Promise.all(agents.map((agent) => agent[Symbol.asyncDispose]()));
  }
});

test('[SEE-19] an agent that ignores the change of its list finds and calls what came later', async () => {
  await using gateway = await openCold(1);
  const agent = new ModernAgent(gateway, '/mcp');
  assert.deepEqual(await agent.tools(), onSearch);
  await gateway.release();
  const found = await agent.call('tool_discovery', { query: 'ring the bell' });
  const { tools } = found.result.structuredContent as { tools: readonly { toolKey: string }[] };
  assert.deepEqual(
    tools.map(({ toolKey }) => toolKey),
    ['cold-0:ring_bell'],
  );
  assert.equal((await agent.call('tool_execute', { toolKey: 'cold-0:ring_bell' })).text, 'ding');
});

test('[SEE-19] over stdio the first list is the same, in both eras', async () => {
  await using gateway = await openCold(10);
  const launch = toolcribStdio(gateway.dataDir, { TOOLCRIB_SURFACE: '' });
  await using legacy = new RawBridge(launch);
  await legacy.open();
  await using modern = new RawBridge(launch);
  const listed = async (answer: Promise<Dict>) => ((await answer).result as { tools: Dict[] }).tools;
  for (const tools of [
    await listed(legacy.request('tools/list')),
    await listed(modern.answerTo(modern.askModern('tools/list'))),
  ])
    assert.deepEqual(
      tools.map(({ name }) => name),
      onSearch,
    );
  await gateway.release();
  await legacy.next(({ method }) => method === changed);
});

test('[GET-28] a token for direct gets the search surface until a first server is listed, over HTTP and stdio', async () => {
  await using gateway = await openCold(10);
  const { token } = await gateway.gateway.admin.run('tokens.create', { name: 'claude-code', surface: 'direct' });
  await using bridge = new RawBridge(toolcribStdio(gateway.dataDir, { TOOLCRIB_TOKEN: token }));
  await bridge.open();
  await using agent = await connectAgent('v1', `${gateway.url}/mcp`, { headers: { Authorization: `Bearer ${token}` } });
  const overHttp = async () => (await agent.client.listTools()).tools.map(({ name }) => name);
  const overStdio = async () => {
    const { tools } = (await bridge.request('tools/list')).result as { tools: Dict[] };
    return tools.map(({ name }) => name);
  };
  for (const listed of [overHttp, overStdio]) assert.deepEqual(await listed(), onSearch);
  await gateway.release();
  const all = gateway.names.map((name) => `${name}.ring_bell`);
  for (const listed of [overHttp, overStdio]) assert.deepEqual(await listed(), all);
});

test('[SEE-19] a server that never starts keeps the size unknown; one that is switched off does not count', async () => {
  const dead = { command: process.execPath, args: ['-e', 'process.exit(1)'] };
  const servers = { dead, off: { ...dead, enabled: false } };
  await using gateway = await openTestGateway({ servers, config: { connect: { maxRetries: 0 } } });
  await gateway.gateway.admin.run('servers.refresh', {});
  assert.deepEqual(await new ModernAgent(gateway, '/mcp').tools(), onSearch);
  const because = 'the tools of the server "dead" were never listed, so the size of the catalog is unknown';
  assert.equal(await reasonAt(gateway), because);
  await gateway.gateway.admin.run('servers.disable', { name: 'dead' });
  assert.equal(await reasonAt(gateway), 'there are no tools yet');
  assert.deepEqual(await new ModernAgent(gateway, '/mcp').tools(), onSearch);
});

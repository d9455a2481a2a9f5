/** Every act is in the audit exactly once, by any principal, in any way and with any content. */

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { AuditLine } from '../../src/admin/admin.ts';
import { connectAgent } from '../kit/agents.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { hostServers } from '../kit/planned-servers.ts';

const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const plan = hostServers({
  one: {
    tools: [
      { name: 'look', description: 'Looks something up.', inputSchema: text, runAs: 'echo' },
      { name: 'no', description: 'Refuses.', respond: { content: [{ type: 'text', text: 'No.' }], isError: true } },
      { name: 'hidden', description: 'Is not for agents.', inputSchema: text, runAs: 'echo' },
    ],
    entry: { permissions: { hidden: 'deny' } },
  },
});
let gateway: TestGateway;

before(async () => {
  gateway = await openTestGateway({ servers: plan.servers });
  await new ModernAgent(gateway).tools();
});
after(() => gateway.close());

/** The records written while `act` ran, in order. */
async function recordsOf(act: () => Promise<unknown>, at = gateway): Promise<readonly AuditLine[]> {
  const { admin } = at.gateway;
  const { upto } = await admin.run('audit.export', {});
  await act();
  return (await admin.run('audit.export', { after: upto })).records;
}

const brief = ({ kind, action, server, tool, outcome }: AuditLine) =>
  [kind, action, [server, tool].filter((part) => part !== null).join(':'), outcome].join(' ');

for (const kind of ['v1', 'v2 modern'] as const) {
  test(`[AUD-01] every act of an agent is one record (${kind})`, async () => {
    await using agent = await connectAgent(kind, `${gateway.url}/mcp?surface=search`, {
      headers: gateway.agentHeaders,
    });
    const records = await recordsOf(async () => {
      await agent.client.listTools();
      await agent.call('tool_discovery', { query: 'look something up' });
      await agent.call('tool_info', { toolKey: 'one:look' });
      await agent.call('tool_execute', { toolKey: 'one:look', arguments: { text: 'a' } });
      await agent.call('one.look', { text: 'b' });
      await agent.call('tool_execute', { toolKey: 'one:no', arguments: {} });
      await agent.call('tool_execute', { toolKey: 'one:look', arguments: { txt: 1 } });
      await agent.call('tool_execute', { toolKey: 'one:unknown', arguments: {} });
      await agent.call('tool_execute', { toolKey: 'one:hidden', arguments: {} });
      await agent.call('nothing.of.that.name');
    });
    assert.deepEqual(records.map(brief), [
      'discovery tools.list  ok',
      'discovery tool_discovery  ok',
      'discovery tool_info one:look ok',
      'execution tools.call one:look ok',
      'execution tools.call one:look ok',
      'execution tools.call one:no tool',
      'execution tools.call one:look arguments',
      'execution tools.call one:unknown refused',
      'execution tools.call one:hidden refused',
      'execution tools.call nothing.of.that.name refused',
    ]);
    assert.equal(records[8]?.detail?.error, 'There is no tool "hidden" on server "one".', 'a refusal says why');
    for (const record of records) {
      assert.deepEqual([record.principal.id, typeof record.durationMs], ['agent', 'number']);
      assert.ok(record.client?.includes('/') && record.requestId !== null && record.session !== null);
    }
    const requests = new Set(records.map(({ requestId }) => requestId));
    assert.equal(requests.size, records.length, 'each says which request it was');
  });
}

test('[AUD-01] a program, each of its calls and what it was refused are records', async () => {
  const agent = new ModernAgent(gateway, '/mcp?surface=code');
  const code = `
    await servers.one.look({ text: 'a' });
    await servers.one.look({ text: 'b' });
    try { await servers.one.hidden({ text: 'c' }) } catch {}
    return search('look');`;
  const records = await recordsOf(() => agent.call('call_tool_chain', { code }));
  assert.deepEqual(records.map(brief), [
    'execution tools.call one:look ok',
    'execution tools.call one:look ok',
    'execution tools.call one:hidden refused',
    'discovery chain.search  ok',
    'execution call_tool_chain  ok',
  ]);
});

test('[AUD-01] calls and searches by the other doors and by hand are records', async () => {
  const owner = { url: gateway.url, agentHeaders: gateway.ownerHeaders };
  const search = () =>
    fetch(`${gateway.url}/catalog/search`, {
      method: 'POST',
      headers: { ...gateway.agentHeaders, 'content-type': 'application/json', 'user-agent': 'made-up/3' },
      body: JSON.stringify({ query: 'look' }),
    });
  const records = await recordsOf(async () => {
    await new ModernAgent(gateway, '/servers/one/mcp').call('one.look', { text: 'a' });
    await new ModernAgent(gateway, '/servers/one/mcp?names=plain').call('look', { text: 'b' });
    await new ModernAgent(gateway, '/servers/one/mcp').call('hidden', { text: 'c' });
    await gateway.gateway.admin.run('tools.call', { toolKey: 'one:look', arguments: { text: 'd' } });
    await gateway.gateway.admin.run('tools.call', { toolKey: 'one:nothing', arguments: {} }).catch(() => {});
    await gateway.gateway.admin.run('tools.search', { query: 'look' });
    await search();
    await new ModernAgent(owner, '/gateway/mcp').call('list_servers');
  });
  assert.deepEqual(records.map(brief), [
    'execution tools.call one:look ok',
    'execution tools.call one:look ok',
    'execution tools.call hidden refused',
    'execution tools.call one:look ok',
    'execution tools.call one:nothing refused',
    'discovery tools.search  ok',
    'discovery catalog.search  ok',
    'discovery list_servers  ok',
  ]);
  assert.equal(records[6]?.client, 'made-up/3');
});

test('[AUD-01] a call whose arguments were typed is one record, also where it is refused', async () => {
  const call = (tool: string, ...pairs: string[]) =>
    gateway.gateway.admin.run('tools.call', { toolKey: `one:${tool}`, pairs }).catch(() => {});
  const records = await recordsOf(async () => {
    await call('look', 'text=a');
    await call('hidden', 'text=a');
    await call('nothing', 'text=a');
    await call('look', 'text');
  });
  assert.deepEqual(records.map(brief), [
    'execution tools.call one:look ok',
    'execution tools.call one:hidden refused',
    'execution tools.call one:nothing refused',
    'execution tools.call one:look refused',
  ]);
});

test('[AUD-01] requests of the gateway itself are not recorded as acts of an agent', async () => {
  const records = await recordsOf(async () => {
    const { surfaces } = await gateway.gateway.admin.run('gateway.doctor', {});
    assert.ok((surfaces?.doors[0]?.startTokens.direct ?? 0) > 0, 'it looked');
    await gateway.gateway.admin.run('gateway.surfaces', {});
  });
  assert.deepEqual(records.map(brief), []);
});

test('[AUD-02] every request is one record of bounded size, for any content', async () => {
  const agent = new ModernAgent(gateway, '/mcp?surface=search');
  const hostile = '\u001b]52;c;aGk=\u0007\u001b[2J\r\n{"kind":"access","action":"forged"}\u202e';
  const held = [hostile, 'x'.repeat(1_000_000), '\ud800', '"', '', 'null'];
  const records = await recordsOf(async () => {
    for (const value of held) {
      await agent.call('tool_execute', {
        toolKey: 'one:look',
        arguments: { text: value, [value.slice(0, 50)]: value },
      });
      await agent.call('tool_execute', { toolKey: value.slice(0, 100_000), arguments: {} });
      await agent.call('tool_discovery', { query: value === '' ? 'x' : value.slice(0, 10_000) });
    }
  });
  assert.equal(records.length, 3 * held.length);
  assert.ok(records.every((record) => JSON.stringify(record).length < 5_000));
  assert.ok(records.every(({ action }) => action !== 'forged'));
});

test('[AUD-03] arguments are hashes, and kept only where the owner wants that, with secrets masked', async () => {
  const canary = 'CANARY-7f3a9b';
  const given = { text: `a ${canary} b`, password: canary };
  const call = (at: TestGateway) =>
    new ModernAgent(at, '/mcp?surface=search').call('tool_execute', { toolKey: 'one:look', arguments: given });
  const [hashed] = await recordsOf(() => call(gateway));
  assert.match(hashed?.argumentsHash ?? '', /^[0-9a-f]{64}$/);
  assert.equal(hashed?.arguments, null);
  assert.deepEqual(await filesHolding(gateway.dataDir, canary), []);
  await using keeping = await openTestGateway({ servers: plan.servers, config: { audit: { arguments: true } } });
  const [kept] = await recordsOf(() => call(keeping), keeping);
  assert.equal(kept?.argumentsHash, hashed?.argumentsHash);
  assert.deepEqual(kept?.arguments, { text: `a ${canary} b`, password: '***' });
});

/** The files of the store in which a text stands. */
async function filesHolding(folder: string, wanted: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.startsWith('toolcrib.db'));
  assert.ok(names.length > 0);
  const held = await Promise.all(names.map(async (name) => (await readFile(join(folder, name))).includes(wanted)));
  return names.filter((_, at) => held[at]);
}

test('[AUD-06] every change by the owner is a record, and reading is none', async () => {
  const { admin } = gateway.gateway;
  const owner = { url: gateway.url, agentHeaders: gateway.ownerHeaders };
  const spec = { ...plan.servers.one, env: { PLAIN: 'CANARY-env' } };
  const records = await recordsOf(async () => {
    await admin.run('servers.list', {});
    await admin.run('gateway.status', {});
    await admin.run('servers.add', { name: 'two', spec });
    await admin.run('servers.disable', { name: 'two' });
    await admin.run('servers.enable', { name: 'nothing' }).catch(() => {});
    await admin.run('servers.remove', { name: 'two' });
    await new ModernAgent(owner, '/gateway/mcp').call('add_server', { name: 'three', ...spec });
    await new ModernAgent(owner, '/gateway/mcp').call('remove_server', { name: 'three' });
    await admin.run('metrics.reset', { server: 'one' });
  });
  assert.deepEqual(records.filter(({ kind }) => kind === 'administration').map(brief), [
    'administration servers.add two ok',
    'administration servers.disable two ok',
    'administration servers.enable nothing refused',
    'administration servers.remove two ok',
    'administration add_server three ok',
    'administration remove_server three ok',
    'administration metrics.reset one ok',
  ]);
  assert.ok(records.every(({ principal }) => principal.id === 'owner'));
  assert.ok(!JSON.stringify(records).includes('CANARY-env'));
});

/** A project that goes from the config file while servers still name it: its doors are closed until its owner says what it is. */

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { askModern, RawSession } from '../kit/hand-made.ts';
import { eventually } from '../kit/processes.ts';
import { hostedServer } from '../servers/hosted.ts';

const tools = ['look', 'wipe'].map((name) => ({
  name,
  respond: { content: [{ type: 'text', text: `${name} is done` }] },
}));
const named = { till: { ...hostedServer({ name: 'till', tools }), projects: ['shop'] } };
const shop = { permissions: { 'till:wipe': 'deny' } };
const closed = /Project \\*"shop\\*" is closed: it is gone from the config file/;

async function call(
  { url, agentHeaders }: TestGateway,
  tool: string,
  headers = agentHeaders,
  path = '/projects/shop/mcp',
) {
  const params = { name: 'tool_execute', arguments: { toolKey: `till:${tool}` } };
  const { status, message } = await askModern(`${url}${path}`, headers, 'tools/call', params);
  return `${status} ${JSON.stringify(message)}`;
}

test('[ACC-50] a project that goes from the config file is closed, also after a restart, until it is made anew', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-gone-'));
  const edit = (gateway: TestGateway, projects: object) =>
    writeFile(gateway.configFile, JSON.stringify({ projects, access: { keyring: 'off' }, mcpServers: named }));
  let bound: Record<string, string> = {};
  {
    await using gateway = await openTestGateway({ dataDir, servers: named, config: { projects: { shop } } });
    const { admin } = gateway.gateway;
    await admin.run('servers.refresh', {});
    const { token } = await admin.run('tokens.create', { name: 'clerk', project: 'shop' });
    bound = { authorization: `Bearer ${token}` };
    assert.match(await call(gateway, 'look'), /look is done/);
    assert.match(await call(gateway, 'wipe'), /TOOL_NOT_FOUND/);
    const session = await RawSession.open(`${gateway.url}/projects/shop/mcp`, gateway.agentHeaders);
    await edit(gateway, {});
    await eventually('the project is closed', async () => closed.test(await call(gateway, 'look')) || undefined);
    assert.match(await call(gateway, 'wipe'), /^403/);
    assert.match(JSON.stringify((await session.request('tools/list')).message), closed, 'who was there is told too');
    assert.ok(gateway.logged.some((line) => closed.test(line)));
  }
  {
    await using gateway = await openTestGateway({ dataDir, servers: named });
    const { admin } = gateway.gateway;
    assert.match(await call(gateway, 'wipe'), closed);
    for (const tool of ['look', 'wipe']) assert.match(await call(gateway, tool, bound, '/mcp'), closed);
    assert.deepEqual(
      (await admin.run('projects.list', {})).map(({ name, origin, members }) => [name, origin, members]),
      [['shop', 'gone', []]],
    );
    assert.match(
      await call(gateway, 'wipe', gateway.agentHeaders, '/mcp'),
      /wipe is done/,
      'outside of it all is as before',
    );
    await admin.run('projects.create', { name: 'shop', permissions: { 'till:look': 'deny' } });
    assert.match(await call(gateway, 'look', bound, '/mcp'), /TOOL_NOT_FOUND/);
    assert.match(await call(gateway, 'wipe'), /wipe is done/);
  }
  await rm(dataDir, { recursive: true, force: true });
});

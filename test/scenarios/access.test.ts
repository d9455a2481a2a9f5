/** Access to the door: credentials as the config says, and bodies that arrive as they were sent. */

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { silentLog } from '../../src/base/log.ts';
import { openGateway } from '../../src/gateway.ts';
import { openTestGateway } from '../kit/gateway.ts';
import { eventually } from '../kit/processes.ts';
import { serverCommand } from '../servers/launch.ts';

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** One modern request; `body` lets a test write what no program would. */
function post(url: string, method: string, params: object, headers: Record<string, string>, body?: string) {
  const name = 'name' in params ? { 'mcp-name': String(params.name) } : {};
  return fetch(`${url}/mcp?surface=direct`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...name,
      ...headers,
    },
    body: body ?? JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
  });
}

test('[ACC-01] a token is needed or not as the config says, from one request to the next', async () => {
  await using gateway = await openTestGateway({ config: { access: { auth: 'none' } } });
  const ask = async () => (await post(gateway.url, 'tools/list', {}, {})).status;
  assert.equal(await ask(), 200);
  assert.equal(gateway.gateway.facts.isAuthOff, true);
  await writeFile(gateway.configFile, JSON.stringify({ access: { auth: 'token' }, mcpServers: {} }));
  await eventually('the door is closed', async () => ((await ask()) === 401 ? true : undefined));
  assert.equal(gateway.gateway.facts.isAuthOff, false);
  assert.equal((await post(gateway.url, 'tools/list', {}, gateway.agentHeaders)).status, 200);
});

test('[ACC-02] a number that would be rounded or lost is refused with the reason', async () => {
  await using gateway = await openTestGateway();
  for (const number of ['9007199254740993', '1e400']) {
    const body = `{"jsonrpc":"2.0","id":${number},"method":"tools/list","params":{}}`;
    const response = await post(gateway.url, 'tools/list', {}, gateway.agentHeaders, body);
    assert.equal(response.status, 400);
    assert.match(await response.text(), /cannot be passed on exactly/);
  }
});

test('[ACC-03] a tool is called at once after a cold start', async () => {
  await using gateway = await openTestGateway({
    servers: { alpha: serverCommand({ name: 'alpha', modes: { startDelayMs: 300 } }) },
    isCold: true,
  });
  const params = { name: 'alpha.echo', arguments: { text: 'early' } };
  const response = await post(gateway.url, 'tools/call', params, gateway.agentHeaders);
  assert.match(await response.text(), /"text":"early"/);
});

test('[ACC-04] a running gateway stays with its own config file', async () => {
  const [cwd, dataDir] = await Promise.all([
    mkdtemp(join(tmpdir(), 'toolcrib-')),
    mkdtemp(join(tmpdir(), 'toolcrib-')),
  ]);
  const gateway = await openGateway({ cwd, dataDir, env: process.env, log: silentLog });
  const names = async () => (await gateway.admin.run('servers.list', {})).map(({ name }) => name);
  const put = (folder: string, name: string) =>
    writeFile(join(folder, 'toolcrib.json'), JSON.stringify({ mcpServers: { [name]: { command: 'true' } } }));
  try {
    await put(cwd, 'intruder');
    await put(dataDir, 'own');
    await eventually('the file of the data folder is taken up', async () =>
      (await names()).includes('own') ? true : undefined,
    );
    assert.deepEqual(await names(), ['own']);
  } finally {
    await gateway.close();
    await Promise.all([cwd, dataDir].map((folder) => rm(folder, { recursive: true, force: true })));
  }
});

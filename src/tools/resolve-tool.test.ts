/** Tools of servers that do not work: their trouble is the answer to those who may know of the server, and to nobody else. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeAgent } from '../../test/kit/made-call.ts';
import { everybody, type Principal } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import { parseServer } from '../config/config.ts';
import { getToolAlternatives } from '../meta-tools/meta-tools.ts';
import { toolInfo } from './discover.ts';
import type { LayerName, Uses } from './layers.ts';
import { resolveTool } from './resolve-tool.ts';

const owner: Principal = { ...everybody, scopes: new Set(['use', 'admin']) };
const agent: Principal = { id: 'agent', name: 'agent', scopes: new Set(['use']), mark: '' };
const stranger: Principal = { ...agent, servers: ['other'] };
const lastError = 'Server "files" exited with code 1. It said: Error: no disk';

/** One server with one tool that nobody can have before it is listed, and how often it was asked. */
function place(listedAt: number | null) {
  const asked: string[] = [];
  const spec = parseServer('files', { command: 'serve' }, {}, 'file');
  const tool = { key: 'files:read', server: 'files', name: 'read', serverName: 'read', definition: {} };
  const tools = listedAt === null ? [] : [tool];
  const entry = { spec, tools, listedAt, hiddenTools: new Map(), heldTools: new Set() };
  // Only these members are used.
  const layers = {
    catalog: {
      snapshot: { servers: new Map([['files', entry]]), tools: new Map(tools.map((item) => [item.key, item])) },
      settle: async () => {},
      refresh: async (name: string) => {
        asked.push(name);
        throw new GatewayError('CIRCUIT_OPEN', `It is tried again in 9 s. ${lastError}`);
      },
    },
    downstream: { status: () => ({ state: 'failed', lastError, hint: null, nextRetryAt: 5_000 }) },
    config: () => ({ keys: { ttlMinutes: 0 }, names: { separator: '.' } }),
    clock: { now: () => 1_000 },
  } as unknown as Uses<LayerName>;
  return { layers, asked };
}

const address = { toolKey: 'files:write' };

test('a server that was never listed answers for its tools with its own trouble', async () => {
  for (const principal of [owner, agent]) {
    const { layers } = place(null);
    const trouble = { code: 'CIRCUIT_OPEN', message: `It is tried again in 9 s. ${lastError}` };
    await assert.rejects(toolInfo(layers, principal, address, false), trouble);
    const request = { layers, principal, agent: madeAgent(), args: address, params: {} };
    await assert.rejects(getToolAlternatives.run(request), trouble);
  }
});

test('a caller that may not see the server hears nothing of it, and it is not asked for them', async () => {
  const { layers, asked } = place(null);
  await assert.rejects(toolInfo(layers, stranger, address, false), {
    code: 'SERVER_NOT_FOUND',
    message: 'There is no server "files".',
    hint: undefined,
  });
  assert.deepEqual(asked, []);
});

test('of one that was listed and fails, the owner hears why a tool may be missing, and agents only that there is none', () => {
  const { layers } = place(1);
  assert.throws(() => resolveTool(layers, owner, { toolKey: 'files:reed' }), {
    code: 'SERVER_NOT_RUNNING',
    message: `Server "files" had no tool "reed" when it was last listed, and is not connected; Toolcrib tries it again in 4 s. ${lastError}`,
    hint: 'Did you mean "files:read"?',
  });
  assert.throws(() => resolveTool(layers, agent, address), {
    code: 'TOOL_NOT_FOUND',
    message: 'There is no tool "write" on server "files".',
  });
  assert.equal(resolveTool(layers, owner, { toolKey: 'files:read' }).name, 'read');
});

/** Every kind of trouble, reached for real, with the text that an agent gets; and who may hear of what. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ModernAgent, type ToolAnswer } from '../kit/modern-agent.ts';
import { hostServers, planServers } from '../kit/planned-servers.ts';
import type { Modes, StatusStep } from '../servers/spec.ts';

const look = { name: 'look', description: 'Looks something up.', runAs: 'echo', inputSchema: textSchema() };
const broken = { name: 'broken', description: 'Answers with an error of the protocol.', runAs: 'broken' };

const { servers: hosted } = hostServers({
  good: { tools: [look, broken] },
  late: { tools: [{ name: 'wait', runAs: 'slow' }], entry: { timeoutMs: 150 } },
  guarded: {
    tools: [look, { ...look, name: 'wipe' }, { ...look, name: 'sign' }, { ...look, name: 'secret' }],
    entry: { permissions: { wipe: 'deny', sign: 'ask' }, tools: ['look', 'wipe', 'sign'] },
  },
  off: { tools: [look] },
  shop: { tools: [look], entry: { projects: ['shop'] } },
  busy: { tools: [look], modes: answering({ status: 429, headers: { 'retry-after': '7' } }) },
  faulty: { tools: [look], modes: answering({ status: 500 }) },
});
const { servers: processes } = planServers({ dying: { tools: [look], modes: { crashMidCall: true } } });

let gateway: TestGateway;
let agent: ModernAgent;
let owner: ModernAgent;

before(async () => {
  gateway = await openTestGateway({
    servers: {
      ...hosted,
      ...processes,
      absent: { command: 'no-such-program-anywhere' },
    },
    config: { connect: { maxRetries: 0 }, keys: { ttlMinutes: 5 } },
  });
  agent = new ModernAgent(gateway, '/mcp?surface=search');
  owner = new ModernAgent({ url: gateway.url, agentHeaders: gateway.ownerHeaders }, '/mcp?surface=search');
  await new ModernAgent(gateway).tools();
  await gateway.gateway.admin.run('servers.disable', { name: 'off' });
});
after(() => gateway.close());

/** Every call gets the same answer of HTTP. */
function answering(step: StatusStep): Modes {
  return { httpStatus: [{ ...step, times: 'always', rpc: 'tools/call' }] };
}

function textSchema() {
  return { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
}

function execute(who: ModernAgent, toolKey: unknown, args: unknown = { text: 'x' }): Promise<ToolAnswer> {
  return who.call('tool_execute', { toolKey, arguments: args, includeFallbacks: false });
}

test('[CALL-01] every kind of trouble is told in one sentence, with what to do, in steps, and as data', async (t) => {
  const inShop = new ModernAgent(
    { url: gateway.url, agentHeaders: gateway.ownerHeaders },
    '/projects/shop/mcp?surface=search',
  );
  const scenes: Readonly<Record<string, () => Promise<ToolAnswer>>> = {
    TOOLKEY_INVALID: () => execute(agent, ''),
    TOOLKEY_EXPIRED: () => execute(agent, 'good:look~0000001'),
    TOOL_NOT_FOUND: () => execute(agent, 'good:loook'),
    SERVER_NOT_FOUND: () => execute(agent, 'goood:look'),
    ACCESS_DENIED: () => execute(owner, 'guarded:wipe'),
    PROJECT_MISMATCH: () => execute(inShop, 'good:look'),
    TOOL_DISABLED: () => execute(owner, 'guarded:secret'),
    APPROVAL_NEEDED: () => execute(agent, 'guarded:sign'),
    ARGUMENTS_INVALID: () => execute(agent, 'good:look', { txt: 'x' }),
    SERVER_DISCONNECTED: () => execute(agent, 'dying:look'),
    SERVER_NOT_RUNNING: () => execute(agent, 'faulty:look'),
    TIMEOUT: () => execute(agent, 'late:wait', { ms: 60_000 }),
    CIRCUIT_OPEN: () => execute(agent, 'absent:look'),
    TOOL_FAILED: () => execute(agent, 'good:broken', {}),
    RATE_LIMITED: () => execute(agent, 'busy:look'),
  };
  for (const [errorType, setup] of Object.entries(scenes)) {
    const { text, result } = await setup();
    t.diagnostic(`${errorType}\n    ${text.replaceAll('\n', '\n    ')}`);
    const data = result.structuredContent as Record<string, unknown>;
    assert.equal(data.errorType, errorType, text);
    assert.equal(result.isError, true);
    assert.match(text, /^[^\n]+[.?]\nRECOVERY: [^\n]+\nSTEPS:\n1\. [^\n]+/, errorType);
    assert.ok(text.includes(`RECOVERY: ${data.recoveryAction}`));
    for (const [at, step] of (data.recoverySteps as string[]).entries()) assert.ok(text.includes(`${at + 1}. ${step}`));
    if (data.hint !== undefined) assert.ok(text.includes(`\nHINT: ${data.hint}`));
    assert.deepEqual((result.content as { annotations?: unknown }[])[0]?.annotations, { priority: 0.7 });
  }
});

test('[CALL-02] for an agent, what is forbidden, hidden or switched off reads exactly like what is not there', async () => {
  const withoutNames = (answer: ToolAnswer, name: string) =>
    JSON.stringify(answer.result)
      .replaceAll(name, 'NAME')
      .replace(/"resultType":"complete",?/, '');
  const missing = withoutNames(await execute(agent, 'guarded:qqqqqqqq'), 'qqqqqqqq');
  for (const name of ['wipe', 'secret'])
    assert.equal(withoutNames(await execute(agent, `guarded:${name}`), name), missing, name);
  const noServer = withoutNames(await execute(agent, 'qqqqqqqq:look'), 'qqqqqqqq');
  assert.equal(withoutNames(await execute(agent, 'off:look'), 'off'), noServer);
  const inShop = new ModernAgent(gateway, '/projects/shop/mcp?surface=search');
  assert.equal(
    withoutNames(await execute(inShop, 'good:look'), 'good'),
    withoutNames(await execute(inShop, 'qqqqqqqq:look'), 'qqqqqqqq'),
  );
});

test('[CALL-02] an owner is told why', async () => {
  const { text } = await execute(owner, 'off:look');
  assert.match(text, /^Tool "off:look" cannot be called: server "off" is switched off\.\n/);
  assert.match((await execute(owner, 'guarded:wipe')).text, /its permission is "deny"/);
});

test('[CALL-03] advice names only tools that its reader has', async () => {
  const own = ['tool_discovery', 'tool_info', 'tool_capabilities', 'tool_execute'];
  const direct = new ModernAgent(gateway, '/mcp?surface=direct');
  const atServer = new ModernAgent(gateway, '/servers/good/mcp');
  const calls = [
    ['absent', {}],
    ['look', { txt: 1 }],
    ['broken', {}],
    ['wait', { ms: 60_000 }],
  ] as const;
  for (const [name, args] of calls) {
    for (const [who, prefix] of [
      [direct, 'good.'],
      [atServer, 'good.'],
    ] as const) {
      const answer = await who.ask('tools/call', { name: `${prefix}${name}`, arguments: args });
      for (const word of own) assert.ok(!JSON.stringify(answer).includes(word), JSON.stringify(answer));
    }
  }
  const owned = new ModernAgent({ url: gateway.url, agentHeaders: gateway.ownerHeaders }, '/gateway/mcp');
  const { result } = await owned.call('list_serverz');
  for (const word of own) assert.ok(!JSON.stringify(result).includes(word), JSON.stringify(result));
});

test('[CALL-04] keys that were found carry a stamp, work, and are told to end', async () => {
  const { result } = await agent.call('tool_discovery', { query: 'look something up', server: 'good' });
  const { tools, metadata } = result.structuredContent as {
    tools: { toolKey: string }[];
    metadata: { expiration: { ttlMinutes: number; expiresInSeconds: number } };
  };
  const [found] = tools;
  assert.match(found?.toolKey ?? '', /^good:look~[0-9a-z]{7}$/);
  assert.equal(metadata.expiration.ttlMinutes, 5);
  assert.ok(metadata.expiration.expiresInSeconds <= 300);
  assert.equal((await execute(agent, found?.toolKey)).text, 'x');
  assert.equal((await execute(agent, 'good:look')).text, 'x');
});

test('[CALL-05] the door of a project shows and calls the tools of its servers only', async () => {
  const inShop = new ModernAgent(gateway, '/projects/shop/mcp?surface=direct');
  assert.deepEqual(await inShop.tools(), ['shop.look']);
  assert.equal((await inShop.call('shop.look', { text: 'here' })).text, 'here');
  assert.equal((await inShop.call('good.look', { text: 'x' })).errorType, 'TOOL_NOT_FOUND');
  const searching = new ModernAgent(gateway, '/projects/shop/mcp?surface=search');
  const { result } = await searching.call('tool_capabilities');
  const seen = result.structuredContent as { totalTools: number; servers: { serverId: string }[] };
  assert.equal(seen.totalTools, 1);
  assert.deepEqual(
    seen.servers.map(({ serverId }) => serverId),
    ['shop'],
  );
  const nowhere = await fetch(`${gateway.url}/projects/none/mcp`, {
    method: 'POST',
    headers: { ...gateway.agentHeaders, 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  });
  assert.equal(nowhere.status, 404);
});

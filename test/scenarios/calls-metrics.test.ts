/** Metrics count every call once, in every way of calling, by its outcome, also if the store or the gateway fails. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { hostServers } from '../kit/planned-servers.ts';

type Dict = Record<string, unknown>;

const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const look = { name: 'look', description: 'Looks something up.', inputSchema: text, runAs: 'echo' };
const plan = hostServers({
  one: {
    tools: [
      look,
      { name: 'no', description: 'Refuses.', respond: { content: [{ type: 'text', text: 'No.' }], isError: true } },
    ],
  },
  slow: {
    tools: [
      { name: 'wait', description: 'Waits.', runAs: 'slow' },
      { name: 'steps', description: 'Reports progress.', runAs: 'progress' },
    ],
    entry: { timeoutMs: 2_000 },
  },
});
let dataDir: string;
let gateway: TestGateway;
let agent: ModernAgent;

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-metrics-'));
  gateway = await openTestGateway({ servers: plan.servers, dataDir });
  agent = new ModernAgent(gateway, '/mcp?surface=search');
  await new ModernAgent(gateway).tools();
});
after(async () => {
  await gateway.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function figures(toolKey: string, who = agent): Promise<Dict> {
  const [server, tool] = toolKey.split(':');
  const { result } = await who.call('get_tool_metrics', { server, tool });
  const { tools } = result.structuredContent as { tools: Dict[] };
  return tools[0] ?? {};
}

test('[CALL-13] every way of calling is counted, by outcome', async () => {
  await agent.call('tool_execute', { toolKey: 'one:look', arguments: { text: 'a' } });
  await new ModernAgent(gateway, '/mcp?surface=direct').call('one.look', { text: 'b' });
  await new ModernAgent(gateway, '/servers/one/mcp').call('one.look', { text: 'c' });
  await new ModernAgent(gateway, '/servers/one/mcp?names=plain').call('look', { text: 'd' });
  await gateway.gateway.admin.run('tools.call', { toolKey: 'one:look', arguments: { text: 'e' } });
  await agent.call('tool_execute', { toolKey: 'one:look', arguments: { txt: 'f' } });
  const look = await figures('one:look');
  assert.equal(look.callCount, 6);
  assert.equal(look.successCount, 5);
  assert.equal((look.failures as Dict).arguments, 1);
  assert.equal(look.successRate, 1);
  await agent.call('tool_execute', { toolKey: 'one:no', arguments: {} });
  await agent.call('tool_execute', { toolKey: 'slow:wait', arguments: { ms: 60_000 } });
  assert.deepEqual((await figures('one:no')).failures, failures({ tool: 1 }));
  const owner = new ModernAgent({ url: gateway.url, agentHeaders: gateway.ownerHeaders });
  assert.equal(((await figures('one:no', owner)).lastError as Dict).message, 'No.');
  assert.deepEqual((await figures('slow:wait')).failures, failures({ timeout: 1 }));
  assert.equal((await figures('slow:wait')).successRate, 0);
});

function failures(some: Dict): Dict {
  return { arguments: 0, tool: 0, server: 0, timeout: 0, cancelled: 0, refused: 0, ...some };
}

test('[CALL-13] a search shows what was measured, once there is something', async () => {
  const { result } = await agent.call('tool_discovery', { query: 'look something up' });
  const { tools } = result.structuredContent as { tools: { toolKey: string; metrics?: Dict }[] };
  const { metrics } = tools.find(({ toolKey }) => toolKey === 'one:look') ?? {};
  assert.equal(metrics?.callCount, 6);
  assert.equal(metrics?.successRate, 1);
  assert.equal(typeof metrics?.avgLatencyMs, 'number');
});

test('[CALL-35] calls over time have a step for each minute, hour or day, with or without calls', async () => {
  const { admin } = gateway.gateway;
  const counts = { hour: 60, day: 24, month: 30 };
  for (const span of ['hour', 'day', 'month'] as const) {
    const { steps, isComplete } = await admin.run('metrics.series', { span, server: 'one', tool: 'look' });
    assert.deepEqual([steps.length, isComplete], [counts[span], true]);
    const sum = (count: (step: (typeof steps)[number]) => number) => steps.reduce((all, step) => all + count(step), 0);
    assert.deepEqual([sum(({ callCount }) => callCount), sum(({ failures }) => failures.arguments)], [6, 1]);
    assert.ok(steps.some(({ latencyMs }) => latencyMs.p50 !== null));
    assert.ok(steps.every(({ start }, at) => at === 0 || start > (steps[at - 1]?.start ?? '')));
  }
  await assert.rejects(admin.run('metrics.series', { span: 'hour', tool: 'look' }), { code: 'USAGE' });
});

test('[CALL-13] only an owner may forget, and hears of everything', async () => {
  assert.equal((await agent.call('reset_tool_metrics', {})).errorType, 'ACCESS_DENIED');
  const owner = new ModernAgent({ url: gateway.url, agentHeaders: gateway.ownerHeaders }, '/gateway/mcp');
  await owner.call('reset_tool_metrics', { server: 'one', tool: 'no' });
  assert.deepEqual(await figures('one:no', owner), {});
  assert.equal((await figures('one:look', owner)).callCount, 6);
});

test('[CALL-16] progress keeps a call alive, also where the agent did not ask for it', async () => {
  const { text } = await agent.call('tool_execute', { toolKey: 'slow:steps', arguments: { steps: 6, delayMs: 500 } });
  assert.doesNotMatch(text, /did not answer/);
});

test('[CALL-15] calls go on while the store is locked, and are counted afterwards', async () => {
  const before = Number((await figures('one:look')).callCount);
  const lock = new DatabaseSync(join(dataDir, 'toolcrib.db'));
  lock.exec('begin exclusive');
  for (let at = 0; at < 20; at += 1) {
    const { text } = await agent.call('tool_execute', { toolKey: 'one:look', arguments: { text: `locked ${at}` } });
    assert.equal(text, `locked ${at}`);
  }
  assert.equal(Number((await figures('one:look')).callCount), before + 20);
  lock.exec('rollback');
  lock.close();
  await gateway.close();
  gateway = await openTestGateway({ servers: plan.servers, dataDir });
  agent = new ModernAgent(gateway, '/mcp?surface=search');
  assert.equal(Number((await figures('one:look')).callCount), before + 20);
});

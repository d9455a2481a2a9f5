/** /metrics for Prometheus: who may read it, what it says, and that strangers cannot make it grow. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { version } from '../../src/base/own-program.ts';
import { labelLimits } from '../../src/metrics/metrics.ts';
import { connectAgent } from '../kit/agents.ts';
import { untilWaiting } from '../kit/approvals.ts';
import { approveWaiting } from '../kit/approve-waiting.ts';
import { signIn } from '../kit/browser.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { dashboardQueries, hostileNames, MetricLines } from '../kit/metric-lines.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { hostServers } from '../kit/planned-servers.ts';
import { eventually } from '../kit/processes.ts';
import { makeToken, type TestToken } from '../kit/tokens.ts';

const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const plan = hostServers({
  one: {
    tools: [
      { name: 'look', description: 'Looks something up.', inputSchema: text, runAs: 'echo' },
      { name: 'no', description: 'Refuses.', respond: { content: [{ type: 'text', text: 'No.' }], isError: true } },
      { name: 'pay', description: 'Pays.', runAs: 'echo' },
      { name: 'pay\u200b', description: 'Waits for a review, for its unseen character.', runAs: 'echo' },
    ],
    entry: { permissions: { pay: 'ask' } },
  },
  slow: { tools: [{ name: 'wait', description: 'Waits.', runAs: 'slow' }], entry: { maxConcurrent: 1 } },
});
let gateway: TestGateway;
let agent: ModernAgent;
let scraper: TestToken;

before(async () => {
  const dead = { url: 'http://127.0.0.1:9/mcp' };
  const config = { access: { askBy: ['owner'] }, connect: { maxRetries: 0 } };
  gateway = await openTestGateway({ servers: { ...plan.servers, dead }, config });
  agent = new ModernAgent(gateway, '/mcp?surface=full');
  scraper = await makeToken(gateway, { scopes: ['metrics'] });
});
after(() => gateway.close());

const ask = (headers: Record<string, string>, from = gateway) => fetch(`${from.url}/metrics`, { headers });

async function page(): Promise<MetricLines> {
  const response = await ask(scraper.headers);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  return new MetricLines(await response.text());
}

function untilPage(isSaid: (page: MetricLines) => boolean): Promise<true> {
  return eventually('the page says so', async () => (isSaid(await page()) ? true : undefined));
}

const execute = (toolKey: string, args: Record<string, unknown> = {}) =>
  agent.call('tool_execute', { toolKey, arguments: args });

test('[REP-20] /metrics is for tokens with the scope "metrics" that are limited to nothing', async () => {
  const status = async (headers: Record<string, string>) => (await ask(headers)).status;
  assert.deepEqual([await status({}), await status(await signIn(gateway))], [401, 401]);
  assert.deepEqual([await status(gateway.agentHeaders), await status(gateway.ownerHeaders)], [403, 200]);
  const limited = await makeToken(gateway, { scopes: ['metrics'], servers: ['one'] });
  const refused = await ask(limited.headers);
  assert.deepEqual([refused.status, /limited to some servers/.test(await refused.text())], [403, true]);
  const head = await fetch(`${gateway.url}/metrics`, { method: 'HEAD', headers: scraper.headers });
  assert.deepEqual([head.status, await head.text()], [200, '']);
});

test('[REP-20] with telemetry.prometheus off there is nothing at /metrics', async () => {
  await using off = await openTestGateway({ config: { telemetry: { prometheus: false } } });
  assert.deepEqual([(await ask(off.ownerHeaders, off)).status, (await ask({}, off)).status], [404, 401]);
});

test('[REP-21] calls are counted by server, tool and outcome, with their durations, and a reset takes nothing away', async () => {
  await execute('one:look', { text: 'a' });
  await execute('one:look', { text: 'b' });
  await execute('one:no');
  await execute('one:look', { txt: 'c' });
  const counted = async () => {
    const now = await page();
    const of = (tool: string, outcome: string) =>
      now.value('toolcrib_calls_total', { server: 'one', tool, outcome }) ?? 0;
    return [of('look', 'ok'), of('no', 'tool'), of('look', 'arguments'), of('no', 'ok')];
  };
  assert.deepEqual(await counted(), [2, 1, 1, 0]);
  await gateway.gateway.admin.run('metrics.reset', { server: 'one' });
  assert.deepEqual(await counted(), [2, 1, 1, 0]);
  const counts = (await page()).all('toolcrib_call_duration_seconds_count');
  assert.deepEqual(
    counts.map(({ labels, value }) => [labels.server, value]),
    [['one', 3]],
  );
});

test('[REP-22] servers by state, an open breaker, queues and searches are told as they are now', async () => {
  await execute('dead:anything');
  const waits = [1, 2, 3].map(() => execute('slow:wait', { ms: 60_000 }).catch(() => undefined));
  await untilPage((now) => now.value('toolcrib_calls_waiting', { server: 'slow' }) === 2);
  await agent.call('tool_discovery', { query: 'look something up' });
  const now = await page();
  assert.equal(now.value('toolcrib_calls_running', { server: 'slow' }), 1);
  assert.deepEqual([now.value('toolcrib_servers', { state: 'connected' }), now.all('toolcrib_servers').length], [2, 7]);
  assert.equal(now.value('toolcrib_servers', { state: 'failed' }), 1);
  assert.equal(now.value('toolcrib_breaker_open', { server: 'dead' }), 1);
  assert.equal(now.value('toolcrib_breaker_open', { server: 'one' }), 0);
  assert.equal(now.value('toolcrib_search_duration_seconds_count', { mode: 'hybrid' }), 1);
  assert.equal(now.value('toolcrib_tools'), 4);
  await gateway.gateway.admin.run('servers.disable', { name: 'slow' });
  await Promise.all(waits);
  await untilPage((later) => later.value('toolcrib_servers', { state: 'disabled' }) === 1);
});

test('[REP-23] approvals, definitions and rows that wait, sessions and streams are counted', async () => {
  const before = await page();
  const waiting = ['toolcrib_approvals_waiting', 'toolcrib_rows_waiting', 'toolcrib_rows_lost_total'];
  assert.deepEqual(
    waiting.map((name) => before.value(name)),
    [0, 0, 0],
  );
  assert.equal(before.value('toolcrib_definitions_waiting', { server: 'one' }), 1);
  const paying = execute('one:pay', { text: 'all' });
  const [call] = await untilWaiting(gateway, 'agent');
  assert.equal((await page()).value('toolcrib_approvals_waiting'), 1);
  await gateway.gateway.admin.run('approvals.answer', { id: call?.id ?? '', answer: 'refuse' });
  await paying;
  const open = (name: string) => before.value(name) ?? 0;
  await using legacy = await connectAgent('v1', `${gateway.url}/mcp`, { headers: gateway.agentHeaders });
  assert.ok(legacy);
  await untilPage((now) => now.value('toolcrib_sessions') === open('toolcrib_sessions') + 1);
  const leaving = new AbortController();
  const events = await fetch(`${gateway.url}/api/events`, { headers: gateway.ownerHeaders, signal: leaving.signal });
  assert.equal(events.status, 200);
  // The legacy agent holds a stream for news as well.
  await untilPage((now) => now.value('toolcrib_streams') === open('toolcrib_streams') + 2);
  leaving.abort();
  await untilPage((now) => now.value('toolcrib_streams') === open('toolcrib_streams') + 1);
});

test('[REP-23] the page names the build and says what the process uses', async () => {
  const now = await page();
  assert.equal(now.value('toolcrib_build_info', { version, node: process.version }), 1);
  for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'process_start_time_seconds'])
    assert.ok((now.value(name) ?? 0) > 0, name);
  assert.ok((now.value('toolcrib_event_loop_busy_seconds_total') ?? 0) > 0);
});

test('[REP-24] a server with 1,500 tools of hostile names makes the page neither wrong nor long', async () => {
  const names = hostileNames(1_500);
  const tools = names.map((name) => ({ name, description: 'Echoes.', runAs: 'echo' }));
  await using hostile = await openTestGateway({ servers: hostServers({ odd: { tools } }).servers });
  const { admin } = hostile.gateway;
  await approveWaiting(hostile, 'odd');
  const called = names.slice(0, 300);
  for (const name of called) await admin.run('tools.call', { toolKey: `odd:${name}`, arguments: { text: 'a' } });
  const said = await (await ask(hostile.ownerHeaders, hostile)).text();
  const calls = new MetricLines(said).all('toolcrib_calls_total', { outcome: 'ok' });
  assert.equal(
    calls.reduce((sum, { value }) => sum + value, 0),
    called.length,
  );
  assert.equal(calls.length, labelLimits.toolsOfServer + 1);
  for (const { labels } of calls) assert.ok((labels.tool ?? '').length <= labelLimits.characters);
  assert.ok(said.length < 100_000);
});

test('[REP-25] every query of the Grafana dashboard asks for what the page serves', async () => {
  const now = await page();
  const queries = await dashboardQueries();
  assert.ok(queries.length >= 10);
  for (const query of queries) {
    const names = query.match(/\b(toolcrib|process)_[a-z_]+/g) ?? [];
    assert.ok(names.length > 0, query);
    for (const name of names) assert.ok(now.types.has(name.replace(/_bucket$/, '')), `${name} in ${query}`);
  }
});

/** Golden prompts mined from the traffic of a real gateway: masked, kept apart from exports, and only where the owner lets it. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { connectAgent } from '../kit/agents.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ask, refusal, weather } from '../kit/optimizing-agent.ts';
import { makeToken } from '../kit/tokens.ts';

const current = 'weather:get_current';
const historical = 'weather:get_historical';

/** Each need with the tool that was then called for it. */
const needs: readonly (readonly [string, string])[] = [
  ['current weather for Maria Lopez in Oslo', current],
  ['send rain for anna.berg@example.com please', current],
  ['wind outside, my phone is +47 22 33 44 55', current],
  ['weather of the past at "17 Secret Street"', historical],
];

async function search(gateway: TestGateway): Promise<void> {
  const headers = gateway.agentHeaders;
  await using agent = await connectAgent('v2 modern', `${gateway.url}/mcp?surface=search`, { headers });
  for (const [query, toolKey] of needs) {
    await agent.say('tool_discovery', { query });
    const result = await agent.call('tool_execute', { toolKey, arguments: { city: 'Oslo' } });
    assert.equal(result.isError ?? false, false, JSON.stringify(result));
  }
}

const tool = { server: 'weather', tool: 'get_current' };

async function optimizing(gateway: TestGateway) {
  const { headers } = await makeToken(gateway, { scopes: ['optimize'] });
  return connectAgent('v2 modern', `${gateway.url}/gateway/mcp`, { headers, capabilities: {} });
}

test('[OPT-09] queries that led to a successful call become prompts without personal data, and are exported only if asked for', async () => {
  await using gateway = await openTestGateway({ servers: { weather }, config: { optimize: { enabled: true } } });
  await using agent = await optimizing(gateway);
  assert.match(await refusal(agent, 'generate_golden_prompts', tool), /No query led to a successful call/);
  await search(gateway);
  const { count, warnings } = await ask(agent, 'generate_golden_prompts', tool);
  assert.equal(count, needs.length, JSON.stringify(warnings));
  const { admin } = gateway.gateway;
  const { prompts } = await admin.run('optimize.prompts', tool);
  const kept = prompts.map(({ category, prompt, author }) => `${author} ${category}: ${prompt}`);
  assert.deepEqual(kept.sort(), [
    'mined direct: current weather for *** in oslo',
    'mined indirect: send rain for *** please',
    'mined indirect: wind outside, my phone is ***',
    'mined negative: weather of the past at ***',
  ]);
  const exported = async (mined?: boolean) => JSON.stringify(await admin.run('optimize.export', { ...server, mined }));
  assert.doesNotMatch(await exported(), /send rain/);
  assert.match(await exported(true), /send rain/);
  // Mined again, nothing is there twice.
  assert.equal((await ask(agent, 'generate_golden_prompts', tool)).count, 0);
});

const server = { server: 'weather' };

test('[OPT-09] nothing is mined while use is not remembered', async () => {
  const config = { optimize: { enabled: true }, search: { usage: false } };
  await using gateway = await openTestGateway({ servers: { weather }, config });
  await search(gateway);
  await using agent = await optimizing(gateway);
  assert.match(await refusal(agent, 'generate_golden_prompts', tool), /while \\"search.usage\\" is off/);
});

test('[OPT-01] while the optimizer is off, traffic leaves nothing in its tables', async () => {
  await using gateway = await openTestGateway({ servers: { weather } });
  await search(gateway);
  const db = new DatabaseSync(join(gateway.dataDir, 'toolcrib.db'), { readOnly: true });
  const tables = ['candidate', 'prompt', 'run', 'promotion', 'job'];
  const rows = tables.map((table) => db.prepare(`select count(*) as rows from optimizer_${table}`).get()?.rows);
  db.close();
  assert.deepEqual(rows, [0, 0, 0, 0, 0]);
});

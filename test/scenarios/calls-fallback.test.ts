/** A tool that fails comes with others for the purpose: which, in what order, which never, and what became of it. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { hostServers } from '../kit/planned-servers.ts';

interface Suggestion {
  readonly server: string;
  readonly tool: string;
  readonly toolKey: string;
  readonly similarity: number;
  readonly successRate: number | null;
  readonly reason: string;
  readonly arguments?: Record<string, unknown>;
}

const reading = { readOnlyHint: true, openWorldHint: true };
const query = {
  type: 'object',
  properties: { query: { type: 'string' }, limit: { type: 'integer' } },
  required: ['query'],
};
const saying = (text: string) => ({ content: [{ type: 'text', text }] });
const searchWeb = {
  name: 'search_web',
  description: 'Search the web for pages that match a query.',
  inputSchema: query,
  annotations: reading,
};

const plan = hostServers({
  alpha: { tools: [{ ...searchWeb, respond: { ...saying('The index is down.'), isError: true } }] },
  beta: {
    tools: [
      {
        ...searchWeb,
        name: 'web_search',
        description: 'Searches the web and returns the pages that match.',
        respond: saying('from beta'),
      },
      {
        ...searchWeb,
        name: 'search_web_purge',
        description: 'Search the web for pages that match a query, and purge what was found before.',
        annotations: { destructiveHint: true },
      },
      { ...searchWeb, name: 'search_web_unsaid', annotations: undefined },
    ],
  },
  gamma: {
    tools: [
      {
        ...searchWeb,
        name: 'web_find',
        description: 'Searches the web and returns pages that match.',
        respond: saying('from gamma'),
      },
    ],
  },
  secret: {
    tools: [{ ...searchWeb, respond: saying('from secret') }],
    entry: { permissions: { '*': 'deny' } },
  },
  asking: {
    tools: [{ ...searchWeb, respond: saying('from asking') }],
    entry: { permissions: { '*': 'ask' } },
  },
});

let gateway: TestGateway;
let agent: ModernAgent;

before(async () => {
  gateway = await openTestGateway({ servers: plan.servers });
  agent = new ModernAgent(gateway, '/mcp?surface=search');
  await new ModernAgent(gateway).tools();
});
after(() => gateway.close());

async function fail(
  who = agent,
): Promise<{ texts: string[]; suggestions: Suggestion[]; result: Record<string, unknown> }> {
  const { result } = await who.call('tool_execute', {
    toolKey: 'alpha:search_web',
    arguments: { query: 'cats', limit: 2 },
  });
  const meta = (result._meta ?? {}) as Record<string, { fallbackSuggestions?: Suggestion[] }>;
  const texts = (result.content as { text: string }[]).map(({ text }) => text);
  return { texts, suggestions: meta['toolcrib/fallback']?.fallbackSuggestions ?? [], result };
}

test('[CALL-06] a failing tool comes with others for the purpose, with similarity, success rate and reason', async () => {
  const { texts, suggestions, result } = await fail();
  assert.equal(result.isError, true);
  assert.equal(texts[0], 'The index is down.');
  const [best] = suggestions;
  assert.ok(best && best.similarity > 0 && best.similarity <= 1);
  assert.equal(best.toolKey, `${best.server}:${best.tool}`);
  assert.equal(best.successRate, null);
  assert.ok(best.reason.length > 10);
  assert.deepEqual(best.arguments, { query: 'cats', limit: 2 });
  assert.ok(texts[1]?.includes(best.toolKey));
  assert.deepEqual(suggestions.map(({ toolKey }) => toolKey).sort(), ['beta:web_search', 'gamma:web_find']);
});

test('[AUD-12] the record of a failed call says why, and which tools were offered', async () => {
  const { suggestions } = await fail();
  const { records } = await gateway.gateway.admin.run('audit.list', { tool: 'search_web', limit: 1 });
  const { error, alternatives } = records[0]?.detail ?? {};
  assert.deepEqual([error, alternatives], ['The index is down.', suggestions.map(({ toolKey }) => toolKey)]);
});

test('[CALL-06] on the direct surface they have the names that the agent knows', async () => {
  const direct = new ModernAgent(gateway, '/mcp?surface=direct');
  const result = await direct.request('tools/call', { name: 'alpha.search_web', arguments: { query: 'cats' } });
  const texts = (result.content as { text: string }[]).map(({ text }) => text);
  assert.match(texts[1] ?? '', /"(beta\.web_search|gamma\.web_find)"/);
});

test('[CALL-07] never with a stronger effect, never one that may not be called, and none where none is wanted', async () => {
  const { suggestions } = await fail();
  for (const { toolKey } of suggestions) assert.ok(!/purge|unsaid|secret|asking/.test(toolKey), toolKey);
  const owner = new ModernAgent({ url: gateway.url, agentHeaders: gateway.ownerHeaders }, '/mcp?surface=search');
  for (const { toolKey } of (await fail(owner)).suggestions)
    assert.ok(!/purge|unsaid|secret|asking/.test(toolKey), toolKey);
  const { result } = await agent.call('tool_execute', {
    toolKey: 'alpha:search_web',
    arguments: { query: 'cats' },
    includeFallbacks: false,
  });
  assert.doesNotMatch(JSON.stringify(result.content), /Or call/);
  assert.equal(result._meta, undefined);
});

test('[CALL-08] an alternative that worked twice ranks higher, and the suggestion is recorded as taken', async () => {
  const before = (await fail()).suggestions;
  const last = before.at(-1);
  assert.ok(last);
  for (let times = 0; times < 2; times += 1) {
    await fail();
    await agent.call('tool_execute', { toolKey: last.toolKey, arguments: { query: 'cats' } });
  }
  const [first] = (await fail()).suggestions;
  assert.equal(first?.toolKey, last.toolKey);
  assert.equal(first?.successRate, 1);
  const { suggestions } = await gateway.gateway.admin.run('usage.overview', {});
  const taken = suggestions.find(({ suggested }) => suggested === last.toolKey);
  assert.deepEqual([taken?.failed, taken?.taken, taken?.worked], ['alpha:search_web', 2, 2]);
});

test('[CALL-08] the tools to choose from can be asked for without a failure', async () => {
  const { result } = await agent.call('get_tool_alternatives', { toolKey: 'alpha:search_web' });
  const { alternatives } = result.structuredContent as { alternatives: Suggestion[] };
  assert.deepEqual(alternatives.map(({ toolKey }) => toolKey).sort(), ['beta:web_search', 'gamma:web_find']);
});

test('[CALL-09] where the owner allows it, a read-only alternative is called at once and both outcomes are told', async () => {
  await using eager = await openTestGateway({
    servers: hostServers({
      alpha: { tools: [{ ...searchWeb, respond: { ...saying('The index is down.'), isError: true } }] },
      beta: { tools: [{ ...searchWeb, name: 'web_search', respond: saying('from beta') }] },
    }).servers,
    config: { calls: { autoRetryFallback: true } },
  });
  await new ModernAgent(eager).tools();
  const { texts, result } = await fail(new ModernAgent(eager, '/mcp?surface=search'));
  assert.notEqual(result.isError, true);
  assert.match(texts[0] ?? '', /"alpha:search_web" failed: The index is down\. "beta:web_search" was called instead/);
  assert.equal(texts[1], 'from beta');
  const { failed, tried } = (result._meta as Record<string, Record<string, unknown>>)['toolcrib/fallback'] ?? {};
  assert.deepEqual(failed, { toolKey: 'alpha:search_web', errorType: 'TOOL_FAILED', message: 'The index is down.' });
  assert.deepEqual(tried, { toolKey: 'beta:web_search', isOk: true });
});

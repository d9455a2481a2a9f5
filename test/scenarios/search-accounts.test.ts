/** Two accounts of one server: agents see both and choose, and nothing chooses for them. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openListedGateway, type TestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { askCatalog, discover } from '../kit/search-requests.ts';
import { serverCommand } from '../servers/launch.ts';

const tool = {
  name: 'list_issues',
  description: 'Lists the open issues of a repository.',
  inputSchema: { type: 'object', properties: { repository: { type: 'string' } }, required: ['repository'] },
  annotations: { readOnlyHint: true, openWorldHint: true },
};
const program = serverCommand({
  tools: [{ ...tool, respond: { content: [{ type: 'text', text: 'Bad credentials.' }], isError: true } }],
});
const account = (token: string) => ({ ...program, env: { TOKEN: token } });

let gateway: TestGateway;
before(async () => {
  gateway = await openListedGateway({
    servers: { 'hub-work': account('work'), 'hub-private': account('private'), 'hub-mirror': account('work') },
    config: { calls: { autoRetryFallback: true } },
  });
});
after(() => gateway.close());

test('[FIND-32] the answer names the other accounts apart from mirrors, and asks the agent to choose', async () => {
  for (const [query, key, equals] of [
    ['list open issues with hub-work', 'hub-work:list_issues', ['hub-mirror:list_issues']],
    ['list open issues with hub-private', 'hub-private:list_issues', undefined],
  ] as const) {
    const { tools, metadata } = await discover(gateway, query, { maxResults: 1 });
    assert.deepEqual([tools[0]?.toolKey, tools[0]?.equals], [key, equals]);
    const named = [key, ...(equals ?? []), ...(tools[0]?.otherAccounts ?? [])];
    assert.equal(new Set(named).size, 3, named.join());
    assert.match(metadata.notice ?? '', /"otherAccounts" lists the same tool for other accounts or folders: choose/);
    const { results, notice } = await askCatalog(gateway, { query });
    assert.deepEqual(results[0]?.otherAccounts, tools[0]?.otherAccounts);
    assert.match(notice ?? '', /"otherAccounts"/);
  }
});

test('[FIND-32] a search of one server says nothing of accounts', async () => {
  const { tools, metadata } = await discover(gateway, 'list open issues', { server: 'hub-private' });
  assert.deepEqual([tools.length, tools[0]?.otherAccounts, metadata.notice], [1, undefined, undefined]);
});

test('[FIND-32] a failed call is not retried on another account, and the suggestion says whose it is', async () => {
  const agent = new ModernAgent(gateway, '/mcp?surface=search');
  const { result } = await agent.call('tool_execute', {
    toolKey: 'hub-private:list_issues',
    arguments: { repository: 'home' },
  });
  const text = JSON.stringify(result.content);
  assert.match(text, /another account or folder/);
  assert.doesNotMatch(text, /tried instead|called instead/);
});

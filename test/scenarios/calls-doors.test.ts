/** Each door shows only servers that exist, in words for its readers, and not too much at once. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { approveWaiting } from '../kit/approve-waiting.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { hostServers } from '../kit/planned-servers.ts';

type Dict = Record<string, unknown>;

const query = { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] };
const searching = {
  name: 'search_web',
  description: 'Search the web for pages that match a query.',
  inputSchema: query,
  annotations: { readOnlyHint: true },
};
const plan = hostServers({
  alpha: {
    tools: [
      { ...searching, respond: { isError: true, content: [{ type: 'text', text: 'The index of Ada is down.' }] } },
    ],
    entry: { projects: ['shop'] },
  },
  beta: {
    tools: [{ ...searching, name: 'web_search', respond: { content: [{ type: 'text', text: 'from beta' }] } }],
    entry: { aliases: { a_search_web: 'web_search' }, projects: ['shop'] },
  },
  toolcrib: {
    tools: [{ ...searching, name: 'read_result', respond: { content: [{ type: 'text', text: 'The server says.' }] } }],
    entry: { projects: ['school'] },
  },
});
const servers: Record<string, Dict> = {
  ...plan.servers,
  absent: { command: 'no-such-program-anywhere', projects: ['other'] },
};
const config = { connect: { maxRetries: 0 } };

let gateway: TestGateway;
let agent: ModernAgent;
let owner: ModernAgent;

before(async () => {
  gateway = await openTestGateway({ servers, config });
  agent = new ModernAgent(gateway, '/mcp?surface=search');
  owner = new ModernAgent({ url: gateway.url, agentHeaders: gateway.ownerHeaders }, '/mcp?surface=search');
  for (const name of Object.keys(plan.servers)) await gateway.gateway.admin.run('servers.refresh', { name });
  // Its tool that takes very much is more than is read before it is taken.
  await approveWaiting(gateway, 'alpha');
  await new ModernAgent(gateway).tools();
});
after(() => gateway.close());

function execute(who: ModernAgent, toolKey: string, args: Dict = { query: 'x' }) {
  return who.call('tool_execute', { toolKey, arguments: args });
}

async function measured(who: ModernAgent, scope: Dict): Promise<Dict[]> {
  const { result } = await who.call('get_tool_metrics', scope);
  return ((result.structuredContent as Dict).tools ?? []) as Dict[];
}

test('[CALL-02] at the door of a project, a server of another one that was never listed reads like none', async () => {
  const shop = new ModernAgent(gateway, '/projects/shop/mcp?surface=search');
  const [absent, missing] = [await execute(shop, 'absent:look'), await execute(shop, 'zzzzzz:look')];
  assert.equal(absent.text.replaceAll('absent', 'zzzzzz'), missing.text);
  assert.equal(absent.errorType, 'SERVER_NOT_FOUND');
  assert.equal(
    (await execute(agent, 'absent:look')).errorType,
    'CIRCUIT_OPEN',
    'where it is there, its trouble is told',
  );
});

test('[CALL-02] only the owner sees the message of a failed call', async () => {
  await execute(owner, 'alpha:search_web');
  const of = { server: 'alpha', tool: 'search_web' };
  const errorIn = (figures: Dict | undefined) => Object.keys((figures?.lastError ?? {}) as Dict).sort();
  assert.deepEqual(errorIn((await measured(agent, of))[0]), ['at', 'errorType']);
  assert.deepEqual(errorIn((await measured(owner, of))[0]), ['at', 'errorType', 'message']);
  const info = (who: ModernAgent) => who.call('tool_info', { toolKey: 'alpha:search_web', detail: 'full' });
  assert.doesNotMatch((await info(agent)).text, /Ada/);
  assert.match((await info(owner)).text, /Ada/);
});

test('[CALL-01] the door of a server names the nearest of its tools', async () => {
  const door = new ModernAgent(gateway, '/servers/alpha/mcp');
  for (const [wrong, right] of [
    ['alpha.search_wbe', 'alpha.search_web'],
    ['search_wbe', 'search_web'],
  ] as const) {
    const { hint, result } = await door.call(wrong);
    assert.equal(hint, `Did you mean "${right}"?`);
    assert.deepEqual((result.structuredContent as Dict).suggestedTools, [right]);
    assert.match((await door.call(right, { query: 'x' })).text, /Ada/, 'what is suggested can be called');
  }
});

test('[CALL-03] a call by name gets the advice of its surface', async () => {
  const { text: searched } = await agent.call('alpha.search_web', {});
  assert.match(searched, /tool_info/);
  const { text: direct } = await new ModernAgent(gateway).call('alpha.search_web', {});
  assert.doesNotMatch(direct, /tool_info|tool_discovery/);
  assert.match((await lastText(agent, 'alpha.search_web')) ?? '', /call "beta:web_search"/);
  assert.match((await lastText(new ModernAgent(gateway), 'alpha.search_web')) ?? '', /call "beta.web_search"/);
});

async function lastText(who: ModernAgent, name: string): Promise<string | undefined> {
  const { result } = await who.call(name, { query: 'x' });
  return (result.content as { text?: string }[]).at(-1)?.text;
}

test('[CALL-03] tools of a server that is called like us go before ours, where their owner wants it and they are there', async () => {
  for (const key of ['toolcrib:read_result', 'read_result'])
    assert.match(
      (await execute(agent, key, {})).text,
      /Which result\?/,
      'ours, until the owner has approved the other',
    );
  assert.ok((await approveWaiting(gateway, 'toolcrib')).includes('toolcrib:read_result'));
  assert.equal((await execute(agent, 'toolcrib:read_result')).text, 'The server says.');
  assert.equal((await execute(agent, 'read_result')).text, 'The server says.');
  const shop = new ModernAgent(gateway, '/projects/shop/mcp?surface=search');
  const { text } = await execute(shop, 'toolcrib:read_result', {});
  assert.match(text, /Which result\?/);
  assert.match((await execute(shop, 'read_result', {})).text, /Which result\?/);
  const asText = await shop.call('tool_execute', {
    server: 'toolcrib',
    tool: 'read_result',
    arguments: '{"id":"none"}',
  });
  assert.match(asText.text, /none/);
});

test('[CALL-08] [CALL-31] an alias counts as its tool: in suggestions, in metrics, and when they are forgotten', async () => {
  const { result } = await execute(agent, 'alpha:search_web');
  const { fallbackSuggestions } = (result._meta as Dict)['toolcrib/fallback'] as {
    fallbackSuggestions: { toolKey: string }[];
  };
  const keys = fallbackSuggestions.map(({ toolKey }) => toolKey);
  assert.ok(keys.includes('beta:web_search'), String(keys));
  assert.ok(!keys.includes('beta:a_search_web'), 'not twice, under two names');
  await execute(agent, 'beta:a_search_web');
  const { suggestions } = await gateway.gateway.admin.run('usage.overview', {});
  assert.equal(suggestions.find(({ suggested }) => suggested === 'beta:web_search')?.failed, 'alpha:search_web');
  for (const scope of [{ server: 'beta', tool: 'a_search_web' }, { tool: 'a_search_web' }])
    assert.deepEqual(
      (await measured(agent, scope)).map(({ toolKey }) => toolKey),
      ['beta:web_search'],
    );
  await owner.call('reset_tool_metrics', { server: 'beta', tool: 'a_search_web' });
  assert.deepEqual(await measured(owner, { server: 'beta' }), []);
});

test('[CALL-02] metrics of a server that is not there are none, and the nearest names are those that are', async () => {
  const shop = new ModernAgent(gateway, '/projects/shop/mcp?surface=search');
  const asked = await shop.call('get_tool_metrics', { server: 'toolcrib' });
  assert.equal(
    asked.text.replaceAll('toolcrib', 'zzzzzz'),
    (await shop.call('get_tool_metrics', { server: 'zzzzzz' })).text,
  );
  assert.equal((await shop.call('get_tool_metrics', { server: 'alfa' })).hint, 'Did you mean "alpha"?');
});

test('[CALL-05] the doors of projects hear when a server joins or leaves, once, and no other door does', async () => {
  const doors = ['/projects/shop/mcp?surface=direct', '/projects/school/mcp?surface=direct', '/mcp?surface=direct'];
  const agents = doors.map((door) => new ModernAgent(gateway, door));
  const [shop, school] = agents as [ModernAgent, ModernAgent];
  await using inShop = await shop.listen();
  await using inSchool = await school.listen();
  await using everywhere = await new ModernAgent(gateway).listen();
  const beside = new ModernAgent(gateway, '/servers/beta/mcp');
  await using atServer = await beside.listen();
  const heard = () => [inShop, inSchool, everywhere, atServer].map(({ changes }) => changes);
  await edit({ beta: { ...servers.beta, projects: ['school'] } });
  await Promise.all([inShop.atLeast(1), inSchool.atLeast(1)]);
  assert.deepEqual(await shop.tools(), ['alpha.search_web']);
  assert.ok((await school.tools()).includes('beta.web_search'));
  await edit({ beta: { ...servers.beta, projects: ['school'], permissions: { web_search: 'deny' } } });
  await Promise.all([inSchool.atLeast(2), everywhere.atLeast(1), atServer.atLeast(1)]);
  assert.deepEqual(heard(), [1, 2, 1, 1]);
});

async function edit(changed: Record<string, Dict>): Promise<void> {
  await writeFile(gateway.configFile, JSON.stringify({ ...config, mcpServers: { ...servers, ...changed } }));
}

test('[CALL-01] misplaced arguments are not lost, and our own tools can be looked up', async () => {
  const { errorType, text } = await agent.call('tool_execute', { toolKey: 'beta:web_search', args: { query: 'x' } });
  assert.equal(errorType, 'ARGUMENTS_INVALID');
  assert.match(text, /has no parameter "args"; the arguments of the tool go into "arguments"/);
  const named = ['get_tool_metrics', 'call_tool_chain', 'tool_execute'];
  for (const toolKey of [...named.map((name) => `toolcrib:${name}`), ...named]) {
    const { result } = await agent.call('tool_info', { toolKey, detail: 'full' });
    const { definition } = result.structuredContent as { definition: { name: string } };
    assert.equal(definition.name, toolKey.replace('toolcrib:', ''));
  }
});

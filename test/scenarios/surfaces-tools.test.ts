/** The tools of the surface `full` and the other names under which they are known: what they give, page by page, and what they refuse. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { hostServers } from '../kit/planned-servers.ts';
import { ModelApi } from '../servers/model-api.ts';
import type { Dict } from '../servers/rpc.ts';

const query = { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] };
const reading = { readOnlyHint: true };
const saying = (text: string) => ({ content: [{ type: 'text', text }] });

const searchWeb = {
  name: 'search_web',
  description: 'Search the web for pages that match a query.',
  inputSchema: query,
  annotations: reading,
};

const plan = hostServers({
  alpha: {
    tools: [{ name: 'find_flights', description: 'Finds flights between two cities on a day.', inputSchema: query }],
  },
  beta: {
    tools: [
      {
        name: 'lookup_flights',
        description: 'Looks up flights from one city to another on a day.',
        inputSchema: query,
      },
      { ...searchWeb, respond: saying('from beta') },
      { name: 'water_plants', description: 'Waters the plants of a garden.' },
    ],
  },
  hidden: { tools: [{ name: 'secret', description: 'Not for agents.' }], entry: { permissions: { '*': 'deny' } } },
});

let gateway: TestGateway;
let agent: ModernAgent;
before(async () => {
  gateway = await openTestGateway({ servers: plan.servers });
  agent = new ModernAgent(gateway, '/mcp?surface=full');
  await new ModernAgent(gateway).tools();
});
after(() => gateway.close());

/** The result of a tool of ours; the text is the same in compact form. */
async function ask(name: string, args: Dict = {}, who = agent): Promise<Dict> {
  const { result, text, isError } = await who.call(name, args);
  assert.ok(!isError, `${name}: ${text}`);
  assert.equal(text, JSON.stringify(result.structuredContent));
  return result.structuredContent as Dict;
}

const keysIn = (answer: Dict) => (answer.tools as { toolKey: string }[]).map(({ toolKey }) => toolKey);
const ALL = ['alpha:find_flights', 'beta:lookup_flights', 'beta:search_web', 'beta:water_plants'];

async function pages(args: Dict, who = agent, between: (page: number) => Promise<unknown> = async () => {}) {
  const keys: string[] = [];
  for (let cursor: unknown, page = 1; ; page += 1) {
    const answer = await ask('list_tools_meta', { ...args, ...(cursor === undefined ? {} : { cursor }) }, who);
    keys.push(...keysIn(answer));
    cursor = answer.nextCursor;
    if (cursor === undefined) return keys;
    await between(page);
  }
}

test('[SEE-10] list_tools_meta lists what may be seen, the most used first, then by name, in pages', async () => {
  await using own = await openTestGateway({ servers: plan.servers });
  const who = new ModernAgent(own, '/mcp?surface=full');
  await new ModernAgent(own).tools();
  assert.deepEqual(await pages({}, who), ALL);
  for (let calls = 0; calls < 3; calls += 1) await who.call('tool_execute', { toolKey: 'beta:water_plants' });
  await who.call('beta.search_web', { query: 'x' });
  const used = ['beta:water_plants', 'beta:search_web', 'alpha:find_flights', 'beta:lookup_flights'];
  for (const pageSize of [1, 2, 50]) assert.deepEqual(await pages({ pageSize }, who), used);
  assert.deepEqual(await pages({ pageSize: 1, server: 'beta' }, who), used.toSpliced(2, 1));
  const first = (await ask('list_tools_meta', { pageSize: 1 }, who)) as { tools: Dict[]; toolCount: number };
  assert.equal(first.toolCount, 4);
  const { metrics, ...row } = first.tools[0] ?? {};
  const head = { toolKey: 'beta:water_plants', toolName: 'water_plants', serverName: 'beta' };
  assert.deepEqual(row, { ...head, description: 'Waters the plants of a garden.' });
  assert.equal((metrics as Dict).callCount, 3);
});

test('[SEE-11] a cursor holds while servers come and go: nothing that stays is skipped or given twice', async () => {
  await using own = await openTestGateway({ servers: plan.servers });
  const who = new ModernAgent(own, '/mcp?surface=full');
  await new ModernAgent(own).tools();
  const more = hostServers({ aaa: { tools: [{ name: 'one' }] }, zzz: { tools: [{ name: 'two' }] } }).servers;
  const seen = await pages({ pageSize: 1 }, who, async (page) => {
    if (page === 1) await own.gateway.admin.run('servers.add', { name: 'aaa', spec: more.aaa ?? {} });
    if (page === 2) await own.gateway.admin.run('servers.add', { name: 'zzz', spec: more.zzz ?? {} });
    if (page === 3) await own.gateway.admin.run('servers.remove', { name: 'aaa' });
  });
  assert.deepEqual(seen, [...ALL, 'zzz:two']);
});

test('[SEE-12] the other names give what ours give', async () => {
  const wanted = { query: 'search the web' };
  const ours = await ask('tool_discovery', { ...wanted, maxResults: 2 });
  assert.deepEqual(await ask('search_tools', { ...wanted, top_k: 2 }), ours);
  const detailed = await ask('search_tools', { ...wanted, top_k: 1, brief: false, server: 'beta' });
  assert.deepEqual((detailed.tools as Dict[])[0]?.inputSchema, query);
  const own = await agent.call('tool_execute', { toolKey: 'beta:search_web', arguments: { query: 'x' } });
  const other = await agent.call('call_tool', { server: 'beta', tool: 'search_web', arguments: { query: 'x' } });
  assert.deepEqual(other.result.content, own.result.content);
  const schema = await ask('get_tool_schema', { server: 'beta', tool: 'search_web' });
  assert.deepEqual([schema.toolKey, schema.inputSchema, schema.annotations], ['beta:search_web', query, reading]);
  assert.deepEqual(keysIn(await ask('list_tools')), ALL);
  const counted = (await ask('list_tools', { server: 'beta', include_metrics: true })) as {
    tools: { metrics?: Dict }[];
  };
  assert.deepEqual(keysIn(counted), ALL.slice(1));
  assert.equal(typeof counted.tools[1]?.metrics?.callCount, 'number');
  const viaOther = await agent.call('call_tool', { server: 'toolcrib', tool: 'list_mcp_servers' });
  assert.equal((viaOther.result.structuredContent as Dict).serverCount, 3);
});

test('[SEE-13] { server, tool } is taken wherever a toolKey is', async () => {
  const apart = { server: 'beta', tool: 'water_plants' };
  assert.equal((await ask('tool_info', apart)).toolKey, 'beta:water_plants');
  assert.equal((await ask('get_tool_alternatives', apart)).toolKey, 'beta:water_plants');
  assert.equal((await agent.call('tool_execute', apart)).isError, false);
  assert.equal((await ask('get_tool_schema', { toolKey: 'beta:water_plants' })).toolName, 'water_plants');
});

test('[SEE-14] mistakes in the arguments for a tool of ours are named as the agent wrote them', async () => {
  const wrong: [string, Dict, RegExp][] = [
    ['search_tools', {}, /"search_tools" are not right: "query" must say what you need/],
    ['search_tools', { query: 'x', top_k: 'all' }, /"top_k" must be a whole number from 1 to 100/],
    ['search_tools', { query: 'x', min_similarity: 2 }, /"min_similarity" must be a number from 0 to 1/],
    ['search_tools', { query: 'x', brief: 'no' }, /"brief" must be true or false/],
    ['tool_discovery', { query: 'x', server: 7 }, /"server" must be a text/],
    ['tool_capabilities', { category: 'cooking' }, /"category" must be one of file_operations, /],
    ['tool_info', { toolKey: 'beta:water_plants', detail: 'some' }, /"detail" must be brief or full/],
    ['call_tool', { server: 'beta' }, /"tool" is missing/],
    ['call_tool', { server: 'beta', tool: 'search_web', query: 'x' }, /call_tool has no parameter "query"/],
    [
      'call_tool',
      { server: 'beta', tool: 'search_web', arguments: 3 },
      /The "arguments" of call_tool must be an object/,
    ],
    ['get_tool_schema', { tool: '' }, /"tool" is missing/],
    ['list_tools', { include_metrics: 'yes' }, /"include_metrics" must be true or false/],
    ['list_tools_meta', { pageSize: 'all' }, /"pageSize" must be a whole number from 1 to 200/],
    ['list_tools_meta', { cursor: 'bm90IG91cnM' }, /"cursor" for "list_tools_meta" is invalid/],
    ['list_tools_meta', { cursor: 5 }, /"cursor" must be a text/],
    ['list_mcp_servers', { server: 'beta' }, /has no member "server"/],
  ];
  for (const [name, args, said] of wrong) {
    const { errorType, text } = await agent.call(name, args);
    assert.equal(errorType, 'ARGUMENTS_INVALID', `${name} ${JSON.stringify(args)}: ${text}`);
    assert.match(text, said);
  }
  for (const [name, args] of [
    ['list_tools', { server: 'betta' }],
    ['list_tools_meta', { server: 'betta' }],
    ['search_tools', { query: 'x', server: 'betta' }],
  ] as const)
    assert.equal((await agent.call(name, args)).errorType, 'SERVER_NOT_FOUND');
});

test('[SEE-15] forbidden tools are in none of these answers', async () => {
  for (const [name, args] of [
    ['list_tools', {}],
    ['list_tools_meta', {}],
    ['search_tools', { query: 'secret not for agents' }],
    ['recommend_tools', { task: 'secret not for agents' }],
  ] as const)
    assert.doesNotMatch(JSON.stringify(await ask(name, args)), /hidden:secret/, name);
  for (const name of ['get_tool_schema', 'call_tool'])
    assert.equal((await agent.call(name, { server: 'hidden', tool: 'secret' })).errorType, 'TOOL_NOT_FOUND');
});

/** A pair of equals and a pair of near equals; the first of each fails. */
function failingPlan() {
  const respond = { ...saying('The index is down.'), isError: true };
  return hostServers({
    one: { tools: [{ ...searchWeb, respond }] },
    two: { tools: [{ ...searchWeb, respond: saying('pages') }] },
    sky: {
      tools: [
        { name: 'find_flights', description: 'Finds flights between two cities on a day.', respond },
        { name: 'lookup_flights', description: 'Looks up flights from one city to another on a day.' },
        { name: 'cancel_ticket', description: 'Cancels a ticket that was bought.' },
      ],
    },
  });
}

test('[SEE-16] a tool that clearly fails is not recommended first among near equals, and that it fails is said', async () => {
  await using own = await openTestGateway({ servers: failingPlan().servers });
  const who = new ModernAgent(own, '/mcp?surface=full');
  await new ModernAgent(own).tools();
  const recommended = async (task: string) =>
    (await ask('recommend_tools', { task }, who)).recommendations as { toolKey: string; reason: string }[];
  const search = 'search the web for pages';
  const flights = 'which flights go to Oslo';
  assert.equal((await recommended(search))[0]?.toolKey, 'one:search_web');
  assert.equal((await recommended(flights))[0]?.toolKey, 'sky:find_flights');
  // Without a search before it, so that what is learnt from searches has no part in it.
  const other = new ModernAgent({ url: own.url, agentHeaders: own.ownerHeaders }, '/mcp?surface=direct');
  for (let calls = 0; calls < 6; calls += 1) {
    await other.call('one.search_web', { query: 'x' });
    await other.call('sky.find_flights');
  }
  assert.equal((await recommended(search))[0]?.toolKey, 'two:search_web');
  const [first, second] = await recommended(flights);
  assert.deepEqual([first?.toolKey, second?.toolKey], ['sky:lookup_flights', 'sky:find_flights']);
  assert.match(second?.reason ?? '', /, though it often fails\.$/);
});

test('[SEE-18] a model that ranks recommendations is shown how reliable the tools are', async () => {
  await using api = await ModelApi.open();
  const llm = { provider: 'openai-compatible', model: 'ranker-1', baseUrl: `${api.url}/v1` };
  await using own = await openTestGateway({ servers: failingPlan().servers, config: { llm } });
  const who = new ModernAgent(own, '/mcp?surface=direct');
  await who.tools();
  for (let calls = 0; calls < 3; calls += 1) await who.call('sky.find_flights');
  await who.call('sky.lookup_flights');
  await ask('recommend_tools', { task: 'which flights go to Oslo', mode: 'llm' }, who);
  const shown = JSON.stringify(api.requests.at(-1)?.body).replaceAll('\\', '');
  assert.match(shown, /"tool":"sky:find_flights"[^}]*"reliability":0\}/);
  assert.match(shown, /"tool":"sky:lookup_flights"[^}]*"reliability":1\}/);
  assert.doesNotMatch(
    shown,
    /"tool":"sky:cancel_ticket"[^}]*"reliability"/,
    'nothing is known of what was never called',
  );
});

test('[SEE-17] list_mcp_servers says how the servers are; what went wrong is for the owner', async () => {
  await using own = await openTestGateway({
    servers: {
      ...plan.servers,
      broken: { command: 'no-such-program-anywhere' },
      off: { command: 'x', enabled: false },
    },
  });
  const names = await new ModernAgent(own).tools();
  assert.equal(names.length, 4);
  const asOwner = { url: own.url, agentHeaders: own.ownerHeaders };
  const [forAgent, forOwner] = await Promise.all([
    ask('list_mcp_servers', {}, new ModernAgent(own, '/mcp')),
    ask('list_mcp_servers', {}, new ModernAgent(asOwner, '/g/mcp')),
  ]);
  const rows = forAgent.servers as Dict[];
  assert.deepEqual(
    rows.map(({ name, toolCount }) => [name, toolCount]),
    [
      ['alpha', 1],
      ['beta', 3],
      ['broken', 0],
      ['hidden', 0],
    ],
  );
  assert.ok(rows.every((row) => !('lastError' in row)));
  assert.match(String(rows[0]?.lastChange), /^\d{4}-/);
  const broken = (forOwner.servers as Dict[]).find(({ name }) => name === 'broken');
  assert.equal(broken?.state, 'failed');
  assert.match(String(broken?.lastError), /no-such-program-anywhere/);
  const owners = await new ModernAgent(asOwner, '/g/mcp').tools();
  assert.ok(['list_tools_meta', 'list_mcp_servers', 'recommend_tools'].every((name) => owners.includes(name)));
  assert.deepEqual(await pages({ pageSize: 2 }, new ModernAgent(asOwner, '/g/mcp')), ALL);
});

/** Answers of our own on a catalog of real size: nothing of them is cut, in either era. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { jsonSize } from '../../src/base/json.ts';
import { approveWaiting } from '../kit/approve-waiting.ts';
import { openListedGateway, type TestGateway } from '../kit/gateway.ts';
import { RawSession } from '../kit/hand-made.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { openRealSizeGateway, realSizeNames, realSizeSpec } from '../kit/real-size.ts';
import { openServer } from '../servers/hosted.ts';
import type { Dict } from '../servers/rpc.ts';

const limit = 20_000;
let gateway: TestGateway;
before(async () => {
  gateway = await openRealSizeGateway();
});
after(() => gateway.close());

const toolCount = realSizeNames.reduce((sum, name) => sum + realSizeSpec(name).tools.length, 0);

type Ask = (name: string, args?: Dict) => Promise<Dict>;

/** The content of an answer of ours; it is whole, and within the limit if a text and its structured copy count once. */
function contentOf(result: Dict, most = limit): Dict {
  const { structuredContent, content, isError, _meta } = result;
  const text = String((content as Dict[])[0]?.text);
  assert.ok(isError !== true && _meta === undefined, text.slice(0, 500));
  assert.equal(text, JSON.stringify(structuredContent));
  assert.ok(jsonSize(content) <= most, `${jsonSize(content)} bytes`);
  return structuredContent as Dict;
}

async function askers(at: TestGateway, most = limit): Promise<Ask[]> {
  const modern = new ModernAgent(at, '/mcp?surface=full');
  const legacy = await RawSession.open(`${at.url}/mcp?surface=full`, at.agentHeaders);
  return [
    async (name, args = {}) => contentOf((await modern.call(name, args)).result, most),
    async (name, args = {}) =>
      contentOf((await legacy.request('tools/call', { name, arguments: args })).message.result as Dict, most),
  ];
}

const needs = [
  'create a pull request',
  'send an e-mail to a customer',
  'find a file by its name',
  'take a screenshot of a page',
  'book a meeting',
  'run a query on the database',
  'refund a payment',
];

test('[SEE-23] discovery in full shows as many tools whole as fit and the others in short, and says so', async () => {
  for (const ask of await askers(gateway)) {
    for (const query of needs) {
      const { tools, metadata } = (await ask('tool_discovery', { query, detailLevel: 'full' })) as {
        tools: Dict[];
        metadata: Dict;
      };
      assert.equal(tools.length, metadata.resultCount, query);
      const whole = tools.filter(({ inputSchema }) => inputSchema !== undefined);
      assert.ok(whole.length >= 5 && tools[0]?.inputSchema !== undefined, `${whole.length} for ${query}`);
      for (const tool of tools) assert.ok(tool.inputSchema !== undefined || tool.parameters !== undefined);
      if (whole.length < tools.length)
        assert.match(String(metadata.notice), new RegExp(`${whole.length} of ${tools.length} tools fit at "full"`));
    }
    const many = await ask('search_tools', { query: needs[0], top_k: 100, brief: false });
    assert.equal((many.tools as Dict[]).length, (many.metadata as Dict).resultCount);
  }
});

test('[SEE-23] a page of list_tools_meta ends where the room does, and its cursor goes on there', async () => {
  for (const ask of await askers(gateway)) {
    for (const name of ['list_tools_meta', 'list_tools']) {
      const keys: unknown[] = [];
      let cursor: unknown;
      do {
        const page = await ask(name, { ...(cursor !== undefined && { cursor }) });
        assert.equal(page.toolCount, toolCount);
        keys.push(...(page.tools as Dict[]).map(({ toolKey }) => toolKey));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      assert.equal(keys.length, toolCount, name);
      assert.equal(new Set(keys).size, toolCount, name);
    }
  }
});

test('[SEE-23] seventy servers are all in tool_capabilities and list_mcp_servers, with true counts', async () => {
  await using server = await openServer({ name: 'copy', toolCount: 7, instructions: 'What it is for. '.repeat(20) });
  const names = Array.from({ length: 70 }, (_, at) => `server-with-a-long-name-${at}`);
  const servers = Object.fromEntries(names.map((name) => [name, { url: server.url, title: `The title of ${name}` }]));
  const small = 8_000;
  await using many = await openListedGateway({ servers, config: { calls: { maxResultBytes: small } } });
  for (const ask of await askers(many, small)) {
    const overview = (await ask('tool_capabilities')) as { totalTools: number; servers: Dict[]; categories: Dict[] };
    assert.deepEqual([overview.totalTools, overview.servers.length], [490, 70]);
    assert.ok(overview.servers.every((row) => row.toolCount === 7 && typeof row.serverId === 'string'));
    const counted = overview.categories.reduce((sum, row) => sum + Number(row.toolCount), 0);
    assert.equal(counted, 490);
    const states = (await ask('list_mcp_servers')) as { servers: Dict[]; serverCount: number; notice?: string };
    assert.deepEqual([states.servers.length, states.serverCount], [70, 70]);
    assert.ok(states.servers.every((row) => row.toolCount === 7 && row.state !== undefined));
  }
});

test('[SEE-24] a definition that is too large for an answer has an outline and its address', async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 400 }, (_, at) => [
      `field_${at}`,
      { type: 'string', description: 'The value of this field of the form, as it is printed. '.repeat(4) },
    ]),
  );
  const inputSchema = { type: 'object', properties, required: ['field_7'] };
  const huge = { name: 'huge', description: 'Fills in a very long form.', inputSchema };
  await using server = await openServer({ name: 'forms', tools: [huge] });
  await using own = await openListedGateway({ servers: { forms: { url: server.url } } });
  assert.deepEqual(await approveWaiting(own, 'forms'), ['forms:huge'], 'so much text waits for the owner');
  for (const ask of await askers(own)) {
    for (const info of [
      await ask('tool_info', { toolKey: 'forms:huge', detail: 'full' }),
      await ask('get_tool_schema', { server: 'forms', tool: 'huge' }),
    ]) {
      assert.equal(info.uri, 'toolcrib://tool/forms/huge');
      assert.match(String(info.parameters), /^field_7, field_0\?, /);
      assert.match(String(info.notice), /too large to return whole/);
    }
    const { tools } = (await ask('tool_discovery', { query: 'fill in a form', detailLevel: 'full' })) as {
      tools: Dict[];
    };
    assert.match(String(tools[0]?.parameters), /^field_7, /);
  }
  const { contents } = await new ModernAgent(own).request('resources/read', { uri: 'toolcrib://tool/forms/huge' });
  assert.match(String((contents as Dict[])[0]?.text), /toolcrib:\/\/result\//);
});

test('[SEE-25] other words for a parameter are understood, and numbers beyond its bounds are the bound', async () => {
  for (const ask of await askers(gateway)) {
    const rows = async (name: string, args: Dict) => ((await ask(name, args)).tools as Dict[]).length;
    for (const word of ['max_results', 'limit', 'top_k'])
      assert.equal(await rows('tool_discovery', { query: needs[0], [word]: 2 }), 2, word);
    assert.equal(await rows('list_tools_meta', { limit: 3 }), 3);
    const { metadata } = await ask('tool_discovery', { query: needs[0], detail_level: 'minimal', maxResults: 1_000 });
    assert.equal((metadata as Dict).detailLevel, 'minimal');
    assert.equal(await rows('tool_discovery', { query: needs[0], maxResults: 0 }), 1);
    assert.equal(
      ((await ask('recommend_tools', { task: needs[0], max_results: 2 })).recommendations as Dict[]).length,
      2,
    );
  }
});

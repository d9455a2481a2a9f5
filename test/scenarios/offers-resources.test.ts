/** The gateway's own resources, read by the real clients of both eras: what they say, to whom, and what is not there. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { countTokens } from 'gpt-tokenizer';
import { type Agent, connectAgent, KINDS } from '../kit/agents.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { askModern } from '../kit/hand-made.ts';
import { hostServers } from '../kit/planned-servers.ts';
import type { Dict } from '../servers/rpc.ts';

const ODD = 'späte Namen/100 %?#&+{x}';
const PATH = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };

const { servers } = hostServers({
  files: {
    instructions: 'Paths are absolute.',
    tools: [
      { name: 'read_file', description: 'Reads a file from disk. Slowly.', inputSchema: PATH },
      { name: 'wipe_disk', description: 'Wipes the disk.' },
      { name: ODD, description: 'Has a name that is hard to write.' },
    ],
    resources: [{ uri: 'shared://note', name: 'note', text: 'from files' }],
    templates: [{ uriTemplate: 'file:///{path}', name: 'file' }],
    prompts: [{ name: 'tidy', description: 'Tidies up.' }],
    entry: {
      permissions: { wipe_disk: 'deny' },
      title: 'Files of the house',
      description: 'All that lies on the disk. And more.',
    },
  },
  shop: {
    tools: [{ name: 'list_orders', description: 'Lists the orders of a shop.' }],
    resources: [{ uri: 'shared://note', name: 'note', text: 'from shop' }],
    templates: [],
    prompts: [],
    entry: { projects: ['shop'] },
  },
});

let gateway: TestGateway;
before(async () => {
  gateway = await openTestGateway({
    servers: { ...servers, broken: { command: 'no-such-program-anywhere' } },
    config: { connect: { maxRetries: 0 } },
  });
  // All lists are complete then, and failures have failed.
  await gateway.gateway.admin.run('servers.refresh', {});
});
after(() => gateway.close());

/** The same setup for each client, at a door. */
async function everyKind(setup: (agent: Agent) => Promise<void>, path = '/mcp?surface=search'): Promise<void> {
  for (const kind of KINDS) {
    await using agent = await connectAgent(kind, `${gateway.url}${path}`, { headers: gateway.agentHeaders });
    await setup(agent);
  }
}

async function contentOf({ client }: Agent, uri: string): Promise<{ mimeType?: string | undefined; text: string }> {
  const { contents } = await client.readResource({ uri });
  assert.equal(contents.length, 1);
  assert.equal(contents[0]?.uri, uri);
  return contents[0] as { mimeType?: string; text: string };
}

/** The content of a resource; it is compact JSON. */
async function jsonAt(agent: Agent, uri: string): Promise<Dict> {
  const { mimeType, text } = await contentOf(agent, uri);
  assert.equal(mimeType, 'application/json');
  const value = JSON.parse(text) as Dict;
  assert.equal(text, JSON.stringify(value));
  return value;
}

test('[OFFER-01] the own resources and templates are listed first, on every surface and to every client', async () => {
  for (const surface of ['search', 'direct', 'code', 'full'])
    await everyKind(async ({ client }) => {
      const { resources } = await client.listResources();
      const uris = resources.map(({ uri }) => uri);
      assert.deepEqual(uris.slice(0, 3), ['toolcrib://overview', 'toolcrib://servers', 'toolcrib://tools']);
      assert.ok(uris.includes('toolcrib://server/shop/resource/shared%3A%2F%2Fnote'), uris.join());
      for (const { annotations, mimeType, description } of resources.slice(0, 3)) {
        assert.ok(annotations?.audience?.includes('assistant'));
        assert.ok((annotations?.priority ?? -1) >= 0 && (annotations?.priority ?? 2) <= 1);
        assert.ok(mimeType && description);
      }
      const { resourceTemplates } = await client.listResourceTemplates();
      const listed = resourceTemplates.map(({ uriTemplate }) => uriTemplate);
      const own = [
        'toolcrib://result/{id}{?part,page,lines,find,path}',
        'toolcrib://server/{name}',
        'toolcrib://server/{name}/tools',
        'toolcrib://server/{name}/types',
        'toolcrib://tool/{server}/{tool}',
      ];
      assert.deepEqual(listed, [...own, 'file:///{path}']);
    }, `/mcp?surface=${surface}`);
});

test('[OFFER-02] the overview says in at most 500 tokens what there is, and names the tools of its surface', async () => {
  const meant = {
    search: [/tool_discovery.*tool_execute.*tool_info.*call_tool_chain/s],
    full: [/tool_discovery.*tool_execute/s],
    code: [/tool_discovery.*call_tool_chain/s, /^(?!.*tool_execute)/s],
    direct: [/your list of tools/, /^(?!.*tool_execute|.*tool_discovery)/s],
  };
  for (const [surface, patterns] of Object.entries(meant))
    await everyKind(async (agent) => {
      const { text, mimeType } = await contentOf(agent, 'toolcrib://overview');
      assert.equal(mimeType, 'text/plain');
      assert.match(text, /3 tools on 2 servers: /);
      for (const pattern of [...patterns, /toolcrib:\/\/servers/]) assert.match(text, pattern);
      assert.ok(countTokens(text) <= 500, `${surface}: ${countTokens(text)}`);
    }, `/mcp?surface=${surface}`);
});

test('[OFFER-03] the servers are told with state, tools and last change; what went wrong only to the owner', async () => {
  const rowsOf = async (agent: Agent) => (await jsonAt(agent, 'toolcrib://servers')).servers as Dict[];
  await everyKind(async (agent) => {
    const rows = await rowsOf(agent);
    assert.deepEqual(
      rows.map(({ name, title, description, toolCount }) => [name, title, description, toolCount]),
      [
        ['broken', 'broken', undefined, 0],
        ['files', 'Files of the house', 'All that lies on the disk.', 2],
        ['shop', 'Test server shop', 'Offers list_orders.', 1],
      ],
    );
    assert.deepEqual([rows[0]?.state, rows[0]?.lastChange], ['failed', null]);
    assert.ok(Date.parse(String(rows[1]?.lastChange)) > 0);
    assert.ok(rows.every((row) => !('lastError' in row)));
    const { resources } = await agent.client.listResources();
    assert.match(resources[1]?.description ?? '', /Failing now: broken\.$/);
  });
  const headers = gateway.ownerHeaders;
  await using owner = await connectAgent('v2 modern', `${gateway.url}/mcp`, { headers });
  assert.match(String((await rowsOf(owner))[0]?.lastError), /no-such-program-anywhere/);
});

test('[OFFER-04] the index of tools gives the key and first sentence of each, and nothing that is forbidden', async () => {
  const own = { 'files:read_file': 'Reads a file from disk.', [`files:${ODD}`]: 'Has a name that is hard to write.' };
  await everyKind(async (agent) => {
    assert.deepEqual(await jsonAt(agent, 'toolcrib://tools'), {
      toolCount: 3,
      tools: { ...own, 'shop:list_orders': 'Lists the orders of a shop.' },
    });
    assert.deepEqual(await jsonAt(agent, 'toolcrib://server/files/tools'), { toolCount: 2, tools: own });
  });
  await everyKind(async (agent) => {
    const { tools } = await jsonAt(agent, 'toolcrib://tools');
    assert.deepEqual(Object.keys(tools as Dict), ['shop:list_orders']);
  }, '/projects/shop/mcp');
});

test('[OFFER-05] a tool is read with its whole definition, whatever characters its name has', async () => {
  await everyKind(async (agent) => {
    const value = await jsonAt(agent, 'toolcrib://tool/files/read_file');
    const { definition, fingerprint, ...rest } = value as { definition: Dict; fingerprint: string };
    assert.deepEqual([definition.inputSchema, definition.name], [PATH, 'read_file']);
    assert.match(fingerprint, /^[0-9a-f]{64}$/);
    const names = { toolKey: 'files:read_file', toolName: 'read_file', serverName: 'files' };
    assert.deepEqual(rest, { ...names, category: 'file_operations' });
    const odd = await jsonAt(agent, `toolcrib://tool/files/${encodeURIComponent(ODD)}`);
    assert.equal(odd.toolName, ODD);
  });
  await everyKind(async (agent) => {
    const { listedAs } = await jsonAt(agent, 'toolcrib://tool/files/read_file');
    assert.equal(listedAs, 'files.read_file');
    const { tools } = await agent.client.listTools();
    const odd = await jsonAt(agent, `toolcrib://tool/files/${encodeURIComponent(ODD)}`);
    assert.ok(tools.some(({ name }) => name === odd.listedAs));
  }, '/mcp?surface=direct');
});

test('[OFFER-06] a server is read with its state, its instructions and what it has, as it is called here', async () => {
  await everyKind(async (agent) => {
    const { lastChange, lastChangeSummary, state, states, ...files } = await jsonAt(agent, 'toolcrib://server/files');
    assert.equal(lastChangeSummary, '5 added');
    assert.ok(lastChange && (states as Dict)[String(state)]);
    assert.deepEqual(files, {
      name: 'files',
      title: 'Files of the house',
      description: 'All that lies on the disk. And more.',
      toolCount: 2,
      resourceCount: 1,
      resourceTemplateCount: 1,
      promptCount: 1,
      instructions: 'Paths are absolute.',
      categories: files.categories,
      tools: 'toolcrib://server/files/tools',
      types: 'toolcrib://server/files/types',
      resources: [{ uri: 'toolcrib://server/files/resource/shared%3A%2F%2Fnote' }],
      resourceTemplates: [{ uriTemplate: 'file:///{path}' }],
      prompts: [{ name: 'files.tidy', description: 'Tidies up.' }],
    });
    const [resource] = files.resources as { uri: string }[];
    assert.equal((await contentOf(agent, resource?.uri ?? '')).text, 'from files');
  });
});

test("[OFFER-07] a server's tools are read as TypeScript declarations, without those that are forbidden", async () => {
  await everyKind(async (agent) => {
    const { text } = await contentOf(agent, 'toolcrib://server/files/types');
    assert.match(text, /read_file\(.*path: string/s);
    assert.ok(!text.includes('wipe_disk'));
  });
});

const ABSENT = [
  'toolcrib://nothing',
  'toolcrib://',
  'toolcrib://overview/more',
  'toolcrib://servers?page=1',
  'toolcrib://server/nobody',
  'toolcrib://server/files/else',
  'toolcrib://server/files/resource/%',
  'toolcrib://tool/files',
  'toolcrib://tool/files/',
  'toolcrib://tool/files/nothing',
  'toolcrib://tool/files/wipe_disk',
  'toolcrib://tool/files/%zz',
  'toolcrib://result/AAAAAAAAAAAAAAAAAAAAAA',
  'TOOLCRIB://overview',
  'nobody://here',
];

test('[OFFER-08] unknown, forbidden and foreign resources get the same not-found of each era', async () => {
  // The newer client gives its user the newer code in both eras.
  const codes = { v1: -32002, 'v2 legacy': -32602, 'v2 modern': -32602 };
  const isAbsent = async ({ client, kind }: Agent, uri: string) => {
    const failure = await client.readResource({ uri }).then(
      () => assert.fail(`${uri} was read`),
      (error: { code: number; message: string; data: unknown }) => error,
    );
    assert.equal(failure.code, codes[kind], `${kind} ${uri}: ${failure.message}`);
    const [said, ...meant] = failure.message.split('. Did you mean ');
    assert.ok(said?.endsWith(`Resource not found: ${uri}`), failure.message);
    // Only what is there for this agent is named, so that what is forbidden reads like what is not there.
    for (const near of meant) await client.readResource({ uri: near.slice(1, -2) });
    assert.deepEqual(failure.data, { uri });
  };
  await everyKind(async (agent) => {
    for (const uri of ABSENT) await isAbsent(agent, uri);
    await assert.rejects(
      agent.client.readResource({ uri: 'toolcrib://tool/files:read_file' }),
      /Resource not found: .*\. Did you mean "toolcrib:\/\/tool\/files\/read_file"\?/,
    );
  });
  await everyKind(async (agent) => {
    for (const uri of ['toolcrib://server/files', 'toolcrib://server/files/tools', 'toolcrib://tool/files/read_file'])
      await isAbsent(agent, uri);
    assert.equal((await jsonAt(agent, 'toolcrib://server/shop')).name, 'shop');
  }, '/projects/shop/mcp');
});

test('[OFFER-09] at the door of one server only large results are ours, and plain nothing is', async () => {
  const listed = async (path: string) => {
    const ask = async (method: string) =>
      (await askModern(`${gateway.url}${path}`, gateway.agentHeaders, method)).message;
    const [resources, templates, prompts] = await Promise.all(
      ['resources/list', 'resources/templates/list', 'prompts/list'].map(ask),
    );
    return [resources?.result, templates?.result, prompts?.result].map((result) => {
      const [list] = Object.values(result as Dict).filter(Array.isArray) as Dict[][];
      return list?.map((item) => item.uri ?? item.uriTemplate ?? item.name);
    });
  };
  const result = 'toolcrib://result/{id}{?part,page,lines,find,path}';
  assert.deepEqual(await listed('/servers/files/mcp'), [['shared://note'], [result, 'file:///{path}'], ['files.tidy']]);
  assert.deepEqual(await listed('/servers/files/mcp?names=plain'), [['shared://note'], ['file:///{path}'], ['tidy']]);
});

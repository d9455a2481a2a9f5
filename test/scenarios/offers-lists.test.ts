/** Long lists of resources, templates and prompts, in pages; cursors that are wrong; and what of ours is too large at once. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Agent, connectAgent, KINDS } from '../kit/agents.ts';
import { openListedGateway, type TestGateway } from '../kit/gateway.ts';
import { askModern } from '../kit/hand-made.ts';
import { hostServers } from '../kit/planned-servers.ts';
import type { Dict } from '../servers/rpc.ts';

const COUNT = 230;
const numbered = (at: number) => String(at).padStart(3, '0');
const many = <Item>(make: (number: string) => Item) => Array.from({ length: COUNT }, (_, at) => make(numbered(at)));

const plan = (name: string) => ({
  toolCount: 300,
  instructions: `${name} says: ${'be careful. '.repeat(4_000)}`,
  resources: many((number) => ({ uri: `${name}://r/${number}`, name: `r${number}`, text: number })),
  templates: many((number) => ({ uriTemplate: `${name}://t${number}/{x}`, name: `t${number}` })),
  prompts: many((number) => ({ name: `p${number}` })),
});
const { servers } = hostServers({ left: plan('left'), right: plan('right'), more: plan('more') });

let gateway: TestGateway;
before(async () => {
  gateway = await openListedGateway({ servers: { left: servers.left, right: servers.right } });
});
after(() => gateway.close());

const LISTS = [
  { method: 'resources/list', member: 'resources', key: 'uri', own: 3 },
  { method: 'resources/templates/list', member: 'resourceTemplates', key: 'uriTemplate', own: 5 },
  { method: 'prompts/list', member: 'prompts', key: 'name', own: 3 },
] as const;
type List = (typeof LISTS)[number];

/** One page, or all of them at once where the client walks through them by itself. */
function pageOf({ client }: Agent, { method }: Pick<List, 'method'>, cursor?: string): Promise<Dict> {
  const params = cursor === undefined ? {} : { cursor };
  if (method === 'prompts/list') return client.listPrompts(params);
  return method === 'resources/list' ? client.listResources(params) : client.listResourceTemplates(params);
}

type Ask = (list: List, cursor: string | undefined) => Promise<Dict>;

/** A modern request without a client that knows better. */
const askAlone: Ask = async ({ method }, cursor) => {
  const params = cursor === undefined ? {} : { cursor };
  const { message } = await askModern(`${gateway.url}/mcp`, gateway.agentHeaders, method, params);
  return message.result as Dict;
};

/** The pages of a list, each as the names on it; `between` gets how many have come. */
async function pagesOf(ask: Ask, list: List, between = async (_page: number) => {}): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: unknown;
  do {
    const answer = await ask(list, cursor as string | undefined);
    pages.push((answer[list.member] as Dict[]).map((item) => String(item[list.key])));
    cursor = answer.nextCursor;
    if (cursor !== undefined) await between(pages.length);
  } while (cursor !== undefined);
  return pages;
}

async function everyKind(setup: (agent: Agent) => Promise<void>, path = '/mcp?surface=search'): Promise<void> {
  for (const kind of KINDS) {
    await using agent = await connectAgent(kind, `${gateway.url}${path}`, { headers: gateway.agentHeaders });
    await setup(agent);
  }
}

test('[OFFER-20] long lists come in pages of 200, whole, in one order and without an end that is not one', async () => {
  const expected = new Map<List, string[]>();
  for (const list of LISTS) {
    const pages = await pagesOf(askAlone, list);
    const total = 2 * COUNT + list.own;
    const lengths = pages.map(({ length }) => length);
    assert.deepEqual([...lengths, new Set(pages.flat()).size], [200, 200, total - 400, total], list.method);
    expected.set(list, pages.flat());
  }
  await everyKind(async (agent) => {
    for (const list of LISTS) {
      const pages = await pagesOf((_, cursor) => pageOf(agent, list, cursor), list);
      assert.equal(pages.length, agent.kind === 'v1' ? 3 : 1);
      assert.deepEqual(pages.flat(), expected.get(list));
    }
    const { tools, nextCursor } = await agent.client.listTools();
    assert.deepEqual([tools.length > 3, nextCursor], [true, undefined]);
  });
});

test('[OFFER-21] a cursor holds while servers come and go: what stays is neither skipped nor doubled', async () => {
  const { admin } = gateway.gateway;
  await using agent = await connectAgent('v1', `${gateway.url}/mcp`, { headers: gateway.agentHeaders });
  for (const ask of [askAlone, (list: List, cursor: string | undefined) => pageOf(agent, list, cursor)]) {
    const pages = await pagesOf(ask, LISTS[0], async (page) => {
      if (page === 1) await admin.run('servers.add', { name: 'more', spec: servers.more ?? {} });
      else if (page === 2) await admin.run('servers.remove', { name: 'more' });
    });
    const staying = pages.flat().filter((uri) => !uri.startsWith('more://'));
    assert.equal(staying.length, 2 * COUNT + 3);
    assert.equal(new Set(pages.flat()).size, pages.flat().length);
    assert.ok(pages.flat().length > staying.length, 'the other one was there for a page');
  }
});

test('[OFFER-22] a bad cursor is refused as invalid parameters on every list, in each era, at every door but the plain one', async () => {
  const good = String((await askAlone(LISTS[2], undefined)).nextCursor);
  const isRefused = (error: { code?: number; message: string }) =>
    error.code === -32602 && /cursor/.test(error.message);
  for (const path of ['/mcp?surface=search', '/mcp?surface=direct', '/servers/left/mcp'])
    await everyKind(async (agent) => {
      for (const cursor of ['', '200', 'bad cursor', `${good}x`]) {
        for (const list of LISTS)
          await assert.rejects(pageOf(agent, list, cursor), isRefused, `${path} ${list.method}`);
        await assert.rejects(agent.client.listTools({ cursor }), isRefused, `${path} ${agent.kind} tools/list`);
      }
      await assert.rejects(pageOf(agent, LISTS[0], good), isRefused, 'that of another list');
      await assert.rejects(agent.client.listTools({ cursor: good }), isRefused);
    }, path);
  const { ownerHeaders } = gateway;
  const atOwners = await askModern(`${gateway.url}/g/mcp`, ownerHeaders, 'tools/list', { cursor: good });
  assert.equal(atOwners.message.error?.code, -32602);
  const { message } = await askModern(
    `${gateway.url}/servers/left/mcp?names=plain`,
    gateway.agentHeaders,
    'resources/list',
    { cursor: 'anything' },
  );
  assert.equal(((message.result as Dict).resources as unknown[]).length, COUNT);
});

test('[OFFER-23] a long index of tools comes in pages, each naming the next; a bad cursor in it is told', async () => {
  await everyKind(async ({ client }) => {
    const keys: string[] = [];
    let uri: string | undefined = 'toolcrib://tools';
    while (uri !== undefined) {
      const { contents } = await client.readResource({ uri });
      const { text } = contents[0] as { text: string };
      assert.ok(Buffer.byteLength(text) <= 20_000);
      const index = JSON.parse(text) as { toolCount: number; tools: Dict; next?: string };
      assert.equal(index.toolCount, 600);
      keys.push(...Object.keys(index.tools));
      uri = index.next;
    }
    assert.deepEqual([keys.length, new Set(keys).size], [600, 600]);
    await assert.rejects(
      client.readResource({ uri: 'toolcrib://tools?cursor=2' }),
      (error: { code?: number; message: string }) => error.code === -32602 && /cursor/.test(error.message),
    );
  });
});

test('[OFFER-24] an answer of ours that is too large is stored, and its beginning says where', async () => {
  await everyKind(async ({ client }) => {
    const { contents } = await client.readResource({ uri: 'toolcrib://server/left' });
    const { text, mimeType } = contents[0] as { text: string; mimeType: string };
    assert.equal(mimeType, 'text/plain');
    assert.ok(Buffer.byteLength(text) <= 20_000);
    const [address] = /toolcrib:\/\/result\/[A-Za-z0-9_-]{22}/.exec(text) ?? [];
    const found = await client.readResource({ uri: `${address}?path=$.toolCount` });
    assert.match((found.contents[0] as { text: string }).text, /300/);
  });
});

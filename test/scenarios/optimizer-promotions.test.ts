/** Promoted descriptions in effect: at every door in both eras, after restarts, while the server changes, and in real use. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Audience } from '../kit/audience.ts';
import { baseTool, ChangingServer, harmlessChanges } from '../kit/changing-server.ts';
import { openTestGateway, type TestGateway, type TestGatewayOptions } from '../kit/gateway.ts';
import { askModern, RawSession } from '../kit/hand-made.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { hostServers } from '../kit/planned-servers.ts';
import { eventually } from '../kit/processes.ts';

type Dict = Record<string, unknown>;

const own = 'Reads notes from a folder.';
const better = 'Opens jotted memos.';
const example = 'read_notes({ "path": "memos/today" })';
const desk = { server: 'desk', tool: 'read_notes' };

function open(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const respond = { content: [{ type: 'text', text: 'notes' }], structuredContent: { notes: 'notes' } };
  const tools = [
    { ...baseTool, respond },
    { name: 'mutate', runAs: 'mutate', inputSchema: { type: 'object' } },
  ];
  const { servers } = hostServers({ desk: { tools, entry: { aliases: { peek: 'read_notes' } } } });
  return openTestGateway({ servers, config: { optimize: { enabled: true } }, ...options });
}

function ownerOf({ url, ownerHeaders }: TestGateway): ModernAgent {
  return new ModernAgent({ url, agentHeaders: ownerHeaders }, '/gateway/mcp');
}

async function promote(gateway: TestGateway): Promise<void> {
  const owner = ownerOf(gateway);
  const proposed = await owner.call('propose_candidate', { ...desk, description: better, example });
  const { candidateId } = proposed.result.structuredContent as Dict;
  const promoted = await owner.call('promote_candidate', { ...desk, candidateId, force: true, why: 'A scenario.' });
  assert.equal((promoted.result.structuredContent as Dict).promoted, true, promoted.text);
}

const revert = (gateway: TestGateway) => ownerOf(gateway).say('revert_optimization', desk);

interface Look {
  readonly door: string;
  readonly method: string;
  readonly params: Dict;
}

const called = (name: string, args: Dict): Look => {
  return { door: '/mcp?surface=full', method: 'tools/call', params: { name, arguments: args } };
};
const read = (path: string): Look => {
  return { door: '/mcp', method: 'resources/read', params: { uri: `toolcrib://${path}` } };
};
const chain = (code: string) => called('call_tool_chain', { code });

/** Where agents read one description of the tool. */
const looks: readonly Look[] = [
  { door: '/mcp?surface=direct', method: 'tools/list', params: {} },
  { door: '/servers/desk/mcp', method: 'tools/list', params: {} },
  called('tool_discovery', { query: 'read_notes' }),
  called('tool_discovery', { query: 'read_notes', detailLevel: 'full' }),
  called('search_tools', { query: 'read_notes' }),
  called('recommend_tools', { task: 'read_notes' }),
  called('tool_info', { toolKey: 'desk:read_notes' }),
  called('tool_info', { toolKey: 'desk:peek' }),
  called('get_tool_schema', { server: 'desk', tool: 'read_notes' }),
  called('list_tools_meta', {}),
  called('list_tools', {}),
  chain(`return await search('read_notes')`),
  chain(`return await info('desk:read_notes', { detail: 'brief' })`),
  chain(`return await types('desk')`),
  read('server/desk/tools'),
  read('server/desk/types'),
  read('tools'),
];

/** Where details show the server's own text beside it. */
const details: readonly Look[] = [
  called('tool_info', { toolKey: 'desk:read_notes', detail: 'full' }),
  read('tool/desk/read_notes'),
];

/** Where everything is as the server has it. */
const plain: Look = { door: '/servers/desk/mcp?names=plain', method: 'tools/list', params: {} };

async function answerTo(
  era: 'modern' | 'legacy',
  { url, agentHeaders }: TestGateway,
  { door, method, params }: Look,
): Promise<Dict> {
  const at = `${url}${door}`;
  const { message } =
    era === 'modern'
      ? await askModern(at, agentHeaders, method, params)
      : await (await RawSession.open(at, agentHeaders)).request(method, params);
  assert.ok(message.result, JSON.stringify(message));
  return message.result as Dict;
}

/** Which of the two texts an answer holds. */
async function textsIn(era: 'modern' | 'legacy', gateway: TestGateway, look: Look): Promise<string> {
  const answer = JSON.stringify(await answerTo(era, gateway, look));
  return [own, better].filter((text) => answer.includes(text)).join(' | ');
}

const listedTool = (answer: Dict, name: string) => (answer.tools as Dict[]).find((tool) => tool.name === name);
const direct = looks[0] as Look;

for (const era of ['modern', 'legacy'] as const) {
  test(`[OPT-41] a promoted description is read at every door, and the own one after it is reverted (${era})`, async () => {
    await using gateway = await open();
    const checkAll = async (read: string, detailed: string) => {
      for (const look of looks) assert.equal(await textsIn(era, gateway, look), read, JSON.stringify(look));
      for (const look of details) assert.equal(await textsIn(era, gateway, look), detailed, JSON.stringify(look));
      assert.equal(await textsIn(era, gateway, plain), own);
    };
    await checkAll(own, own);
    const before = JSON.stringify(listedTool(await answerTo(era, gateway, direct), 'desk.read_notes'));
    await promote(gateway);
    await checkAll(better, `${own} | ${better}`);
    const after = await answerTo(era, gateway, direct);
    const promoted = JSON.stringify(listedTool(after, 'desk.read_notes'));
    assert.equal(promoted.replace(better, baseTool.description), before, 'nothing else differs, to the byte');
    assert.equal(listedTool(after, 'desk.peek')?.description, better);
    const canonical = await ownerOf(gateway).call('get_canonical_tools', { server: 'desk' });
    assert.ok(canonical.text.includes(own) && !canonical.text.includes(better), canonical.text);
    for (const look of [details[0], looks[3]] as const)
      assert.ok(JSON.stringify(await answerTo(era, gateway, look as Look)).includes('memos/today'));
    await revert(gateway);
    await checkAll(own, own);
  });
}

test('[OPT-42] promoting and reverting are each told once, and not at the plain door', async () => {
  await using gateway = await open();
  const [server, plainDoor] = ['/servers/desk/mcp', plain.door];
  const doors = { '/mcp?surface=search': [], '/mcp?surface=direct': [], [server]: [], [plainDoor]: [] };
  await using audience = await Audience.gather(gateway, doors);
  const told = { tools: 1, resources: 1 };
  const heard = { '/mcp?surface=search': told, '/mcp?surface=direct': told, [server]: { tools: 1 } };
  await audience.hears('promoted', () => promote(gateway), heard);
  await audience.hears('reverted', () => revert(gateway), heard);
});

test('[OPT-43] a promotion survives restarts, and is out of sight while the optimizer is off', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-promoted-'));
  try {
    const shown = async (config: Dict) => {
      await using gateway = await open({ dataDir, config });
      return await textsIn('modern', gateway, direct);
    };
    {
      await using gateway = await open({ dataDir });
      await promote(gateway);
    }
    assert.equal(await shown({ optimize: { enabled: true } }), better);
    assert.equal(await shown({}), own);
    assert.equal(await shown({ optimize: { enabled: true } }), better);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});

test('[OPT-44] a promotion is suspended while its tool reads differently, and a new icon does not suspend it', async () => {
  await using gateway = await open();
  const server = new ChangingServer(gateway, 'desk');
  await server.refresh();
  await promote(gateway);
  const shown = async () => (await server.listed('read_notes'))?.description;
  const icons = [{ src: 'data:image/png;base64,iVBORw0KGgo=', mimeType: 'image/png' }];
  await server.patch('read_notes', { icons });
  assert.deepEqual([await server.waiting(), await shown()], [{}, better]);
  for (const field of ['description', 'input schema'] as const) {
    const changed = { ...baseTool, ...harmlessChanges[field] };
    await server.patch('read_notes', changed);
    assert.equal(await shown(), changed.description, field);
    await server.patch('read_notes', { ...baseTool });
    assert.equal(await shown(), better, field);
  }
  // A change that waits for the owner suspends it too: what is shown is what was approved.
  await server.patch('read_notes', { description: 'Deletes notes from a folder.' });
  assert.deepEqual([await server.waiting(), await shown()], [{ read_notes: 'changed' }, baseTool.description]);
  const { records: events } = await gateway.gateway.admin.run('audit.list', { server: 'desk', limit: 200 });
  const acts = events.map(({ action }) => action).filter((action) => action.startsWith('description.'));
  const twice = ['description.suspended', 'description.resumed'];
  assert.deepEqual(acts.reverse(), ['description.promoted', ...twice, ...twice, 'description.suspended']);
});

test('[OPT-45] approvals go by the definition of the server, whatever is promoted', async () => {
  await using gateway = await open();
  const server = new ChangingServer(gateway, 'desk');
  const fingerprint = async () => {
    const { text } = await new ModernAgent(gateway, '/mcp?surface=full').call('tool_info', {
      toolKey: 'desk:read_notes',
      detail: 'full',
    });
    return (JSON.parse(text) as Dict).fingerprint;
  };
  await server.refresh();
  const before = await fingerprint();
  await promote(gateway);
  assert.equal(await fingerprint(), before);
  await server.refresh();
  assert.deepEqual(await server.waiting(), {});
  assert.equal((await server.call('read_notes', { path: 'x' })).isError, false);
});

test('[OPT-46] a promotion after which agents fail is taken back by itself, with the figures in the audit', async () => {
  await using gateway = await open();
  const server = new ChangingServer(gateway, 'desk');
  await server.refresh();
  for (let at = 0; at < 12; at += 1) assert.equal((await server.call('read_notes', { path: 'x' })).isError, false);
  await promote(gateway);
  for (let at = 0; at < 10; at += 1) assert.equal((await server.call('read_notes', { path: { at } })).isError, true);
  await eventually('the own description is back', async () => {
    const tool = await server.listed('read_notes');
    return tool?.description === baseTool.description || undefined;
  });
  const { records: events } = await gateway.gateway.admin.run('audit.list', { server: 'desk', limit: 200 });
  const reverted = events.find(({ action }) => action === 'description.reverted');
  assert.equal(reverted?.principal.name, 'gateway');
  const { why, before, after } = (reverted?.detail ?? {}) as Dict;
  assert.deepEqual(
    { why, before, after },
    {
      why: 'live success',
      before: { calls: 12, ok: 12, followed: 0, confused: 0 },
      after: { calls: 10, ok: 0, followed: 0, confused: 0 },
    },
  );
});

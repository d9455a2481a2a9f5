/** The contents of each door: surfaces, meta-tools, names, one server alone, and the owner's tools. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connectAgent, KINDS } from '../kit/agents.ts';
import { openListedGateway, openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { askModern } from '../kit/hand-made.ts';
import { onSearch } from '../kit/own-tools.ts';
import { serverCommand } from '../servers/launch.ts';
import type { Dict } from '../servers/rpc.ts';

const LONG = 'a_tool_with_a_name_that_is_much_longer_than_what_most_models_accept_as_a_name';
const FILES = [
  { name: 'read_file', description: 'Reads a file from disk. Slowly.', inputSchema: schemaOf('path', 'encoding?') },
  { name: 'write_file', description: 'Writes text to a file.', inputSchema: schemaOf('path', 'text') },
  { name: 'status', description: 'Says how the disk is.' },
  { name: `${LONG}_1`, description: 'The first with a long name.' },
  { name: `${LONG}_2`, description: 'The second with a long name.' },
];
const MAIL = [
  {
    name: 'send_mail',
    description: 'Sends an e-mail.',
    inputSchema: schemaOf('to', 'body'),
    annotations: { title: 'Send' },
  },
  { name: 'status', description: 'Says how the mailbox is.' },
];
const SHARED = [{ uri: 'shared://note', name: 'note', text: 'from ' }];

function schemaOf(...parameters: string[]): Dict {
  const names = parameters.map((parameter) => parameter.replace('?', ''));
  const required = parameters.filter((parameter) => !parameter.endsWith('?'));
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])), required };
}

function servers(): Record<string, unknown> {
  const note = (name: string) => SHARED.map((resource) => ({ ...resource, text: `from ${name}` }));
  return {
    files: serverCommand({ name: 'files', tools: FILES, resources: note('files') }),
    mail: serverCommand({ name: 'mail', tools: MAIL, resources: note('mail') }),
  };
}

let gateway: TestGateway;
before(async () => {
  gateway = await openListedGateway({ servers: servers() });
});
after(() => gateway.close());

interface CallResult extends Dict {
  readonly content: { readonly text: string }[];
  readonly structuredContent: Dict;
}

/** A request at a door of a gateway, by hand; the agent's by default. */
async function ask(
  path: string,
  method: string,
  params: Dict = {},
  { url, agentHeaders: headers }: { url: string; agentHeaders: Record<string, string> } = gateway,
): Promise<Dict> {
  const { message } = await askModern(`${url}${path}`, headers, method, params);
  assert.ok(message.result, JSON.stringify(message));
  return message.result as Dict;
}

async function call(
  path: string,
  name: string,
  args: Dict = {},
  at = gateway as Parameters<typeof ask>[3],
): Promise<CallResult> {
  return (await ask(path, 'tools/call', { name, arguments: args }, at)) as CallResult;
}

async function namesAt(path: string, at = gateway as Parameters<typeof ask>[3]): Promise<string[]> {
  const { tools } = await ask(path, 'tools/list', {}, at);
  return (tools as { name: string }[]).map(({ name }) => name);
}

test('[DOOR-20] surface=search shows the meta-tools, surface=direct every tool under its public name', async () => {
  assert.deepEqual(await namesAt('/mcp?surface=search'), onSearch);
  const direct = await namesAt('/mcp?surface=direct');
  assert.equal(direct.length, FILES.length + MAIL.length);
  const short = direct.filter((name) => !name.includes(LONG.slice(0, 30)));
  assert.deepEqual(short, ['files.read_file', 'files.status', 'files.write_file', 'mail.send_mail', 'mail.status']);
  const { tools } = await ask('/mcp?surface=search', 'tools/list');
  const [discovery] = tools as { description: string }[];
  assert.match(discovery?.description ?? '', /^Search 7 tools on 2 servers: /);
});

test('[DOOR-21] a list is the same for every connection of a principal, in every era and at every time', async () => {
  for (const surface of ['search', 'direct', 'code', 'full']) {
    const lists = await Promise.all(
      KINDS.map(async (kind) => {
        const url = `${gateway.url}/mcp?surface=${surface}`;
        await using agent = await connectAgent(kind, url, { headers: gateway.agentHeaders });
        const { tools: before } = await agent.client.listTools();
        await agent.call('tool_discovery', { query: 'send an e-mail' });
        assert.deepEqual((await agent.client.listTools()).tools, before);
        return before.map(({ name }) => name);
      }),
    );
    for (const list of lists) assert.deepEqual(list, await namesAt(`/mcp?surface=${surface}`));
  }
});

test('[DOOR-22] auto is direct while the whole catalog is small, and search beyond', async () => {
  assert.deepEqual(await namesAt('/mcp'), await namesAt('/mcp?surface=direct'));
  assert.deepEqual(await namesAt('/mcp?surface=auto'), await namesAt('/mcp'));
  await using large = await openTestGateway({ servers: { big: serverCommand({ name: 'big', toolCount: 80 }) } });
  assert.deepEqual(await namesAt('/mcp', large), onSearch);
  assert.equal((await namesAt('/mcp?surface=direct', large)).length, 80);
});

test('[DOOR-23] tool_discovery answers in three levels of detail, as compact text and as data', async () => {
  const find = async (args: Dict) => {
    const result = await call('/mcp?surface=search', 'tool_discovery', args);
    assert.equal(result.content[0]?.text, JSON.stringify(result.structuredContent));
    return result.structuredContent as { tools: Dict[]; metadata: Dict };
  };
  const names = { toolKey: 'files:read_file', toolName: 'read_file', serverName: 'files' };
  const minimal = await find({ query: 'read a file', detailLevel: 'minimal', maxResults: 1 });
  assert.deepEqual(minimal.tools, [names]);
  const asked = { query: ['read a file'], detailLevel: 'minimal', resultCount: 1, mode: 'hybrid' };
  assert.deepEqual(minimal.metadata, asked);
  const { tools: summary } = await find({ query: ['read a file'], maxResults: 1 });
  const { relevance, ...rest } = summary[0] ?? {};
  assert.deepEqual(rest, { ...names, description: 'Reads a file from disk.', parameters: 'path, encoding?' });
  assert.ok(typeof relevance === 'number' && relevance > 0 && relevance <= 1);
  const { tools: full } = await find({ query: 'send an e-mail', detailLevel: 'full', server: 'mail', maxResults: 1 });
  assert.equal(full[0]?.toolKey, 'mail:send_mail');
  assert.deepEqual([full[0]?.inputSchema, full[0]?.annotations], [MAIL[0]?.inputSchema, MAIL[0]?.annotations]);
  assert.ok(full[0]?.explanation);
  const wrong = await call('/mcp?surface=search', 'tool_discovery', { query: 'x', detailLevel: 'all' });
  assert.deepEqual([wrong.isError, wrong.structuredContent.errorType], [true, 'ARGUMENTS_INVALID']);
});

test("[DOOR-24] tool_execute gives the tool's own result, and says what to do when there is none", async () => {
  const run = (args: Dict) => call('/mcp?surface=search', 'tool_execute', args);
  const args = { path: '/tmp/a' };
  const own = await call('/servers/files/mcp?names=plain', 'read_file', args);
  assert.deepEqual(await run({ toolKey: 'files:read_file', arguments: args }), own);
  assert.deepEqual(await run({ server: 'files', tool: 'read_file', arguments: args }), own);
  const typo = await run({ toolKey: 'files:raed_file' });
  assert.equal(typo.isError, true);
  assert.equal(typo.structuredContent.errorType, 'TOOL_NOT_FOUND');
  assert.equal((typo.structuredContent.suggestedTools as string[])[0], 'files:read_file');
  assert.match(typo.content[0]?.text ?? '', /^There is no tool "raed_file".*\nRECOVERY: .*\nSTEPS:\n1\. /);
  const missing = await run({ toolKey: 'files:read_file', arguments: { pth: 'x' } });
  assert.equal(missing.structuredContent.errorType, 'ARGUMENTS_INVALID');
  assert.match(missing.content[0]?.text ?? '', /"path" is missing/);
  assert.equal((await run({ toolKey: 'nobody:x' })).structuredContent.errorType, 'SERVER_NOT_FOUND');
  assert.equal((await run({})).structuredContent.errorType, 'TOOLKEY_INVALID');
});

test('[DOOR-25] tool_capabilities counts truly, by category and by server', async () => {
  const { structuredContent: all } = await call('/mcp', 'tool_capabilities');
  assert.equal(all.totalTools, FILES.length + MAIL.length);
  const categories = all.categories as { name: string; description: string; toolCount: number; examples: string[] }[];
  assert.equal(
    categories.reduce((sum, { toolCount }) => sum + toolCount, 0),
    all.totalTools,
  );
  for (const { description, examples, toolCount } of categories)
    assert.ok(description !== '' && examples.length === Math.min(3, toolCount));
  const listed = (all.servers as Dict[]).map(({ serverId, toolCount, status }) => [serverId, toolCount, status]);
  assert.deepEqual(listed, [
    ['files', FILES.length, 'connected'],
    ['mail', MAIL.length, 'connected'],
  ]);
  const { structuredContent: one } = await call('/mcp', 'tool_capabilities', { server: 'mail' });
  assert.equal(one.totalTools, MAIL.length);
});

test('[DOOR-26] tool_info describes a tool briefly or with its whole definition', async () => {
  const brief = await call('/mcp', 'tool_info', { toolKey: 'files:read_file' });
  const head = { toolKey: 'files:read_file', toolName: 'read_file', serverName: 'files' };
  assert.deepEqual(brief.structuredContent, {
    ...head,
    description: 'Reads a file from disk.',
    parameters: 'path, encoding?',
  });
  const { structuredContent: full } = await call('/mcp', 'tool_info', { toolKey: 'files:read_file', detail: 'full' });
  assert.deepEqual(full.definition, FILES[0]);
});

test('[DOOR-27] a tool that a surface does not list is still answered when it is called', async () => {
  const viaDirect = await call('/mcp?surface=direct', 'tool_info', { toolKey: 'mail:status' });
  assert.equal(viaDirect.structuredContent.toolName, 'status');
  const viaSearch = await call('/mcp?surface=search', 'mail.status');
  assert.equal(JSON.parse(viaSearch.content[0]?.text ?? '').server, 'mail');
});

test('[DOOR-28] the door of one server shows its tools under public or plain names', async () => {
  for (const path of ['/servers/mail/mcp', '/s/mail/mcp']) {
    assert.deepEqual(await namesAt(path), ['mail.send_mail', 'mail.status']);
    assert.deepEqual(await namesAt(`${path}?names=plain`), ['send_mail', 'status']);
    for (const [door, name] of [
      [path, 'mail.status'],
      [`${path}?names=plain`, 'status'],
    ] as const)
      assert.equal(JSON.parse((await call(door, name)).content[0]?.text ?? '').server, 'mail');
  }
  const { tools } = await ask('/servers/mail/mcp', 'tools/list');
  assert.deepEqual((tools as Dict[])[0], { ...MAIL[0], name: 'mail.send_mail' }, 'nothing but the name differs');
});

test('[DOOR-29] equal names of two servers lead each to its own', async () => {
  for (const server of ['files', 'mail']) {
    const said = JSON.parse((await call('/mcp', `${server}.status`)).content[0]?.text ?? '');
    assert.deepEqual(said, { server, tool: 'status', arguments: {} });
  }
  const bare = await call('/mcp', 'tool_execute', { toolKey: 'status' });
  assert.deepEqual(bare.structuredContent.suggestedTools, ['files:status', 'mail:status']);
  const { prompts } = await ask('/mcp', 'prompts/list');
  const greetings = (prompts as { name: string }[]).map(({ name }) => name).filter((name) => name.endsWith('greeting'));
  assert.deepEqual(greetings, ['files.greeting', 'mail.greeting']);
  const { resources } = await ask('/mcp', 'resources/list');
  const notes = (resources as { uri: string; name: string }[]).filter(({ name }) => name === 'note');
  const texts = notes.map(async ({ uri }) => {
    const { contents } = await ask('/mcp', 'resources/read', { uri });
    return (contents as { text: string }[])[0]?.text;
  });
  assert.deepEqual(await Promise.all(texts), ['from files', 'from mail']);
});

test('[DOOR-30] a name over 64 characters is shortened in the same way every time, and still leads to its tool', async () => {
  const isLong = (name: string) => name.includes(LONG.slice(0, 30));
  const names = (await namesAt('/mcp?surface=direct')).filter(isLong);
  assert.equal(new Set(names).size, 2);
  for (const name of names) assert.match(name, /^files\.[A-Za-z0-9_]{1,58}$/);
  const said = await Promise.all(names.map((name) => call('/mcp', name)));
  const tools = said.map(({ content }) => JSON.parse(content[0]?.text ?? '').tool);
  assert.deepEqual(tools, [`${LONG}_1`, `${LONG}_2`]);
  await using second = await openTestGateway({ servers: servers() });
  assert.deepEqual((await namesAt('/mcp?surface=direct', second)).filter(isLong), names);
  assert.deepEqual((await namesAt('/servers/files/mcp')).filter(isLong), names, 'and at every door');
});

test('[DOOR-31] names.separator is what stands between server and tool', async () => {
  await using own = await openTestGateway({ servers: servers(), config: { names: { separator: '__' } } });
  const names = await namesAt('/mcp?surface=direct', own);
  assert.ok(names.includes('mail__status'));
  for (const name of names) assert.match(name, /^[A-Za-z0-9_-]{1,64}$/);
  assert.equal(JSON.parse((await call('/mcp', 'mail__status', {}, own)).content[0]?.text ?? '').server, 'mail');
  const viaKey = await call('/mcp', 'tool_execute', { toolKey: 'mail__status' }, own);
  assert.equal(JSON.parse(viaKey.content[0]?.text ?? '').server, 'mail');
});

test('[DOOR-32] the owner adds, lists, refreshes and removes servers at a door of its own', async () => {
  await using own = await openTestGateway({ servers: { mail: serverCommand({ name: 'mail', tools: MAIL }) } });
  const owner = { url: own.url, agentHeaders: own.ownerHeaders };
  const manage = async (name: string, args: Dict = {}) => (await call('/g/mcp', name, args, owner)).structuredContent;
  assert.deepEqual(await manage('add_server', { name: 'files', ...serverCommand({ name: 'files', tools: FILES }) }), {
    name: 'files',
    state: 'connected',
    toolCount: FILES.length,
    tools: FILES.map(({ name }) => name).toSorted(),
  });
  assert.ok((await namesAt('/mcp', own)).includes('files.read_file'), 'agents have it at once');
  const { servers: listed } = (await manage('list_servers')) as { servers: Dict[] };
  assert.deepEqual(
    listed.map(({ name, state, transport, era, toolCount, lastError }) => [
      name,
      state,
      transport,
      era,
      toolCount,
      lastError,
    ]),
    [
      ['files', 'connected', 'stdio', 'legacy', FILES.length, null],
      ['mail', 'connected', 'stdio', 'legacy', MAIL.length, null],
    ],
  );
  const { added, updated, removed, unchanged } = await manage('refresh_server', { name: 'files' });
  assert.deepEqual([added, updated, removed, unchanged], [0, 0, 0, FILES.length]);
  assert.equal((await manage('add_server', { name: 'files', command: 'true' })).errorType, 'NAME_TAKEN');
  assert.equal((await manage('remove_server', { name: 'mail' })).errorType, 'USAGE', 'it belongs to the file');
  await manage('remove_server', { name: 'files' });
  assert.deepEqual(await namesAt('/mcp', own), ['mail.send_mail', 'mail.status']);
  assert.equal((await askModern(`${own.url}/s/files/mcp`, own.agentHeaders, 'tools/list')).status, 404);
  const broken = await manage('add_server', { name: 'broken', command: 'no-such-command-anywhere' });
  assert.deepEqual([broken.state, broken.toolCount], ['failed', 0]);
  assert.match(String(broken.lastError), /no-such-command-anywhere/);
});

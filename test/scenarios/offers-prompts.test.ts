/** The gateway's own prompts and the completion of arguments, used by the real clients of both eras. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Agent, connectAgent, KINDS, type Kind } from '../kit/agents.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { hostServers } from '../kit/planned-servers.ts';
import type { Dict } from '../servers/rpc.ts';

const TEXT = { type: 'object', properties: { text: { type: 'string' } } };

const { servers } = hostServers({
  mail: {
    tools: [
      { name: 'send_mail', description: 'Sends an e-mail to somebody. At once.', inputSchema: TEXT, runAs: 'echo' },
      { name: 'mail_rules', description: 'Lists the rules of a mailbox.', runAs: 'echo', inputSchema: TEXT },
      { name: 'big_mail', description: 'Gives a large mail.', runAs: 'echo', inputSchema: TEXT },
      { name: 'drop_mails', description: 'Deletes every mail.' },
    ],
    resources: [{ uri: 'mail://inbox', name: 'inbox', text: '2 mails' }],
    templates: [{ uriTemplate: 'mail://box/{name}', name: 'box', values: ['drafts', 'sent'] }],
    prompts: [{ name: 'reply', arguments: [{ name: 'tone', values: ['kind', 'keen', 'stern'] }] }],
    entry: { permissions: { drop_mails: 'deny' } },
  },
  mapper: {
    tools: [
      { name: 'send_map', description: 'Sends a map of a place.' },
      { name: 'find_way', description: 'Finds the way between two places.' },
    ],
    resources: [{ uri: 'map://world', name: 'world', text: 'round' }],
    templates: [],
    prompts: [],
    entry: { projects: ['travel'] },
  },
});

let gateway: TestGateway;
before(async () => {
  gateway = await openTestGateway({ servers });
  const agent = new ModernAgent(gateway, '/mcp?surface=search');
  for (const [toolKey, times] of [
    ['mail:send_mail', 12],
    ['mail:mail_rules', 2],
  ] as const)
    for (let time = 0; time < times; time += 1) await agent.say('tool_execute', { toolKey, arguments: { text: 'x' } });
});
after(() => gateway.close());

async function everyKind(setup: (agent: Agent) => Promise<void>, path = '/mcp?surface=search'): Promise<void> {
  for (const kind of KINDS) {
    await using agent = await connectAgent(kind, `${gateway.url}${path}`, { headers: gateway.agentHeaders });
    await setup(agent);
  }
}

interface Content extends Dict {
  readonly text?: string;
  readonly resource?: { readonly uri: string; readonly mimeType: string; readonly text: string };
  readonly annotations?: { readonly priority?: number };
}

/** The contents of a prompt's messages, which are all the user's. */
async function prompt({ client }: Agent, name: string, args?: Record<string, string>): Promise<Content[]> {
  const { messages } = await client.getPrompt({ name, ...(args && { arguments: args }) });
  assert.ok(messages.length > 0 && messages.every(({ role }) => role === 'user'));
  return messages.map(({ content }) => content as unknown as Content);
}

test('[OFFER-10] the own prompts are listed before those of servers, with their arguments', async () => {
  await everyKind(async ({ client }) => {
    const { prompts } = await client.listPrompts();
    assert.deepEqual(
      prompts.map(({ name }) => name),
      ['discover', 'find_tool', 'server_status', 'mail.reply'],
    );
    const taken = prompts.slice(0, 3).map(({ arguments: list }) => list?.map(({ name, required }) => [name, required]));
    assert.deepEqual(taken, [undefined, [['task', true]], [['server', false]]]);
  });
});

test('[OFFER-11] discover says how to work with the gateway on the surface that the agent has', async () => {
  for (const [surface, pattern] of [
    ['search', /tool_execute/],
    ['code', /call_tool_chain/],
    ['direct', /your list of tools/],
  ] as const)
    await everyKind(async (agent) => {
      const [content] = await prompt(agent, 'discover');
      assert.match(content?.text ?? '', /5 tools on 2 servers: /);
      assert.match(content?.text ?? '', pattern);
    }, `/mcp?surface=${surface}`);
});

test('[OFFER-12] find_tool gives what fits a task, with the definition of the best match embedded', async () => {
  for (const [surface, calling] of [
    ['search', /tool_execute \{"toolKey":"mail:send_mail"/],
    ['code', /await call\("mail:send_mail", /],
    ['direct', /"mail\.send_mail"/],
  ] as const)
    await everyKind(async (agent) => {
      const [found, best] = await prompt(agent, 'find_tool', { task: 'send an e-mail to a friend' });
      assert.match(found?.text ?? '', /^Task: send an e-mail to a friend\n/);
      assert.match(found?.text ?? '', calling);
      assert.ok(!found?.text?.includes('drop_mails'));
      assert.match(found?.text ?? '', /\n- mail:send_mail: Sends an e-mail to somebody\. .*\(takes text\?\)/);
      assert.ok(!found?.text?.includes('mapper:find_way'), 'what does not fit at all is not passed off as fitting');
      assert.equal(best?.type, 'resource');
      assert.deepEqual(
        [best?.resource?.uri, best?.resource?.mimeType],
        ['toolcrib://tool/mail/send_mail', 'application/json'],
      );
      const { definition } = JSON.parse(best?.resource?.text ?? '') as { definition: Dict };
      assert.deepEqual(definition.inputSchema, TEXT);
      assert.equal(best?.annotations?.priority, 0.7);
    }, `/mcp?surface=${surface}`);
  await everyKind(async (agent) => {
    const contents = await prompt(agent, 'find_tool', { task: 'photosynthesis of purple algae' });
    assert.equal(contents.length, 1);
    assert.match(contents[0]?.text ?? '', /No tool here seems to do this; other words may help\./);
    assert.ok(!/[{}"]/.test(contents[0]?.text ?? ''), 'it is in words');
    const page = await prompt(agent, 'find_tool', { task: 'send mail '.repeat(10_000) });
    assert.ok((page[0]?.text?.length ?? 0) < 5_000, 'a page that was pasted does not come back whole');
  });
});

test('[OFFER-13] server_status tells state, counts and latency of all servers or of one', async () => {
  const statusOf = async (agent: Agent, args?: Record<string, string>) => {
    const [content] = await prompt(agent, 'server_status', args);
    return JSON.parse(content?.text?.split('\n').at(-1) ?? '') as { lastDays: number; servers: Dict[] };
  };
  await everyKind(async (agent) => {
    const { servers: rows, lastDays } = await statusOf(agent);
    assert.deepEqual([rows.map(({ name }) => name), lastDays], [['mail', 'mapper'], 7]);
    const [mail, mapper] = rows as [Dict & { calls: Dict }, Dict & { calls: Dict }];
    assert.deepEqual([mail.toolCount, mail.resourceCount, mail.promptCount], [3, 1, 1]);
    assert.deepEqual([mail.calls.count, mail.calls.successRate], [14, 1]);
    assert.ok(typeof mail.calls.p50Ms === 'number' && Number(mail.calls.p95Ms) >= mail.calls.p50Ms);
    assert.deepEqual(mapper.calls, { count: 0 });
    const one = await statusOf(agent, { server: 'mail' });
    assert.deepEqual(
      one.servers.map(({ name }) => name),
      ['mail'],
    );
    assert.equal((await statusOf(agent, { server: '' })).servers.length, 2);
  });
});

/** A mistake in a prompt, and the words that must say so. */
const MISTAKES: readonly (readonly [string, unknown, RegExp])[] = [
  ['find_tool', undefined, /"find_tool" are not right: "task" is missing\./],
  ['find_tool', {}, /"task" is missing/],
  ['find_tool', { task: '  ' }, /"task" is empty/],
  ['find_tool', { task: 5 }, /"task" must be a text/],
  ['find_tool', { taks: 'x' }, /no argument "taks"; it takes task\. Did you mean "task"\?/],
  ['find_tool', { task: 'x', more: 'y' }, /no argument "more"/],
  ['find_tool', ['x'], /must be an object/],
  ['discover', { any: 'x' }, /no argument "any"; it takes none/],
  ['server_status', { server: 'mial' }, /There is no server "mial"\. Did you mean "mail"\?/],
  ['server_status', { server: null }, /"server" must be a text/],
  ['nothing', {}, /There is no prompt "nothing"/],
];

test('[OFFER-14] missing, unknown and wrong arguments of prompts are told as invalid parameters in each era', async () => {
  await everyKind(async (agent) => {
    for (const [name, args, words] of MISTAKES) {
      const failure = await failureOf(agent, 'prompts/get', {
        name,
        ...(args === undefined ? {} : { arguments: args }),
      });
      assert.equal(failure.code, -32602, `${agent.kind} ${name} ${JSON.stringify(args)}`);
      assert.match(failure.message, words);
    }
  });
  await everyKind(async (agent) => {
    const failure = await failureOf(agent, 'prompts/get', { name: 'server_status', arguments: { server: 'mail' } });
    assert.match(failure.message, /There is no server "mail"\.$/);
  }, '/projects/travel/mcp');
});

/** The failure of a request that was sent past the checks that clients make themselves. */
async function failureOf({ client }: Agent, method: string, params: Dict): Promise<{ code: number; message: string }> {
  // Either client checks an answer with a schema of its own kind; this one is of both and takes everything.
  const anything = {
    '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
    safeParse: (data: unknown) => ({ success: true, data }),
  };
  const raw = client as unknown as { request(request: Dict, schema: unknown): Promise<unknown> };
  return raw.request({ method, params }, anything).then(
    (result) => assert.fail(`${method} ${JSON.stringify(params)} gave ${JSON.stringify(result)}`),
    (error) => error as { code: number; message: string },
  );
}

const TOOL = { type: 'ref/resource' as const, uri: 'toolcrib://tool/{server}/{tool}' };

async function completed(
  { client }: Agent,
  ref: typeof TOOL | { type: 'ref/resource'; uri: string } | { type: 'ref/prompt'; name: string },
  name: string,
  value: string,
  given?: Record<string, string>,
): Promise<string[]> {
  const argument = { name, value };
  const { completion } = await client.complete({ ref, argument, ...(given && { context: { arguments: given } }) });
  assert.equal(completion.total, completion.values.length);
  assert.equal(completion.hasMore, false);
  return completion.values;
}

test('[OFFER-15] arguments of templates complete from the live catalog: beginnings first, the most used first', async () => {
  await everyKind(async (agent) => {
    assert.deepEqual(await completed(agent, TOOL, 'server', ''), ['mail', 'mapper']);
    assert.deepEqual(await completed(agent, TOOL, 'server', 'AP'), ['mapper']);
    assert.deepEqual(await completed(agent, TOOL, 'tool', 'mail'), ['mail_rules', 'send_mail', 'big_mail']);
    assert.deepEqual(await completed(agent, TOOL, 'tool', 'send'), ['send_mail', 'send_map']);
    assert.deepEqual(await completed(agent, TOOL, 'tool', 'send', { server: 'mapper' }), ['send_map']);
    assert.deepEqual(await completed(agent, TOOL, 'tool', '', { server: 'nobody' }), []);
    assert.deepEqual(await completed(agent, TOOL, 'tool', 'drop'), []);
    for (const uri of ['toolcrib://server/{name}', 'toolcrib://server/{name}/tools', 'toolcrib://server/{name}/types'])
      assert.deepEqual(await completed(agent, { type: 'ref/resource', uri }, 'name', 'ma'), ['mail', 'mapper']);
  });
  await everyKind(async (agent) => {
    assert.deepEqual(await completed(agent, TOOL, 'server', ''), ['mapper']);
    assert.deepEqual(await completed(agent, TOOL, 'tool', '', { server: 'mail' }), []);
  }, '/projects/travel/mcp');
});

const RESULT = { type: 'ref/resource' as const, uri: 'toolcrib://result/{id}{?part,page,lines,find,path}' };

test('[OFFER-16] ids of large results complete for the one whose they are, and for nobody else', async () => {
  const agent = new ModernAgent(gateway, '/mcp?surface=search');
  const large = { toolKey: 'mail:big_mail', arguments: { text: 'long '.repeat(10_000) } };
  const { result } = await agent.call('tool_execute', large);
  const { id } = ((result as Dict)._meta as Dict)['toolcrib/result'] as { id: string };
  await everyKind(async (one) => {
    assert.deepEqual(await completed(one, RESULT, 'id', id.slice(0, 4)), [id]);
    assert.deepEqual(await completed(one, RESULT, 'page', '1'), []);
  });
  await everyKind(async (one) => {
    assert.deepEqual(await completed(one, RESULT, 'id', id), [id]);
  }, '/servers/mapper/mcp');
  const headers = gateway.ownerHeaders;
  await using other = await connectAgent('v2 modern', `${gateway.url}/mcp`, { headers });
  assert.deepEqual(await completed(other, RESULT, 'id', ''), []);
});

test('[OFFER-17] arguments of prompts complete too, and those of servers are completed by their servers', async () => {
  const ask = (name: string) => ({ type: 'ref/prompt' as const, name });
  await everyKind(async (agent) => {
    assert.deepEqual(await completed(agent, ask('server_status'), 'server', 'm'), ['mail', 'mapper']);
    assert.deepEqual(await completed(agent, ask('find_tool'), 'task', 'sends'), [
      'Sends an e-mail to somebody',
      'Sends a map of a place',
    ]);
    const tones = await agent.client.complete({ ref: ask('mail.reply'), argument: { name: 'tone', value: 'k' } });
    assert.deepEqual(tones.completion.values, ['kind', 'keen']);
    const box = { type: 'ref/resource' as const, uri: 'mail://box/{name}' };
    const boxes = await agent.client.complete({ ref: box, argument: { name: 'name', value: 's' } });
    assert.deepEqual(boxes.completion.values, ['sent']);
  });
});

test("[OFFER-18] an unknown reference or argument is the protocol's error of each era", async () => {
  const resourceCodes: Record<Kind, number> = { v1: -32002, 'v2 legacy': -32602, 'v2 modern': -32602 };
  const argument = { name: 'server', value: '' };
  await everyKind(async (agent) => {
    const codeOf = async (params: Dict) => (await failureOf(agent, 'completion/complete', params)).code;
    for (const uri of ['toolcrib://nothing/{x}', 'toolcrib://overview', 'nobody://{x}'])
      assert.equal(await codeOf({ ref: { type: 'ref/resource', uri }, argument }), resourceCodes[agent.kind]);
    assert.equal(await codeOf({ ref: { type: 'ref/prompt', name: 'nothing' }, argument }), -32602);
    for (const params of [
      { ref: TOOL, argument: { name: 'nothing', value: '' } },
      { ref: TOOL, argument: { name: 'server', value: 5 } },
      { ref: TOOL },
      { ref: { type: 'ref/prompt', name: 'discover' }, argument },
      { argument },
      { ref: { type: 'ref/other', uri: TOOL.uri }, argument },
    ])
      assert.equal(await codeOf(params), -32602, JSON.stringify(params));
  });
});

test("[OFFER-19] a server's resources carry a priority by how much it is used, unless it gave one; unused ones none", async () => {
  await everyKind(async ({ client }) => {
    const { resources } = await client.listResources();
    const priorities = new Map(resources.map(({ uri, annotations }) => [uri, annotations?.priority]));
    assert.deepEqual([priorities.get('mail://inbox'), priorities.get('map://world')], [0.7, undefined]);
    const { resourceTemplates } = await client.listResourceTemplates();
    assert.equal(resourceTemplates.find(({ name }) => name === 'box')?.annotations?.priority, 0.7);
  });
});

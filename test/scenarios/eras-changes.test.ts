/** News of changed lists and resources: each agent of either era hears of a real change once, and of nothing else. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Agent, connectAgent, KINDS } from '../kit/agents.ts';
import { openTestGateway } from '../kit/gateway.ts';
import { askModern, openModernStream, RawSession } from '../kit/hand-made.ts';
import { openServerRow, type RowServer, type ServerRow } from '../kit/server-row.ts';
import { openServer } from '../servers/hosted.ts';
import { serverCommand } from '../servers/launch.ts';
import type { Dict } from '../servers/rpc.ts';

const CHANGED = {
  tools: 'notifications/tools/list_changed',
  prompts: 'notifications/prompts/list_changed',
  resources: 'notifications/resources/list_changed',
} as const;
const UPDATED = 'notifications/resources/updated';
/** Refreshes are spaced out, so that most of the time is spent waiting. */
const ALL_AT_ONCE = { concurrency: true };

let row: ServerRow;
before(async () => {
  row = await openServerRow();
});
after(() => row[Symbol.asyncDispose]());

/** One listening agent of each kind at the door of a server; the last one is modern. */
async function listeners(server: RowServer, uris: readonly string[] = []): Promise<Agent[]> {
  const agents = await Promise.all(KINDS.map((kind) => row.connect(kind, server)));
  for (const agent of agents) await agent.listen(uris);
  return agents;
}

async function everyServer(
  context: { test(name: string, act: () => Promise<void>): Promise<unknown> },
  setup: (agents: Agent[], actor: Agent, server: RowServer) => Promise<void>,
  urisOf: (server: RowServer) => readonly string[] = () => [],
): Promise<void> {
  const scenes = row.servers.map((server) =>
    context.test(server.name, async () => {
      const agents = await listeners(server, urisOf(server));
      // A dual server over stdio runs once for each era; its lists are taken from the modern one.
      const actor = agents.find(({ kind }) => kind === 'v2 modern');
      assert.ok(actor);
      try {
        await setup(agents, actor, server);
      } finally {
        await Promise.all(agents.map((agent) => agent[Symbol.asyncDispose]()));
      }
    }),
  );
  await Promise.all(scenes);
}

/** Changes a list after all that went before and waits until everybody has heard of that: nothing earlier is still on its way. */
async function fence(
  agents: readonly Agent[],
  actor: Agent,
  kind: 'prompts' | 'resources',
  name: string,
): Promise<void> {
  const counts = agents.map((agent) => agent.heard.of(CHANGED[kind]).length);
  await actor.say('mutate', kind === 'prompts' ? { prompt: name } : { resource: name });
  await Promise.all(agents.map((agent, at) => agent.heard.atLeast(CHANGED[kind], (counts[at] ?? 0) + 1)));
}

function countsOf(agents: readonly Agent[], method: string): number[] {
  return agents.map((agent) => agent.heard.of(method).length);
}

test('[ERA-14] a changed list is told to every listening agent exactly once', ALL_AT_ONCE, (context) =>
  everyServer(context, async (agents, actor) => {
    await actor.say('mutate', { add: 'brand_new' });
    await Promise.all(agents.map((agent) => agent.heard.atLeast(CHANGED.tools, 1)));
    for (const { client } of agents) {
      const { tools } = await client.listTools();
      assert.ok(tools.some(({ name }) => name === 'brand_new'));
    }
    assert.equal(await actor.say('brand_new'), 'brand_new ran');
    await fence(agents, actor, 'prompts', 'after');
    await fence(agents, actor, 'resources', 'test://after');
    assert.deepEqual(countsOf(agents, CHANGED.tools), [1, 1, 1]);
    assert.deepEqual(countsOf(agents, CHANGED.prompts), [1, 1, 1]);
    assert.deepEqual(countsOf(agents, CHANGED.resources), [1, 1, 1]);
  }),
);

test('[ERA-15] a server that announces a change without one is not passed on', ALL_AT_ONCE, (context) =>
  everyServer(context, async (agents, actor) => {
    await actor.say('mutate', {});
    await fence(agents, actor, 'prompts', 'real');
    await actor.say('mutate', {});
    await fence(agents, actor, 'resources', 'test://real');
    assert.deepEqual(countsOf(agents, CHANGED.tools), [0, 0, 0]);
  }),
);

test('[ERA-16] an update of a resource is told once to agents of both eras at once', ALL_AT_ONCE, (context) => {
  const live = (server: RowServer) => `test://${server.name}/live`;
  return everyServer(
    context,
    async (agents, actor, server) => {
      await actor.say('touch');
      // A dual server over stdio is two processes, and only that of the modern agent was touched.
      const reached = server.name === 'dual-stdio' ? agents.filter((agent) => agent === actor) : agents;
      await Promise.all(reached.map((agent) => agent.heard.atLeast(UPDATED, 1)));
      await fence(agents, actor, 'prompts', 'done');
      assert.deepEqual(
        reached.map((agent) => agent.heard.of(UPDATED).map(({ uri }) => uri)),
        reached.map(() => [live(server)]),
      );
    },
    (server) => [live(server)],
  );
});

test('[ERA-17] a change is told at the door of all servers, and not at the door of another', async () => {
  const { url, agentHeaders: headers } = row.gateway;
  await using everywhere = await connectAgent('v2 legacy', `${url}/mcp?surface=direct`, { headers });
  await using modern = await connectAgent('v2 modern', `${url}/mcp?surface=direct`, { headers });
  await using other = await connectAgent('v2 modern', `${url}/servers/legacy-http/mcp`, { headers });
  for (const agent of [everywhere, modern, other]) await agent.listen();
  await modern.say('legacy-stdio.mutate', { add: 'elsewhere' });
  await everywhere.heard.atLeast(CHANGED.tools, 1);
  await modern.heard.atLeast(CHANGED.tools, 1);
  await other.say('legacy-http.mutate', { prompt: 'here' });
  await other.heard.atLeast(CHANGED.prompts, 1);
  assert.deepEqual(countsOf([everywhere, modern, other], CHANGED.tools), [1, 1, 0]);
});

test('[ERA-18] a modern agent hears only of the kinds of change it asked for, each tagged with its request', async () => {
  const { url, agentHeaders } = row.gateway;
  const door = `${url}/servers/modern-stdio/mcp?names=plain`;
  const notifications = {
    promptsListChanged: true,
    resourceSubscriptions: ['test://modern-stdio/live', 'test://none'],
  };
  using stream = await openModernStream(door, agentHeaders, 'subscriptions/listen', { notifications });
  const first = await stream.message();
  assert.equal(first.method, 'notifications/subscriptions/acknowledged');
  const ask = (name: string, args: Dict) => askModern(door, agentHeaders, 'tools/call', { name, arguments: args });
  await ask('mutate', { add: 'not_wanted' });
  await ask('touch', {});
  await ask('mutate', { prompt: 'wanted' });
  const heard = [await stream.message(), await stream.message()];
  assert.deepEqual(
    heard.map(({ method }) => method),
    [UPDATED, CHANGED.prompts],
  );
  for (const { params } of [first, ...heard])
    assert.deepEqual(params?._meta, { 'io.modelcontextprotocol/subscriptionId': 'raw-stream' });
});

for (const transport of ['stdio', 'http'] as const) {
  test(`[ERA-19] a subscription over ${transport} outlives the server's process or session`, async () => {
    const crashing = { transport, modes: transport === 'http' ? { sessionLossAfter: 12 } : {} };
    await using server = transport === 'http' ? await openServer({ ...crashing, name: 'frail' }) : undefined;
    const entry = server ? { url: server.url } : serverCommand({ ...crashing, name: 'frail' });
    await using gateway = await openTestGateway({ servers: { frail: entry } });
    const headers = gateway.agentHeaders;
    await using agent = await connectAgent('v2 legacy', `${gateway.url}/servers/frail/mcp?names=plain`, { headers });
    await agent.listen(['test://frail/live']);
    if (transport === 'stdio') assert.equal((await agent.call('crash')).isError, true);
    else for (let turn = 0; turn < 8; turn += 1) await agent.say('echo', { text: 'on' });
    await agent.say('touch');
    await agent.heard.atLeast(UPDATED, 1);
  });
}

test('[ERA-34] changes before a legacy agent opens its stream are announced when it does', async () => {
  const { url, agentHeaders } = row.gateway;
  const session = await RawSession.open(`${url}/servers/legacy-stdio/mcp?names=plain`, agentHeaders);
  await using witness = await connectAgent('v1', session.url, { headers: agentHeaders });
  await session.request('tools/call', { name: 'mutate', arguments: { add: 'early' } });
  await witness.heard.atLeast(CHANGED.tools, 1);
  using stream = await session.listen();
  assert.equal((await stream.message()).method, CHANGED.tools);
});

/** The cost of surfaces in real traffic: agents on two surfaces, and the doctor's figures beside what crossed the wire. */

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { OutputOf } from '../../src/admin/admin.ts';
import { assumedSearch, executeTokens, turnTokens } from '../../src/metrics/disclosure-cost.ts';
import { connectAgent, type Kind } from '../kit/agents.ts';
import { CliMachine } from '../kit/cli.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { hostedServer } from '../servers/hosted.ts';

type Surfaces = OutputOf<'gateway.surfaces'>;

/** The part of a tool that an agent got. */
interface Given {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
}

const text = { type: 'object', properties: { text: { type: 'string', description: 'What to say.' } } };
const FILES = Array.from({ length: 30 }, (_, at) => ({
  name: `file_tool_${at}`,
  description: `Does the thing number ${at} with a file, slowly and with great care.`,
  inputSchema: text,
}));
const MAIL = [{ name: 'send_mail', description: 'Sends an e-mail.', inputSchema: text }];

const servers = {
  files: { ...hostedServer({ name: 'files', tools: FILES }), projects: ['office'] },
  mail: hostedServer({ name: 'mail', tools: MAIL }),
};

/** The lists that agents asked for, by their path: what an SDK does by itself is among them. */
const lists: string[] = [];
const realFetch = globalThis.fetch;
before(() => {
  globalThis.fetch = (input, init) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    if (typeof init?.body === 'string' && init.body.includes('"method":"tools/list"')) lists.push(pathname + search);
    return realFetch(input, init);
  };
});
after(() => {
  globalThis.fetch = realFetch;
});

const quarter = (...texts: readonly string[]) => Math.round(Buffer.byteLength(texts.join('')) / 4);
const read = (tools: readonly Given[]) =>
  quarter(
    ...tools.map(({ name, description, inputSchema }) =>
      JSON.stringify({ name, description, input_schema: inputSchema }),
    ),
  );

async function surfacesOf({ gateway }: TestGateway): Promise<Surfaces> {
  return gateway.admin.run('gateway.surfaces', {});
}

/** Each figure is a sum of estimates that were rounded one by one. */
function about(found: number | undefined, expected: number, slack = 3): void {
  assert.ok(Math.abs(Number(found) - expected) <= slack, `${found} instead of ${expected}`);
}

test('[SEE-30] the doctor says for each door which surface is shown, who chose it, why, and what a start costs', async () => {
  const config = { surfaces: { projects: { office: 'search' } } };
  await using gateway = await openTestGateway({ servers, config });
  const { surfaces } = await gateway.gateway.admin.run('gateway.doctor', {});
  assert.ok(surfaces);
  assert.deepEqual(
    surfaces.doors.map(({ project, surface, by }) => ({ project, surface, by })),
    [
      { project: null, surface: 'direct', by: 'auto' },
      { project: 'office', surface: 'search', by: 'project' },
    ],
  );
  assert.match(
    surfaces.doors[0]?.reason ?? '',
    /^the whole definitions of the 31 tools are about [\d,]+ tokens, at most 3,000$/,
  );
  assert.match(surfaces.doors[1]?.reason ?? '', /^set for the project "office" in the config$/);
  for (const { startTokens, project } of surfaces.doors) {
    const path = project === null ? '/mcp' : `/projects/${project}/mcp`;
    for (const surface of ['search', 'direct', 'code', 'full'] as const) {
      const url = `${gateway.url}${path}?surface=${surface}`;
      await using agent = await connectAgent('v2 modern', url, { headers: gateway.agentHeaders });
      const { tools } = await agent.client.listTools();
      about(startTokens[surface], read(tools) + quarter(agent.client.getInstructions() ?? ''), 1);
    }
  }
});

test('[SEE-31] with no traffic the doctor gives no figure, and its own looking is no traffic', async () => {
  await using gateway = await openTestGateway({ servers });
  for (let turn = 0; turn < 2; turn += 1) {
    const { surfaces } = await gateway.gateway.admin.run('gateway.doctor', { connect: false });
    assert.deepEqual(
      surfaces?.doors.map(({ traffic }) => traffic),
      [null, null],
    );
  }
});

/** An agent's acts on one surface, counted at its end of the wire. */
interface Counted {
  readonly listTokens: number;
  readonly findTokens: number;
}

async function workOnSearch(gateway: TestGateway, kind: Kind): Promise<Counted> {
  const url = `${gateway.url}/mcp?surface=search`;
  await using agent = await connectAgent(kind, url, { headers: gateway.agentHeaders });
  const { tools } = await agent.client.listTools();
  const need = { query: 'send an e-mail' };
  const found = await agent.say('tool_discovery', need);
  await agent.call('tool_execute', { toolKey: 'mail:send_mail', arguments: { text: 'x'.repeat(2_000) } });
  await agent.call('tool_execute', { toolKey: 'files:file_tool_3' });
  // One that comes to nothing is read as well.
  const wrong = await agent.call('tool_info', { toolKey: 'mail:sent_mail' });
  assert.equal(wrong.isError, true);
  const said = wrong.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  const asked = quarter(JSON.stringify(need)) + quarter(JSON.stringify({ toolKey: 'mail:sent_mail' }));
  return { listTokens: read(tools), findTokens: asked + quarter(found) + quarter(said) };
}

async function workOnDirect(gateway: TestGateway, kind: Kind): Promise<Counted> {
  const url = `${gateway.url}/mcp?surface=direct`;
  await using agent = await connectAgent(kind, url, { headers: gateway.agentHeaders });
  const { tools } = await agent.client.listTools();
  for (let turn = 0; turn < 3; turn += 1) await agent.call('mail.send_mail', { text: 'hello' });
  return { listTokens: read(tools), findTokens: 0 };
}

test('[SEE-32] the cost of traffic, and of the same on direct and search, matches what agents really read', async () => {
  await using gateway = await openTestGateway({ servers });
  lists.length = 0;
  const search = await workOnSearch(gateway, 'v2 modern');
  const again = await workOnSearch(gateway, 'v1');
  const direct = await workOnDirect(gateway, 'v2 legacy');
  const served = { search: listsAt('search'), direct: listsAt('direct') };
  assert.ok(served.search >= 2 && served.direct >= 1);
  assert.equal(search.listTokens, again.listTokens);

  const [door] = (await surfacesOf(gateway)).doors;
  const traffic = door?.traffic;
  assert.ok(traffic);
  assert.deepEqual(
    [traffic.lists, traffic.finds, traffic.calls, traffic.chains],
    [served.search + served.direct, 4, 7, 0],
  );
  const onSearch =
    served.search * search.listTokens + search.findTokens + again.findTokens + 8 * turnTokens + 4 * executeTokens;
  const onDirect = served.direct * direct.listTokens + 3 * turnTokens;
  about(traffic.usedTokens, onSearch + onDirect);
  about(traffic.directTokens, served.search * direct.listTokens + 4 * turnTokens + onDirect);
  const perCall = turnTokens + executeTokens + turnTokens + assumedSearch.tokens;
  about(traffic.searchTokens, onSearch + served.direct * search.listTokens + 3 * perCall);
  assert.deepEqual(traffic.search, { ...assumedSearch, isSeen: false });
});

function listsAt(surface: string): number {
  return lists.filter((path) => path === `/mcp?surface=${surface}`).length;
}

test('[SEE-33] sums outlive the gateway, and what comes in at a project is its own', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-disclosure-'));
  try {
    for (const expected of [1, 2]) {
      await using gateway = await openTestGateway({ servers, dataDir });
      const url = `${gateway.url}/projects/office/mcp?surface=search`;
      await using agent = await connectAgent('v2 modern', url, { headers: gateway.agentHeaders });
      await agent.call('tool_discovery', { query: 'a file' });
      const { doors } = await surfacesOf(gateway);
      assert.deepEqual(
        doors.map(({ project, traffic }) => [project, traffic?.finds]),
        [
          [null, undefined],
          ['office', expected],
        ],
      );
    }
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test('[SEE-34] a chain counts as one turn, and on direct as its calls, a turn each', async () => {
  await using gateway = await openTestGateway({ servers });
  const url = `${gateway.url}/mcp?surface=code`;
  await using agent = await connectAgent('v2 modern', url, { headers: gateway.agentHeaders });
  await agent.client.listTools();
  const trafficOf = async () => (await surfacesOf(gateway)).doors[0]?.traffic;
  const before = await trafficOf();
  const code = `const all = await Promise.all([1, 2, 3].map((n) => servers.mail.send_mail({ text: 'no ' + n })));
    return all.length;`;
  const answer = await agent.say('call_tool_chain', { code });
  const traffic = await trafficOf();
  assert.ok(before && traffic);
  assert.deepEqual([traffic.lists, traffic.chains, traffic.chainCalls, traffic.calls], [before.lists, 1, 3, 0]);
  about(traffic.usedTokens - before.usedTokens, quarter(JSON.stringify({ code })) + quarter(answer) + turnTokens);
  assert.equal(traffic.searchTokens - before.searchTokens, traffic.usedTokens - before.usedTokens);
  assert.equal(traffic.directTokens - before.directTokens, 3 * turnTokens);
});

test('[SEE-35] doctor prints what agents see and cost, and which config the running gateway uses', async () => {
  await using machine = await CliMachine.make();
  await mkdir(machine.dataDir);
  const file = join(machine.dataDir, 'toolcrib.json');
  await writeFile(file, JSON.stringify({ mcpServers: servers }));
  const started = await machine.start();
  const headers = { authorization: `Bearer ${started.agentToken}` };
  const before = (await machine.run('doctor')).stdout;
  assert.match(
    before,
    /^What agents see\n {2}\/mcp {2}direct: the whole definitions of the 31 tools are about [\d,]+ tokens, at most 3,000$/m,
  );
  assert.match(
    before,
    /^ {4}a model reads at its start, in tokens, about: search [\d,]+, direct [\d,]+, code [\d,]+, full [\d,]+\n {4}no agent in the last 30 days$/m,
  );
  assert.match(before, /^ {2}\/projects\/office\/mcp {2}direct: /m);
  assert.ok(before.includes(`ok: The running gateway uses the config ${file}.\n`), before);
  {
    await using agent = await connectAgent('v2 modern', `${started.url}/mcp?surface=search`, { headers });
    await agent.client.listTools();
    await agent.call('tool_discovery', { query: 'send mail' });
    await agent.call('tool_execute', { toolKey: 'mail:send_mail' });
  }
  const run = await machine.run('doctor');
  assert.equal(run.code, 0, run.stdout);
  assert.match(
    run.stdout,
    /^ {4}last 30 days: \d+ lists? served, 1 search, 1 call\n {4}cost about [\d,]+ tokens; on direct about [\d,]+, on search about [\d,]+$/m,
  );
  assert.match(run.stdout, /\n\nNo problem found\.\n$/);
  const { surfaces } = (await machine.run('doctor', '--json')).json<{ surfaces: Surfaces }>();
  assert.deepEqual([surfaces.days, surfaces.doors[0]?.traffic?.calls], [30, 1]);
  assert.ok(surfaces.counting.length > 0);
});

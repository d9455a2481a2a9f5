/** `toolcrib set`, `show` and `add --tools` against a gateway that runs: what agents see, what stays, what is refused. */

import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { connectAgent, type Heard, type Kind } from '../kit/agents.ts';
import { CliMachine } from '../kit/cli.ts';
import { openTestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { planServers } from '../kit/planned-servers.ts';
import { realSizeServers } from '../kit/real-size.ts';
import { connectStdio, toolcribStdio } from '../kit/stdio-agent.ts';
import { waitForEntry } from '../servers/launch.ts';
import type { AnyClient } from '../servers/sdk-clients.ts';

interface Details {
  readonly isChanged: boolean;
  readonly settings: Record<string, unknown>;
  readonly tools: readonly string[];
  readonly hiddenTools: readonly string[];
  readonly notes: readonly string[];
}

interface Listener extends AsyncDisposable {
  readonly client: AnyClient;
  readonly heard: Heard;
}

const changed = 'notifications/tools/list_changed';
const eras: readonly Kind[] = ['v2 legacy', 'v2 modern'];

async function namesSeenBy({ client }: Listener): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name).sort();
}

/** Agents of both eras, over HTTP and stdio, that have read the list of tools and listen. */
async function gatherAgents(machine: CliMachine, url: string, agentToken: string): Promise<Listener[]> {
  const headers = { authorization: `Bearer ${agentToken}` };
  const overHttp = eras.map(async (kind) => {
    const agent = await connectAgent(kind, `${url}/mcp?surface=direct`, { headers });
    await agent.client.listTools();
    await agent.listen();
    return agent;
  });
  const overStdio = eras.map(async (kind) => {
    const agent = await connectStdio(kind, toolcribStdio(machine.dataDir));
    await agent.client.listTools();
    if (kind === 'v2 modern') await agent.modern?.listen({ toolsListChanged: true });
    return agent;
  });
  return Promise.all([...overHttp, ...overStdio]);
}

test('[SET-01] tools taken out are gone at once for agents of both eras over HTTP and stdio, who hear of it once', {
  timeout: 240_000,
}, async () => {
  await using machine = await CliMachine.make();
  const { url, agentToken } = await machine.start();
  const { git } = realSizeServers({ only: ['git'] });
  assert.ok(git);
  const added = await machine.run('add', 'git', '--', git.command, ...git.args);
  assert.equal(added.code, 0, added.stderr);
  const agents = await gatherAgents(machine, url, agentToken);
  try {
    for (const agent of agents) assert.ok((await namesSeenBy(agent)).includes('git.git_push'));
    const set = async (...flags: readonly string[]) => {
      const run = await machine.run('set', 'git', ...flags, '--json');
      assert.equal(run.code, 0, run.stderr);
      return run.json<Details>();
    };
    const first = await set('--tools', 'git_status,git_diff*', '--permission', 'git_diff=deny');
    assert.ok(first.isChanged);
    assert.ok(first.hiddenTools.includes('git_push'));
    const left = ['git.git_diff_staged', 'git.git_diff_unstaged', 'git.git_status'];
    for (const agent of agents) {
      await agent.heard.atLeast(changed, 1);
      assert.deepEqual(await namesSeenBy(agent), left);
      const refused = await agent.client.callTool({ name: 'git.git_push', arguments: {} });
      assert.match(JSON.stringify(refused), /TOOL_NOT_FOUND/);
    }
    const [agent] = agents;
    const found = await agent?.client.callTool({
      name: 'tool_discovery',
      arguments: { query: 'push commits to a remote' },
    });
    assert.doesNotMatch(JSON.stringify(found), /git_push/);
    assert.equal((await set('--tools', 'git_status,git_diff*')).isChanged, false);
    await set('--timeout-ms', '9000', '--max-concurrent', '3');
    await set('--tools', 'all', '--alias', 'upload=git_push', '--unset', 'permissions');
    for (const listener of agents) {
      await listener.heard.atLeast(changed, 2);
      const seen = await namesSeenBy(listener);
      assert.ok(seen.includes('git.upload') && seen.includes('git.git_diff'));
      assert.equal(listener.heard.of(changed).length, 2, 'no notice without a change');
    }
  } finally {
    for (const agent of agents) await agent[Symbol.asyncDispose]();
  }
});

test('[SET-02] a running call and its process outlive the change, which survives a restart and can be unset', {
  timeout: 120_000,
}, async () => {
  await using machine = await CliMachine.make();
  await mkdir(machine.dataDir, { recursive: true });
  const plan = planServers({ till: {} });
  const opened = await openTestGateway({ dataDir: machine.dataDir });
  const agent = new ModernAgent(opened);
  await opened.gateway.admin.run('servers.add', { name: 'till', spec: plan.servers.till ?? {} });
  const pid = await agent.pidOf('till');
  const running = agent.call('till.slow', { ms: 1_500 });
  await waitForEntry(plan.journalOf('till'), ({ event, name }) => event === 'tool' && name === 'slow');
  const flags = [
    '--tools',
    'echo,whoami,slow',
    '--alias',
    'say=echo',
    '--permission',
    'slow=deny',
    '--category',
    'git',
  ];
  const limits = ['--timeout-ms', '7000', '--idle-ms', '0', '--title', 'The till', '--max-concurrent', '2'];
  const set = await machine.run('set', 'till', ...flags, ...limits);
  assert.equal(set.code, 0, set.stderr);
  assert.equal((await running).text, 'waited 1500 ms');
  assert.equal((await agent.call('till.slow', { ms: 1 })).errorType, 'TOOL_NOT_FOUND');
  assert.equal(await agent.say('till.say', { text: 'hello' }), 'hello');
  assert.equal(await agent.pidOf('till'), pid);
  assert.equal(plan.noted('till', 'started').length, 1);
  await opened.close();

  const shown = await machine.run('show', 'till');
  assert.match(shown.stdout, /tools +echo, whoami, slow\n/);
  assert.match(shown.stdout, /permissions +slow=deny\n/);
  assert.match(shown.stdout, /aliases +say=echo\n/);
  await using again = await openTestGateway({ dataDir: machine.dataDir });
  assert.deepEqual(await new ModernAgent(again).tools(), ['till.echo', 'till.say', 'till.whoami']);
  const unset = [
    'tools',
    'permissions.slow',
    'aliases.say',
    'category',
    'timeout-ms',
    'idleMs',
    'title',
    'max-concurrent',
  ];
  const back = await machine.run('set', 'till', ...unset.flatMap((key) => ['--unset', key]), '--json');
  assert.equal(back.code, 0, back.stderr);
  const { settings, hiddenTools } = back.json<Details>();
  assert.deepEqual(
    [settings.tools, settings.permissions, settings.aliases, settings.category, settings.timeoutMs, settings.title],
    [null, {}, {}, null, null, null],
  );
  assert.deepEqual(hiddenTools, []);
});

test('[SET-03] a server of the config file is refused with its place and what to write there', {
  timeout: 60_000,
}, async () => {
  await using machine = await CliMachine.make();
  await mkdir(machine.dataDir, { recursive: true });
  const file = join(machine.dataDir, 'toolcrib.json');
  await writeFile(file, '{\n  "mcpServers": {\n    "till": { "command": "till-server" }\n  }\n}\n');
  const run = await machine.run('set', 'till', '--tools', 'a,b', '--unset', 'title', '--permission', 'a=ask', '--json');
  assert.equal(run.code, 2);
  const { error } = JSON.parse(run.stderr);
  assert.equal(error.data.place, `${file}:3:5`);
  assert.match(error.message, /toolcrib\.json:3:5/);
  assert.match(error.hint, /no "title", "tools": \["a","b"\], "permissions": \{"a":"ask"\}/);
});

test('[SET-04] names that no tool has are refused with the nearest, patterns and unlisted servers are taken with a note', {
  timeout: 120_000,
}, async () => {
  await using machine = await CliMachine.make();
  const { git } = realSizeServers({ only: ['git'] });
  assert.ok(git);
  const added = await machine.run('add', 'git', '--tools', 'git_status,git_psh', '--', git.command, ...git.args);
  assert.equal(added.code, 0, added.stderr);
  assert.match(added.stdout, /with 1 tool:\n {2}git:git_status/);
  assert.match(added.stderr, /note: Server "git" has no tool "git_psh" now\. Did you mean "git_push"\?/);
  const refused = async (code: number, words: RegExp, ...flags: readonly string[]) => {
    const run = await machine.run('set', 'git', ...flags);
    assert.deepEqual([run.code, run.stdout], [code, ''], run.stderr);
    assert.match(run.stderr, words);
  };
  await refused(3, /no tool "git_comit"\.\nhint: Did you mean "git_commit"\?/, '--tools', 'git_status,git_comit');
  await refused(3, /no tool "git_comit"/, '--permission', 'git_comit=ask');
  await refused(3, /no tool "git_comit"/, '--alias', 'save=git_comit');
  await refused(2, /has no alias "save"/, '--unset', 'aliases.save');
  await refused(2, /no setting "titel" to unset\.\nhint: Did you mean "title"\?/, '--unset', 'titel');
  await refused(2, /not "denny"\.\nhint: Did you mean "deny"\?/, '--permission', 'git_push=denny');
  await refused(2, /no category "gitt"\.\nhint: Did you mean "git"\?/, '--category', 'gitt');
  await refused(2, /"tools" is given twice/, '--tools', 'all', '--unset', 'tools');
  await refused(2, /No setting to change was given/);
  const wild = await machine.run('set', 'git', '--permission', 'drop_*=deny', '--tools', 'all');
  assert.equal(wild.code, 0, wild.stderr);
  assert.match(wild.stderr, /note: Server "git" has no tool "drop_\*" now/);
  assert.equal((await machine.run('add', 'gone', '--', 'no-such-program')).code, 1);
  const unlisted = await machine.run('set', 'gone', '--tools', 'anything');
  assert.equal(unlisted.code, 0, unlisted.stderr);
  assert.match(unlisted.stderr, /note: The tools of "gone" are not known yet/);
  const unknown = await machine.run('set', 'gti', '--tools', 'all');
  assert.equal(unknown.code, 3);
  assert.match(unknown.stderr, /There is no server "gti"\.\nhint: Did you mean "git"\?/);
});

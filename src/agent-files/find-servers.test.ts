/** Tests of finding servers in the config files of agents: a machine with a file of each, on every platform. */

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, win32 } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type AgentId, type AgentMachine, agentIds, agents, findServers, machineOf } from './agent-files.ts';

const fixtures = fileURLToPath(new URL('../../test/fixtures/agents/', import.meta.url));

async function makeMachine(t: { after(done: () => Promise<void>): void }): Promise<AgentMachine> {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-agents-'));
  t.after(() => rm(folder, { recursive: true }));
  return machineOf('linux', join(folder, 'me'), {}, join(folder, 'shop'));
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** Puts the files of an agent where it keeps them. */
async function putFixtures(agent: AgentId, machine: AgentMachine): Promise<void> {
  for (const name of await readdir(join(fixtures, agent))) {
    const row = agents[agent].files.find(({ scope }) => name.startsWith(scope));
    const text = await readFile(join(fixtures, agent, name), 'utf8');
    await put(row?.path(machine) ?? '', text.replaceAll('@PROJECT@', machine.cwd));
  }
}

/** By agent and name; the project folder is `.`, and an impossible server is its reason. */
async function foundOn(machine: AgentMachine, ids: readonly AgentId[] = agentIds) {
  const { servers, troubles } = await findServers(ids, machine);
  assert.deepEqual(troubles, []);
  const all: Record<string, Record<string, unknown>> = {};
  for (const { agent, scope, name, settings, reason } of servers) {
    all[agent] ??= {};
    const text = JSON.stringify(settings ?? reason)
      .replaceAll(machine.cwd, '.')
      .replaceAll(machine.home, '~');
    all[agent][scope === 'user' ? name : `${scope} ${name}`] = JSON.parse(text);
  }
  return all;
}

test('[GET-01] the servers of every agent are found, in every scope, as settings of ours', async (t) => {
  const machine = await makeMachine(t);
  for (const agent of agentIds) await putFixtures(agent, machine);
  assert.deepEqual(await foundOn(machine), JSON.parse(await readFile(join(fixtures, 'expected.json'), 'utf8')));
});

test('[GET-02] a broken file is named with its line, and the others are read', async (t) => {
  const machine = await makeMachine(t);
  const [cursor, codex, goose] = (['cursor', 'codex', 'goose'] as const).map(
    (agent) => agents[agent].files[0]?.path(machine) ?? '',
  ) as [string, string, string];
  await put(cursor, '{\n  "mcpServers": {\n    "a": nothing\n  }\n}\n');
  await put(codex, 'model = "x"\n[mcp_servers.a\ncommand = "b"\n');
  await put(goose, 'extensions:\n  a: [\n');
  await putFixtures('lmstudio', machine);
  const { servers, troubles } = await findServers(agentIds, machine);
  assert.deepEqual(
    servers.map(({ name }) => name),
    ['papers'],
  );
  const places = troubles.map(({ message }) => message.replace(/^(.*?:\d+):.*$/s, '$1'));
  assert.deepEqual(places, [`${cursor}:3`, `${codex}:2`, `${goose}:3`]);
});

test('an empty file, one without servers and one with odd servers hold none', async (t) => {
  const machine = await makeMachine(t);
  const path = agents.cursor.files[0]?.path(machine) ?? '';
  for (const text of ['', ' \n', '{}', '{"mcpServers": null}', '{"mcpServers": []}', '[]']) {
    await put(path, text);
    assert.deepEqual(await foundOn(machine), {}, text);
  }
  await put(path, '{"mcpServers": {"a": 1, "b": {}, "c": {"command": "x", "url": "https://a.example.com"}}}');
  const { cursor } = await foundOn(machine);
  assert.match(String(cursor?.a), /not an object/);
  assert.match(String(cursor?.b), /neither "command" nor "url"/);
  assert.match(String(cursor?.c), /both "command" and "url"/);
});

test('a file of variables is read, and those of the entry count more; one that is gone is noted', async (t) => {
  const machine = await makeMachine(t);
  const server = { command: 'x', env: { A: 'entry' }, envFile: `\${workspaceFolder}/some.env` };
  await put(agents.cursor.files[0]?.path(machine) ?? '', JSON.stringify({ mcpServers: { server } }));
  await put(join(machine.cwd, 'some.env'), 'A=file\nB="two words" # more\n');
  assert.deepEqual(await foundOn(machine), {
    cursor: { server: { command: 'x', env: { A: 'entry', B: 'two words' } } },
  });
  await rm(join(machine.cwd, 'some.env'));
  const { servers } = await findServers(['cursor'], machine);
  assert.match(servers[0]?.notes[0] ?? '', /^Its file of variables is missing: .*some\.env$/);
});

test('a file that never ends or is no plain file is not read', { skip: process.platform === 'win32' }, async (t) => {
  const machine = await makeMachine(t);
  const path = agents.cursor.files[0]?.path(machine) ?? '';
  await put(path, JSON.stringify({ mcpServers: { server: { command: 'x', envFile: '/dev/zero' } } }));
  const { servers } = await findServers(['cursor'], machine);
  assert.match(servers[0]?.notes[0] ?? '', /^Its variables were not read: \/dev\/zero is a device, not a file/);
  await rm(path);
  await symlink('/dev/zero', path);
  const { troubles } = await findServers(['cursor'], machine);
  assert.match(troubles[0]?.message ?? '', /is a device, not a file/);
});

test('[GET-02] aliases that lead nowhere or are too many are named with their line', async (t) => {
  const machine = await makeMachine(t);
  const path = agents.goose.files[0]?.path(machine) ?? '';
  const levels = Array.from({ length: 9 }, (_, at) => `  l${at + 1}: &l${at + 1} [${`*l${at}, `.repeat(9)}]\n`);
  for (const [text, line] of [
    ['a: &here 1\nb: *here\nextensions: *gone\n', 3],
    [`extensions:\n  l0: &l0 [1]\n${levels.join('')}`, 11],
  ] as const) {
    await put(path, text);
    const { troubles } = await findServers(['goose'], machine);
    assert.equal(troubles[0]?.message.split(':')[1], String(line));
  }
});

test('an entry that leads to the gateway is none of its servers', async (t) => {
  const machine = await makeMachine(t);
  const own = {
    bridge: { command: 'npx', args: ['--prefix', '/srv/toolcrib', 'toolcrib', 'stdio'] },
    program: { command: '/usr/local/bin/toolcrib', args: ['stdio'] },
    toolcrib: { url: 'http://localhost:4000/mcp' },
    token: { url: 'https://gate.example.com/mcp', headers: { Authorization: 'Bearer tc_abcdefghijklmnop' } },
  };
  const other = { url: 'https://toolcrib.example.com/mcp' };
  const stdio = { command: 'other-server', args: ['--transport', 'stdio'] };
  await put(agents.cursor.files[0]?.path(machine) ?? '', JSON.stringify({ mcpServers: { ...own, other, stdio } }));
  assert.deepEqual(await foundOn(machine), { cursor: { other, stdio } });
});

test('[GET-03] files are looked for where each platform and its variables put them', () => {
  const paths = (machine: AgentMachine) =>
    agentIds.map((agent) => agents[agent].files.filter(({ scope }) => scope === 'user')[0]?.path(machine));
  assert.deepEqual(paths(machineOf('linux', '/h', { XDG_CONFIG_HOME: '/x', CODEX_HOME: '/c' }, '/p')), [
    '/h/.claude.json',
    '/x/Claude/claude_desktop_config.json',
    '/h/.cursor/mcp.json',
    '/x/Code/User/mcp.json',
    '/c/config.toml',
    '/h/.gemini/settings.json',
    '/x/zed/settings.json',
    '/h/.codeium/windsurf/mcp_config.json',
    '/x/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
    '/h/.continue/config.yaml',
    '/x/goose/config.yaml',
    '/x/opencode/opencode.jsonc',
    '/h/.lmstudio/mcp.json',
  ]);
  const support = '/h/Library/Application Support';
  assert.deepEqual(paths(machineOf('darwin', '/h', { CLAUDE_CONFIG_DIR: '/d' }, '/p')), [
    '/d/.claude.json',
    `${support}/Claude/claude_desktop_config.json`,
    '/h/.cursor/mcp.json',
    `${support}/Code/User/mcp.json`,
    '/h/.codex/config.toml',
    '/h/.gemini/settings.json',
    '/h/.config/zed/settings.json',
    '/h/.codeium/windsurf/mcp_config.json',
    `${support}/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json`,
    '/h/.continue/config.yaml',
    '/h/.config/goose/config.yaml',
    '/h/.config/opencode/opencode.jsonc',
    '/h/.lmstudio/mcp.json',
  ]);
  const home = 'C:\\me';
  const roaming = `${home}\\AppData\\Roaming`;
  assert.deepEqual(paths(machineOf('win32', home, { APPDATA: roaming }, 'C:\\p')), [
    `${home}\\.claude.json`,
    `${roaming}\\Claude\\claude_desktop_config.json`,
    `${home}\\.cursor\\mcp.json`,
    `${roaming}\\Code\\User\\mcp.json`,
    `${home}\\.codex\\config.toml`,
    `${home}\\.gemini\\settings.json`,
    `${roaming}\\Zed\\settings.json`,
    `${home}\\.codeium\\windsurf\\mcp_config.json`,
    `${roaming}\\Code\\User\\globalStorage\\saoudrizwan.claude-dev\\settings\\cline_mcp_settings.json`,
    `${home}\\.continue\\config.yaml`,
    `${roaming}\\Block\\goose\\config\\config.yaml`,
    `${home}\\.config\\opencode\\opencode.jsonc`,
    `${home}\\.lmstudio\\mcp.json`,
  ]);
  const project = agents.cursor.files.find(({ scope }) => scope === 'project');
  assert.equal(project?.path(machineOf('win32', home, {}, 'C:\\p')), win32.join('C:\\p', '.cursor', 'mcp.json'));
});

test('what is written for the gateway reads back as the way that was meant', () => {
  const http = { kind: 'http', url: 'http://127.0.0.1:3333/mcp', headers: { Authorization: 'Bearer tc_1' } } as const;
  const stdio = { kind: 'stdio', command: 'toolcrib', args: ['stdio'], env: { TOOLCRIB_PROJECT: 'shop' } } as const;
  for (const agent of agentIds) {
    const { entry } = agents[agent];
    const local = entry.write(stdio, 'toolcrib');
    const { kind: _kind, ...command } = stdio;
    assert.partialDeepStrictEqual(local && entry.read(local)?.settings, command, agent);
    const remote = entry.write(http, 'toolcrib');
    if (agent === 'claude-desktop') assert.equal(remote, null);
    else
      assert.partialDeepStrictEqual(
        remote && entry.read(remote)?.settings,
        { url: http.url, headers: http.headers },
        agent,
      );
  }
});

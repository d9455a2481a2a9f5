/** `toolcrib init` on a machine with three agents: what they have comes over, they use the gateway, and all of it can be undone. */

import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { runCli } from '../../src/surfaces/cli/cli.ts';
import { CliMachine } from '../kit/cli.ts';
import { hostServers } from '../kit/planned-servers.ts';
import { type Launch, RawBridge } from '../kit/stdio-agent.ts';

interface Printed {
  readonly configFile: string | null;
  readonly servers: number;
  readonly tools: number;
  readonly search: { readonly query: string; readonly found: string } | null;
  readonly startTokens: { readonly direct: number; readonly search: number };
}

/** Claude Code, Cursor and Codex, with three servers that work and one that does not. */
async function newcomer() {
  const machine = await CliMachine.make();
  const { servers } = hostServers({ one: {}, two: {}, three: {} });
  const files: Record<string, string> = {
    '.claude.json': JSON.stringify({ mcpServers: { one: servers.one, two: servers.two } }),
    '.cursor/mcp.json': JSON.stringify({ mcpServers: { one: servers.one, dead: { command: 'false' } } }, null, '\t'),
    '.codex/config.toml': `model = "x" # mine\n\n[mcp_servers.three]\nurl = "${servers.three?.url}"\n`,
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(machine.home, path)), { recursive: true });
    await writeFile(join(machine.home, path), text);
  }
  const texts = () => Promise.all(Object.keys(files).map((path) => readFile(join(machine.home, path), 'utf8')));
  return { machine, files, texts };
}

test('[GET-80] init --yes brings three agents to a gateway that has their servers, and uninstall puts every byte back', {
  timeout: 240_000,
}, async () => {
  const { machine, files, texts } = await newcomer();
  await using _machine = machine;
  await machine.start();
  const run = await machine.run('init', '--yes', '--json');
  assert.equal(run.code, 0, run.stderr);
  const printed = run.json<Printed>();
  assert.equal(printed.servers, 4);
  assert.ok(printed.tools > 0 && printed.startTokens.direct > printed.startTokens.search);
  assert.ok(printed.search?.found);

  const [claude = '', cursor = '', codex = ''] = await texts();
  const entries = JSON.parse(claude) as { mcpServers: Record<string, Launch> };
  assert.deepEqual(Object.keys(entries.mcpServers), ['toolcrib'], 'its servers are behind the gateway');
  const { mcpServers } = JSON.parse(cursor) as { mcpServers: object };
  assert.deepEqual(Object.keys(mcpServers).sort(), ['dead', 'toolcrib'], 'a server that never worked stays');
  assert.match(codex, /^model = "x" # mine\n/);
  assert.doesNotMatch(codex, /three/);

  const { toolcrib } = entries.mcpServers;
  assert.ok(toolcrib);
  const env = { PATH: process.env.PATH ?? '', HOME: machine.home, ...toolcrib.env };
  await using bridge = new RawBridge({ ...toolcrib, env });
  await bridge.open();
  const { result } = (await bridge.request('tools/list')) as { result: { tools: unknown[] } };
  assert.ok(result.tools.length > 0, 'the agent is connected');

  const text = await machine.run('init', '--yes');
  assert.match(text.stdout, /There is nothing new to import/, 'twice is once');
  assert.match(
    text.stdout,
    /4 servers, \d+ tools: an agent with all of them reads [\d,]+ tokens at each start, now [\d,]+ \(Cursor, Codex\)\.\n/,
  );
  assert.match(text.stdout, /left +dead \(its tools were never listed\)/);
  assert.match(
    text.stdout,
    /Next:\n +Restart Claude Code, Cursor, Codex: .*\n.*toolcrib open\n.*toolcrib uninstall AGENT \(or --all\)\n$/,
  );
  const undone = await machine.run('uninstall', 'claude-code', 'cursor', 'codex');
  assert.equal(undone.code, 0, undone.stderr);
  assert.deepEqual(await texts(), Object.values(files));
});

test('[GET-80] [GET-81] on a terminal init asks for servers and agents, and keeps to the answers', {
  timeout: 120_000,
}, async () => {
  const { machine, files, texts } = await newcomer();
  await using _machine = machine;
  const refused = await machine.run('init');
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /nobody is here to answer\.\nhint: .*--yes/);

  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  let printed = '';
  const answers = ['sure\n', '1\n', '9\n', '2\n'];
  const write = (text: string) => {
    printed += text;
    if (text.includes('[y/N')) stdin.write(answers.shift() ?? 'n\n');
  };
  const code = await runCli({
    argv: ['init'],
    env: { HOME: machine.home, TOOLCRIB_DATA: machine.dataDir, NO_COLOR: '1', PATH: process.env.PATH },
    cwd: machine.home,
    stdin,
    stdout: { isTTY: true, columns: 120, write },
    stderr: { write: () => {} },
    signal: AbortSignal.timeout(100_000),
  });
  assert.equal(code, 0, printed);
  assert.match(printed, /Connecting takes the servers .* out of these files; ".*uninstall AGENT" puts them back\./);
  const rows = (await machine.run('list', '--json')).json<{ name: string }[]>();
  assert.deepEqual(
    rows.map(({ name }) => name),
    ['one'],
  );
  const after = await texts();
  const changed = Object.keys(files).filter((path, at) => after[at] !== files[path]);
  assert.deepEqual(changed, ['.cursor/mcp.json']);
  const config = await machine.run('config', 'check', '--json');
  assert.deepEqual(config.json<{ valid: boolean; file: string }>().file, join(machine.dataDir, 'toolcrib.json'));
});

test('[GET-02] [GET-80] init names a file that it could not read and a server that does not work, and claims no saving for an agent with every tool', {
  timeout: 120_000,
}, async () => {
  await using machine = await CliMachine.make();
  const { servers } = hostServers({ one: {} });
  const mcpServers = { one: servers.one, dead: { command: 'no-such-program-here' } };
  await writeFile(join(machine.home, '.claude.json'), JSON.stringify({ mcpServers }));
  await mkdir(join(machine.home, '.gemini'));
  await writeFile(join(machine.home, '.gemini/settings.json'), '{ "mcpServers": {\n  oops\n} }');
  const { code, stdout, stderr } = await machine.run('init', '--yes');
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^Skipped: .*settings\.json:2:/m);
  assert.match(stdout, /^Not working yet:\n {2}dead: .*no-such-program-here/m);
  assert.match(stdout, /^2 servers, \d+ tools\.$/m, 'Claude Code has the surface "direct"');
  assert.match(stdout, /^ {2}Restart Claude Code: /m);
  await machine.run('install', 'claude-code', '--transport', 'http');
  assert.match((await machine.run('init', '--yes')).stdout, /over HTTP/, 'the transport that was chosen stays');
});

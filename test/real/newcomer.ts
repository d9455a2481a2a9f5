/**
 * A newcomer's first minute, with the time of each step: the commands of the README in an empty home, from a clone of the last commit of
 * this checkout to an agent that lists tools; then `init` with three agents that have servers, each of which calls a tool by what was
 * written into its config, and `uninstall`, which puts every file back. The PATH holds git, npm, a Node of the machine and the shell that npm runs scripts with.
 * Packages come from the registry that npm is set to. Exits with 1 when a step fails.
 *
 *   npm run newcomer [-- --node FILE]
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join, resolve, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { parse as parseToml } from 'smol-toml';
import { connectAgent } from '../kit/agents.ts';
import { Checks } from './kit/checks.ts';
import { runProgram } from './kit/run-program.ts';
import { openScratch } from './kit/scratch.ts';

const checkout = resolve(import.meta.dirname, '../..');
const installLimitMs = 600_000;
/** Variables without which this machine may not reach its registry. */
const passedOn = /^(npm_config_registry|npm_config_cafile|node_extra_ca_certs|ssl_cert_(file|dir)|(https?|no)_proxy)$/i;

const { values } = parseArgs({ options: { node: { type: 'string' } } });
const checks = new Checks();
await using scratch = await openScratch();
const env = await newcomerEnv(values.node ?? (await onPath('node')));
/** Agents with a server each: where it stands, and what the file looks like. */
const agents = [
  { id: 'claude-code', file: '.claude.json', server: 'notes' },
  { id: 'cursor', file: '.cursor/mcp.json', server: 'clock' },
  { id: 'codex', file: '.codex/config.toml', server: 'math' },
] as const;
const gateways: ChildProcess[] = [];
let printed = '';
try {
  checks.section(`The README's first minute, with Node ${(await run('node --version', scratch.folder)).trim()}`);
  const since = performance.now();
  let folder = scratch.folder;
  for (const line of await firstMinute()) {
    if (line.startsWith('cd ')) folder = join(folder, line.slice('cd '.length));
    else if (line === 'npm start') await checks.that(line, () => start(folder));
    else await checks.that(line.replace(checkout, 'ADDRESS'), async () => void (await run(line, folder)));
  }
  await checks.that('an agent connects with the printed line, and lists tools', connect);
  checks.note(`${((performance.now() - since) / 1_000).toFixed(1)} s from the clone to the agent.`);
  checks.section('Afterwards, in another terminal');
  for (const command of ['status', 'logs', 'stop'])
    await checks.that(`npx toolcrib ${command}`, async () => firstLine(await run(`npx toolcrib ${command}`, folder)));
  checks.section('With three agents that have servers');
  const before = await writeAgents(folder);
  const from = performance.now();
  await checks.that('npx toolcrib init --yes', async () => lastLine(await run('npx toolcrib init --yes', folder)));
  for (const agent of agents) await checks.that(`${agent.id} calls a tool`, () => callTool(agent.file, folder));
  checks.note(`${((performance.now() - from) / 1_000).toFixed(1)} s from three configs to three calls.`);
  await checks.that('npx toolcrib uninstall', () => uninstall(before, folder));
  await checks.that('npx toolcrib stop', async () => firstLine(await run('npx toolcrib stop', folder)));
} finally {
  for (const gateway of gateways) gateway.kill('SIGTERM');
}
checks.finish();

/** The commands of the README's first block. */
async function firstMinute(): Promise<string[]> {
  const readme = await readFile(join(checkout, 'README.md'), 'utf8');
  const [, block = ''] = /^```sh\n(.*?)^```/ms.exec(readme) ?? [];
  const lines = block.split('\n').map((line) => line.replace(/#.*/, '').trim());
  return lines.filter((line) => line !== '').flatMap((line) => line.replace('ADDRESS', checkout).split(' && '));
}

/** Nothing of the home and the environment of whoever runs this has a say. Any free port will do. */
async function newcomerEnv(node: string): Promise<NodeJS.ProcessEnv> {
  const bin = join(scratch.folder, 'bin');
  await mkdir(bin);
  await symlink(node, join(bin, 'node'));
  for (const name of ['git', 'npm', 'npx', 'sh']) await symlink(await onPath(name), join(bin, name));
  const reach = Object.entries(process.env).filter(([name]) => passedOn.test(name));
  return { ...Object.fromEntries(reach), PATH: bin, HOME: scratch.home, LANG: 'C.UTF-8', TOOLCRIB_PORT: '0' };
}

/** The program that somebody outside this checkout gets. */
async function onPath(name: string): Promise<string> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const file = await realpath(join(folder, name)).catch(() => undefined);
    if (file === undefined || folder.split(sep).includes('node_modules')) continue;
    if (await access(file).then(() => true)) return file;
  }
  throw new Error(`There is no ${name} on the PATH.`);
}

async function run(line: string, cwd: string): Promise<string> {
  const { code, stdout, stderr } = await runProgram('/bin/sh', ['-c', line], { cwd, env, timeoutMs: installLimitMs });
  if (code !== 0) throw new Error(`It ended with ${code}: ${stderr.slice(-1_000)}`);
  return stdout;
}

/** Resolves when the gateway says how an agent connects. */
async function start(cwd: string): Promise<string> {
  const gateway = spawn('/bin/sh', ['-c', 'exec npm start'], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  gateways.push(gateway);
  gateway.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const ended = once(gateway, 'exit').then(([code]) => {
    throw new Error(`It ended with ${code}: ${printed}`);
  });
  ended.catch(() => {});
  while (!printed.includes('Bearer ')) await Promise.race([once(gateway.stdout, 'data'), ended]);
  return /^ +agents.*$/m.exec(printed)?.[0].trim() ?? '';
}

async function connect(): Promise<string> {
  const [, url = '', token] =
    /^ +claude mcp add .* (http\S+) --header "Authorization: Bearer (\S+)"$/m.exec(printed) ?? [];
  await using agent = await connectAgent('v2 modern', url, { headers: { authorization: `Bearer ${token}` } });
  const { tools } = await agent.client.listTools();
  if (tools.length === 0) throw new Error('The list is empty.');
  return tools.map(({ name }) => name).join(', ');
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}

/** The files as they are before anything was done to them, by path. */
async function writeAgents(folder: string): Promise<Map<string, string>> {
  const texts = agents.map(({ file, server }) => {
    const command = join(folder, 'node_modules/.bin/node');
    const args = [join(folder, 'src/demo/demo-server.ts'), server];
    const text = file.endsWith('.toml')
      ? `# Mine\n[mcp_servers.${server}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`
      : `${JSON.stringify({ theme: 'dark', mcpServers: { [server]: { command, args } } }, null, 2)}\n`;
    return [join(scratch.home, file), text] as const;
  });
  for (const [file, text] of texts) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return new Map(texts);
}

/** Connects as the agent would, by its own entry. */
async function callTool(file: string, cwd: string): Promise<string> {
  const text = await readFile(join(scratch.home, file), 'utf8');
  const settings = (file.endsWith('.toml') ? parseToml(text) : JSON.parse(text)) as AgentSettings;
  const entry = (settings.mcpServers ?? settings.mcp_servers)?.toolcrib;
  if (entry?.command === undefined) throw new Error(`There is no program to start in ${text}`);
  const client = new Client({ name: 'newcomer', version: '1.0.0' });
  const environment = { ...env, ...entry.env } as Record<string, string>; // none of them is undefined
  await client.connect(
    new StdioClientTransport({ command: entry.command, args: entry.args ?? [], env: environment, cwd }),
  );
  try {
    const { tools } = await client.listTools();
    // Which surface an agent has is up to what suits it.
    const direct = tools.find(({ name }) => /math.+calculate$/.test(name))?.name;
    const sum = { expression: '6 * 7' };
    const result = await client.callTool(
      direct
        ? { name: direct, arguments: sum }
        : { name: 'tool_execute', arguments: { toolKey: 'math:calculate', arguments: sum } },
    );
    if (!JSON.stringify(result.content).includes('42')) throw new Error(`It was answered ${JSON.stringify(result)}`);
    return `by ${direct ?? 'tool_execute'}`;
  } finally {
    await client.close();
  }
}

interface AgentSettings {
  readonly mcpServers?: Readonly<Record<string, AgentEntry>>;
  readonly mcp_servers?: Readonly<Record<string, AgentEntry>>;
}

interface AgentEntry {
  readonly command?: string;
  readonly args?: string[];
  readonly env?: Readonly<Record<string, string>>;
}

async function uninstall(before: ReadonlyMap<string, string>, folder: string): Promise<string> {
  await run(`npx toolcrib uninstall ${agents.map(({ id }) => id).join(' ')}`, folder);
  for (const [file, text] of before)
    if ((await readFile(file, 'utf8')) !== text) throw new Error(`${file} is not as it was.`);
  return 'every file is as it was';
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}

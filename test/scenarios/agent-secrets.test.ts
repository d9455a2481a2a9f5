/** A secret in every place of every agent's config file, from import over install and uninstall: where it is found, and where not. */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { after, test } from 'node:test';
import { stringify as toToml } from 'smol-toml';
import { stringify as toYaml } from 'yaml';
import { type AgentId, type AgentMachine, agentIds, agents, machineOf } from '../../src/agent-files/agent-files.ts';
import type { AgentFile, AgentScope } from '../../src/agent-files/agents.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { CliMachine, type CliRun } from '../kit/cli.ts';
import { listenAt } from '../servers/http-front.ts';
import { serverCommand } from '../servers/launch.ts';
import { ServerState } from '../servers/server-state.ts';
import { parseSpec } from '../servers/spec.ts';
import { answeringHttp } from '../servers/transport-http.ts';

type Entry = Readonly<Record<string, unknown>>;

/** Makes a secret and remembers where it was put. */
type Plant = (place: string) => string;

/** Remote servers, whatever their paths and parameters: these hold secrets too. */
const answer = answeringHttp(new ServerState(parseSpec({ name: 'remote', transport: 'http' })));
const { origin, listener } = await listenAt(0, (request, response) => {
  request.url = '/mcp';
  answer(request, response);
});
after(() => listener.close());

const program = serverCommand({ name: 'local' });

const argumentsWith = (plant: Plant): string[] => [
  ...program.args,
  '--api-key',
  plant('the argument after a flag'),
  `--token=${plant('the value of a flag')}`,
  `DB_PASSWORD=${plant('a pair among the arguments')}`,
  `postgres://me:${plant('a password in an argument')}@127.0.0.1/db`,
  `https://127.0.0.1/${plant('a path in an argument')}/mcp?key=${plant('a parameter in an argument')}`,
  ...['--header', `Authorization: Bearer ${plant('a header among the arguments')}`],
  ...['--config', JSON.stringify({ region: 'north', apiKey: plant('JSON in an argument') })],
  // Only its shape tells what it is.
  `ghp_${plant('a bare argument').replaceAll('-', '')}`,
];

const variablesWith = (plant: Plant): Record<string, string> => ({
  SERVICE_TOKEN: plant('a variable'),
  PLAIN: plant('a variable whose name says nothing'),
  SERVICE_HEADERS: JSON.stringify({ Authorization: `Bearer ${plant('JSON in a variable')}`, Version: '2022-06-28' }),
  SERVICE_URL: `https://127.0.0.1/?access_token=${plant('a URL in a variable')}`,
});

const urlWith = (plant: Plant): string => `${origin}/${plant('a path')}/mcp?api_key=${plant('a parameter')}`;

const headersWith = (plant: Plant): Record<string, string> => ({
  Authorization: `Bearer ${plant('a bearer header')}`,
  'X-Proxy-Authorization': `Basic ${Buffer.from(`me:${plant('a basic header')}`).toString('base64')}`,
  'X-Api-Key': plant('a header'),
});

const oauthWith = (plant: Plant) => ({ clientId: 'me', clientSecret: plant('a client secret') });

/** A remote server that is named with a password. */
const urlWithPassword = (plant: Plant): string => origin.replace('//', `//me:${plant('a password in a URL')}@`);

/** The local and the remote server in the form that most agents share. */
function usualEntries(urlKey: string, type: object, reference?: (fallback: string) => string) {
  return (plant: Plant): Record<string, Entry> => ({
    local: {
      command: program.command,
      args: [...argumentsWith(plant), ...(reference ? ['--pin', reference(plant('a default in an argument'))] : [])],
      env: { ...variablesWith(plant), ...(reference && { OTHER: reference(plant('a default')) }) },
    },
    remote: { ...type, [urlKey]: urlWith(plant), headers: headersWith(plant), oauth: oauthWith(plant) },
    password: { ...type, [urlKey]: urlWithPassword(plant) },
  });
}

const shellDefault = (fallback: string) => `\${NOT_SET:-${fallback}}`;
const editorDefault = (fallback: string) => `\${env:NOT_SET:-${fallback}}`;

/** Agents whose entries can name a file of variables. */
const readsFiles: ReadonlySet<AgentId> = new Set(['cursor', 'vscode']);

const forms: Readonly<Record<AgentId, (plant: Plant) => Record<string, Entry>>> = {
  'claude-code': usualEntries('url', { type: 'http' }, shellDefault),
  'claude-desktop': usualEntries('url', {}),
  cursor: usualEntries('url', {}, editorDefault),
  vscode: usualEntries('url', { type: 'http' }, editorDefault),
  codex: (plant) => ({
    local: { command: program.command, args: argumentsWith(plant), env: variablesWith(plant) },
    remote: { url: urlWith(plant), http_headers: headersWith(plant) },
  }),
  gemini: usualEntries('httpUrl', {}, shellDefault),
  zed: (plant) => ({
    local: { command: program.command, args: argumentsWith(plant), env: variablesWith(plant) },
    older: { command: { path: program.command, args: argumentsWith(plant), env: variablesWith(plant) } },
    remote: { url: urlWith(plant), headers: headersWith(plant) },
  }),
  windsurf: usualEntries('serverUrl', {}, editorDefault),
  cline: usualEntries('url', { type: 'streamableHttp' }, editorDefault),
  continue: (plant) => ({
    local: { command: program.command, args: argumentsWith(plant), env: variablesWith(plant) },
    remote: { type: 'streamable-http', url: urlWith(plant), requestOptions: { headers: headersWith(plant) } },
  }),
  goose: (plant) => ({
    local: { type: 'stdio', cmd: program.command, args: argumentsWith(plant), envs: variablesWith(plant) },
    remote: { type: 'streamable_http', uri: urlWith(plant), headers: headersWith(plant) },
  }),
  opencode: (plant) => ({
    local: {
      type: 'local',
      command: [program.command, ...argumentsWith(plant)],
      environment: variablesWith(plant),
    },
    remote: { type: 'remote', url: urlWith(plant), headers: headersWith(plant), oauth: oauthWith(plant) },
  }),
  lmstudio: usualEntries('url', {}, editorDefault),
};

const writers = { jsonc: (value: unknown) => `${JSON.stringify(value, null, 2)}\n`, toml: toToml, yaml: toYaml };

/** A server that can't be imported stays in its file. */
const isRefused = (text: string) => /a password in a URL$|-password$/.test(text);

interface Planted {
  /** The agents' own files, by path. */
  readonly files: ReadonlyMap<string, string>;
  /** The place of each secret. */
  readonly places: ReadonlyMap<string, string>;
  /** The names of the servers that can be imported, by scope. */
  readonly names: Readonly<Record<AgentScope, readonly string[]>>;
}

/** Writes the config files of every agent in every scope, with servers of different names. */
async function plantAll(machine: AgentMachine): Promise<Planted> {
  const [values, formats] = [new Map<string, JsonObject>(), new Map<string, keyof typeof writers>()];
  const [files, places] = [new Map<string, string>(), new Map<string, string>()];
  const names: Record<AgentScope, string[]> = { user: [], project: [], local: [] };
  const save = async (path: string, text: string) => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    files.set(path, text);
  };
  for (const [id, row] of agentIds.flatMap(firstFiles)) {
    const plant: Plant = (place) => {
      const secret = `canary-${randomBytes(12).toString('hex')}`;
      places.set(secret, `${id}, ${row.scope}: ${place}`);
      return secret;
    };
    const entries = new Map(
      Object.entries(forms[id](plant)).map(([name, entry]) => [`${id}-${row.scope}-${name}`, entry]),
    );
    names[row.scope].push(...[...entries.keys()].filter((name) => !isRefused(name)));
    if (readsFiles.has(id)) {
      const envFile = join(machine.home, `${id}-${row.scope}.env`);
      await save(envFile, `FROM_FILE=${plant('a file of variables')}\n`);
      const name = `${id}-${row.scope}-local`;
      entries.set(name, { ...entries.get(name), envFile });
    }
    const servers = row.isList
      ? Array.from(entries, ([name, entry]) => ({ name, ...entry }))
      : Object.fromEntries(entries);
    const path = row.path(machine);
    formats.set(path, row.format);
    // One file may have the servers of two scopes.
    const value = row.servers(machine).reduceRight<unknown>((inner, key) => ({ [key]: inner }), servers) as JsonObject;
    values.set(path, { ...values.get(path), ...value });
  }
  for (const [path, value] of values) await save(path, writers[formats.get(path) ?? 'jsonc'](value));
  return { files, places, names };
}

/** The first file of each scope of an agent. */
function firstFiles(id: AgentId): [AgentId, AgentFile][] {
  const byScope = Map.groupBy(agents[id].files, ({ scope }) => scope);
  return [...byScope.values()].flatMap(([row]) => (row ? [[id, row] as [AgentId, AgentFile]] : []));
}

/** The files under a folder that have one of these secrets, relative to it, with the places of those. */
async function holders(folder: string, places: Planted['places']): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const here = placesIn(await readFile(path, 'latin1'), places);
    if (here.length > 0) found.set(relative(folder, path), here);
  }
  return found;
}

/** A secret counts with its hyphen, without it, and in base64 after a name. */
function placesIn(text: string, places: Planted['places']): string[] {
  const found = text.match(/canary-?[0-9a-f]{24}|bWU6Y2FuYXJ5L[\w+/]{30,}/g) ?? [];
  const secrets = found.map((one) => (one.startsWith('c') ? one : Buffer.from(one, 'base64').toString().slice(3)));
  return [...new Set(secrets.map((one) => one.replace(/^canary-?/, 'canary-')))].flatMap(
    (secret) => places.get(secret) ?? [],
  );
}

test('[GET-04] [GET-26] a secret in any place of any agent is only in the vault, the file and its backup', {
  timeout: 300_000,
}, async () => {
  await using machine = await CliMachine.make();
  const { home, dataDir } = machine;
  const cwd = join(home, 'shop');
  const { files, places, names } = await plantAll(machineOf('linux', home, {}, cwd));
  await mkdir(dataDir);
  const config = { access: { keyring: 'off' }, audit: { arguments: true } };
  await writeFile(join(dataDir, 'toolcrib.json'), JSON.stringify(config));
  const printed: string[] = [];
  const run = async (...argv: string[]): Promise<CliRun> => {
    const done = await machine.launch(argv, { cwd }).ended;
    printed.push(done.stdout, done.stderr);
    assert.equal(done.code, 0, `${argv.join(' ')}: ${done.stderr}`);
    return done;
  };
  const own = [...files.keys()].map((path) => relative(home, path));
  const gateway = await machine.start();
  await run('import', '--project', '--dry-run');
  await run('import', '--project', '--yes');
  const rows = (await run('list', '--json')).json<{ name: string; toolCount: number }[]>();
  const imported = Object.values(names).flat();
  assert.deepEqual(rows.map(({ name }) => name).toSorted(), imported.toSorted());
  for (const { name, toolCount } of rows) assert.ok(toolCount > 0, `${name} works with the secrets in the vault`);
  assert.deepEqual(new Set((await holders(home, places)).keys()), new Set(own));

  for (const scope of ['user', 'project'] as const) {
    const ids = agentIds.filter((id) => agents[id].files.some((file) => file.scope === scope));
    const install = ['install', ...ids, '--scope', scope, '--move'];
    await run(...install, '--dry-run');
    const done = (await run(...install, '--json')).json<{ moved: string[] }[]>();
    assert.deepEqual(done.flatMap(({ moved }) => moved).toSorted(), names[scope].toSorted());
  }
  const left = [...(await holders(home, places))].filter(([path]) => !/^data\/agents\/[\w-]+\.backup$/.test(path));
  for (const [path, found] of left) {
    const stays = found.filter((place) => !isRefused(place) && !/, local: |a file of variables$/.test(place));
    assert.deepEqual([own.includes(path), stays], [true, []], path);
  }

  for (const name of imported) await run('show', name);
  for (const words of ['list', 'secret list', 'audit --json', 'logs', 'status --json']) await run(...words.split(' '));
  printed.push((await machine.run('doctor', '--json')).stdout);
  await run('uninstall', '--all', '--dry-run');
  await run('uninstall', '--all');
  for (const [path, text] of files) assert.equal(await readFile(path, 'utf8'), text, path);
  await gateway.stop();
  printed.push(gateway.printed.stdout, gateway.printed.stderr);
  assert.deepEqual(new Set((await holders(home, places)).keys()), new Set(own), 'the backups are gone');
  assert.deepEqual(placesIn(printed.join('\n'), places), []);
});

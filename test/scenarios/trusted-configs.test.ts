/** A folder of a stranger with a `toolcrib.json`: nothing of it starts before its owner has seen and trusted it. */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { runCli } from '../../src/surfaces/cli/cli.ts';
import type { CliRun } from '../kit/cli.ts';
import { eventually } from '../kit/processes.ts';
import { strangersFolder } from '../kit/traps.ts';

/** On a terminal, with this answer to every question. */
async function onTerminal({ machine, cwd }: Awaited<ReturnType<typeof strangersFolder>>, line: string, answer: string) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const ending = new AbortController();
  let [stdout, stderr] = ['', ''];
  const code = await runCli({
    argv: line.split(' '),
    env: { PATH: process.env.PATH, HOME: machine.home, TOOLCRIB_DATA: machine.dataDir, NO_COLOR: '1' },
    cwd,
    stdin,
    stdout: {
      isTTY: true,
      columns: 100,
      write: (text: string) => {
        stdout += text;
        if (text.includes('[y/N]')) stdin.write(`${answer}\n`);
        if (stdout.includes('Ctrl-C stops')) ending.abort(new Error('enough'));
      },
    },
    stderr: { isTTY: true, write: (text: string) => (stderr += text) },
    signal: ending.signal,
  });
  return { code, stdout, stderr };
}

const refusal = /toolcrib\.json is not trusted: only the current folder led to it\.\nhint: .*trust.*--config FILE/;

/** Every command that can open a gateway of its own; `store copy` reads the address of the store in the config. */
const commands = [
  ...['search anything', 'tools', 'call mine:any', 'doctor', 'start --port 0', 'start --demo --port 0', 'list'],
  ...['recommend anything', 'info mine:any', 'show mine', 'refresh', 'status', 'add other -- true', 'review', 'audit'],
  ...['init --yes', 'import --yes', 'install cursor', 'token list', 'secret list', 'metrics', 'names servers'],
  ...['store copy sqlite:copy.db', 'optimize report', 'approvals', 'project list'],
];

test('[GET-12] without a terminal no command starts the programs of a config that only the folder led to', {
  timeout: 180_000,
}, async () => {
  const folder = await strangersFolder();
  await using _machine = folder.machine;
  for (const command of commands) {
    const { code, stdout, stderr } = await folder.run(command);
    assert.equal(code, command === 'doctor' ? 1 : 2, `${command}: ${stdout}${stderr}`);
    const text = command === 'doctor' ? stdout.replaceAll('    hint: ', 'hint: ') : stderr;
    assert.match(text, refusal, command);
  }
  assert.ok(!folder.hasStarted());
  const { error } = JSON.parse((await folder.run('tools --json')).stderr);
  assert.equal(error.code, 'CONFIG_UNTRUSTED');
});

test('[GET-12] on a terminal the programs are shown first, and only a yes uses the config', {
  timeout: 120_000,
}, async () => {
  const folder = await strangersFolder();
  await using _machine = folder.machine;
  for (const line of ['search anything', 'tools', 'call mine:any', 'doctor', 'start --port 0']) {
    const no = await onTerminal(folder, line, 'n');
    assert.match(no.stdout, /mine: touch .*started\n[\s\S]*Trust it, until it changes\? \[y\/N\]/, line);
    assert.match(`${no.stdout}${no.stderr}`, /is not trusted: only the current folder/, line);
    assert.notEqual(no.code, 0, line);
  }
  assert.ok(!folder.hasStarted());
  const yes = await onTerminal(folder, 'tools', 'y');
  assert.match(yes.stdout, /mine: touch/);
  assert.ok(folder.hasStarted());
  const again = await folder.run('list');
  assert.match(again.stdout, /^mine /m);
});

test('[GET-12] a config without servers does not claim to start nothing: it may name an agent program', {
  timeout: 60_000,
}, async () => {
  const folder = await strangersFolder();
  await using _machine = folder.machine;
  await writeFile(
    folder.file,
    JSON.stringify({ optimize: { agent: 'codex', agentCommand: ['touch', 'token=$(id)'] } }),
  );
  const { stdout } = await onTerminal(folder, 'tools', 'n');
  assert.match(stdout, /It has no servers\.\nIt also sets:\n[\s\S]*optimize\.agentCommand\.1 = "token=\$\(id\)"/);
  assert.doesNotMatch(stdout, /starts no programs/);
});

test('[GET-12] start asks too, and serves after a yes', { timeout: 60_000 }, async () => {
  const folder = await strangersFolder();
  await using _machine = folder.machine;
  const { stdout } = await onTerminal(folder, 'start --port 0', 'yes');
  assert.match(stdout, /Toolcrib .* is running/);
});

test('[GET-13] trust holds for a path and a content, is listed and revoked, and its list is private', {
  timeout: 120_000,
}, async () => {
  const folder = await strangersFolder();
  const { machine, cwd, file, run, write } = folder;
  await using _machine = machine;
  const unasked = await run('trust');
  assert.deepEqual([unasked.code, unasked.stderr.includes('trust --yes')], [2, true]);
  const given = (await run('trust --yes --json')).json<{ file: string; servers: { target: string }[] }>();
  assert.equal(given.file, file);
  assert.match(given.servers[0]?.target ?? '', /^touch /);
  assert.match((await run('trust')).stdout, /already/);
  assert.match((await run('trust --list')).stdout, /cloned\/toolcrib\.json +\d{4}-/);
  assert.equal((await stat(join(machine.dataDir, 'trusted-configs.json'))).mode & 0o777, 0o600);
  assert.match((await run('list')).stdout, /^mine /m);

  // Another path with the same content is another config.
  const copy = join(machine.home, 'copy');
  await mkdir(copy);
  await writeFile(join(copy, 'toolcrib.json'), await readFile(file));
  assert.match((await machine.launch(['list'], { cwd: copy }).ended).stderr, refusal);

  const before = await readFile(file, 'utf8');
  await write('other');
  assert.match((await run('list')).stderr, /has changed since you trusted it/);
  await writeFile(file, before);
  assert.equal((await run('list')).code, 0);
  assert.match((await machine.run('trust', cwd, '--revoke')).stdout, /No longer trusted/);
  assert.match((await run('list')).stderr, refusal);
  assert.match((await run('trust --revoke')).stdout, /was not trusted/);
  assert.deepEqual((await run('trust --list --json')).json(), []);
});

test('[GET-13] a config that is named or lies in the data folder needs no trust', { timeout: 120_000 }, async () => {
  const folder = await strangersFolder();
  const { machine, file } = folder;
  await using _machine = machine;
  const listed = (run: CliRun) => assert.equal(run.code, 0, run.stderr);
  listed(await folder.run(`list --config ${file}`));
  listed(await folder.run('list --config toolcrib.json'));
  listed(await machine.launch(['list'], { cwd: machine.dataDir }).ended);
  // The data folder behind a link is the same.
  await symlink(machine.dataDir, join(machine.home, 'linked'));
  listed(await machine.launch(['list', '--data', join(machine.home, 'linked')], { cwd: machine.dataDir }).ended);
  assert.match((await machine.run('trust', machine.dataDir)).stderr, /There is no config to trust/);
  assert.match((await machine.run('trust')).stderr, /There is no config to trust/);
  await rm(file);
  listed(await folder.run('list'));
});

test('[GET-13] trust given or revoked through a link is that of the folder behind it', {
  timeout: 60_000,
}, async () => {
  const { machine, cwd, file, run } = await strangersFolder();
  await using _machine = machine;
  const link = join(machine.home, 'link');
  await symlink(cwd, link);
  assert.equal((await machine.run('trust', link, '--yes', '--json')).json<{ file: string }>().file, file);
  assert.match((await run('list')).stdout, /^mine /m);
  assert.match((await machine.run('trust', link, '--revoke')).stdout, /No longer trusted/);
  assert.match((await run('list')).stderr, refusal);
});

test('[GET-13] an edit while a gateway runs is applied and trusted; one after its end is asked about', {
  timeout: 120_000,
}, async () => {
  const folder = await strangersFolder();
  const { machine, cwd, run, write } = folder;
  await using _machine = machine;
  await run('trust --yes');
  const gateway = machine.launch(['start', '--port', '0', '--json'], { cwd });
  await gateway.until(({ stdout }) => stdout.includes('\n'));
  await write('edited');
  await eventually('the edit is in use', async () =>
    (await run('list')).stdout.includes('edited') ? true : undefined,
  );
  await gateway.stop();
  assert.match((await run('list')).stdout, /^edited /m);
  await write('later');
  assert.match((await run('list')).stderr, /has changed since you trusted it/);
});

test('[GET-12] a server without a folder starts next to its config, never in the folder of a stranger', {
  timeout: 60_000,
}, async () => {
  const { machine, cwd, file } = await strangersFolder();
  await using _machine = machine;
  await rm(file);
  const config = { mcpServers: { mine: { command: 'touch', args: ['started-here'] } } };
  await writeFile(join(machine.dataDir, 'toolcrib.json'), JSON.stringify(config));
  await machine.spawn(['tools'], { cwd }).ended;
  assert.deepEqual(
    [cwd, machine.dataDir].map((folder) => existsSync(join(folder, 'started-here'))),
    [false, true],
  );
});

test('[GET-12] the bridge of an agent starts nothing of the folder that it is started in', {
  timeout: 60_000,
}, async () => {
  const folder = await strangersFolder();
  await using machine = folder.machine;
  const agent = machine.spawn(['stdio'], {
    cwd: folder.cwd,
    input: `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } } })}\n`,
  });
  await agent.until(({ stdout }) => stdout.includes('"id":1'));
  const { stdout } = await folder.run('list --json');
  assert.ok(!stdout.includes('mine'));
  await folder.run('stop');
  await agent.stop();
  assert.ok(!folder.hasStarted());
});

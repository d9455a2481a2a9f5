/** Commands that look rather than act, and the bin itself: doctor, config, completions, old Node, light start. */

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { CliMachine } from '../kit/cli.ts';
import { eventually } from '../kit/processes.ts';
import { serverCommand } from '../servers/launch.ts';

interface Report {
  readonly findings: readonly { readonly severity: string; readonly subject: string; readonly message: string }[];
}

for (const isRunning of [false, true]) {
  test(`[CLI-08] doctor looks at everything ${isRunning ? 'through a running gateway' : 'on the data folder'}`, async () => {
    await using machine = await CliMachine.make();
    await mkdir(machine.dataDir);
    const servers = { fine: serverCommand({}), broken: { command: 'no-such-command-anywhere' } };
    await writeFile(join(machine.dataDir, 'toolcrib.json'), JSON.stringify({ mcpServers: servers }));
    if (isRunning) await machine.start();
    const run = await machine.run('doctor');
    assert.equal(run.code, 1, run.stderr);
    assert.match(run.stdout, /^ok: Toolcrib runs on Node /m);
    assert.match(run.stdout, /^ok: The data folder .* is usable\.$/m);
    assert.match(run.stdout, /^ok: The config .*toolcrib\.json is valid\.$/m);
    assert.match(run.stdout, isRunning ? /^ok: A gateway is running at /m : /^ok: No gateway is running/m);
    assert.match(run.stdout, /^ok: Server "fine" is connected \(legacy, stdio\) with 22 tools\.$/m);
    assert.match(run.stdout, /^problem: Server "broken" could not be started: .*\n {4}hint: /m);
    assert.match(run.stdout, /\n1 problem found\.\n$/);
    const { findings } = (await machine.run('doctor', '--json')).json<Report>();
    assert.deepEqual(
      findings.filter(({ severity }) => severity === 'problem').map(({ subject }) => subject),
      ['broken'],
    );
  });
}

test('doctor is content with little, and starts nothing where it is told not to', async () => {
  await using machine = await CliMachine.make();
  await mkdir(machine.dataDir);
  await writeFile(
    join(machine.dataDir, 'toolcrib.json'),
    '{ "mcpServers": { "a": { "command": "no-such-command" } } }',
  );
  const run = await machine.run('doctor', '--no-connect');
  assert.equal(run.code, 0, run.stdout);
  assert.match(run.stdout, /ok: Server "a" is not connected and was not tried\./);
  assert.match(run.stdout, /\nNo problem found\.\n$/);
});

test('without a gateway it is said where that matters, on stderr and for people alone', async () => {
  await using machine = await CliMachine.make();
  const lone = /^note: no gateway runs for the data folder .*, so /m;
  for (const argv of [
    ['list'],
    ['approvals'],
    ['call', 'math:calculate', 'expression=1+1'],
    ['tools', '--server', 'math'],
  ]) {
    const run = await machine.run(...argv);
    assert.match(run.stderr, lone, argv.join(' '));
    assert.doesNotMatch(run.stdout, lone);
    assert.doesNotMatch((await machine.run(...argv, '--json')).stderr, lone);
  }
  await machine.start('--demo');
  for (const argv of [['list'], ['approvals'], ['call', 'maths:calculate', 'expression=1+1']])
    assert.doesNotMatch((await machine.run(...argv)).stderr, lone, argv.join(' '));
});

for (const isRunning of [false, true]) {
  test(`a server that does not work answers for its tools with why, ${isRunning ? 'through a gateway' : 'once'}`, async () => {
    await using machine = await CliMachine.make();
    await mkdir(machine.dataDir);
    const servers = { broken: { command: 'no-such-command-anywhere' } };
    await writeFile(join(machine.dataDir, 'toolcrib.json'), JSON.stringify({ mcpServers: servers }));
    if (isRunning) await machine.start();
    for (const argv of [
      ['tools', '--server', 'broken'],
      ['info', 'broken:x'],
      ['call', 'broken:x', 'a=1'],
    ]) {
      const { code, stdout, stderr } = await machine.run(...argv);
      assert.deepEqual([code === 0, stdout], [false, ''], stderr);
      // It may be tried just now.
      assert.match(stderr, /^Server "broken" .*could not be started: .*was not found\.\nhint: Install/);
    }
  });
}

test('doctor shows every mistake of a config that no gateway could use', async () => {
  await using machine = await CliMachine.make();
  await mkdir(machine.dataDir);
  await writeFile(join(machine.dataDir, 'toolcrib.json'), '{\n "serch": {},\n "calls": { "timeoutMs": "x" }\n}');
  const run = await machine.run('doctor');
  assert.equal(run.code, 1);
  assert.match(run.stdout, /^problem: .*toolcrib\.json:2:\d+: .*\n {4}hint: .*\nproblem: .*toolcrib\.json:3:\d+: /m);
});

test('doctor tells each mistake of an edit once, and that the running gateway keeps the config from before', async () => {
  await using machine = await CliMachine.make();
  await mkdir(machine.dataDir);
  const file = join(machine.dataDir, 'toolcrib.json');
  await writeFile(file, '{}');
  await machine.start();
  await writeFile(file, '{\n "serch": {},\n "calls": { "timeoutMs": "x" }\n}');
  const report = await eventually('the gateway has seen the edit', async () => {
    const { stdout } = await machine.run('doctor', '--no-connect');
    return stdout.includes('still in use') ? stdout : undefined;
  });
  for (const line of [2, 3]) assert.equal(report.split(`toolcrib.json:${line}:`).length, 2, report);
  assert.match(report, /^note: The config from before the edit is still in use\.$/m);
  assert.match(report, /\n2 problems found\.\n$/);
});

test('a command that is advised has the config file that was given', async () => {
  await using machine = await CliMachine.make();
  await writeFile(join(machine.home, 'my.json'), '{}');
  const { stdout } = await machine.run('status', '--config', 'my.json');
  assert.match(stdout, /^No gateway is running\. Start it: npx .*toolcrib --config my\.json start$/m);
});

test('[CLI-09] config check names every mistake with its place', async () => {
  await using machine = await CliMachine.make();
  const file = join(machine.home, 'toolcrib.json');
  assert.match((await machine.run('config', 'check')).stdout, /There is no config file; the defaults apply\./);
  await writeFile(file, `{ "mcpServers": { "a": { "command": "x", "env": { "K": "\${NOT_SET_ANYWHERE}" } } } }`);
  const fine = await machine.run('config', 'check');
  assert.equal(fine.code, 0);
  assert.match(fine.stdout, /toolcrib\.json is valid: 1 server\.\nnote: .*NOT_SET_ANYWHERE/);
  await writeFile(file, '{\n "serch": {},\n "calls": { "timeoutMs": "x" }\n}');
  for (const line of [
    ['config', 'check'],
    ['config', 'check', file],
    ['config', 'check', '--config', file],
  ]) {
    const run = await machine.run(...line);
    assert.equal(run.code, 2);
    const [first = '', second = ''] = run.stdout.split('\n');
    assert.ok(first.startsWith(`${file}:2:2: `) && second.startsWith(`${file}:3:26: `), run.stdout);
    assert.match(run.stderr, /The config has 2 mistakes\./);
  }
  const { valid, issues } = (await machine.run('config', 'check', '--json')).json<{
    valid: boolean;
    issues: object[];
  }>();
  assert.deepEqual([valid, issues.length], [false, 2]);
  assert.equal((await machine.run('config', 'check', 'missing.json')).code, 2);
});

test('config path and schema', async () => {
  await using machine = await CliMachine.make();
  assert.equal((await machine.run('config', 'path')).stdout, `${join(machine.dataDir, 'toolcrib.json')}\n`);
  await writeFile(join(machine.home, 'toolcrib.json'), '{}');
  assert.equal((await machine.run('config', 'path')).stdout, `${join(machine.home, 'toolcrib.json')}\n`);
  const reference = await readFile(new URL('../../docs/reference/config.schema.json', import.meta.url), 'utf8');
  assert.equal((await machine.run('config', 'schema')).stdout, reference);
});

test('[CLI-11] completions are printed for each shell, and bash can read its own', async () => {
  await using machine = await CliMachine.make();
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout } = await machine.run('completions', shell);
    assert.equal(code, 0);
    assert.match(stdout, /toolcrib/);
    if (shell === 'bash') execFileSync('bash', ['-n'], { input: stdout });
  }
});

/** Code that runs before the bin does. */
const preload = (code: string) => ['--import', `data:text/javascript,${encodeURIComponent(code)}`];

test('[CLI-10] an old Node hands over to the Node of the checkout, with arguments and exit code', async () => {
  await using machine = await CliMachine.make();
  for (const version of ['12.22.0', '24.15.9', '24.16.0', '100.0.0']) {
    const code = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
    const launch = (...words: string[]) => machine.spawn(words, { node: preload(code) }).ended;
    const [good, wrong] = [await launch('--version'), await launch('lst')];
    assert.deepEqual([good.code, good.stdout.trim()], [0, '0.1.0'], version);
    assert.deepEqual([wrong.code, /There is no command "lst"/.test(wrong.stderr)], [2, true], version);
  }
});

test('[CLI-10] an old Node without one says which Node is needed', async () => {
  await using machine = await CliMachine.make();
  const bin = join(machine.home, 'bin.mjs');
  await copyFile(new URL('../../bin/toolcrib.js', import.meta.url), bin);
  const code = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } })`;
  const { status, stderr } = spawnSync(process.execPath, [...preload(code), bin, 'list'], { encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(stderr, /^Toolcrib needs Node 24\.16 or newer, and this is Node 20\.1\.0; install a newer Node/);
});

test('commands that need neither store nor schemas do not load them', async () => {
  await using machine = await CliMachine.make();
  const recorder = `
    import { registerHooks } from 'node:module';
    import { appendFileSync } from 'node:fs';
    registerHooks({
      resolve(specifier, context, next) {
        const found = next(specifier, context);
        appendFileSync(process.env.LOADED, found.url + '\\n');
        return found;
      },
    });`;
  for (const argv of [['--version'], ['version'], ['help', 'add'], ['completions', 'bash'], ['nonsense']]) {
    const file = join(machine.home, `loaded-${argv[0]}`);
    await machine.spawn(argv, { node: preload(recorder), env: { LOADED: file } }).ended;
    const loaded = await readFile(file, 'utf8');
    assert.match(loaded, /commander/);
    assert.doesNotMatch(loaded, /zod|kysely|node:sqlite|\/gateway\.ts|\/admin\//, argv.join(' '));
  }
});

test('a reader that goes away is no error', async () => {
  await using machine = await CliMachine.make();
  const running = machine.spawn(['config', 'schema']);
  running.child.stdout?.destroy();
  const { code, stderr } = await running.ended;
  assert.deepEqual([code, stderr], [0, '']);
});

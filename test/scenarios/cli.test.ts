/** Every command on servers and tools, as people and scripts use it: on the data folder alone, and through a running gateway. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { CliMachine, type CliRun } from '../kit/cli.ts';
import { type RunningServer, serverCommand, startServer } from '../servers/launch.ts';

interface ServerRow {
  readonly name: string;
  readonly state: string;
  readonly toolCount: number;
}

const hostile = {
  name: 'paint',
  description: 'Paints \u001b[31mred\u001b[0m \u202eand hides\u202c.',
  inputSchema: { type: 'object' },
  respond: { content: [{ type: 'text', text: 'a\u001b]0;owned\u0007b\u009b2J' }] },
};
const steering = /[\u001b\u0007\u009b\u202e]/;

function command(spec: Parameters<typeof serverCommand>[0]): string[] {
  const { command: file, args } = serverCommand(spec);
  return ['--', file, ...args];
}

/** One machine for a series of tests that build on each other. */
class Setup {
  #machine: CliMachine | undefined;
  #remote: RunningServer | undefined;

  async open(isRunning: boolean): Promise<void> {
    this.#machine = await CliMachine.make();
    this.#remote = await startServer({ era: 'modern', bearer: 'secret-bearer-1' });
    if (isRunning) await this.#machine.start();
  }

  async close(): Promise<void> {
    await this.#machine?.[Symbol.asyncDispose]();
    await this.#remote?.stop();
  }

  run(...argv: string[]): Promise<CliRun> {
    assert.ok(this.#machine, 'the setup is open');
    return this.#machine.run(...argv);
  }

  get remoteUrl(): string {
    return this.#remote?.url ?? '';
  }
}

for (const isRunning of [false, true]) {
  describe(isRunning ? 'through a running gateway' : 'on the data folder', () => {
    const setup = new Setup();
    before(() => setup.open(isRunning));
    after(() => setup.close());
    addingServers(setup);
    lookingAtTools(setup);
    callingTools(setup);
    changingServers(setup);
  });
}

function addingServers(setup: Setup): void {
  test('an empty list says how to add a server', async () => {
    const { code, stdout } = await setup.run('list');
    assert.equal(code, 0);
    assert.match(stdout, /No server is configured\. Import .*: npx .*toolcrib init\. Add one: npx .*toolcrib add/);
    for (const asked of ['status', 'doctor']) assert.match((await setup.run(asked)).stdout, /toolcrib init/, asked);
    assert.deepEqual((await setup.run('list', '--json')).json(), []);
  });

  test('[CLI-05] add connects and prints the tools', async () => {
    const local = await setup.run('add', 'plain', ...command({}));
    assert.equal(local.code, 0, local.stderr);
    assert.match(local.stdout, /^Server plain is added \(stdio, legacy\), with 22 tools:$/m);
    assert.match(local.stdout, /^ {2}plain:echo$/m);
    // On a slow machine it says what it waits for, and nothing else.
    assert.match(local.stderr, /^(Starting \S+ for plain and waiting for its tools …\n)?$/);
    const header = ['--header', 'Authorization: Bearer secret-bearer-1'];
    const added = await setup.run('add', 'remote', setup.remoteUrl, ...header, '--json');
    assert.equal(added.code, 0, added.stderr);
    assert.equal(added.json<ServerRow & { era: string }>().era, 'modern');
  });

  test('add hands over environment and folder', async () => {
    const flags = ['--env', 'TOOLCRIB_MARK=yes', '--cwd', '.'];
    assert.equal((await setup.run('add', 'set', ...flags, ...command({}))).code, 0);
    assert.match((await setup.run('call', 'set:env')).stdout, /TOOLCRIB_MARK/);
    assert.equal((await setup.run('remove', 'set')).code, 0);
  });

  test('a server that does not work is registered all the same', async () => {
    const bad = await setup.run('add', 'bad', '--', 'no-such-command-anywhere');
    assert.equal(bad.code, 1);
    assert.match(bad.stdout, /Server bad is added and stays registered, but it does not work yet/);
    assert.match(
      bad.stderr,
      /^(Starting .*\n)?Server "bad" could not be started: the command .* was not found\.\nhint: /,
    );
    const rows = (await setup.run('list', '--json')).json<ServerRow[]>();
    assert.ok(rows.some(({ name }) => name === 'bad'));
    const again = await setup.run('add', 'bad', '--', 'x');
    assert.equal(again.code, 1);
    assert.match(again.stderr, /already a server "bad"/);
  });

  test('list shows every server with its tools', async () => {
    const { stdout } = await setup.run('list');
    assert.match(stdout, /^NAME +STATE +TRANSPORT +TOOLS/);
    assert.match(stdout, /^plain +(configured|connected) +stdio.* 22\b/m);
  });
}

function lookingAtTools(setup: Setup): void {
  test('tools are listed by server and category', async () => {
    const { stdout } = await setup.run('tools', '--server', 'plain');
    assert.match(stdout, /^plain:add +other +Adds two numbers\.$/m);
    assert.match(stdout, /^22 tools\.$/m);
    assert.match((await setup.run('tools', '--category', 'payments')).stdout, /no such tools/);
    assert.equal((await setup.run('tools', '--server', 'plian')).code, 3);
  });

  test('[CLI-12] search finds, limits and explains', async () => {
    const { code, stdout } = await setup.run('search', 'add', 'two', 'numbers', '--limit', '1', '--explain');
    assert.equal(code, 0);
    const [key, description, ...more] = stdout.trimEnd().split('\n');
    assert.match(key ?? '', /^(plain|remote):add {2}\d+ %$/);
    assert.equal(description, '    Adds two numbers.');
    assert.match(
      more.at(-1) ?? '',
      /^ {4}score 1\.00: words 1\.00 \(add, .*numbers; \d+ % of the query\), meaning 0\.\d\d$/,
    );
    const found = await setup.run('search', 'numbers', '--server', 'remote', '--json');
    const { tools } = found.json<{ tools: { toolKey: string }[] }>();
    assert.equal(tools[0]?.toolKey, 'remote:add');
    assert.ok(tools.every(({ toolKey }) => toolKey.startsWith('remote:')));
  });

  test('info shows the parameters', async () => {
    assert.match((await setup.run('info', 'plain:add')).stdout, /^a +number +The first number\.$/m);
    assert.match((await setup.run('info', 'plain:add', '--brief')).stdout, /takes: a: number, b: number/);
    const full = (await setup.run('info', 'plain:add', '--json')).json<{ definition: { name: string } }>();
    assert.equal(full.definition.name, 'add');
  });
}

function callingTools(setup: Setup): void {
  test('call takes pairs, which the schema types, or JSON', async () => {
    assert.deepEqual((await setup.run('call', 'plain:add', 'a=1.5', 'b=2')).stdout, '3.5\n');
    assert.equal((await setup.run('call', 'remote:add', '{"a":1,"b":2}')).stdout, '3\n');
    assert.equal((await setup.run('call', 'plain:echo', 'text=42')).stdout, '42\n');
    const { structuredContent } = (await setup.run('call', 'plain:add', 'a=1', 'b=2', '--json')).json<{
      structuredContent: unknown;
    }>();
    assert.deepEqual(structuredContent, { sum: 3 });
  });

  test('[CLI-06] call ends with the code of what went wrong', async () => {
    const failing = await setup.run('call', 'plain:fail', 'message=the disk is full');
    assert.deepEqual([failing.code, failing.stdout], [1, 'the disk is full\n']);
    assert.match(failing.stderr, /^The tool "plain:fail" reports an error\.$/m);
    const cases: [number, RegExp, ...string[]][] = [
      [2, /"a" of "plain:add" must be of the type number, not "x"/, 'plain:add', 'a=x', 'b=1'],
      [2, /"b" is missing/, 'plain:add', 'a=1'],
      [2, /The arguments are not valid JSON/, 'plain:add', '{a:1}'],
      [2, /not of the form key=value/, 'plain:add', 'x'],
      [3, /no tool "ad" on server "plain".*\nhint: .*"plain:add"/s, 'plain:ad'],
      [3, /no server "plian"/, 'plian:add'],
    ];
    for (const [code, message, ...argv] of cases) {
      const run = await setup.run('call', ...argv);
      assert.deepEqual([run.code, run.stdout], [code, ''], argv.join(' '));
      assert.match(run.stderr, message);
    }
    const json = await setup.run('call', 'plain:nope', '--json');
    assert.equal(JSON.parse(json.stderr).error.code, 'TOOL_NOT_FOUND');
  });

  test('[CLI-07] texts of a server cannot steer the terminal', async () => {
    const show = async (code: number, ...lines: string[][]) => {
      for (const line of lines) {
        for (const run of [await setup.run(...line), await setup.run(...line, '--json')]) {
          assert.equal(run.code, code, `${line.join(' ')}: ${run.stderr}`);
          assert.doesNotMatch(run.stdout + run.stderr, steering, line.join(' '));
        }
      }
    };
    const listing = [['tools', '--server', 'hostile'], ['search', 'paint'], ['list'], ['review', 'hostile']];
    const using = [
      ['info', 'hostile:paint'],
      ['call', 'hostile:paint'],
    ];
    const added = await setup.run('add', 'hostile', ...command({ tools: [hostile] }));
    assert.equal(added.code, 0);
    assert.doesNotMatch(added.stdout + added.stderr, steering);
    await show(0, ...listing);
    await show(4, ...using);
    const shown = await setup.run('review', 'hostile');
    assert.match(shown.stdout, /hostile:paint/);
    assert.match(shown.stdout, /\\u001b|\\u\{1b\}|\\x1b/i, 'what steers is spelled out');
    const approved = await setup.run('review', 'accept', 'hostile:paint');
    assert.equal(approved.code, 0, approved.stderr);
    assert.doesNotMatch(approved.stdout + approved.stderr, steering);
    await show(0, ...listing, ['review', 'hostile', '--all'], ['review', '--history', 'hostile'], ...using);
    assert.equal((await setup.run('call', 'hostile:paint')).stdout, 'a]0;ownedb2J\n');
  });
}

function changingServers(setup: Setup): void {
  test('refresh counts what changed', async () => {
    const one = await setup.run('refresh', 'plain');
    assert.equal(one.code, 0);
    assert.match(one.stdout, /^NAME +ADDED +UPDATED +REMOVED +UNCHANGED\nplain +0 +0 +0 +\d\d\n$/);
    const pidBefore = (await setup.run('call', 'plain:whoami')).stdout;
    const [forced] = (await setup.run('refresh', 'plain', '--force', '--json')).json<{ unchanged: number }[]>();
    assert.ok((forced?.unchanged ?? 0) >= 22);
    assert.notEqual((await setup.run('call', 'plain:whoami')).stdout, pidBefore);
    const all = await setup.run('refresh');
    assert.equal(all.code, 1);
    assert.match(all.stdout, /^bad .*not found\.$/m);
    assert.match(all.stderr, /not found\.\nhint: Install .* More: .*doctor\.$/m);
    assert.equal((await setup.run('refresh', 'plian')).code, 3);
  });

  test('a server is switched off and on, and removed', async () => {
    assert.match((await setup.run('disable', 'plain')).stdout, /Server plain is switched off/);
    assert.match((await setup.run('list')).stdout, /^plain +disabled/m);
    assert.equal((await setup.run('call', 'plain:echo', 'text=x')).code, 4);
    assert.match((await setup.run('enable', 'plain')).stdout, /Server plain is switched on .* 22 tools/);
    for (const name of ['plain', 'remote', 'bad', 'hostile']) {
      assert.match((await setup.run('remove', name)).stdout, new RegExp(`Server ${name} is removed`));
    }
    assert.deepEqual((await setup.run('list', '--json')).json(), []);
    const gone = await setup.run('remove', 'plain');
    assert.equal(gone.code, 3);
  });
}

/** Every command on servers and tools, as people and scripts use it: on the data folder alone, and through a running gateway. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { CliPlace, type CliRun } from '../kit/cli.ts';
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

/** One machine for a row of tests that build on each other. */
class Scene {
  #place: CliPlace | undefined;
  #remote: RunningServer | undefined;

  async open(isRunning: boolean): Promise<void> {
    this.#place = await CliPlace.make();
    this.#remote = await startServer({ era: 'modern', bearer: 'secret-bearer-1' });
    if (isRunning) await this.#place.start();
  }

  async close(): Promise<void> {
    await this.#place?.[Symbol.asyncDispose]();
    await this.#remote?.stop();
  }

  run(...argv: string[]): Promise<CliRun> {
    assert.ok(this.#place, 'the scene is open');
    return this.#place.run(...argv);
  }

  get remoteUrl(): string {
    return this.#remote?.url ?? '';
  }
}

for (const isRunning of [false, true]) {
  describe(isRunning ? 'through a running gateway' : 'on the data folder', () => {
    const scene = new Scene();
    before(() => scene.open(isRunning));
    after(() => scene.close());
    addingServers(scene);
    lookingAtTools(scene);
    callingTools(scene);
    changingServers(scene);
  });
}

function addingServers(scene: Scene): void {
  test('an empty list says how to add a server', async () => {
    const { code, stdout } = await scene.run('list');
    assert.equal(code, 0);
    assert.match(stdout, /No server is configured\. Add one: npx .*toolcrib add/);
    assert.deepEqual((await scene.run('list', '--json')).json(), []);
  });

  test('[CLI-05] add connects and prints the tools', async () => {
    const local = await scene.run('add', 'plain', ...command({}));
    assert.equal(local.code, 0, local.stderr);
    assert.match(local.stdout, /^✓ Server plain is added \(stdio, legacy\), with 22 tools:$/m);
    assert.match(local.stdout, /^ {2}plain:echo$/m);
    // On a slow machine it says what it waits for, and nothing else.
    assert.match(local.stderr, /^(Starting \S+ for plain and waiting for its tools …\n)?$/);
    const header = ['--header', 'Authorization: Bearer secret-bearer-1'];
    const added = await scene.run('add', 'remote', scene.remoteUrl, ...header, '--json');
    assert.equal(added.code, 0, added.stderr);
    assert.equal(added.json<ServerRow & { era: string }>().era, 'modern');
  });

  test('add hands over environment and folder', async () => {
    const flags = ['--env', 'TOOLCRIB_MARK=yes', '--cwd', '.'];
    assert.equal((await scene.run('add', 'set', ...flags, ...command({}))).code, 0);
    assert.match((await scene.run('call', 'set:env')).stdout, /TOOLCRIB_MARK/);
    assert.equal((await scene.run('remove', 'set')).code, 0);
  });

  test('a server that does not work is registered all the same', async () => {
    const bad = await scene.run('add', 'bad', '--', 'no-such-command-anywhere');
    assert.equal(bad.code, 1);
    assert.match(bad.stdout, /Server bad is added and stays registered, but it does not work yet/);
    assert.match(
      bad.stderr,
      /^(Starting .*\n)?Server "bad" could not be started: the command .* was not found\.\nhint: /,
    );
    const rows = (await scene.run('list', '--json')).json<ServerRow[]>();
    assert.ok(rows.some(({ name }) => name === 'bad'));
    const again = await scene.run('add', 'bad', '--', 'x');
    assert.equal(again.code, 1);
    assert.match(again.stderr, /already a server "bad"/);
  });

  test('list shows every server with its tools', async () => {
    const { stdout } = await scene.run('list');
    assert.match(stdout, /^NAME +STATE +TRANSPORT +TOOLS/);
    assert.match(stdout, /^plain +(configured|connected) +stdio.* 22\b/m);
  });
}

function lookingAtTools(scene: Scene): void {
  test('tools are listed by server and category', async () => {
    const { stdout } = await scene.run('tools', '--server', 'plain');
    assert.match(stdout, /^plain:add +other +Adds two numbers\.$/m);
    assert.match(stdout, /^22 tools\.$/m);
    assert.match((await scene.run('tools', '--category', 'payments')).stdout, /no such tools/);
    assert.equal((await scene.run('tools', '--server', 'plian')).code, 3);
  });

  test('[CLI-12] search finds, limits and explains', async () => {
    const { code, stdout } = await scene.run('search', 'add', 'two', 'numbers', '--limit', '1', '--explain');
    assert.equal(code, 0);
    const [key, description, ...more] = stdout.trimEnd().split('\n');
    assert.match(key ?? '', /^(plain|remote):add {2}\d+ %$/);
    assert.equal(description, '    Adds two numbers.');
    assert.match(
      more.at(-1) ?? '',
      /^ {4}score 1\.00: words 1\.00 \(add, .*numbers; \d+ % of the query\), meaning 0\.\d\d$/,
    );
    const found = await scene.run('search', 'numbers', '--server', 'remote', '--json');
    const { tools } = found.json<{ tools: { toolKey: string }[] }>();
    assert.equal(tools[0]?.toolKey, 'remote:add');
    assert.ok(tools.every(({ toolKey }) => toolKey.startsWith('remote:')));
  });

  test('info shows the parameters', async () => {
    assert.match((await scene.run('info', 'plain:add')).stdout, /^a +number +The first number\.$/m);
    assert.match((await scene.run('info', 'plain:add', '--brief')).stdout, /takes: a: number, b: number/);
    const full = (await scene.run('info', 'plain:add', '--json')).json<{ definition: { name: string } }>();
    assert.equal(full.definition.name, 'add');
  });
}

function callingTools(scene: Scene): void {
  test('call takes pairs, which the schema types, or JSON', async () => {
    assert.deepEqual((await scene.run('call', 'plain:add', 'a=1.5', 'b=2')).stdout, '3.5\n');
    assert.equal((await scene.run('call', 'remote:add', '{"a":1,"b":2}')).stdout, '3\n');
    assert.equal((await scene.run('call', 'plain:echo', 'text=42')).stdout, '42\n');
    const { structuredContent } = (await scene.run('call', 'plain:add', 'a=1', 'b=2', '--json')).json<{
      structuredContent: unknown;
    }>();
    assert.deepEqual(structuredContent, { sum: 3 });
  });

  test('[CLI-06] call ends with the code of what went wrong', async () => {
    const failing = await scene.run('call', 'plain:fail', 'message=the disk is full');
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
      const run = await scene.run('call', ...argv);
      assert.deepEqual([run.code, run.stdout], [code, ''], argv.join(' '));
      assert.match(run.stderr, message);
    }
    const json = await scene.run('call', 'plain:nope', '--json');
    assert.equal(JSON.parse(json.stderr).error.code, 'TOOL_NOT_FOUND');
  });

  test('[CLI-07] texts of a server cannot steer the terminal', async () => {
    const show = async (code: number, ...lines: string[][]) => {
      for (const line of lines) {
        for (const run of [await scene.run(...line), await scene.run(...line, '--json')]) {
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
    const added = await scene.run('add', 'hostile', ...command({ tools: [hostile] }));
    assert.equal(added.code, 0);
    assert.doesNotMatch(added.stdout + added.stderr, steering);
    await show(0, ...listing);
    await show(4, ...using);
    const shown = await scene.run('review', 'hostile');
    assert.match(shown.stdout, /hostile:paint/);
    assert.match(shown.stdout, /\\u001b|\\u\{1b\}|\\x1b/i, 'what steers is spelled out');
    const approved = await scene.run('review', 'accept', 'hostile:paint');
    assert.equal(approved.code, 0, approved.stderr);
    assert.doesNotMatch(approved.stdout + approved.stderr, steering);
    await show(0, ...listing, ['review', 'hostile', '--all'], ['review', '--history', 'hostile'], ...using);
    assert.equal((await scene.run('call', 'hostile:paint')).stdout, 'a]0;ownedb2J\n');
  });
}

function changingServers(scene: Scene): void {
  test('refresh counts what changed', async () => {
    const one = await scene.run('refresh', 'plain');
    assert.equal(one.code, 0);
    assert.match(one.stdout, /^NAME +ADDED +UPDATED +REMOVED +UNCHANGED\nplain +0 +0 +0 +\d\d\n$/);
    const pidBefore = (await scene.run('call', 'plain:whoami')).stdout;
    const [forced] = (await scene.run('refresh', 'plain', '--force', '--json')).json<{ unchanged: number }[]>();
    assert.ok((forced?.unchanged ?? 0) >= 22);
    assert.notEqual((await scene.run('call', 'plain:whoami')).stdout, pidBefore);
    const all = await scene.run('refresh');
    assert.equal(all.code, 1);
    assert.match(all.stdout, /^bad .*not found\.$/m);
    assert.match(all.stderr, /not found\.\nhint: Toolcrib keeps the tools it knew before/);
    assert.equal((await scene.run('refresh', 'plian')).code, 3);
  });

  test('a server is switched off and on, and removed', async () => {
    assert.match((await scene.run('disable', 'plain')).stdout, /Server plain is switched off/);
    assert.match((await scene.run('list')).stdout, /^plain +disabled/m);
    assert.equal((await scene.run('call', 'plain:echo', 'text=x')).code, 4);
    assert.match((await scene.run('enable', 'plain')).stdout, /Server plain is switched on .* 22 tools/);
    for (const name of ['plain', 'remote', 'bad', 'hostile']) {
      assert.match((await scene.run('remove', name)).stdout, new RegExp(`Server ${name} is removed`));
    }
    assert.deepEqual((await scene.run('list', '--json')).json(), []);
    const gone = await scene.run('remove', 'plain');
    assert.equal(gone.code, 3);
  });
}

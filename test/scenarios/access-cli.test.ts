/** Tokens at the command line: made, listed, revoked, and used there by somebody who is not the owner. */

import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { CliMachine } from '../kit/cli.ts';
import { hostedServer } from '../servers/hosted.ts';

async function makePlace(): Promise<CliMachine> {
  const machine = await CliMachine.make();
  await mkdir(machine.dataDir, { recursive: true });
  const mcpServers = { one: hostedServer({ name: 'one' }), two: hostedServer({ name: 'two' }) };
  await writeFile(join(machine.dataDir, 'toolcrib.json'), JSON.stringify({ mcpServers }));
  return machine;
}

test('[ACC-25] a token is made, shown once, listed and revoked', async () => {
  await using machine = await makePlace();
  const made = await machine.run('token', 'create', 'ci', '--servers', 'one,nine*', '--expires', '30d');
  assert.equal(made.code, 0, made.stderr);
  const [token = ''] = /tc_[\w-]{43}/.exec(made.stdout) ?? [];
  assert.ok(token !== '');
  assert.match(made.stdout, /not shown again.*use on servers one, nine\*.*expires at 20\d\d-/s);
  assert.match(made.stderr, /no server is called "nine\*" now/);
  const listed = await machine.run('token', 'list');
  assert.match(listed.stdout, /^owner +active +use,admin,metrics/m);
  assert.match(listed.stdout, /^ci +active +use +one,nine\* +20\d\d-\d\d-\d\d \d\d:\d\d +never/m);
  assert.ok(!listed.stdout.includes(token.slice(3)));
  const json = (await machine.run('token', 'create', 'robot', '--json')).json<{ token: string; name: string }>();
  assert.match(json.token, /^tc_/);
  assert.equal((await machine.run('token', 'revoke', 'ci')).code, 0);
  assert.doesNotMatch((await machine.run('token', 'list')).stdout, /^ci/m);
  assert.match((await machine.run('token', 'list', '--all')).stdout, /^ci +revoked/m);
  const wrong: [string[], RegExp][] = [
    [['create', 'robot'], /already a token "robot"/],
    [['create', 'a b'], /letters, digits/],
    [['create', 'x', '--scope', 'root'], /no scope "root"/],
    [['create', 'x', '--servers', ''], /--servers must be names/],
    [['create', 'x', '--project', 'nowhere'], /no project "nowhere"/],
    [['create', 'x', '--expires', 'soon'], /such as 30d/],
    [['revoke', 'nobody-has-it'], /no token "nobody-has-it"/],
    [['revoke', 'agent'], /belongs to the data folder.*delete the file agent-token/s],
  ];
  for (const [argv, reason] of wrong) {
    const run = await machine.run('token', ...argv);
    assert.ok(run.code === 2 || run.code === 1, `${argv}: ${run.code}`);
    assert.match(run.stderr, reason);
  }
});

test('[ACC-26] with a limited token commands do what it may, and say what it may not, with and without a gateway', async () => {
  await using machine = await makePlace();
  const { token } = (await machine.run('token', 'create', 'guest', '--servers', 'one', '--json')).json<{
    token: string;
  }>();
  const as = async (guest: string, ...argv: readonly string[]) =>
    await machine.launch(argv, { env: { TOOLCRIB_TOKEN: guest } }).ended;
  const check = async () => {
    for (const argv of [['list'], ['token', 'list'], ['disable', 'two'], ['sign-in']]) {
      const run = await as(token, ...argv);
      assert.equal(run.code, 4, `${argv}: ${run.stdout}${run.stderr}`);
      assert.match(run.stderr, /lacks the scope "admin"/);
    }
    const tools = (await as(token, 'tools', '--json')).json<{ server: string }[]>();
    assert.deepEqual([...new Set(tools.map(({ server }) => server))], ['one']);
    assert.equal((await as(token, 'call', 'one:echo', 'text=hi')).stdout.trim(), 'hi');
    assert.doesNotMatch((await as(token, 'search', 'echo')).stdout, /two/);
    const hidden = await as(token, 'info', 'two:echo');
    const missing = await as(token, 'info', 'six:echo');
    assert.deepEqual([hidden.code, missing.code], [3, 3]);
    assert.equal(hidden.stderr.replaceAll('two', 'six'), missing.stderr);
    assert.equal((await as(token, 'tools', '--server', 'two')).code, 3);
    assert.equal((await as('tc_wrong', 'tools')).code, 4);
  };
  await check();
  await machine.start();
  await check();
});

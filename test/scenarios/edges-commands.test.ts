/** Starting and writing: commands without a shell, an environment without surprises, names without paths, lines without tricks. */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { GatewayError } from '../../src/base/errors.ts';
import { CliMachine } from '../kit/cli.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ManualClock } from '../kit/manual-clock.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { planServers } from '../kit/planned-servers.ts';
import { serverCommand } from '../servers/launch.ts';
import { postModern } from '../servers/raw-client.ts';

const quick = { connect: { maxRetries: 0 } };
const dangerous = {
  NODE_OPTIONS: '--require ./canary.js',
  LD_PRELOAD: '/canary.so',
  PATH: '/canary',
  BASH_ENV: '/canary',
};

async function byOwnerDoor(gateway: TestGateway, args: Record<string, unknown>): Promise<string> {
  const params = { name: 'add_server', arguments: args };
  const response = await postModern(`${gateway.url}/gateway/mcp`, 'tools/call', params, gateway.ownerHeaders);
  return response.text();
}

test('[EDGE-08] variables that decide what is run are refused from everywhere but the file, unless confirmed', async () => {
  const command = serverCommand({ toolCount: 1 });
  await using gateway = await openTestGateway({ config: quick });
  const { admin } = gateway.gateway;
  for (const [name, value] of Object.entries(dangerous)) {
    const spec = { ...command, env: { [name]: value } };
    const isTold = (error: unknown) => error instanceof GatewayError && error.message.includes(`it sets "${name}"`);
    await assert.rejects(admin.run('servers.add', { name: 'child', spec }), isTold);
    assert.match(await byOwnerDoor(gateway, { name: 'child', ...spec }), new RegExp(`it sets .{1,2}${name}`));
  }
  assert.deepEqual(await admin.run('servers.list', {}), []);
  const spec = { ...command, env: { NODE_OPTIONS: '--no-warnings', PATH: process.env.PATH ?? '' } };
  const added = await admin.run('servers.add', { name: 'child', spec, allowEnv: true });
  assert.equal(added.state, 'connected');
  await using written = await openTestGateway({ servers: { child: spec } });
  assert.equal((await new ModernAgent(written).tools()).length, 1);
});

test('[EDGE-09] no shell reads a command, an argument or a variable, and the error says where arguments go', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-shell-'));
  try {
    const mark = join(folder, 'mark');
    await using gateway = await openTestGateway({ config: quick });
    const add = (name: string, spec: Record<string, unknown>) =>
      gateway.gateway.admin.run('servers.add', { name, spec });
    const commands = [
      `bash -c 'touch ${mark}'`,
      `touch ${mark}`,
      `$(touch ${mark})`,
      `true; touch ${mark}`,
      `true|touch ${mark}`,
    ];
    for (const [at, command] of commands.entries()) {
      const { lastError, hint } = await add(`shell-${at}`, { command, args: [] });
      assert.match(lastError ?? '', /there is no program/, command);
      assert.match(hint ?? '', /into "args"/);
    }
    await add('newline', { command: `true\ntouch ${mark}` }).catch(() => {});
    const { command, args } = serverCommand({ toolCount: 1 });
    const sly = [`; touch ${mark}`, `$(touch ${mark})`, `\`touch ${mark}\``, `\ntouch ${mark}`];
    await add('arguments', { command, args: [...args, ...sly], env: { X: `$(touch ${mark})` } });
    assert.ok(!existsSync(mark));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('[EDGE-10] names with paths in them make no file outside the data folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-names-'));
  try {
    const names = [
      '../../canary',
      '..\\canary',
      '/etc/canary',
      'a\0canary',
      'CON',
      'c'.repeat(4_096),
      '.',
      '.canary',
      '%2e%2e%2fcanary',
    ];
    const tools = names.map((name) => ({ name, runAs: 'big' }));
    const dataDir = join(folder, 'data', 'deep');
    await mkdir(dataDir, { recursive: true });
    await using gateway = await openTestGateway({ dataDir, servers: planServers({ tools: { tools } }).servers });
    const { admin } = gateway.gateway;
    for (const name of names) {
      const spec = { ...serverCommand({ toolCount: 1 }) };
      await admin.run('servers.add', { name, spec }).catch((error) => assert.ok(error instanceof GatewayError));
      await admin.run('tokens.create', { name }).catch((error) => assert.ok(error instanceof GatewayError));
      await admin.run('projects.create', { name }).catch((error) => assert.ok(error instanceof GatewayError));
    }
    const agent = new ModernAgent(gateway);
    for (const name of await agent.tools()) await agent.ask('tools/call', { name, arguments: { bytes: 100_000 } });
    assert.deepEqual(await readdir(folder), ['data']);
    assert.deepEqual(await readdir(join(folder, 'data')), ['deep']);
    const made = (await readdir(join(folder, 'data', 'deep'), { recursive: true })).filter((path) =>
      path.includes('canary'),
    );
    assert.deepEqual(made, []);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('[EDGE-11] escapes, line breaks and directions of a server reach neither the log nor the terminal', async () => {
  const trick = '\u001b]52;c;Y2FuYXJ5\u0007\u001b[2J\r\n{"level":"info","event":"forged"}\u202e\u009b31m\u2066';
  const unsafe = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
  const hostile = {
    tools: [{ name: 'say', title: trick, description: `Says ${trick}.`, runAs: 'fail' }],
    instructions: trick,
  };
  const plan = planServers({ hostile });
  const shout = {
    command: process.execPath,
    args: ['-e', `process.stderr.write(${JSON.stringify(trick)}); process.exit(1)`],
  };
  await using gateway = await openTestGateway({ servers: { ...plan.servers, shout }, config: quick });
  const agent = new ModernAgent(gateway);
  await agent.tools();
  await agent.call('hostile.say', { message: trick });
  await assert.rejects(gateway.gateway.admin.run('tools.info', { toolKey: `hostile:${trick}` }), GatewayError);
  await gateway.gateway.admin.run('servers.refresh', { name: 'shout', force: true, once: true });
  for (const line of gateway.logged) {
    assert.ok(line.endsWith('\n') && !unsafe.test(line.slice(0, -1)), JSON.stringify(line));
    assert.notEqual((JSON.parse(line) as { event?: string }).event, 'forged');
  }
  await using machine = await CliMachine.make();
  const plain = ['list', 'tools', 'info hostile:say', 'doctor --no-connect', 'audit', 'review', 'review --verbose'];
  for (const command of [...plain, 'list --json', 'review --json']) {
    const { stdout, stderr } = await machine.run(...command.split(' '), '--data', gateway.dataDir);
    assert.notEqual(`${stdout}${stderr}`, '', command);
    assert.doesNotMatch(`${stdout}${stderr}`, unsafe, command);
  }
});

test('[CLI-14] add says what it waits for, and ends at once when the program has exited', async () => {
  // Nothing is tried again while this clock stands still.
  await using gateway = await openTestGateway({ clock: new ManualClock() });
  const { command, args } = serverCommand({ name: 'gone', modes: { exitAtStart: 3 } });
  const { lastError, listedAt } = await gateway.gateway.admin.run('servers.add', {
    name: 'gone',
    spec: { command, args: [...args] },
  });
  assert.equal(listedAt, null);
  assert.match(lastError ?? '', /exited with code 3/);

  await using machine = await CliMachine.make();
  const silent = serverCommand({ name: 'silent', modes: { hangAtInitialize: true, hangAtDiscover: true } });
  const adding = machine.launch(['add', 'silent', '--', silent.command, ...silent.args]);
  await adding.until(({ stderr }) =>
    stderr.includes(`Starting ${silent.command} for silent and waiting for its tools`),
  );
  await adding.stop();
});

/** `toolcrib start` as a process: what it prints, how it refuses, how it ends, and how other commands meet it. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { acquireDataLock } from '../../src/store/store.ts';
import { CliMachine } from '../kit/cli.ts';
import { newJournal, serverCommand, waitForEntry } from '../servers/launch.ts';

test('[CLI-01] [GET-09] start prints how to connect, and what to do without a server', async () => {
  await using machine = await CliMachine.make();
  const entry = { command: 'x' };
  await writeFile(
    join(machine.home, '.claude.json'),
    JSON.stringify({ mcpServers: { a: entry, b: { command: 'y' } } }),
  );
  await writeFile(join(machine.home, '.mcp.json'), JSON.stringify({ mcpServers: { again: entry } }));
  const running = machine.launch(['start', '--port', '0']);
  await running.until(({ stdout }) => stdout.includes('--demo'));
  const { stdout } = running.printed;
  const token = (await readFile(join(machine.dataDir, 'agent-token'), 'utf8')).trim();
  const url = /agents +(http:\/\/127\.0\.0\.1:\d+\/mcp)$/m.exec(stdout)?.[1];
  assert.ok(
    stdout.includes(`claude mcp add --transport http toolcrib ${url} --header "Authorization: Bearer ${token}"\n`),
  );
  assert.ok(stdout.includes(`token      kept in ${join(machine.dataDir, 'agent-token')}\n`));
  assert.match(stdout, /^ {2}dashboard {2}npx .*toolcrib open$/m);
  assert.match(
    stdout,
    /No server is configured yet\. Three ways on:\n {2}npx .*toolcrib init +takes over the 2 servers of Claude Code and connects agents\n {2}npx .*toolcrib add NAME/,
  );
  assert.doesNotMatch(stdout, /\u001b/);
});

test('an agent gets in with the printed token only, or without one where none is asked for', async () => {
  await using machine = await CliMachine.make();
  const { url, agentToken, stop } = await machine.start();
  const knock = async (base: string, headers: Record<string, string>) =>
    (await fetch(`${base}/mcp`, { method: 'POST', headers, body: '{}' })).status;
  assert.equal(await knock(url, {}), 401);
  assert.equal(await knock(url, { authorization: `Bearer ${agentToken}`, 'content-type': 'application/json' }), 400);
  await stop();
  const open = await machine.start('--no-auth');
  assert.equal(open.agentToken, null);
  assert.equal(await knock(open.url, { 'content-type': 'application/json' }), 400);
});

test('[CLI-02] start refuses with a reason: another gateway, a port, a config, no authentication for all', async () => {
  await using machine = await CliMachine.make();
  const first = await machine.start();
  const second = await machine.run('start', '--port', '0');
  assert.equal(second.code, 1);
  assert.ok(second.stderr.includes(`process ${process.pid}, at ${first.url}.`), second.stderr);
  assert.match(second.stderr, /^hint: .*toolcrib.* stop/m);
  const json = await machine.run('start', '--port', '0', '--json');
  assert.equal(JSON.parse(json.stderr).error.code, 'DATA_LOCKED');

  const other = ['--data', join(machine.home, 'other')];
  const blocker = createServer().listen(0, '127.0.0.1');
  await once(blocker, 'listening');
  const { port } = blocker.address() as AddressInfo; // it listens on a port
  const busy = await machine.run('start', ...other, '--port', String(port));
  assert.equal(busy.code, 1);
  assert.match(busy.stderr, new RegExp(`^Port ${port} on 127\\.0\\.0\\.1 is in use by .*\nhint: .*--port`));
  blocker.close();

  const open = await machine.run('start', ...other, '--port', '0', '--host', '0.0.0.0', '--no-auth');
  assert.equal(open.code, 2);
  assert.match(open.stderr, /listens on loopback only/);

  const file = join(machine.home, 'bad.json');
  await writeFile(file, '{ "calls": { "timeoutMs": -1 } }');
  const wrong = await machine.run('start', ...other, '--port', '0', '--config', file);
  assert.equal(wrong.code, 2);
  assert.ok(wrong.stderr.startsWith(`${file}:1:27: `), wrong.stderr);
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`[CLI-03] ${signal} lets running calls finish and ends with 0`, async () => {
    await using machine = await CliMachine.make();
    const journal = newJournal();
    const { command, args } = serverCommand({ journal });
    const gateway = await machine.startProcess();
    assert.equal((await machine.run('add', 'plain', '--', command, ...args)).code, 0);
    const call = machine.launch(['call', 'plain:slow', 'ms=700']);
    await waitForEntry(journal, ({ event, name }) => event === 'tool' && name === 'slow');
    gateway.child.kill(signal);
    assert.deepEqual([(await call.ended).code, call.printed.stdout], [0, 'waited 700 ms\n']);
    const ended = await gateway.ended;
    assert.equal(ended.code, 0);
    assert.match(ended.stderr, /Stopping; running calls have up to 30 s/);
    await waitForEntry(journal, ({ event }) => event === 'exit');
  });
}

test('a second signal ends it at once with 1', async () => {
  await using machine = await CliMachine.make();
  const journal = newJournal();
  const { command, args } = serverCommand({ journal });
  const gateway = await machine.startProcess();
  await machine.run('add', 'plain', '--', command, ...args);
  const call = machine.launch(['call', 'plain:slow', 'ms=30000']);
  await waitForEntry(journal, ({ event, name }) => event === 'tool' && name === 'slow');
  gateway.child.kill('SIGTERM');
  await gateway.until(({ stderr }) => stderr.includes('Stopping'));
  gateway.child.kill('SIGTERM');
  assert.equal((await gateway.ended).code, 1);
  assert.equal((await call.ended).code, 5);
});

test('[CLI-04] the demo is there for one run and leaves no server behind', async () => {
  await using machine = await CliMachine.make();
  const gateway = await machine.start('--demo');
  const found = await machine.run('search', 'what', 'is', 'the', 'time', 'in', 'Tokyo', '--limit', '1');
  assert.match(found.stdout, /^clock:/);
  assert.match((await machine.run('remove', 'clock')).stderr, /is there for this run alone/);
  await gateway.stop();
  assert.deepEqual((await machine.run('list', '--json')).json(), []);
});

test('a token that may not administer, and a wrong one, are denied', async () => {
  await using machine = await CliMachine.make();
  const { agentToken } = await machine.start();
  for (const token of [agentToken, 'tc_wrong-wrong-wrong-wrong']) {
    const run = await machine.launch(['list', '--json'], { env: { TOOLCRIB_TOKEN: token } }).ended;
    assert.equal(run.code, 4);
    assert.match(JSON.parse(run.stderr).error.code, /^(ACCESS_DENIED|UNAUTHENTICATED)$/);
  }
});

test('a gateway that is named but does not answer is unreachable', async () => {
  await using machine = await CliMachine.make();
  await machine.run('list');
  const describe = { pid: process.pid, startedAt: Date.now(), url: 'http://127.0.0.1:9', version: '0.0.0' };
  const held = await acquireDataLock({ dataDir: machine.dataDir, clock: systemClock, describe });
  assert.equal(held.kind, 'held');
  const run = await machine.run('list');
  const doctor = await machine.run('doctor');
  if (held.kind === 'held') await held.lock.release();
  assert.equal(run.code, 5);
  assert.match(run.stderr, /^The gateway at http:\/\/127\.0\.0\.1:9 does not answer .*\nhint: /);
  assert.equal(doctor.code, 1);
  assert.match(doctor.stdout, /note: The gateway has version 0\.0\.0, this command /);
  assert.match(doctor.stdout, /problem: The gateway at http:\/\/127\.0\.0\.1:9 does not answer/);
});

test('commands that meet on the folder wait for each other', async () => {
  await using machine = await CliMachine.make();
  const runs = await Promise.all(Array.from({ length: 4 }, () => machine.spawn(['list', '--json']).ended));
  for (const run of runs) assert.deepEqual([run.code, run.stderr], [0, '']);
});

test('a command that meets a gateway on its way out waits until it has gone', async () => {
  await using machine = await CliMachine.make();
  const journal = newJournal();
  const { command, args } = serverCommand({ journal });
  const gateway = await machine.start();
  assert.equal((await machine.run('add', 'plain', '--', command, ...args)).code, 0);
  const call = machine.launch(['call', 'plain:slow', 'ms=1500']);
  await waitForEntry(journal, ({ event, name }) => event === 'tool' && name === 'slow');
  void gateway.stop();
  await gateway.until(({ stderr }) => stderr.includes('Stopping'));
  const list = await machine.run('list');
  assert.equal(list.code, 0, list.stderr);
  assert.match(list.stdout, /^plain +configured/m);
  assert.equal((await call.ended).code, 0);
});

test('--config says when a running gateway uses another file', async () => {
  await using machine = await CliMachine.make();
  await machine.start();
  const run = await machine.run('list', '--config', 'mine.json');
  assert.equal(run.code, 0);
  assert.match(run.stderr, /^note: the running gateway uses no config file; --config has no effect on it\.$/m);
});

test('a forgotten rejection is logged and borne; an error that nobody catches ends it with 1', async () => {
  await using machine = await CliMachine.make();
  const mishaps = `
    let count = 0;
    process.on('SIGUSR2', () => {
      count += 1;
      if (count === 1) Promise.reject(new Error('first mishap'));
      else throw new Error('second mishap');
    });`;
  const node = ['--import', `data:text/javascript,${encodeURIComponent(mishaps)}`];
  const gateway = machine.spawn(['start', '--port', '0', '--json', '--log-json'], { node });
  await gateway.until(({ stdout }) => stdout.includes('\n'));
  gateway.child.kill('SIGUSR2');
  await gateway.until(({ stderr }) => stderr.includes('first mishap'));
  assert.equal((await machine.run('list')).code, 0);
  gateway.child.kill('SIGUSR2');
  const { code, stderr } = await gateway.ended;
  assert.equal(code, 1);
  const logged = stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.ok(logged.some(({ level, error }) => level === 'error' && error === 'second mishap'));
  assert.deepEqual((await machine.run('list', '--json')).json(), []);
});

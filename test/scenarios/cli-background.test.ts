/** The gateway that is started unasked: one for all who want it, with a log of its own, gone when nobody needs it. */

import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { readLock } from '../../src/store/lock/lock.ts';
import { ensureGateway } from '../../src/surfaces/cli/cli.ts';
import { CliMachine } from '../kit/cli.ts';
import { allGone, eventually, HANG_MS } from '../kit/processes.ts';

/** Longer than any test here needs it, however slow the machine is. */
const stayMs = HANG_MS;

function ensure(machine: CliMachine, idleExitMs = stayMs) {
  const env = { PATH: process.env.PATH, HOME: machine.home };
  return ensureGateway({ dataDir: machine.dataDir, env, idleExitMs });
}

async function pidOf(machine: CliMachine): Promise<number> {
  return (await readLock(machine.dataDir))?.pid ?? 0;
}

test('all who start one at once get the same, and commands use it', async () => {
  await using machine = await CliMachine.make();
  const found = await Promise.all(Array.from({ length: 4 }, () => ensure(machine)));
  assert.equal(new Set(found.map(({ url }) => url)).size, 1);
  const token = (await readFile(join(machine.dataDir, 'agent-token'), 'utf8')).trim();
  assert.ok(found.every((address) => address.token === token));
  const pid = await pidOf(machine);
  assert.deepEqual((await machine.run('list', '--json')).json(), []);
  process.kill(pid, 'SIGTERM');
  await allGone([pid]);
  assert.notEqual((await readLock(machine.dataDir))?.pid, pid);
  // A start that lost may be so late that it finds the folder free.
  for (let late = await readLock(machine.dataDir); late !== null; late = await readLock(machine.dataDir)) {
    process.kill(late.pid, 'SIGTERM');
    await allGone([late.pid]);
  }
  const lines = (await readFile(join(machine.dataDir, 'gateway.log'), 'utf8')).trimEnd().split('\n');
  const events = lines.map((line) => JSON.parse(line));
  assert.ok(events.some(({ event, url }) => /gateway is running/.test(event) && url === found[0]?.url));
  assert.ok(events.every(({ level }) => level === 'info'));
});

test('it goes by itself when nobody is left', async () => {
  await using machine = await CliMachine.make();
  await ensure(machine, 1_000);
  await eventually('it has gone', async () => ((await readLock(machine.dataDir)) === null ? true : undefined));
});

test('one that runs is used, whoever started it', async () => {
  await using machine = await CliMachine.make();
  const { url, agentToken } = await machine.start();
  assert.deepEqual(await ensure(machine), { url, token: agentToken });
  const env = { TOOLCRIB_TOKEN: 'tc_mine' };
  assert.deepEqual(await ensureGateway({ dataDir: machine.dataDir, env }), { url, token: 'tc_mine' });
});

test('the usual port is not needed', async () => {
  await using machine = await CliMachine.make();
  const blocker = createServer();
  // Where somebody else has the port already, the point is made without us.
  await new Promise<void>((resolve) => blocker.once('error', () => resolve()).listen(3333, '127.0.0.1', resolve));
  const { url } = await ensure(machine);
  const pid = await pidOf(machine);
  blocker.close();
  assert.notEqual(new URL(url).port, '3333');
  process.kill(pid, 'SIGTERM');
  await allGone([pid]);
});

test('the reason of a failed start is printed at once', async () => {
  await using machine = await CliMachine.make();
  await mkdir(machine.dataDir);
  await writeFile(join(machine.dataDir, 'toolcrib.json'), '{ "serch": {} }');
  await assert.rejects(ensure(machine), {
    code: 'CONFIG_INVALID',
    message: /could not be started in the background: .*toolcrib\.json:1:3: .*serch/,
  });
});

test('an agent that launches "toolcrib stdio" gets one without asking', async () => {
  await using machine = await CliMachine.make();
  const hello = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  };
  const run = await machine.spawn(['stdio'], { input: `${JSON.stringify(hello)}\n` }).ended;
  const pid = await pidOf(machine);
  assert.ok(pid > 0, run.stderr);
  process.kill(pid, 'SIGTERM');
  await allGone([pid]);
  assert.equal(run.code, 0, run.stderr);
  assert.equal(run.json<{ result: { serverInfo: { name: string } } }>().result.serverInfo.name, 'toolcrib');
});

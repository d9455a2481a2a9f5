/** `toolcrib stop` and `toolcrib logs`: a gateway is ended from another terminal, and what it did can be read. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { readLock } from '../../src/store/lock/lock.ts';
import { ensureGateway } from '../../src/surfaces/cli/cli.ts';
import { CliMachine } from '../kit/cli.ts';
import { HANG_MS } from '../kit/processes.ts';
import { newJournal, serverCommand, waitForEntry } from '../servers/launch.ts';

test('[GET-44] stop lets a running call finish, ends the servers, and returns when the gateway has gone', async () => {
  await using machine = await CliMachine.make();
  const journal = newJournal();
  const { command, args } = serverCommand({ journal });
  const gateway = await machine.startProcess();
  assert.equal((await machine.run('add', 'plain', '--', command, ...args)).code, 0);
  const call = machine.launch(['call', 'plain:slow', 'ms=700']);
  await waitForEntry(journal, ({ event, name }) => event === 'tool' && name === 'slow');
  const [first, second] = await Promise.all([machine.run('stop'), machine.run('stop', '--json')]);
  assert.equal(await readLock(machine.dataDir), null);
  assert.deepEqual([first.code, second.code], [0, 0], first.stderr + second.stderr);
  assert.match(
    first.stdout,
    new RegExp(`^Stopped Toolcrib \\S+ \\(process ${gateway.child.pid}\\) at ${gateway.url}\\.$`, 'm'),
  );
  assert.equal(second.json<{ pid: number }>().pid, gateway.child.pid);
  assert.deepEqual([(await call.ended).code, call.printed.stdout], [0, 'waited 700 ms\n']);
  assert.equal((await gateway.ended).code, 0);
  await waitForEntry(journal, ({ event }) => event === 'exit');
});

test('[GET-44] stop ends a gateway in the background, and says so where none runs', async () => {
  await using machine = await CliMachine.make();
  const none = await machine.run('stop');
  assert.equal(none.code, 5);
  assert.equal(none.stderr, `No gateway is running for the data folder ${machine.dataDir}.\n`);
  const env = { PATH: process.env.PATH, HOME: machine.home };
  await ensureGateway({ dataDir: machine.dataDir, env, idleExitMs: HANG_MS });
  assert.equal((await machine.run('stop')).code, 0);
  assert.equal((await machine.run('status')).code, 5);
});

test('[GET-44] an agent cannot stop the gateway', async () => {
  await using machine = await CliMachine.make();
  const { agentToken } = await machine.start();
  const run = await machine.launch(['stop'], { env: { TOOLCRIB_TOKEN: agentToken } }).ended;
  assert.equal(run.code, 4, run.stderr);
  assert.equal((await machine.run('status')).code, 0);
});

test('[GET-45] the log of a gateway in the foreground can be read and followed across a restart', async () => {
  await using machine = await CliMachine.make();
  const empty = await machine.run('logs');
  assert.deepEqual([empty.code, empty.stdout], [0, '']);
  assert.match(empty.stderr, /^There is no log yet at .*gateway\.log\.$/m);
  const follower = machine.launch(['logs', '-f']);
  await follower.until(({ stderr }) => stderr.includes('waiting for one'));
  const starts = (text: string) => text.split('The gateway is running').length - 1;
  for (const times of [1, 2]) {
    const gateway = await machine.start('--log-level', 'silent');
    await follower.until(({ stdout }) => starts(stdout) === times && stdout.includes(gateway.url));
    assert.match(
      (await machine.run('status')).stdout,
      new RegExp(`^ +log +${join(machine.dataDir, 'gateway.log')}$`, 'm'),
    );
    assert.equal((await machine.run('stop')).code, 0);
    assert.equal((await gateway.ended).stderr, '');
  }
  assert.equal((await follower.stop()).code, 0);
  const { stdout } = await machine.run('logs', '--lines', '1');
  assert.match(stdout, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}The gateway has stopped {2}\(pid=\d+\)\n$/);
  const [last] = (await machine.run('logs', '-n', '1', '--json')).stdout.trimEnd().split('\n');
  assert.equal(JSON.parse(last ?? '').event, 'The gateway has stopped');
});

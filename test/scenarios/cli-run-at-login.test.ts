/** `toolcrib service` on Linux, with a service manager that does what systemd does with the unit: it runs its command. */

import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { CliMachine } from '../kit/cli.ts';

const isOnLinux = { skip: process.platform !== 'linux' };

/** Reads the unit as far as ours goes. `disable` ends the process as systemd does, and waits for it. */
const manager = `#!${process.execPath}
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
const [, action] = process.argv.slice(2);
const home = process.env.HOME;
appendFileSync(home + '/asked', process.argv.slice(2).join(' ') + '\\n');
const unit = () => readFileSync(home + '/.config/systemd/user/toolcrib.service', 'utf8');
const isAlive = (pid) => { try { return process.kill(pid, 0); } catch { return false; } };
const pidFile = home + '/service-pid';
if (action === 'enable') {
  const [, line] = /^ExecStart=(.*)$/m.exec(unit());
  const [, cwd] = /^WorkingDirectory=(.*)$/m.exec(unit());
  const [, path] = /^Environment="PATH=(.*)"$/m.exec(unit());
  const [command, ...args] = line.match(/"[^"]*"/g).map((word) => word.slice(1, -1));
  const child = spawn(command, [...args, '--port', '0'], { cwd, env: { PATH: path, HOME: home }, detached: true, stdio: 'ignore' });
  child.unref();
  writeFileSync(pidFile, String(child.pid));
} else if (action === 'disable') {
  const pid = Number(readFileSync(pidFile, 'utf8'));
  process.kill(pid, 'SIGTERM');
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
  rmSync(pidFile);
} else if (action === 'is-active') process.exitCode = existsSync(pidFile) ? 0 : 3;
`;

async function machineWith(systemctl: string): Promise<{ machine: CliMachine; env: NodeJS.ProcessEnv }> {
  const machine = await CliMachine.make();
  const bin = join(machine.home, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'package.json'), '{ "type": "module" }');
  await writeFile(join(bin, 'systemctl'), systemctl);
  await chmod(join(bin, 'systemctl'), 0o755);
  return { machine, env: { PATH: `${bin}:${process.env.PATH}` } };
}

test('[GET-46] a service is installed, runs, and is taken away again', isOnLinux, async () => {
  const { machine, env } = await machineWith(manager);
  await using _machine = machine;
  const run = (...argv: string[]) => machine.launch(argv, { env }).ended;
  const unit = join(machine.home, '.config/systemd/user/toolcrib.service');
  assert.equal((await run('service', 'status')).code, 5);
  assert.match((await run('service', 'uninstall')).stdout, /^No service is installed\.$/m);
  const installed = await run('service', 'install');
  assert.equal(installed.code, 0, installed.stderr);
  const [, url] = /^The gateway runs at (\S+), and whenever you log in\.$/m.exec(installed.stdout) ?? [];
  const status = await run('status', '--json');
  assert.equal(status.json<{ url: string }>().url, url);
  assert.equal((await run('service', 'status')).code, 0);
  const again = await run('service', 'install');
  assert.match(again.stderr, /^A gateway is already running at .*\nhint: Stop it first: .*stop$/m);
  const removed = await run('service', 'uninstall');
  assert.equal(removed.code, 0, removed.stderr);
  assert.equal((await run('status')).code, 5);
  await assert.rejects(stat(unit), { code: 'ENOENT' });
  const asked = (await readFile(join(machine.home, 'asked'), 'utf8')).trimEnd().split('\n');
  assert.ok(asked.every((line) => line.startsWith('--user ')));
});

test('[GET-46] without a service manager nothing is left behind', isOnLinux, async () => {
  const { machine, env } = await machineWith('#!/bin/sh\nexit 1\n');
  await using _machine = machine;
  const run = await machine.launch(['service', 'install'], { env }).ended;
  assert.equal(run.code, 5);
  assert.match(run.stderr, /^The command "systemctl --user daemon-reload" failed/);
  await assert.rejects(stat(join(machine.home, '.config/systemd/user/toolcrib.service')), { code: 'ENOENT' });
});

test(
  '[GET-46] an install that fails leaves an older unit, and one of another data folder is never touched',
  isOnLinux,
  async () => {
    const { machine, env } = await machineWith('#!/bin/sh\nexit 1\n');
    await using _machine = machine;
    const run = (...argv: string[]) => machine.launch(['service', ...argv], { env }).ended;
    const folder = join(machine.home, '.config/systemd/user');
    await mkdir(folder, { recursive: true });
    const unit = join(folder, 'toolcrib.service');
    const older = `[Service]\nExecStart=old\nWorkingDirectory=${machine.dataDir}\n`;
    await writeFile(unit, older);
    assert.match((await run('install')).stderr, /daemon-reload" failed, so nothing was changed/);
    assert.equal(await readFile(unit, 'utf8'), older);

    const other = `[Service]\nExecStart=old\nWorkingDirectory=${machine.dataDir}-2\n`;
    await writeFile(unit, other);
    for (const action of ['install', 'uninstall']) {
      assert.match(
        (await run(action)).stderr,
        /belongs to another data folder; nothing was changed\.\nhint: .*--data FOLDER/,
      );
      assert.equal(await readFile(unit, 'utf8'), other);
    }
  },
);

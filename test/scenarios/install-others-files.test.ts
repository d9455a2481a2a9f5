/** Commands that read files of others, as real processes: a pipe blocks none of them, an endless device fills no memory, and each ends on a signal. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { readLock, tryLockFile } from '../../src/store/lock/lock.ts';
import { CliMachine } from '../kit/cli.ts';
import { eventually } from '../kit/processes.ts';

/** Reading a file needs less than this, including Node itself. */
const heapLimit = ['--max-old-space-size=300'];

async function machineWith(path: string, kind: 'a pipe' | 'a device'): Promise<CliMachine> {
  const machine = await CliMachine.make();
  await mkdir(machine.dataDir);
  await mkdir(dirname(join(machine.home, path)), { recursive: true });
  if (kind === 'a pipe') execFileSync('mkfifo', [join(machine.home, path)]);
  else await symlink('/dev/zero', join(machine.home, path));
  return machine;
}

const commands: readonly (readonly [line: string, path: string])[] = [
  ['install cursor', '.cursor/mcp.json'],
  ['install cursor --scope project', '.cursor/mcp.json'],
  ['install codex --dry-run', '.codex/config.toml'],
  ['uninstall cursor', '.cursor/mcp.json'],
  ['import --dry-run', '.cursor/mcp.json'],
  ['init --yes', '.cursor/mcp.json'],
  ['start --port 0', 'data/toolcrib.json'],
  ['list --config own.json', 'own.json'],
  ['config check', 'toolcrib.json'],
  ['doctor', 'data/toolcrib.json'],
  ['call any:tool @own.json', 'own.json'],
  ['call any:tool text=@own.json', 'own.json'],
  ['chain own.json', 'own.json'],
];

for (const kind of ['a pipe', 'a device'] as const) {
  test(`[GET-14] ${kind} in place of a file is named, and every command ends in time`, {
    timeout: 180_000,
  }, async () => {
    for (const [line, path] of commands) {
      await using machine = await machineWith(path, kind);
      const { code, stdout, stderr } = await machine.spawn(line.split(' '), { node: heapLimit, limitMs: 60_000 }).ended;
      assert.ok(`${stdout}${stderr}`.includes(`is ${kind}, not a file.`), `${line}: ${code} ${stdout}${stderr}`);
      // The import takes the other files anyway.
      assert.equal(code, /^(?:import|init)/.test(line) ? 0 : line === 'doctor' ? 1 : 2, line);
    }
  });
}

test('[GET-14] an install that waits for its turn ends on a signal', { timeout: 60_000 }, async () => {
  await using machine = await CliMachine.make();
  await mkdir(machine.dataDir);
  await writeFile(join(machine.home, '.claude.json'), '{}');
  const release = tryLockFile(join(machine.dataDir, 'agents.lock'));
  const waiting = machine.spawn(['install', 'claude-code']);
  await eventually('it has the data folder', async () => (await readLock(machine.dataDir)) ?? undefined);
  const { code, stderr } = await waiting.stop();
  release?.();
  assert.deepEqual([code, stderr.trim()], [1, 'Stopped by SIGTERM.']);
});

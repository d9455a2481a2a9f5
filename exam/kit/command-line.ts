/** The command line of the program under examination, run to its end on the data folder of a scene. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { HANG_MS } from '../../test/kit/processes.ts';
import type { Scene } from './scene.ts';

export interface CommandRun {
  readonly code: number | null;
  /** Everything it printed, errors included. */
  readonly printed: string;
  readonly stdout: string;
}

const limitMs = HANG_MS;

export async function runCommand(
  scene: Scene,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandRun> {
  const program = join(scene.root, 'bin/toolcrib.js');
  const [command = '', ...rest] = argv;
  // Before the rest, so that it does not become part of a command that is added.
  const child = spawn(process.execPath, [program, command, '--data', scene.dataDir, ...rest], {
    cwd: scene.dataDir,
    env: { PATH: process.env.PATH, HOME: scene.dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limitMs,
  });
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  scene.history.note('command', { argv, code });
  return { code: code as number | null, stdout, printed: `${stdout}${stderr}` };
}

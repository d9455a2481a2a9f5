/**
 * The command line of the program under examination, run to its end on the data folder of a setup: as a program, which takes half a
 * second each, or in a quick examination in this process.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCli } from '../../src/surfaces/cli/cli.ts';
import { HANG_MS } from '../../test/kit/processes.ts';
import type { Setup } from './setup.ts';

export interface CommandRun {
  readonly code: number | null;
  /** Everything it printed, errors included. */
  readonly printed: string;
  readonly stdout: string;
}

const limitMs = HANG_MS;

type Variables = Readonly<Record<string, string>>;

export async function runCommand(setup: Setup, argv: readonly string[], env: Variables = {}): Promise<CommandRun> {
  return setup.size === 'quick' ? runHere(setup, argv, env) : runProgram(setup, argv, env);
}

/** In a process of its own at any size. */
export async function runProgram(setup: Setup, argv: readonly string[], env: Variables = {}): Promise<CommandRun> {
  const program = join(setup.root, 'bin/toolcrib.js');
  const child = spawn(process.execPath, [program, ...onFolder(setup, argv)], {
    ...surroundings(setup, env),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limitMs,
  });
  const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  setup.history.note('command', { argv, code });
  return { code: code as number | null, stdout, printed: `${stdout}${stderr}` };
}

async function runHere(setup: Setup, argv: readonly string[], env: Variables): Promise<CommandRun> {
  let [stdout, stderr] = ['', ''];
  // It also keeps the process alive, which the timers of a command do not.
  const ending = new AbortController();
  const limit = setTimeout(() => ending.abort(new Error(`It was not over after ${limitMs} ms.`)), limitMs);
  const code = await runCli({
    argv: onFolder(setup, argv),
    ...surroundings(setup, env),
    stdin: Readable.from([]),
    stdout: { write: (written) => (stdout += written) },
    stderr: { write: (written) => (stderr += written) },
    signal: ending.signal,
  }).finally(() => clearTimeout(limit));
  setup.history.note('command', { argv, code });
  return { code, stdout, printed: `${stdout}${stderr}` };
}

/** Before the rest, so that it does not become part of a command that is added. */
function onFolder(setup: Setup, [command = '', ...rest]: readonly string[]): string[] {
  return [command, '--data', setup.dataDir, ...rest];
}

function surroundings({ dataDir }: Setup, env: Variables): { readonly cwd: string; readonly env: NodeJS.ProcessEnv } {
  return { cwd: dataDir, env: { PATH: process.env.PATH, HOME: dataDir, ...env } };
}

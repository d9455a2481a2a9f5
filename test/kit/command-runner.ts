/** A separate program that runs commands one after the other, so that a test learns their peak memory and can end one that hangs. */

import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { json, text } from 'node:stream/consumers';
import { runCli } from '../../src/surfaces/cli/cli.ts';
import { HANG_MS } from './processes.ts';

export interface RanCommand {
  readonly argv: readonly string[];
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

export interface RanCommands {
  readonly commands: readonly RanCommand[];
  /** The peak memory of the program, in bytes. */
  readonly peakBytes: number;
}

/** Runs these commands in the folder `cwd`, one after the other, with nothing else in their environment. */
export async function runCommands(
  lines: readonly (readonly string[])[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<RanCommands> {
  const child = spawn(process.execPath, [import.meta.filename], {
    ...{ cwd, env: { PATH: process.env.PATH, ...env }, timeout: HANG_MS },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(lines));
  return (await json(child.stdout)) as RanCommands;
}

if (import.meta.main) await runAsked();

async function runAsked(): Promise<void> {
  const commands: RanCommand[] = [];
  const lines = JSON.parse(await text(process.stdin)) as string[][];
  // The timers of the gateway do not keep a process alive.
  const alive = setInterval(() => {}, 60_000);
  for (const argv of lines) {
    const started = performance.now();
    let [stdout, stderr] = ['', ''];
    const code = await runCli({
      argv,
      env: process.env,
      cwd: process.cwd(),
      stdin: Readable.from(['']),
      stdout: { write: (part) => (stdout += part) },
      stderr: { write: (part) => (stderr += part) },
      signal: new AbortController().signal,
    });
    commands.push({ argv, code, stdout, stderr, ms: performance.now() - started });
  }
  clearInterval(alive);
  const { maxRSS } = process.resourceUsage();
  process.stdout.write(JSON.stringify({ commands, peakBytes: maxRSS * 1_024 } satisfies RanCommands), () =>
    process.exit(),
  );
}

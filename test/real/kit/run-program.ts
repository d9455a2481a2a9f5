/** Runs a program to its end and says what it printed; what it started goes with it when it takes too long. */

import { spawn } from 'node:child_process';

export interface ProgramOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly timeoutMs?: number;
}

export interface ProgramEnd {
  /** null when it was killed. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

const defaultTimeoutMs = 60_000;

export function runProgram(command: string, args: readonly string[], options: ProgramOptions): Promise<ProgramEnd> {
  const since = performance.now();
  // A group of its own, because a program that is only a wrapper would leave the real one behind.
  const child = spawn(command, [...args], {
    cwd: options.cwd,
    env: options.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
  });
  const out = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      out[name] += text;
    });
  }
  const limit = setTimeout(() => killGroup(child.pid), options.timeoutMs ?? defaultTimeoutMs);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...out, ms: performance.now() - since }));
  }).finally(() => clearTimeout(limit)) as Promise<ProgramEnd>;
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // It has ended in this very moment.
  }
}

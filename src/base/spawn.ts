/** Starts processes other than servers: a gateway in the background, and small programs that are asked something. */

import { execFile, spawn } from 'node:child_process';

export interface DetachedProcess {
  readonly pid: number | undefined;
  /** Resolves with the exit code once it has ended, null when a signal ended it; rejects when it could not be started. */
  readonly exited: Promise<number | null>;
}

interface DetachedOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Starts a process that outlives this one and shares neither its terminal nor its streams. */
export function startDetached(command: string, args: readonly string[], options: DetachedOptions): DetachedProcess {
  const child = spawn(command, args, { ...options, detached: true, stdio: 'ignore', windowsHide: true });
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('exit', resolve);
    child.once('error', reject);
  });
  // A caller that does not wait for the end gets no event either.
  exited.catch(() => {});
  child.unref();
  return { pid: child.pid, exited };
}

const longestOutputBytes = 1_048_576;

/** The stdout of a program; null when it cannot be started, fails or takes too long. */
export function outputOf(
  command: string,
  args: readonly string[],
  options: { readonly env: NodeJS.ProcessEnv; readonly timeoutMs: number },
): Promise<string | null> {
  return new Promise((resolve) => {
    const { env, timeoutMs } = options;
    execFile(
      command,
      args,
      { env, timeout: timeoutMs, maxBuffer: longestOutputBytes, windowsHide: true },
      (error, stdout) => resolve(error === null ? stdout : null),
    );
  });
}

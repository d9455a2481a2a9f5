/** The program: gives the command line its surroundings and ends the process with its exit code. Nothing else may end it. */

import { GatewayError, systemCodeOf } from './base/errors.ts';
import type { CliHost } from './surfaces/cli/cli.ts';

/** `argv`: what was typed after the name of the program. */
export async function main(argv: readonly string[]): Promise<never> {
  // The timers of the gateway do not keep a process alive, so something else has to until the command is done.
  setInterval(() => {}, 2 ** 30);
  // Nobody has to read what went wrong; what runs for long goes on without a reader.
  onLostReader(process.stderr, () => {});
  onLostReader(process.stdout, () => {
    if (!isLongRunning(argv)) process.exit(0);
  });
  const { runCli } = await import('./surfaces/cli/cli.ts');
  const code = await runCli(makeHost(argv));
  await Promise.all([flush(process.stdout), flush(process.stderr)]);
  process.exit(code);
}

function makeHost(argv: readonly string[]): CliHost {
  let signal: AbortSignal | undefined;
  return {
    argv,
    env: process.env,
    cwd: process.cwd(),
    // Opened when it is asked for: few commands read it.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    // Made when it is asked for: a surface that listens to signals itself is left alone.
    get signal() {
      signal ??= listenForEnd();
      return signal;
    },
  };
}

/** The first request to end is passed on, so that things can be closed; the second ends the process at once. */
function listenForEnd(): AbortSignal {
  const ending = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (ending.signal.aborted) process.exit(1);
      ending.abort(new GatewayError('CANCELLED', `Stopped by ${name}.`));
    });
  }
  return ending.signal;
}

/** The gateway serves others than the one who reads its output, and the bridge has a session to end. */
function isLongRunning(argv: readonly string[]): boolean {
  return argv.includes('start') || argv.includes('stdio');
}

/** The reader of our output has gone, as in `toolcrib tools | head`, or its terminal was closed: that is no error. */
function onLostReader(stream: NodeJS.WriteStream, act: () => void): void {
  stream.on('error', (error) => {
    const code = systemCodeOf(error);
    if (code !== 'EPIPE' && !(code === 'EIO' && stream.isTTY)) throw error;
    act();
  });
}

/** Resolves when everything written so far is out. */
function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}

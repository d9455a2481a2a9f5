/** The command line as its users have it: the real bin in a process of its own, with a home and a data folder that go away. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HANG_MS } from './processes.ts';

const program = fileURLToPath(new URL('../../bin/toolcrib.js', import.meta.url));
const runLimitMs = HANG_MS;
/** A gateway serves a whole row of commands, which on a slow machine take longer than any of them may. */
const gatewayLimitMs = 600_000;

export interface CliRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What `--json` printed. */
  json<T>(): T;
}

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** The folder of the shell; the home, if left out. */
  readonly cwd?: string;
  /** Options of Node itself. */
  readonly node?: readonly string[];
  /** What it can read on stdin. */
  readonly input?: string;
  readonly limitMs?: number;
}

/** A process that is still running. */
export interface CliProcess {
  readonly child: ChildProcess;
  /** What it has printed so far. */
  readonly printed: { stdout: string; stderr: string };
  readonly ended: Promise<CliRun>;
  /** Resolves when what was printed fits. */
  until(fits: (printed: { stdout: string; stderr: string }) => boolean): Promise<void>;
}

export interface StartedGateway extends CliProcess {
  readonly url: string;
  readonly agentToken: string;
}

/** A machine with one user: every command sees the same folders. */
export class CliPlace implements AsyncDisposable {
  readonly home: string;
  readonly dataDir: string;
  readonly #running = new Set<CliProcess>();

  private constructor(home: string) {
    this.home = home;
    this.dataDir = join(home, 'data');
  }

  static async make(): Promise<CliPlace> {
    return new CliPlace(await mkdtemp(join(tmpdir(), 'toolcrib-cli-')));
  }

  /** Runs a command to its end. */
  run(...argv: readonly string[]): Promise<CliRun> {
    return this.launch(argv).ended;
  }

  launch(argv: readonly string[], options: RunOptions = {}): CliProcess {
    const child = spawn(process.execPath, [...(options.node ?? []), program, ...argv], {
      cwd: options.cwd ?? this.home,
      env: { PATH: process.env.PATH, HOME: this.home, TOOLCRIB_DATA: this.dataDir, ...options.env },
      stdio: 'pipe',
      timeout: options.limitMs ?? runLimitMs,
    });
    child.stdin.end(options.input ?? '');
    const running = watch(child);
    this.#running.add(running);
    void running.ended.then(() => this.#running.delete(running));
    return running;
  }

  /** A gateway on a port of its own, listening. */
  async start(...flags: readonly string[]): Promise<StartedGateway> {
    const running = this.launch(['start', '--port', '0', '--json', ...flags], { limitMs: gatewayLimitMs });
    await running.until(({ stdout }) => stdout.includes('\n'));
    const { url, agentToken } = JSON.parse(running.printed.stdout);
    return { ...running, url, agentToken };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const left = [...this.#running];
    for (const { child } of left) child.kill('SIGTERM');
    await Promise.all(left.map(({ ended }) => ended));
    await rm(this.home, { recursive: true, force: true });
  }
}

function watch(child: ChildProcess): CliProcess {
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
      child.emit('printed');
    });
  }
  const ended = once(child, 'close').then(([code]) => ({
    code,
    ...printed,
    json: <T>() => JSON.parse(printed.stdout) as T,
  }));
  const until: CliProcess['until'] = async (fits) => {
    const isDone = ended.then((run) => {
      throw new Error(`It ended with ${run.code} before that: ${run.stdout}${run.stderr}`);
    });
    isDone.catch(() => {});
    while (!fits(printed)) await Promise.race([once(child, 'printed'), isDone]);
  };
  return { child, printed, ended, until };
}

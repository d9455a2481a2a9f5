/**
 * The command line as its users have it, with a home and a data folder that go away. Commands run in the process of the test,
 * with streams, surroundings and an exit code of their own; where the process itself is the matter, `spawn` runs the real bin.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { GatewayError } from '../../src/base/errors.ts';
import { runCli } from '../../src/surfaces/cli/cli.ts';
import { keepJudge } from './gateway.ts';
import { HANG_MS } from './processes.ts';

const program = fileURLToPath(new URL('../../bin/toolcrib.js', import.meta.url));
const runLimitMs = HANG_MS;
const terminalColumns = 100;
/** A gateway serves a whole row of commands, which on a slow machine take longer than any of them may. */
const gatewayLimitMs = 600_000;

export interface CliRun {
  /** null: a signal ended the process. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The output of `--json`. */
  json<T>(): T;
}

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** The folder of the shell; the home, if left out. */
  readonly cwd?: string;
  /** Its input on stdin. */
  readonly input?: string;
  readonly limitMs?: number;
  /** True: both outputs are a terminal. Only for commands in this process. */
  readonly isTerminal?: boolean;
  /** The same for a person who types one of these answers at each question, and nothing after them. */
  readonly answers?: readonly string[];
}

export interface SpawnOptions extends RunOptions {
  /** Options of Node itself. */
  readonly node?: readonly string[];
}

interface Printed {
  stdout: string;
  stderr: string;
}

/** A command that is still running. */
export interface CliCommand {
  /** Its output so far. */
  readonly printed: Readonly<Printed>;
  readonly ended: Promise<CliRun>;
  /** Resolves when what was printed fits. */
  until(fits: (printed: Readonly<Printed>) => boolean): Promise<void>;
  /** Asks it to end, as Ctrl-C does, and resolves when it has. */
  stop(): Promise<CliRun>;
}

/** One in a process of its own. */
export interface CliProcess extends CliCommand {
  readonly child: ChildProcess;
}

interface Listening {
  readonly url: string;
  readonly agentToken: string;
}

export type StartedGateway = CliCommand & Listening;

/** A machine with one user: every command sees the same folders. */
export class CliMachine implements AsyncDisposable {
  readonly home: string;
  readonly dataDir: string;
  readonly #running = new Set<CliCommand>();

  private constructor(home: string) {
    this.home = home;
    this.dataDir = join(home, 'data');
  }

  static async make(): Promise<CliMachine> {
    return new CliMachine(await mkdtemp(join(tmpdir(), 'toolcrib-cli-')));
  }

  /** Runs a command to its end. */
  run(...argv: readonly string[]): Promise<CliRun> {
    return this.launch(argv).ended;
  }

  /** Any command but `stdio`, which takes the streams of its process. */
  launch(argv: readonly string[], options: RunOptions = {}): CliCommand {
    const ending = new AbortController();
    const stop = () => ending.abort(new GatewayError('CANCELLED', 'Stopped by SIGINT.'));
    // It also keeps the process alive until the command is done.
    const limit = setTimeout(stop, options.limitMs ?? runLimitMs);
    const watched = new Watched();
    const screen = options.isTerminal || options.answers ? { isTTY: true, columns: terminalColumns } : {};
    const answers = options.answers?.values();
    const stdin = answers ? Object.assign(new PassThrough(), { isTTY: true }) : Readable.from([options.input ?? '']);
    const write = (text: string) => {
      watched.print('stdout', text);
      if (answers && stdin instanceof PassThrough && text.includes('[y/N'))
        stdin.write(`${answers.next().value ?? ''}\n`);
    };
    const code = runCli({
      argv,
      env: this.#env(options),
      cwd: options.cwd ?? this.home,
      stdin,
      stdout: { ...screen, write },
      stderr: { ...screen, write: (text) => watched.print('stderr', text) },
      signal: ending.signal,
    }).finally(() => clearTimeout(limit));
    return this.#keep(watched.command(code, stop));
  }

  /** The same as a program that the system started. */
  spawn(argv: readonly string[], options: SpawnOptions = {}): CliProcess {
    const child = spawn(process.execPath, [...(options.node ?? []), program, ...argv], {
      cwd: options.cwd ?? this.home,
      env: this.#env(options),
      stdio: 'pipe',
      timeout: options.limitMs ?? runLimitMs,
    });
    child.stdin.end(options.input ?? '');
    const watched = new Watched();
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => watched.print(name, text));
    const code = once(child, 'close').then(([exit]: (number | null)[]) => exit ?? null);
    return { ...this.#keep(watched.command(code, () => child.kill('SIGTERM'))), child };
  }

  /** A gateway on a port of its own, listening. */
  start(...flags: readonly string[]): Promise<StartedGateway> {
    keepJudge();
    return listening(this.launch(startLine(flags), { limitMs: gatewayLimitMs }));
  }

  /** One that the system can send signals to. */
  startProcess(...flags: readonly string[]): Promise<CliProcess & Listening> {
    return listening(this.spawn(startLine(flags), { limitMs: gatewayLimitMs }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#running].map((command) => command.stop()));
    await rm(this.home, { recursive: true, force: true });
  }

  #env({ env }: RunOptions): NodeJS.ProcessEnv {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    return { PATH, NODE_COMPILE_CACHE, HOME: this.home, TOOLCRIB_DATA: this.dataDir, ...env };
  }

  #keep(command: CliCommand): CliCommand {
    this.#running.add(command);
    void command.ended.then(() => this.#running.delete(command));
    return command;
  }
}

function startLine(flags: readonly string[]): string[] {
  return ['start', '--port', '0', '--json', ...flags];
}

async function listening<C extends CliCommand>(command: C): Promise<C & Listening> {
  await command.until(({ stdout }) => stdout.includes('\n'));
  const { url, agentToken } = JSON.parse(command.printed.stdout) as Listening;
  return { ...command, url, agentToken };
}

/** The output of a command, as it comes. */
class Watched {
  readonly #printed: Printed = { stdout: '', stderr: '' };
  readonly #news = new EventEmitter();

  print(name: keyof Printed, text: string): void {
    this.#printed[name] += text;
    this.#news.emit('printed');
  }

  command(code: Promise<number | null>, end: () => void): CliCommand {
    const printed = this.#printed;
    const ended = code.then((exit) => ({ code: exit, ...printed, json: <T>() => JSON.parse(printed.stdout) as T }));
    const until: CliCommand['until'] = async (fits) => {
      const isDone = ended.then((run) => {
        throw new Error(`It ended with ${run.code} before that: ${run.stdout}${run.stderr}`);
      });
      isDone.catch(() => {});
      while (!fits(printed)) await Promise.race([once(this.#news, 'printed'), isDone]);
    };
    const stop = () => {
      end();
      return ended;
    };
    return { printed, ended, until, stop };
  }
}

/** One program as a process tree, nearly always a server: started in a group of its own, marked, watched by a guard, ended as a whole. */

import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { type Clock, sleep } from '../base/clock.ts';
import { GatewayError, systemCodeOf } from '../base/errors.ts';
import { randomId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { printable } from '../base/text.ts';
import { inheritedVariables, limits, type StdioSpec } from '../config/config.ts';

const lookAgainMs = 20;

/** How a program is started. */
export type ProgramSpec = Omit<StdioSpec, 'kind'>;

export interface ProcessContext {
  readonly guard: Guard;
  readonly clock: Clock;
  /** This run's mark; each process adds its own part. */
  readonly runMark: string;
  /** The environment of the gateway, from which the safe defaults are taken. */
  readonly env: NodeJS.ProcessEnv;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export class ServerProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #context: ProcessContext;
  readonly #mark: string;
  readonly exited: Promise<ProcessExit>;
  #closing: Promise<void> | undefined;

  private constructor(child: ChildProcessByStdio<Writable, Readable, Readable>, context: ProcessContext, mark: string) {
    this.#child = child;
    this.#context = context;
    this.#mark = mark;
    this.exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  }

  /** Resolves once the program runs; rejects with what is wrong, of `title`, when it cannot be started. */
  static async start(title: string, spec: ProgramSpec, context: ProcessContext): Promise<ServerProcess> {
    const mark = `${context.runMark}.${randomId()}`;
    context.guard.open();
    const child = spawn(spec.command, [...spec.args], {
      cwd: spec.cwd ?? undefined,
      env: { ...inherited(context.env), ...spec.env, [markVariable]: mark },
      stdio: ['pipe', 'pipe', 'pipe'],
      shell: false,
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    const started = new ServerProcess(child, context, mark);
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => reject(startTrouble(title, spec, error)));
    });
    // A write to a server that is going away must not end the gateway: its exit is what gets reported.
    child.stdin.on('error', () => {});
    if (child.pid !== undefined) context.guard.watch(child.pid);
    return started;
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  get stdin(): Writable {
    return this.#child.stdin;
  }

  get stdout(): Readable {
    return this.#child.stdout;
  }

  get stderr(): Readable {
    return this.#child.stderr;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Ends the tree: end of input, then SIGTERM, then SIGKILL to the group, then whatever left the group. Idempotent. */
  close(): Promise<void> {
    if (this.#closing) return this.#closing;
    // A timer of the clock keeps nothing alive, and the gateway must not end before its children have.
    const staying = setInterval(() => {}, 1_000);
    this.#closing = this.#end().finally(() => clearInterval(staying));
    return this.#closing;
  }

  async #end(): Promise<void> {
    this.#child.stdin.end();
    if (this.isRunning) await this.#exitWithin(limits.closeGraceMs);
    // The leader may be gone while others of its group are not: the group is signalled in any case.
    if (signalGroup(this.pid, 'SIGTERM')) await this.#groupGoneWithin(limits.killGraceMs);
    signalGroup(this.pid, 'SIGKILL');
    if (this.isRunning) await this.exited;
    await killMarked(this.#mark, this.#context.clock);
    this.#context.guard.release(this.pid);
    // A grandchild that inherited a pipe could hold it open for ever.
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
  }

  /** A shell or package runner ends at once, while the server below it may still be tidying up. */
  async #groupGoneWithin(ms: number): Promise<void> {
    const { clock } = this.#context;
    const deadline = clock.elapsed() + ms;
    while ((await isGroupAlive(this.pid)) && clock.elapsed() < deadline) await sleep(clock, lookAgainMs);
  }

  async #exitWithin(ms: number): Promise<void> {
    const waiting = new AbortController();
    await Promise.race([this.exited, sleep(this.#context.clock, ms, waiting.signal).catch(() => {})]);
    waiting.abort();
  }
}

function inherited(env: NodeJS.ProcessEnv): Record<string, string> {
  const out: Record<string, string> = {};
  for (const name of inheritedVariables) {
    const value = env[name];
    // A value that starts with "()" is an exported shell function, which is code.
    if (value !== undefined && !value.startsWith('()')) out[name] = value;
  }
  return out;
}

/** Characters that mean something to a shell, and are rare in the name of a program. */
const shellSyntax = /[\s|&;<>()$`"'*?]/;

function startTrouble(title: string, spec: ProgramSpec, error: Error): GatewayError {
  const code = systemCodeOf(error);
  const base = `${title} could not be started`;
  // The system says the same of a missing program and of a missing folder.
  if (code === 'ENOENT' && spec.cwd && !existsSync(spec.cwd)) {
    return new GatewayError('SERVER_NOT_RUNNING', `${base}: its folder "${spec.cwd}" was not found.`, {
      hint: `Make the folder, or change "cwd" of this server.`,
      cause: error,
      data: { reason: 'command-not-found', command: spec.command },
    });
  }
  if (code === 'ENOENT' && shellSyntax.test(spec.command)) {
    return new GatewayError('SERVER_NOT_RUNNING', `${base}: there is no program "${printable(spec.command)}".`, {
      hint: 'No shell reads the command: name the program alone, and put each of its arguments into "args".',
      cause: error,
      data: { reason: 'command-not-found', command: spec.command },
    });
  }
  if (code === 'ENOENT') {
    return new GatewayError('SERVER_NOT_RUNNING', `${base}: the command "${spec.command}" was not found.`, {
      hint: `Install "${spec.command}", or give its full path.`,
      cause: error,
      data: { reason: 'command-not-found', command: spec.command },
    });
  }
  if (code === 'EACCES') {
    return new GatewayError('SERVER_NOT_RUNNING', `${base}: "${spec.command}" may not be executed.`, {
      hint: `Make the file executable, or name the interpreter as the command.`,
      cause: error,
      data: { reason: 'not-executable', command: spec.command },
    });
  }
  return new GatewayError('SERVER_NOT_RUNNING', `${base}: ${error.message}.`, { cause: error });
}

const markVariable = 'TOOLCRIB_MARK';
const markEntry = `${markVariable}=`;

/** Process ids that carry a mark starting with `mark`; always empty where /proc does not exist. */
async function findMarked(mark: string): Promise<number[]> {
  const marks = await readMarks();
  return [...marks].filter(([, one]) => one.startsWith(mark)).map(([pid]) => pid);
}

type Marks = ReadonlyMap<number, string>;
let lastLook: Promise<unknown> = Promise.resolve();
let nextLook: Promise<Marks> | undefined;

/** The marks of all processes. Servers that end at the same time share a look, which begins after the last of them asked. */
function readMarks(): Promise<Marks> {
  nextLook ??= lastLook.then(() => {
    nextLook = undefined;
    const look = lookAtProcesses();
    lastLook = look;
    return look;
  });
  return nextLook;
}

async function lookAtProcesses(): Promise<Marks> {
  const names = await readdir('/proc').catch(() => []);
  const marks = new Map<number, string>();
  for (const name of names) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    // A process of another user, or one that has just ended, cannot be read: it is not ours or no longer there.
    const environment = await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '');
    const entry = environment.split('\0').find((one) => one.startsWith(markEntry));
    if (entry !== undefined) marks.set(Number(name), entry.slice(markEntry.length));
  }
  return marks;
}

/** A killed process is gone when the system gets to it, which on a busy machine takes a moment. */
const roundMs = 10;
const mostRounds = 100;

/** Kills what carries the mark until all of it has ended; in rounds, because a dying process may still be forking. */
async function killMarked(mark: string, clock: Clock): Promise<void> {
  // One that dies loses its environment, and so its mark, before it has ended.
  const dying = new Set<number>();
  for (let round = 0; round < mostRounds; round += 1) {
    const found = await findMarked(mark);
    for (const pid of dying) if ((await groupOf(pid)) === undefined) dying.delete(pid);
    if (found.length === 0 && dying.size === 0) return;
    for (const pid of found) if (signalProcess(pid, 'SIGKILL')) dying.add(pid);
    await sleep(clock, roundMs);
  }
}

/** True while a process of the group runs. */
async function isGroupAlive(leader: number): Promise<boolean> {
  if (!signalGroup(leader, 0)) return false;
  const names = await readdir('/proc').catch(() => []);
  if (names.length === 0) return true;
  for (const name of names) if (/^\d+$/.test(name) && (await groupOf(Number(name))) === leader) return true;
  return false;
}

/** The group of a process; undefined for one that has ended, also while nobody has asked after it yet. */
async function groupOf(pid: number): Promise<number | undefined> {
  // "pid (name) state parent group ...", where the name may hold anything.
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return group === undefined || state === 'Z' || state === 'X' ? undefined : Number(group);
}

/** True when the signal was delivered; a process or group that has ended is not an error. */
function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Signals a whole process group; on Windows, which has none, the process alone. */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  return signalProcess(process.platform === 'win32' ? leader : -leader, signal);
}

/** POSIX shell, because a second Node would cost forty times the memory. `$1` is the run's mark. */
const guardScript = `
trap '' INT TERM HUP QUIT
groups=' '
while read -r verb group; do
  case "$verb" in
    add) groups="$groups$group " ;;
    drop) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
marked() {
  [ -d /proc/self ] || return 0
  grep -lsF "${markVariable}=$1" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3
}
for group in $groups; do kill -s TERM -- "-$group" 2>/dev/null; done
[ "$groups" = ' ' ] || sleep 1
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
for round in 1 2 3 4 5; do
  found=$(marked "$1")
  [ -n "$found" ] || break
  for pid in $found; do kill -s KILL "$pid" 2>/dev/null; done
done
exit 0
`;

/** Pause before a guard that could not be started is tried again; doubles up to the maximum. */
const restartMs = { first: 1_000, most: 30_000 };

export class Guard {
  readonly #mark: string;
  readonly #log: Log;
  readonly #groups = new Set<number>();
  #child: ChildProcess | undefined;
  #isClosed = false;
  #pauseMs = restartMs.first;
  #restarting: NodeJS.Timeout | undefined;

  constructor(mark: string, log: Log) {
    this.#mark = mark;
    this.#log = log;
  }

  /** Starts watching, before the first server runs: a gateway without local servers has no guard. Idempotent. */
  open(): ChildProcess | undefined {
    if (this.#child || this.#isClosed || process.platform === 'win32') return this.#child;
    const child: ChildProcess = spawn('/bin/sh', ['-c', guardScript, 'toolcrib-guard', this.#mark], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    });
    // First of all: without files to spare there is no pipe either, and the error comes later.
    child.on('error', (error) => this.#onStartFailed(child, error));
    child.on('exit', () => this.#restart(child));
    child.unref();
    this.#child = child;
    child.stdin?.on('error', () => {});
    for (const group of this.#groups) child.stdin?.write(`add ${group}\n`);
    return child;
  }

  #onStartFailed(child: ChildProcess, error: Error): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    this.#log.error('The guard process could not be started', { error });
    clearTimeout(this.#restarting);
    this.#restarting = setTimeout(() => this.#groups.size > 0 && this.open(), this.#pauseMs).unref();
    this.#pauseMs = Math.min(this.#pauseMs * 2, restartMs.most);
  }

  #restart(child: ChildProcess): void {
    if (this.#isClosed || this.#child !== child) return;
    this.#child = undefined;
    this.#log.warn('The guard process ended and is started again');
    if (this.#groups.size > 0) this.open();
  }

  watch(group: number): void {
    this.#groups.add(group);
    const isRunning = this.#child !== undefined;
    const child = this.open();
    if (isRunning) child?.stdin?.write(`add ${group}\n`);
  }

  release(group: number): void {
    if (!this.#groups.delete(group)) return;
    this.#child?.stdin?.write(`drop ${group}\n`);
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Ends the guard, which then makes a last sweep by itself. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#restarting);
    this.#child?.stdin?.end();
  }
}

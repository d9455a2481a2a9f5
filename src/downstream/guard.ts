/**
 * The guard: a tiny shell process that watches a pipe from the gateway. When the pipe ends, however the gateway
 * ended, it kills the process groups it was told of and then, on Linux, everything that carries this run's mark.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import type { Log } from '../base/log.ts';
import { markVariable } from './process-marks.ts';

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

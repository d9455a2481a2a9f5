/** Which processes a process has started, and whether they are gone. */

import { setTimeout as pause } from 'node:timers/promises';
import { runProgram } from './run-program.ts';

export interface ProcessLine {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** All that descend from a process, itself left out. */
export async function descendantsOf(pid: number): Promise<ProcessLine[]> {
  const all = await listProcesses();
  const found: ProcessLine[] = [];
  const parents = new Set([pid]);
  // A child may stand before its parent in the list, so it is gone through until nothing is added.
  for (let before = -1; before !== found.length; ) {
    before = found.length;
    for (const line of all) {
      if (!parents.has(line.parent) || parents.has(line.pid)) continue;
      parents.add(line.pid);
      found.push(line);
    }
  }
  return found;
}

/** Those of the processes that still run after a short wait. */
export async function survivorsOf(processes: readonly ProcessLine[], waitMs = 3_000): Promise<ProcessLine[]> {
  const until = performance.now() + waitMs;
  for (;;) {
    const alive = await listProcesses();
    // The command is compared too: a process id may have been given to somebody else by now.
    const left = processes.filter((line) => alive.some((one) => one.pid === line.pid && one.command === line.command));
    if (left.length === 0 || performance.now() > until) return left;
    await pause(50);
  }
}

async function listProcesses(): Promise<ProcessLine[]> {
  const { stdout } = await runProgram('ps', ['-A', '-o', 'pid=,ppid=,stat=,args='], { env: process.env });
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parent, state, command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    // A zombie has ended; whoever started it has only not asked yet.
    if (pid === undefined || state?.startsWith('Z')) return [];
    return [{ pid: Number(pid), parent: Number(parent), command: command ?? '' }];
  });
}

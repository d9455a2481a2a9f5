/** Times of a process from Linux: when it began, the processor time it used, and how long it waited for some. */

import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second for every program, whatever its own clock does. */
export const cpuStepMs = 10;

/** In user code and in the kernel, of all threads. */
export function cpuMs(pid: number): number {
  const fields = statFields(pid);
  return (Number(fields[11]) + Number(fields[12])) * cpuStepMs;
}

/** How long the main thread was ready to run and others ran instead: on a busy machine that is nobody's fault. */
export function waitedMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
}

/** When a process began, on the wall clock; undefined where there is none of that number. */
export function startedAt(pid: number): number | undefined {
  try {
    const sinceBootMs = Number(statFields(pid)[19]) * cpuStepMs;
    const uptimeMs = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1000;
    return Date.now() - uptimeMs + sinceBootMs;
  } catch {
    return undefined; // It is gone.
  }
}

/** The fields after the name, which may itself hold spaces and brackets: the state is the first. */
function statFields(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

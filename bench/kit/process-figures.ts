/** Figures of a process from Linux: processor time, memory, and which process is the guard of a gateway. */

import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts processor time in hundredths of a second for every program, whatever its own clock does. */
const msPerTick = 10;
const guardName = 'toolcrib-guard';

/** Processor time so far, in user code and in the kernel, of all threads, living and ended. */
export function cpuMs(pid: number): number {
  const fields = statFields(pid);
  return (Number(fields[11]) + Number(fields[12])) * msPerTick;
}

/** Memory in use now. */
export function rssMb(pid: number): number {
  return statusMb(pid, 'VmRSS');
}

/** The most memory that was ever in use at once. */
export function peakMb(pid: number): number {
  return statusMb(pid, 'VmHWM');
}

function statusMb(pid: number, field: string): number {
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes ?? Number.NaN) / 1024;
}

/** The guard of a gateway; undefined while it has started no server. */
export function guardOf(gateway: number): number | undefined {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((pid) => isGuard(pid, gateway));
}

function isGuard(pid: number, parent: number): boolean {
  try {
    return Number(statFields(pid)[1]) === parent && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(guardName);
  } catch {
    return false; // It ended while we looked.
  }
}

/** The fields after the name, which may itself hold spaces and brackets: state first, then the parent. */
function statFields(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

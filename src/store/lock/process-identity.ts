/** Tells whether a process id still means the same process: ids are used again, so its start time counts too. */

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { systemCodeOf } from '../../base/errors.ts';

const psLimitMs = 2_000;

/** A text that two processes with one id never share; null where the system does not tell, and for an id that is not in use. */
export async function processStartOf(pid: number): Promise<string | null> {
  try {
    if (process.platform === 'linux') return await startFromProc(pid);
    if (process.platform !== 'win32') return await startFromPs(pid);
  } catch {
    // Either the process has ended or the system does not tell: both mean that there is nothing to compare.
  }
  return null;
}

/** Without a known start the id alone decides. */
export async function isSameProcess(pid: number, start: string | null): Promise<boolean> {
  if (!isAlive(pid)) return false;
  const present = await processStartOf(pid);
  return start === null || present === null || present === start;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process is alive as well.
    return systemCodeOf(error) === 'EPERM';
  }
}

/** Clock ticks since the boot, and which boot that was. */
async function startFromProc(pid: number): Promise<string> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The second field is the program's name in parentheses and may itself hold spaces and parentheses.
  const fieldsFromThird = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const startTicks = fieldsFromThird[22 - 3];
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
  return `${startTicks}@${boot.trim()}`;
}

async function startFromPs(pid: number): Promise<string> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)], {
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
    timeout: psLimitMs,
  });
  return stdout.trim();
}

/**
 * Every process we start carries a mark in its environment, which its descendants inherit wherever they move.
 * On Linux the mark finds grandchildren that left their process group; elsewhere only groups can be ended.
 */

import { readdir, readFile } from 'node:fs/promises';
import { type Clock, sleep } from '../base/clock.ts';

export const markVariable = 'TOOLCRIB_MARK';

/** Process ids that carry a mark starting with `mark`; always empty where /proc does not exist. */
async function findMarked(mark: string): Promise<number[]> {
  const wanted = `${markVariable}=${mark}`;
  const names = await readdir('/proc').catch(() => []);
  const found: number[] = [];
  for (const name of names) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    // A process of another user, or one that has just ended, cannot be read: it is not ours or no longer there.
    const environment = await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '');
    if (environment.split('\0').some((entry) => entry.startsWith(wanted))) found.push(Number(name));
  }
  return found;
}

/** A killed process is gone when the system gets to it, which on a busy machine takes a moment. */
const roundMs = 10;
const mostRounds = 100;

/** Kills what carries the mark until nothing does; in rounds, because a dying process may still be forking. */
export async function killMarked(mark: string, clock: Clock): Promise<void> {
  for (let round = 0; round < mostRounds; round += 1) {
    const found = await findMarked(mark);
    if (found.length === 0) return;
    for (const pid of found) signalProcess(pid, 'SIGKILL');
    await sleep(clock, roundMs);
  }
}

/** True while a process of the group runs. One that ended and that nobody has asked after yet does not count. */
export async function isGroupAlive(leader: number): Promise<boolean> {
  if (!signalGroup(leader, 0)) return false;
  const names = await readdir('/proc').catch(() => []);
  if (names.length === 0) return true;
  for (const name of names) {
    if (!/^\d+$/.test(name)) continue;
    // "pid (name) state parent group ...", where the name may hold anything; one that has just ended cannot be read.
    const stat = await readFile(`/proc/${name}/stat`, 'latin1').catch(() => '');
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number(group) === leader && state !== 'Z' && state !== 'X') return true;
  }
  return false;
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
export function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  return signalProcess(process.platform === 'win32' ? leader : -leader, signal);
}

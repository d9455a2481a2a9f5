/** Processes as the system sees them: which are alive, their children, their open files. Linux only. And waits for changes of these. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** Only something that hangs takes so long, on any machine beside any load: how long tests wait for what must come. */
export const HANG_MS = 120_000;

/** Everything after the command in /proc/PID/stat; undefined when there is no such process. */
function statOf(pid: number): { readonly state: string; readonly parent: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state = '', parent = ''] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

/** A process that has ended counts as gone even while nobody has collected it. */
export function isAlive(pid: number): boolean {
  const state = statOf(pid)?.state;
  return state !== undefined && state !== 'Z' && state !== 'X';
}

export function childrenOf(parent: number): number[] {
  return allPids().filter((pid) => statOf(pid)?.parent === parent);
}

/** Children of a process that have ended and were never collected. */
export function zombiesOf(parent: number): number[] {
  return childrenOf(parent).filter((pid) => statOf(pid)?.state === 'Z');
}

export function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Memory in use now, in bytes. */
export function residentBytes(pid: number): number {
  const kibibytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kibibytes) * 1024;
}

/** Resolves when all of them have ended; fails with those that have not. No event tells of the end of strangers. */
export async function allGone(pids: readonly number[], withinMs = HANG_MS): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (pids.some(isAlive) && performance.now() < deadline) await pause(20);
  assert.deepEqual(pids.filter(isAlive), [], `processes that outlived ${withinMs} ms`);
}

/** Resolves with what a look gives once it is there; fails after the time with what was awaited. */
export async function eventually<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
  withinMs = HANG_MS,
  everyMs = 20,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    assert.ok(performance.now() < deadline, `not within ${withinMs} ms: ${what}`);
    await pause(everyMs);
  }
}

function allPids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

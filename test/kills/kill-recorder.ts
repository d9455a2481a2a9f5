/** Kills a process that records calls, again and again, and checks after each kill that every call is there exactly once. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Random } from '../../exam/kit/random.ts';
import { type KeptCalls, readCalls } from './read-calls.ts';

/** Records that are under way at once in the process that is killed. */
const lanes = 4;
/** More than one process records before it is killed: each has numbers of its own. */
const numbersPerKill = 1_000_000;
/** Some kills come soon after the start, most while calls are recorded and rolled up. */
const mostAcknowledged = 300;
const mostDelayMs = 200;

export interface KillReport {
  readonly kills: number;
  readonly acknowledged: number;
  /** Calls that were found: those that were acknowledged, and a few whose acknowledgement the kill cut off. */
  readonly found: number;
  /** Kills that hit a roll-up in the middle of a batch. */
  readonly midBatch: number;
}

interface Said {
  /** Numbers of calls whose record was done with the row committed. */
  readonly sure: readonly number[];
  /** Those that only waited for the store. */
  readonly unsure: readonly number[];
}

export async function killRecorder(file: string, kills: number, random: Random): Promise<KillReport> {
  const sure = new Set<number>();
  let [allowed, midBatch, found] = [0, 0, 0];
  for (let kill = 0; kill < kills; kill += 1) {
    const said = await killOnce(file, kill * numbersPerKill, random);
    for (const number of said.sure) sure.add(number);
    allowed += said.unsure.length + lanes;
    const kept = await readCalls(file);
    checkCalls(kept, sure, allowed);
    midBatch += kept.isMidBatch ? 1 : 0;
    found = kept.count;
  }
  return { kills, acknowledged: sure.size, found, midBatch };
}

async function killOnce(file: string, first: number, random: Random): Promise<Said> {
  const program = fileURLToPath(new URL('./recorder.ts', import.meta.url));
  const args = ['--disable-warning=ExperimentalWarning', program, file, String(first), String(lanes)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [wanted, delayMs] = [1 + Math.floor(random.share() ** 2 * mostAcknowledged), random.share() * mostDelayMs];
  const lines: string[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    const isFirstTime = lines.length < wanted;
    lines.push(...parts);
    if (isFirstTime && lines.length >= wanted) setTimeout(() => child.kill('SIGKILL'), delayMs);
  });
  const [, signal] = await once(child, 'close');
  assert.equal(signal, 'SIGKILL', 'The recorder ended by itself.');
  const unsure = lines.filter((line) => line.startsWith('?'));
  const sure = lines.filter((line) => !line.startsWith('?'));
  return { sure: sure.map(Number), unsure: unsure.map((line) => Number(line.slice(1))) };
}

function checkCalls(kept: KeptCalls, sure: ReadonlySet<number>, allowed: number): void {
  assert.equal(kept.integrity, 'ok');
  for (const [number, count] of kept.singles) assert.equal(count, 1, `Call ${number} was counted ${count} times.`);
  for (const number of sure) {
    const isThere = number % 2 === 0 ? kept.shared.has(number) : kept.singles.has(number);
    assert.ok(isThere, `Call ${number} was acknowledged and is lost.`);
  }
  assert.equal(kept.sharedCount, kept.shared.size, 'The sums of shared tools are not those of their rows.');
  assert.equal(kept.count, kept.shared.size + kept.singles.size);
  assert.ok(kept.count <= sure.size + allowed, `${kept.count} calls, of which ${sure.size} were acknowledged.`);
  assert.equal(kept.dayCount, kept.count, 'The days do not add up to all calls.');
  assert.equal(kept.pairCount, kept.count, 'The queries do not add up to all calls.');
}

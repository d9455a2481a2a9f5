/** The invariants that hold after every check: judged from the record, the processes and the files. */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { childrenOf, HANG_MS, isAlive, openFiles, residentBytes, zombiesOf } from '../../test/kit/processes.ts';
import type { Invariant } from '../check.ts';
import { databaseFault } from './database.ts';
import { guardOf } from './gateway-program.ts';
import type { Exchange, History } from './history.ts';
import type { Sample } from './prober.ts';
import type { Rig } from './rig.ts';
import type { Setup } from './setup.ts';

/** The fault; undefined if the invariant held. */
export type Judgement = Readonly<Partial<Record<Invariant, string>>>;

/** Looked at until all is back, at most so long. */
const settleMs = HANG_MS;
const megabyte = 1024 * 1024;
const endLimitMs = HANG_MS;

/** Judges one setup and ends its gateway in order. */
export async function judge(setup: Setup, exempt: Judgement, isInTime: Rig['isInTime']): Promise<Judgement> {
  setup.dismissAgents();
  const { gateway, history } = setup;
  const isAliveNow = isAlive(gateway.pid);
  const faults: Partial<Record<Invariant, string | undefined>> = {};
  if (!isAliveNow || gateway.pid !== setup.firstPid) faults.I1 = await lifeFault(setup);
  if (isAliveNow) Object.assign(faults, await settled(setup, exempt));
  const samples = await setup.stopProber();
  faults.I2 = siblingFault(samples, isInTime);
  faults.I8 = healthFault(samples, isInTime);
  history.note('probes', { count: samples.length, unwell: samples.filter(({ isFine }) => !isFine).slice(0, 20) });
  if (isAliveNow) faults.I1 ??= await endFault(setup);
  faults.I7 = await leakFault(setup);
  faults.I9 = logFault(gateway.log());
  faults.I10 = await databaseFault(setup);
  const broken = Object.entries(faults).filter(([id, fault]) => fault !== undefined && !(id in exempt));
  return Object.fromEntries(broken);
}

/** I3, over the whole record. */
export function replyFault({ exchanges }: History): string | undefined {
  const wrong = exchanges.filter((exchange) => !isSound(exchange));
  const [first] = wrong;
  return first === undefined ? undefined : `${wrong.length} of ${exchanges.length}, such as ${JSON.stringify(first)}`;
}

/** One answer, or none because the stream was closed or had nothing to say; never two, and never a stranger's. */
function isSound({ endedAt, answers, strays, hasLeft, sentAt, deadlineMs }: Exchange): boolean {
  if (strays > 0 || answers > 1) return false;
  if (hasLeft) return true;
  return endedAt !== undefined && endedAt - sentAt <= deadlineMs;
}

/** Waits until memory, children and files are back, or the time for that is over; gives what is not. */
async function settled(setup: Setup, exempt: Judgement): Promise<Judgement> {
  const deadline = performance.now() + settleMs;
  for (;;) {
    const faults = leftovers(setup);
    if (Object.keys(faults).every((id) => id in exempt) || performance.now() > deadline) return faults;
    await pause(200);
  }
}

function leftovers(setup: Setup): Judgement {
  const { pid } = setup.gateway;
  const { baseline } = setup;
  if (baseline === undefined || !isAlive(pid)) return {};
  const [resident, files] = [residentBytes(pid), openFiles(pid)];
  const mostResident = baseline.residentBytes * 1.25 + 50 * megabyte;
  const children = childrenFault(setup);
  return {
    ...(resident > mostResident && {
      I4: `${mb(resident)} MB, with ${mb(baseline.residentBytes)} before and ${mb(mostResident)} allowed`,
    }),
    ...(children !== undefined && { I5: children }),
    ...(files - baseline.openFiles > 10 && { I6: `${files} files, with ${baseline.openFiles} before` }),
  };
}

function childrenFault(setup: Setup): string | undefined {
  const { pid } = setup.gateway;
  const zombies = zombiesOf(pid);
  if (zombies.length > 0) return `zombies: ${zombies.join(', ')}`;
  const guard = guardOf(pid);
  const children = childrenOf(pid).filter((child) => child !== guard && isAlive(child));
  const known = new Set<number>();
  for (const server of setup.servers.values()) {
    if (!server.isStdio) continue;
    const alive = server.pids().filter(isAlive);
    const most = server.era === 'dual' ? 2 : 1;
    if (alive.length > most)
      return `"${server.name}" has ${alive.length} processes, ${most} expected: ${alive.join(', ')}`;
    for (const one of alive) known.add(one);
  }
  const strangers = children.filter((child) => !known.has(child));
  if (strangers.length > 0) return `children that belong to no server: ${strangers.join(', ')}`;
  const orphans = [...known].filter((one) => !children.includes(one));
  return orphans.length > 0 ? `processes of servers that are no children any more: ${orphans.join(', ')}` : undefined;
}

async function lifeFault({ gateway, firstPid }: Setup): Promise<string> {
  if (isAlive(gateway.pid)) return `it is process ${gateway.pid} and was ${firstPid}`;
  return `it ended with ${await gateway.exited}: ${gateway.log().slice(-500)}`;
}

/** Ends the gateway as a user would; that it does so cleanly belongs to being the same healthy process. */
async function endFault(setup: Setup): Promise<string | undefined> {
  const { gateway } = setup;
  gateway.kill('SIGTERM');
  const how = await Promise.race([gateway.exited, pause(endLimitMs, 'nothing', { ref: false })]);
  if (how !== 0) return `asked to end, it ended with ${how}`;
  const left = setup.serverPids().filter(isAlive);
  return left.length > 0 ? `after its end processes of servers are left: ${left.join(', ')}` : undefined;
}

function siblingFault(samples: readonly Sample[], isInTime: Rig['isInTime']): string | undefined {
  const probes = samples.filter(({ kind }) => kind === 'sibling');
  if (probes.length === 0) return 'the sibling was never asked';
  const failed = probes.filter(({ isFine }) => !isFine);
  const share = 1 - failed.length / probes.length;
  if (share < 0.99) return `${failed.length} of ${probes.length} probes failed, such as: ${failed[0]?.why}`;
  const slowestFirst = probes.map(ownMs).sort((one, other) => other - one);
  const p99 = slowestFirst[Math.floor(probes.length / 100)] ?? 0;
  return isInTime(p99, 2_000) ? undefined : `p99 was ${Math.round(p99)} ms`;
}

function healthFault(samples: readonly Sample[], isInTime: Rig['isInTime']): string | undefined {
  const probes = samples.filter(({ kind }) => kind === 'health');
  const failed = probes.find(({ isFine }) => !isFine);
  if (failed !== undefined) return `it failed: ${failed.why}`;
  const slowest = Math.max(0, ...probes.map(ownMs));
  return isInTime(slowest, 500) ? undefined : `the slowest of ${probes.length} took ${Math.round(slowest)} ms`;
}

function ownMs({ ms, lagMs }: Sample): number {
  return ms - lagMs;
}

/** Tokens and secrets in the log; secrets of servers also in anything the gateway keeps. */
async function leakFault(setup: Setup): Promise<string | undefined> {
  const { gateway, canaries, dataDir, shared } = setup;
  const log = gateway.log();
  const secrets = { ...canaries, agentToken: gateway.agentToken, ownerToken: gateway.ownerToken };
  const logged = Object.entries(secrets).find(([, secret]) => log.includes(secret));
  if (logged !== undefined) return `${logged[0]} is in the log`;
  if ((await shared?.text())?.includes(canaries.serverSecret)) return 'the secret of a server is in the database';
  const kept = filesUnder(dataDir).find(
    (path) => !path.endsWith('toolcrib.json') && readFileSync(path).includes(canaries.serverSecret),
  );
  return kept === undefined ? undefined : `the secret of a server is in ${kept}`;
}

function filesUnder(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
}

function logFault(log: string): string | undefined {
  const line = log
    .split('\n')
    .find((one) => /unhandled|uncaught|not caught|nobody noticed|should not happen/i.test(one));
  return line?.slice(0, 1_000);
}

function mb(bytes: number): number {
  return Math.round(bytes / megabyte);
}

/** The gateway under examination: the real program in a process of its own, with its log in a file. */

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { childrenOf, HANG_MS, isAlive } from '../../test/kit/processes.ts';
import { waitedMs } from './process-time.ts';

export interface GatewayFiles {
  /** The checkout whose gateway is examined. */
  readonly root: string;
  readonly dataDir: string;
  readonly configFile: string;
  readonly logFile: string;
  /** More of its environment. */
  readonly env: Readonly<Record<string, string>>;
}

export interface GatewayProgram {
  readonly pid: number;
  readonly url: string;
  readonly agentToken: string;
  readonly ownerToken: string;
  /** From the start of the process until it listened, less the time in which others had the processor. */
  readonly startMs: number;
  /** Resolves with the exit code, or the signal. */
  readonly exited: Promise<number | NodeJS.Signals>;
  kill(signal: NodeJS.Signals): void;
  /** Everything logged so far by every gateway of this place. */
  log(): string;
}

const startLimitMs = HANG_MS;
const conscience = join(import.meta.dirname, 'conscience.js');

export async function startGateway(place: GatewayFiles): Promise<GatewayProgram> {
  const { root, dataDir, configFile, logFile, env } = place;
  const startedAt = performance.now();
  const flags = ['--port', '0', '--json', '--log-level', 'debug', '--log-json'];
  const argv = ['--import', conscience, join(root, 'bin/toolcrib.js'), 'start', ...flags];
  const log = openSync(logFile, 'a');
  const child = spawn(process.execPath, [...argv, '--data', dataDir, '--config', configFile], {
    cwd: dataDir,
    env: { PATH: process.env.PATH, HOME: dataDir, EXAM_CONSCIENCE: join(dataDir, 'conscience.json'), ...env },
    stdio: ['ignore', 'pipe', log],
    // The types know no descriptor among these.
  }) as ChildProcessByStdio<null, Readable, null>;
  closeSync(log);
  const exited = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
  const onExit = () => child.kill('SIGKILL');
  process.once('exit', onExit);
  void exited.then(() => process.off('exit', onExit));
  const tooLate = AbortSignal.timeout(startLimitMs);
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line', { signal: tooLate }),
    exited.then((how) => Promise.reject(new Error(`The gateway ended at its start (${how}): ${tail(logFile)}`))),
  ]).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  const { url, agentToken } = JSON.parse(String(line)) as { url: string; agentToken: string | null };
  const tokenIn = (name: string) => readFileSync(join(dataDir, name), 'utf8').trim();
  return {
    pid: child.pid ?? 0,
    url,
    // With tokens of an issuer it is not printed, but still valid if the config says so.
    agentToken: agentToken ?? tokenIn('agent-token'),
    ownerToken: tokenIn('owner-token'),
    startMs: performance.now() - startedAt - waitedMs(child.pid ?? 0),
    exited,
    kill: (signal) => void child.kill(signal),
    log: () => readFileSync(logFile, 'utf8'),
  };
}

/** The process that ends the servers when the gateway cannot. */
export function guardOf(pid: number): number | undefined {
  return childrenOf(pid).find((child) => isAlive(child) && commandOf(child).includes('toolcrib-guard'));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // It ended while we looked.
  }
}

function tail(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8').slice(-2_000) : '';
}

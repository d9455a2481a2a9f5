/** The gateway under examination: the real program, with its log in a file, in a process of its own or in that of others. */

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { childrenOf, HANG_MS, isAlive } from '../../test/kit/processes.ts';
import { launchHosted } from './gateway-host.ts';
import { waitedMs } from './process-time.ts';

export interface GatewayFiles {
  /** The checkout whose gateway is examined. */
  readonly root: string;
  readonly dataDir: string;
  readonly configFile: string;
  readonly logFile: string;
  /** More of its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** In a process of its own from start to end, not in one that ran others before. */
  readonly isAlone: boolean;
}

/** A gateway's command line and surroundings. */
export interface Launch {
  readonly root: string;
  readonly argv: string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logFile: string;
}

export interface LaunchedGateway {
  readonly pid: number;
  /** Resolves with the first line of its output. */
  readonly line: Promise<string>;
  /** Resolves with the exit code, or the signal. */
  readonly exited: Promise<number | NodeJS.Signals>;
  kill(signal: NodeJS.Signals): void;
}

export interface GatewayProgram extends Omit<LaunchedGateway, 'line'> {
  readonly url: string;
  readonly agentToken: string;
  readonly ownerToken: string;
  /** From the start of the process until it listened, less the time in which others had the processor. */
  readonly startMs: number;
  /** Everything logged so far by every gateway of this place. */
  log(): string;
}

const startLimitMs = HANG_MS;
const conscience = join(import.meta.dirname, 'conscience.js');

export async function startGateway(place: GatewayFiles): Promise<GatewayProgram> {
  const { root, dataDir, configFile, logFile, env, isAlone } = place;
  const startedAt = performance.now();
  const flags = ['--port', '0', '--json', '--log-level', 'debug', '--log-json'];
  const argv = ['start', ...flags, '--data', dataDir, '--config', configFile];
  const launch = isAlone ? launchProgram : launchHosted;
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const launched = launch({
    root,
    argv,
    cwd: dataDir,
    env: { PATH, NODE_COMPILE_CACHE, HOME: dataDir, ...env },
    logFile,
  });
  const { pid, exited } = launched;
  const onExit = () => launched.kill('SIGKILL');
  process.once('exit', onExit);
  void exited.then(() => process.off('exit', onExit));
  const line = await Promise.race([
    launched.line,
    exited.then((how) => Promise.reject(new Error(`The gateway ended at its start (${how}): ${tail(logFile)}`))),
    pause(startLimitMs, undefined, { ref: false }).then(() => Promise.reject(new Error('The gateway never started.'))),
  ]).catch((error: unknown) => {
    launched.kill('SIGKILL');
    throw error;
  });
  const { url, agentToken } = JSON.parse(line) as { url: string; agentToken: string | null };
  const tokenIn = (name: string) => readFileSync(join(dataDir, name), 'utf8').trim();
  return {
    ...launched,
    url,
    // With tokens of an issuer it is not printed, but still valid if the config says so.
    agentToken: agentToken ?? tokenIn('agent-token'),
    ownerToken: tokenIn('owner-token'),
    startMs: performance.now() - startedAt - waitedMs(pid),
    log: () => readFileSync(logFile, 'utf8'),
  };
}

function launchProgram({ root, argv, cwd, env, logFile }: Launch): LaunchedGateway {
  const log = openSync(logFile, 'a');
  const child = spawn(process.execPath, ['--import', conscience, join(root, 'bin/toolcrib.js'), ...argv], {
    cwd,
    env: { ...env, EXAM_CONSCIENCE: join(cwd, 'conscience.json') },
    stdio: ['ignore', 'pipe', log],
    // The types know no descriptor among these.
  }) as ChildProcessByStdio<null, Readable, null>;
  closeSync(log);
  return {
    pid: child.pid ?? 0,
    line: once(createInterface(child.stdout), 'line').then(([line]) => String(line)),
    exited: once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals),
    kill: (signal) => void child.kill(signal),
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

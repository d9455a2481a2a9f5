/** Programs that a benchmark runs beside itself: each says in one line of JSON where it can be reached. */

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

export interface Program {
  readonly pid: number;
  readonly url: string;
  /** For agents; undefined where none is asked for. */
  readonly token: string | undefined;
  /** Resolves when it has ended. */
  stop(): Promise<void>;
}

export interface GatewayProgram {
  /** `bare`: the gateway without a command line around it. `bin`: as its users start it. */
  readonly kind: 'bare' | 'bin';
  readonly dataDir: string;
  readonly configFile: string;
  /** For Node itself. */
  readonly flags?: readonly string[];
}

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** Starts a file under `bench`, which ends with its stdin. */
export function startProgram(file: string, args: readonly string[], flags: readonly string[] = []): Promise<Program> {
  return start([...flags, join(import.meta.dirname, '..', file), ...args], (child) => child.stdin.end());
}

export function startGateway({ kind, dataDir, configFile, flags = [] }: GatewayProgram): Promise<Program> {
  if (kind === 'bare') return startProgram('kit/start-gateway.js', [dataDir, configFile], flags);
  const bin = join(import.meta.dirname, '../../bin/toolcrib.js');
  const choices = ['--port', '0', '--json', '--log-level', 'warn', '--data', dataDir, '--config', configFile];
  return start([...flags, bin, 'start', ...choices], (child) => child.kill('SIGTERM'));
}

async function start(args: readonly string[], end: (child: Child) => void): Promise<Program> {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const onExit = () => child.kill();
  process.once('exit', onExit);
  const stop = async () => {
    end(child);
    await exited;
    process.off('exit', onExit);
  };
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    exited.then(() => Promise.reject(new Error(`${args.join(' ')} ended before it was ready.`))),
  ]);
  const { url, token, agentToken } = JSON.parse(line);
  return { pid: child.pid ?? 0, url, token: token ?? agentToken, stop };
}

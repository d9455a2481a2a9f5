/** The gateway as people start it: a process of its own, spoken to through its doors and its API. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Admin } from '../../../src/admin/admin.ts';
import { connectAdmin } from '../../../src/admin/client/client.ts';
import { readLock } from '../../../src/store/lock/lock.ts';

/** The program that `npm start` runs. */
export const program = join(import.meta.dirname, '../../../bin/toolcrib.js');

export interface GatewayProcessOptions {
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Members of `mcpServers`; left out, the config of the folder stays as it is. */
  readonly servers?: Readonly<Record<string, unknown>>;
  /** Other sections of the config; taken with `servers`. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Adds the demo servers. */
  readonly hasDemo?: boolean;
  /** A free one, if left out. */
  readonly port?: number;
  /** Another version of `program`. */
  readonly otherProgram?: string | undefined;
}

export interface GatewayProcess extends AsyncDisposable {
  readonly pid: number;
  readonly url: string;
  readonly dataDir: string;
  readonly agentToken: string;
  readonly ownerToken: string;
  readonly admin: Admin;
  /** From start to the open door. */
  readonly readyMs: number;
  /** The end of what it has printed. */
  said(): string;
  /** Ends it in good order; resolves with the exit code and how long it took. */
  stop(): Promise<{ readonly code: number | null; readonly ms: number }>;
  /** Ends it as a power failure does. */
  kill(): Promise<void>;
}

const startLimitMs = 30_000;
const stopLimitMs = 30_000;

export async function startGatewayProcess(options: GatewayProcessOptions): Promise<GatewayProcess> {
  const { dataDir, env } = options;
  const config = join(dataDir, 'toolcrib.json');
  if (options.servers)
    await writeFile(config, JSON.stringify({ ...options.config, mcpServers: options.servers }, null, 2));
  const since = performance.now();
  const flags = [
    '--data',
    dataDir,
    '--config',
    config,
    '--port',
    String(options.port ?? 0),
    ...(options.hasDemo ? ['--demo'] : []),
  ];
  const child = spawn(process.execPath, [options.otherProgram ?? program, 'start', ...flags], {
    cwd: dataDir,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = listenTo(child);
  const url = await waitForUrl(child, dataDir, said).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  const readyMs = performance.now() - since;
  const readToken = async (name: string) => (await readFile(join(dataDir, name), 'utf8')).trim();
  const stop = () => stopChild(child);
  const ownerToken = await readToken('owner-token');
  return {
    pid: child.pid ?? -1,
    url,
    dataDir,
    agentToken: await readToken('agent-token'),
    ownerToken,
    admin: connectAdmin(url, ownerToken),
    readyMs,
    said,
    stop,
    kill: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
}

function listenTo(child: ChildProcess): () => string {
  let text = '';
  const keep = (chunk: string) => {
    text = (text + chunk).slice(-4_000);
  };
  child.stdout?.setEncoding('utf8').on('data', keep);
  child.stderr?.setEncoding('utf8').on('data', keep);
  return () => text.trim();
}

async function waitForUrl(child: ChildProcess, dataDir: string, said: () => string): Promise<string> {
  const until = performance.now() + startLimitMs;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`The gateway ended with ${child.exitCode}: ${said()}`);
    const holder = await readLock(dataDir);
    if (holder?.pid === child.pid && holder?.url) return holder.url;
    if (performance.now() > until) throw new Error(`The gateway did not start in ${startLimitMs} ms: ${said()}`);
    await pause(10);
  }
}

async function stopChild(child: ChildProcess): Promise<{ code: number | null; ms: number }> {
  const since = performance.now();
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    const limit = setTimeout(() => child.kill('SIGKILL'), stopLimitMs);
    child.kill('SIGTERM');
    await exited;
    clearTimeout(limit);
  }
  return { code: child.exitCode, ms: performance.now() - since };
}

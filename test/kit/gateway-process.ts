/**
 * A gateway in a process of its own, for tests that end it from outside. As a program it takes a data folder and a
 * config file, prints one line of JSON when it listens, and closes in order on SIGTERM; `startGatewayProcess` runs it.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createLog } from '../../src/base/log.ts';
import { pinYoungSpace } from '../../src/base/own-program.ts';
import { openGateway } from '../../src/gateway.ts';
import { childrenOf, isAlive } from './processes.ts';

interface Greeting {
  readonly url: string;
  readonly agent: string;
  readonly owner: string;
}

export interface GatewayProcess extends AsyncDisposable {
  readonly pid: number;
  readonly url: string;
  readonly agentHeaders: Record<string, string>;
  readonly ownerHeaders: Record<string, string>;
  readonly configFile: string;
  /** Resolves with the exit code, or the signal, once the process is gone. */
  readonly exited: Promise<number | NodeJS.Signals>;
  kill(signal: NodeJS.Signals): void;
  /** The process that ends the servers when the gateway cannot. */
  guardPid(): Promise<number | undefined>;
  /** Its log so far. */
  log(): string;
}

export interface GatewayProcessOptions {
  /** Members of `mcpServers`. */
  readonly servers: Record<string, unknown>;
  readonly config?: Record<string, unknown>;
  /** Use this folder, and leave it there: for restarts. */
  readonly dataDir?: string;
  /** In place of the variables of this process. */
  readonly env?: NodeJS.ProcessEnv;
}

export async function startGatewayProcess(options: GatewayProcessOptions): Promise<GatewayProcess> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'toolcrib-process-')));
  const configFile = join(dataDir, 'toolcrib.json');
  const access = { keyring: 'off', ...(options.config?.access as object | undefined) };
  await writeFile(configFile, JSON.stringify({ ...options.config, access, mcpServers: options.servers }));
  const args = ['--disable-warning=ExperimentalWarning', import.meta.filename, dataDir, configFile];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env: options.env ?? process.env });
  const logged: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => logged.push(text));
  const exited = once(child, 'exit').then(([code, signal]) => code ?? signal);
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    exited.then((how) => Promise.reject(new Error(`The gateway ended at its start (${how}): ${logged.join('')}`))),
  ]);
  const { url, agent, owner } = JSON.parse(String(line)) as Greeting;
  const pid = child.pid ?? 0;
  return {
    pid,
    url,
    configFile,
    exited,
    agentHeaders: { authorization: `Bearer ${agent}` },
    ownerHeaders: { authorization: `Bearer ${owner}` },
    kill: (signal) => void child.kill(signal),
    guardPid: async () => {
      for (const childPid of childrenOf(pid)) {
        const command = await readFile(`/proc/${childPid}/cmdline`, 'utf8').catch(() => '');
        if (command.includes('toolcrib-guard') && isAlive(childPid)) return childPid;
      }
      return undefined;
    },
    log: () => logged.join(''),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await exited;
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function run(dataDir: string, configPath: string): Promise<void> {
  const log = createLog({
    level: 'debug',
    format: 'json',
    write: (line) => process.stderr.write(line),
    now: Date.now,
  });
  const gateway = await openGateway({
    dataDir,
    configPath,
    cwd: dataDir,
    env: process.env,
    log,
    listen: { host: '127.0.0.1', port: 0, isAuthOff: false },
  });
  pinYoungSpace();
  process.once('SIGTERM', async () => {
    await gateway.close();
    process.exit(0);
  });
  const greeting = { url: gateway.url, agent: gateway.tokens.agent, owner: gateway.tokens.owner };
  process.stdout.write(`${JSON.stringify(greeting)}\n`);
}

if (import.meta.main) {
  const [dataDir = '', configPath = ''] = process.argv.slice(2);
  await run(dataDir, configPath);
}

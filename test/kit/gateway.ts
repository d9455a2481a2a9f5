/** A gateway for tests: in this process, on a free port, with a data folder of its own that goes away with it. */

import { rmSync } from 'node:fs';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import { limits } from '../../src/config/config.ts';
import { type Gateway, openGateway } from '../../src/gateway.ts';
import { scrubbed } from '../../src/store/server/server.ts';
import { createDatabase } from '../../src/store/sqlite/create-database.ts';
import { judgeApart } from '../../src/trust/trust.ts';
import { eventually } from './processes.ts';

export interface TestGatewayOptions {
  /** Members of `mcpServers`. */
  readonly servers?: Record<string, unknown>;
  /** Other sections of the config file. */
  readonly config?: Record<string, unknown>;
  readonly env?: NodeJS.ProcessEnv;
  /** Use this folder, and leave it there: for restarts. */
  readonly dataDir?: string;
  /** A free one, if left out. */
  readonly port?: number;
  /** 127.0.0.1, if left out. */
  readonly host?: string;
  readonly isAuthOff?: boolean;
  readonly clock?: Clock;
  readonly onAgents?: (count: number) => void;
  readonly dashboardDir?: string;
  /** Do not wait until every server has been listed: for tests of what comes before that. */
  readonly isCold?: boolean;
}

export interface TestGateway extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly url: string;
  readonly dataDir: string;
  readonly configFile: string;
  /** Headers of an agent. */
  readonly agentHeaders: Record<string, string>;
  readonly ownerHeaders: Record<string, string>;
  /** Lines that were logged. */
  readonly logged: readonly string[];
  close(): Promise<void>;
}

let isJudgeKept = false;

/** One thread judges for all gateways of a process. It would end in each pause between two of them, and is dear to start. */
export function keepJudge(): void {
  if (!isJudgeKept) setInterval(() => judgeApart.prepare(), limits.judgeIdleMs / 2).unref();
  isJudgeKept = true;
}

export async function openTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  keepJudge();
  const dataDir = options.dataDir ?? (await newDataFolder());
  const configFile = join(dataDir, 'toolcrib.json');
  // Tests leave nothing in the keyring of the person who runs them.
  const access = { keyring: 'off', ...(options.config?.access as object | undefined) };
  await writeFile(configFile, JSON.stringify({ ...options.config, access, mcpServers: options.servers ?? {} }));
  const logged: string[] = [];
  const log = createLog({ level: 'debug', format: 'json', write: (line) => logged.push(line), now: Date.now });
  const listen = { host: options.host ?? '127.0.0.1', port: options.port ?? 0, isAuthOff: options.isAuthOff ?? false };
  const tidyUp = async () => {
    if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
  };
  const opening = openGateway({
    dataDir,
    configPath: configFile,
    cwd: dataDir,
    env: options.env ?? process.env,
    log,
    listen,
    clock: options.clock,
    onAgents: options.onAgents,
    dashboardDir: options.dashboardDir,
  });
  // One that does not start, as some are meant to, leaves nothing either.
  const gateway = await opening.catch((error) => tidyUp().then(() => Promise.reject(error)));
  const close = async () => {
    await gateway.close();
    await tidyUp();
  };
  // One that stayed open would keep the process of its test from ending.
  if (!options.isCold) await firstListings(gateway).catch((error) => close().then(() => Promise.reject(error)));
  return {
    gateway,
    url: gateway.url ?? '',
    dataDir,
    configFile,
    agentHeaders: { authorization: `Bearer ${gateway.tokens.agent}` },
    ownerHeaders: { authorization: `Bearer ${gateway.tokens.owner}` },
    logged,
    close,
    [Symbol.asyncDispose]: close,
  };
}

let template: Promise<string> | undefined;

/** With a database as a gateway makes it at its first start, copied from one that was made before: that takes ten times as long. */
async function newDataFolder(): Promise<string> {
  template ??= makeTemplate();
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-test-'));
  await copyFile(await template, join(folder, 'toolcrib.db'));
  return folder;
}

async function makeTemplate(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-template-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'toolcrib.db');
  await createDatabase(file, scrubbed);
  return file;
}

/** The same, with every server listed once more: what changed since the start is known. */
export async function openListedGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const opened = await openTestGateway(options);
  await opened.gateway.admin.run('servers.refresh', {});
  return opened;
}

/** Resolves when every server has been listed, or could not be: how soon that is, is up to the machine. */
function firstListings({ admin }: Gateway): Promise<true> {
  return eventually('every server has been listed', async () => {
    const rows = await admin.run('servers.list', {});
    const isDone = rows.every(
      ({ state, listedAt, lastError }) => listedAt !== null || lastError !== null || state === 'disabled',
    );
    return isDone || undefined;
  });
}

/** A gateway in front of one remote server, without a token: for programs that cannot send one. */
export async function startGateway(options: {
  readonly upstreamUrl: string;
}): Promise<{ url: string; close(): Promise<void> }> {
  const test = await openTestGateway({ servers: { upstream: { url: options.upstreamUrl } }, isAuthOff: true });
  return { url: `${test.url}/servers/upstream/mcp?names=plain`, close: test.close };
}

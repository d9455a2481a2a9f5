/** The gateways of `replicas.ts` as processes: one on SQLite, and groups of replicas with a PostgreSQL database for each group. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Admin } from '../src/admin/admin.ts';
import { connectAdmin } from '../src/admin/client/client.ts';
import { guardOf } from './kit/process-figures.ts';
import { type Program, startGateway } from './kit/program.ts';

export interface BenchGateway {
  readonly program: Program;
  readonly admin: Admin;
  /** The process and its guard, if it has one. */
  pids(): readonly number[];
}

export interface BenchGatewayOptions {
  /** For config and data. */
  readonly folder: string;
  readonly servers: Readonly<Record<string, object>>;
  /** Of a PostgreSQL database; left out, the gateway is alone on SQLite. */
  readonly storeUrl?: string;
}

const giveUpMs = 20 * 60_000;
const lookEveryMs = 10;

/** Replicas need one key for all; it seals nothing that matters here. */
export function useBenchKey(): void {
  process.env.TOOLCRIB_SECRET_KEY = Buffer.alloc(32, 7).toString('base64');
}

export async function startBenchGateway(options: BenchGatewayOptions): Promise<BenchGateway> {
  const { folder: dataDir, servers, storeUrl } = options;
  await mkdir(dataDir, { recursive: true });
  const configFile = join(dataDir, 'toolcrib.json');
  const store = storeUrl === undefined ? {} : { store: { url: storeUrl } };
  await writeFile(configFile, JSON.stringify({ ...store, mcpServers: servers }));
  const program = await startGateway({ kind: 'bare', dataDir, configFile });
  const ownerToken = (await readFile(join(dataDir, 'owner-token'), 'utf8')).trim();
  const pids = () => [program.pid, ...[guardOf(program.pid)].filter((pid) => pid !== undefined)];
  return { program, admin: connectAdmin(program.url, ownerToken), pids };
}

/** A token that every replica of a group knows, as agents of a shared gateway have them. */
export async function makeAgentToken({ admin }: BenchGateway, name: string): Promise<string> {
  return (await admin.run('tokens.create', { name })).token;
}

/** How long it takes until a look is true. `share`: so many times as long as a look takes is waited before the next, where looks cost much. */
export async function msUntil(what: string, look: () => Promise<boolean>, share = 0): Promise<number> {
  const start = performance.now();
  for (;;) {
    const since = performance.now();
    if (await look()) return performance.now() - start;
    if (performance.now() - start > giveUpMs) throw new Error(`Not within ${giveUpMs} ms: ${what}.`);
    await wait(Math.max(lookEveryMs, share * (performance.now() - since)));
  }
}

/** The tools that agents can see; undefined until every server has been listed. */
export async function listedTools({ admin }: BenchGateway): Promise<number | undefined> {
  const rows = await admin.run('servers.list', {});
  if (rows.some(({ listedAt }) => listedAt === null)) return undefined;
  return rows.reduce((sum, { toolCount }) => sum + (toolCount ?? 0), 0);
}

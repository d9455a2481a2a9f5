/** The eight real servers that prompts and candidates were written for, behind a gateway of its own. */

import { type GatewayProcess, startGatewayProcess } from '../kit/gateway-process.ts';
import { whenListed } from '../kit/listed.ts';
import type { Packages, Wanted } from '../kit/packages.ts';
import { offline, type Scratch } from '../kit/scratch.ts';

/** The prompts name servers by these. */
const servers: Readonly<Record<string, readonly [name: string, version: string]>> = {
  excel: ['@negokaz/excel-mcp-server', '0.12.0'],
  filesystem: ['@modelcontextprotocol/server-filesystem', '2026.8.31'],
  git: ['@cyanheads/git-mcp-server', '2.15.3'],
  kubernetes: ['mcp-server-kubernetes', '4.1.7'],
  memory: ['@modelcontextprotocol/server-memory', '2026.8.31'],
  postgres: ['@henkey/postgres-mcp-server', '1.0.7'],
  tasks: ['@kazuph/mcp-taskmanager', '1.1.1'],
  time: ['time-mcp', '1.0.6'],
};

export const promptedPackages: Wanted = Object.fromEntries(Object.values(servers));

/** `config`: other sections of the config file. */
export async function startPromptedServers(
  scratch: Scratch,
  installed: Packages,
  config: Readonly<Record<string, unknown>>,
): Promise<GatewayProcess> {
  const entries = Object.entries(servers).map(async ([name, [packageName]]) => {
    const args = [await installed.script(packageName), ...(name === 'filesystem' ? [scratch.home] : [])];
    return [name, { command: process.execPath, args, env: { ...offline } }];
  });
  const gateway = await startGatewayProcess({
    dataDir: scratch.dataDir,
    env: scratch.env,
    servers: Object.fromEntries(await Promise.all(entries)),
    config,
  });
  const { rows: listed } = await whenListed(gateway);
  for (const row of listed) if (row.listedAt === null) throw new Error(`${row.name} is ${row.state}: ${row.lastError}`);
  return gateway;
}

/**
 * Everyday sentences against ten real servers behind a real gateway, with the built-in model and with the encoder: how often
 * a right tool comes first or among the first three.
 *
 *   npm run real:search [-- --prefix DIR] [--missed]
 */

import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { halves, type Placed, placeSentences, readSentences } from '../retrieval/everyday.ts';
import { type GatewayProcess, startGatewayProcess } from './kit/gateway-process.ts';
import { whenListed } from './kit/listed.ts';
import { providePackages } from './kit/packages.ts';
import { offline, openScratch, type Scratch } from './kit/scratch.ts';

/** The sentences name servers by these. */
const servers: Readonly<Record<string, { package: string; version: string; args?: (scratch: Scratch) => string[] }>> = {
  files: {
    package: '@modelcontextprotocol/server-filesystem',
    version: '2026.8.31',
    args: (scratch) => [scratch.home],
  },
  git: { package: '@cyanheads/git-mcp-server', version: '2.15.3' },
  github: { package: '@modelcontextprotocol/server-github', version: '2025.4.8' },
  memory: { package: '@modelcontextprotocol/server-memory', version: '2026.8.31' },
  time: { package: 'time-mcp', version: '1.0.6' },
  ms365: { package: '@softeria/ms-365-mcp-server', version: '0.155.0' },
  playwright: { package: '@playwright/mcp', version: '0.0.83' },
  commands: { package: '@agent-infra/mcp-server-commands', version: '1.2.18' },
  kubernetes: { package: 'mcp-server-kubernetes', version: '4.1.7' },
  fetch: { package: 'mcp-fetch-server', version: '1.1.2' },
};

const options = { prefix: { type: 'string' }, missed: { type: 'boolean', default: false } } as const;
const { missed: printsMissed } = parseArgs({ options }).values;
const wanted = Object.values(servers).map((server) => [server.package, server.version]);
const packages = await providePackages(Object.fromEntries(wanted));
const rows: Record<string, string> = {};
for (const provider of ['builtin', 'encoder'] as const) {
  for (const [half, { placed, count }] of await measure(provider)) {
    rows[`${provider}, ${half} half`] = `first ${placed.first}, in the first three ${placed.inThree} of ${count}`;
    if (printsMissed) for (const line of placed.missed) console.info(`${provider}, ${half}: ${line}`);
  }
}
console.table(rows);

async function measure(provider: string): Promise<[string, { placed: Placed; count: number }][]> {
  await using scratch = await openScratch();
  const entries = Object.entries(servers).map(async ([name, server]) => {
    const args = [await packages.script(server.package), ...(server.args?.(scratch) ?? [])];
    return [name, { command: process.execPath, args, env: { ...offline } }];
  });
  await using gateway = await startGatewayProcess({
    dataDir: scratch.dataDir,
    env: scratch.env,
    servers: Object.fromEntries(await Promise.all(entries)),
    config: { search: { embedding: { provider } } },
  });
  const { rows: listed } = await whenListed(gateway);
  for (const row of listed) if (row.listedAt === null) throw new Error(`${row.name} is ${row.state}: ${row.lastError}`);
  await whenEmbedded(gateway);
  const search = async (sentence: string) => {
    const input = { query: sentence, limit: 3, detailLevel: 'minimal' } as const;
    const { tools } = await gateway.admin.run('tools.search', input);
    return (tools as { toolKey: string }[]).map((tool) => tool.toolKey);
  };
  const figures: [string, { placed: Placed; count: number }][] = [];
  for (const half of halves) {
    const sentences = readSentences('real', half);
    figures.push([half, { placed: await placeSentences(sentences, search), count: sentences.length }]);
  }
  return figures;
}

/** Until the model has read every tool: before that a search takes the others at their words. */
async function whenEmbedded(gateway: GatewayProcess): Promise<void> {
  for (;;) {
    const { tools, vectors } = await gateway.admin.run('search.status', {});
    if (vectors !== null && vectors.ready >= tools) return;
    await pause(100);
  }
}

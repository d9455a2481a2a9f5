/** Replicas with a large catalog and many tokens: how long they take to start, their memory, and how soon a change at one is at another. */

import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { MeasuredPostgres } from './kit/database.ts';
import { MadeUpHost } from './kit/made-up-host.ts';
import type { MadeUpCatalog } from './kit/made-up-tools.ts';
import { rssMb } from './kit/process-figures.ts';
import { percentile, rounded } from './kit/statistics.ts';
import { type BenchGateway, listedTools, makeAgentToken, msUntil, startBenchGateway } from './replicas-stage.ts';
import { inventTools } from './scale-catalog.ts';
import { seededRandom } from './usage-week.ts';

interface LargeOptions {
  readonly folder: string;
  readonly tools: number;
  readonly tokens: number;
}

/** Each look costs the gateway time, with so many tools. */
const listingLookMs = 1_000;
const toolsPerServer = 500;
/** How often each kind of change is measured. */
const changes = 10;
/** When memory is looked at, after the last change. */
const settleMs = 10_000;

export async function measureLarge({ folder, tools, tokens }: LargeOptions): Promise<Record<string, unknown>> {
  const url = await (await MeasuredPostgres.start()).create('large');
  await using host = await MadeUpHost.open(catalogsOf(tools));
  const start = (name: string) =>
    startBenchGateway({
      folder: join(folder, name),
      servers: host.servers,
      storeUrl: url,
    });
  const opened: BenchGateway[] = [];
  const open = async (name: string) => {
    const since = performance.now();
    const gateway = await start(name);
    opened.push(gateway);
    const doorSeconds = (performance.now() - since) / 1_000;
    await msUntil('every server is listed', async () => (await listedTools(gateway)) !== undefined, listingLookMs);
    const toolsSeconds = (performance.now() - since) / 1_000;
    await msUntil('a search finds something', async () => (await findTools(gateway)) > 0);
    const searchSeconds = (performance.now() - since) / 1_000;
    return { gateway, seconds: [doorSeconds, toolsSeconds, searchSeconds].map((one) => rounded(one, 1)).join(' / ') };
  };
  try {
    const first = await open('first');
    const since = performance.now();
    for (let at = 0; at < tokens; at += 1) await makeAgentToken(first.gateway, `agent-${at}`);
    const tokenSeconds = rounded((performance.now() - since) / 1_000, 1);
    const second = await open('second');
    const seen = await measureChanges(first.gateway, second.gateway, Object.keys(host.servers)[0] ?? '');
    await wait(settleMs);
    const memoryMb = [first, second].map(({ gateway }) => Math.round(rssMb(gateway.program.pid)));
    return {
      tools: await listedTools(second.gateway),
      tokens,
      'first start, seconds until door / tools / search': first.seconds,
      'second replica, seconds until door / tools / search': second.seconds,
      'seconds to make the tokens': tokenSeconds,
      'memory of each, MB': memoryMb.join(', '),
      ...seen,
    };
  } finally {
    await Promise.all(opened.map(({ program }) => program.stop()));
  }
}

async function findTools({ admin }: BenchGateway): Promise<number> {
  const { tools } = await admin.run('tools.search', { query: 'archive the yearly invoice' });
  return tools.length;
}

/** Servers of equal size; names are made unlike, because invented ones repeat. */
function catalogsOf(tools: number): Map<string, MadeUpCatalog> {
  const rows = inventTools(tools, seededRandom(1));
  const count = Math.ceil(tools / toolsPerServer);
  return new Map(
    Array.from({ length: count }, (_, server) => {
      const own = rows.slice(server * toolsPerServer, (server + 1) * toolsPerServer);
      const named = own.map(({ name, description = '', inputSchema }, at) => ({
        name: `${name}_${at}`,
        description,
        inputSchema: inputSchema as Readonly<Record<string, unknown>>, // invented tools all have one
      }));
      return [`server-${server}`, { title: `Server ${server}`, tools: named }];
    }),
  );
}

/** Milliseconds from the answer to an order at one replica until another one acts by it. */
async function measureChanges(one: BenchGateway, other: BenchGateway, server: string): Promise<Record<string, string>> {
  const times = {
    tokenMade: [] as number[],
    tokenRevoked: [] as number[],
    serverOff: [] as number[],
    serverOn: [] as number[],
  };
  for (let at = 0; at < changes; at += 1) {
    const name = `passing-${at}`;
    const { token } = await one.admin.run('tokens.create', { name });
    const isIn = async () => (await knock(other, token)) !== 401;
    times.tokenMade.push(await msUntil('a new token is valid', isIn));
    await one.admin.run('tokens.revoke', { name });
    times.tokenRevoked.push(await msUntil('a revoked token is refused', async () => !(await isIn())));
    const isOn = async () => (await other.admin.run('servers.show', { name: server })).state !== 'disabled';
    await one.admin.run('servers.disable', { name: server });
    times.serverOff.push(await msUntil('the server is off', async () => !(await isOn())));
    await one.admin.run('servers.enable', { name: server });
    times.serverOn.push(await msUntil('the server is on', isOn));
  }
  const told = (values: readonly number[]) =>
    `${rounded(percentile(values, 0.5), 0)}, at most ${rounded(Math.max(...values), 0)}`;
  return {
    'ms until a new token works at the other': told(times.tokenMade),
    'ms until a revoked token is refused there': told(times.tokenRevoked),
    'ms until a server is off there': told(times.serverOff),
    'ms until a server is on there': told(times.serverOn),
  };
}

/** The status of a request with this token; it needs no tool. */
async function knock({ program }: BenchGateway, token: string): Promise<number> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const response = await fetch(`${program.url}/mcp`, { method: 'POST', headers, body });
  await response.text();
  return response.status;
}

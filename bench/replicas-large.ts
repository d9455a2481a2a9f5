/** Replicas with a large catalog and many tokens: how long they take to start, their memory, and how soon a change at one is at another. */

import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { MeasuredPostgres } from './kit/database.ts';
import { MadeUpHost } from './kit/made-up-host.ts';
import type { MadeUpCatalog } from './kit/made-up-tools.ts';
import { cpuMs, peakMb, rssMb } from './kit/process-figures.ts';
import { percentile, rounded } from './kit/statistics.ts';
import { type BenchGateway, listedTools, makeAgentToken, msUntil, startBenchGateway } from './replicas-stage.ts';
import { inventTools } from './scale-catalog.ts';
import { seededRandom } from './usage-week.ts';

interface LargeOptions {
  readonly folder: string;
  readonly tools: number;
  /** Among which the tools are divided. */
  readonly servers: number;
  readonly tokens: number;
}

/** The list of all servers costs the gateway time: a look at it gets a tenth at most. */
const lookShare = 9;
/** How often each kind of change is measured. */
const changes = 10;
/** How often each question is asked. */
const answers = 5;
/** When memory is looked at, after the last change. */
const settleMs = 10_000;

export async function measureLarge({ folder, tools, servers, tokens }: LargeOptions): Promise<Record<string, unknown>> {
  const url = await (await MeasuredPostgres.start()).create('large');
  const catalogs = catalogsOf(tools, servers);
  await using host = await MadeUpHost.open(catalogs);
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
    await msUntil('every server is listed', async () => (await listedTools(gateway)) !== undefined, lookShare);
    const toolsSeconds = (performance.now() - since) / 1_000;
    await msUntil('a search finds something', async () => (await findTools(gateway)) > 0);
    const searchSeconds = (performance.now() - since) / 1_000;
    const seconds = [doorSeconds, toolsSeconds, searchSeconds].map((one) => rounded(one, 1)).join(' / ');
    // It may take long, and may be stopped.
    const cpuSeconds = rounded(cpuMs(gateway.program.pid) / 1_000, 1);
    console.error(`${name}: door / tools / search after ${seconds} s, ${cpuSeconds} s of the processor`);
    return { gateway, seconds, cpuSeconds };
  };
  try {
    const first = await open('first');
    const since = performance.now();
    for (let at = 0; at < tokens; at += 1) await makeAgentToken(first.gateway, `agent-${at}`);
    const tokenSeconds = rounded((performance.now() - since) / 1_000, 1);
    const second = await open('second');
    console.error(`${tokens} tokens made in ${tokenSeconds} s`);
    const seen = await measureChanges(first.gateway, second.gateway, Object.keys(host.servers)[0] ?? '');
    const changed = await measureToolChange(first.gateway, second.gateway, catalogs);
    const asked = await measureAnswers(second.gateway, Object.keys(host.servers)[0] ?? '');
    await wait(settleMs);
    const ofEach = (figure: (pid: number) => number) =>
      [first, second].map(({ gateway }) => Math.round(figure(gateway.program.pid))).join(', ');
    return {
      tools: await listedTools(second.gateway),
      tokens,
      'first start, seconds until door / tools / search': first.seconds,
      'processor seconds of each until then': `${first.cpuSeconds}, ${second.cpuSeconds}`,
      'second replica, seconds until door / tools / search': second.seconds,
      'seconds to make the tokens': tokenSeconds,
      'memory of each, MB': ofEach(rssMb),
      'most memory of each at once, MB': ofEach(peakMb),
      ...seen,
      ...changed,
      ...asked,
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
function catalogsOf(tools: number, servers: number): Map<string, MadeUpCatalog> {
  const rows = inventTools(tools, seededRandom(1));
  return new Map(
    Array.from({ length: servers }, (_, server) => {
      const own = rows.slice((server * tools) / servers, ((server + 1) * tools) / servers);
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
  return {
    'ms until a new token works at the other': toldMs(times.tokenMade),
    'ms until a revoked token is refused there': toldMs(times.tokenRevoked),
    'ms until a server is off there': toldMs(times.serverOff),
    'ms until a server is on there': toldMs(times.serverOn),
  };
}

/** A tool is described otherwise, and its server listed again at one replica: how long that takes, and until another one shows it. */
async function measureToolChange(
  one: BenchGateway,
  other: BenchGateway,
  catalogs: Map<string, MadeUpCatalog>,
): Promise<Record<string, string>> {
  const listing: number[] = [];
  const showing: number[] = [];
  const [server = '', catalog] = [...catalogs][0] ?? [];
  // One that agents see.
  const [shown] = await one.admin.run('tools.list', { server });
  for (let at = 0; at < changes; at += 1) {
    const description = `Lists the rows of table ${at}.`;
    const tools = catalog?.tools.map((tool) => (tool.name === shown?.name ? { ...tool, description } : tool)) ?? [];
    catalogs.set(server, { title: server, tools });
    const since = performance.now();
    await one.admin.run('servers.refresh', { name: server });
    listing.push(performance.now() - since);
    const isShown = async () => {
      const info = await other.admin.run('tools.info', { toolKey: shown?.toolKey ?? '' });
      return JSON.stringify(info).includes(description);
    };
    showing.push(await msUntil('another replica shows the change', isShown));
  }
  return { 'ms to list a server again': toldMs(listing), 'ms until another replica shows its change': toldMs(showing) };
}

/** Milliseconds for what agents and people ask for. */
async function measureAnswers({ admin }: BenchGateway, server: string): Promise<Record<string, string>> {
  const msOf = async (ask: (at: number) => Promise<unknown>) => {
    const times: number[] = [];
    for (let at = 0; at < answers; at += 1) {
      const since = performance.now();
      await ask(at);
      times.push(performance.now() - since);
    }
    return toldMs(times);
  };
  const words = ['invoice', 'calendar', 'pipeline', 'patient', 'playlist'];
  return {
    'ms of a search': await msOf((at) =>
      admin.run('tools.search', { query: `find the ${words[at % 5]} number ${at}` }),
    ),
    'ms of the list of servers': await msOf(() => admin.run('servers.list', {})),
    'ms of the list of the tools of one': await msOf(() => admin.run('tools.list', { server })),
    'ms of the list of all tools': await msOf(() => admin.run('tools.list', {})),
    'ms of the list of tokens': await msOf(() => admin.run('tokens.list', {})),
  };
}

function toldMs(values: readonly number[]): string {
  return `${rounded(percentile(values, 0.5), 0)}, at most ${rounded(Math.max(...values), 0)}`;
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

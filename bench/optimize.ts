/** Measures the optimizer: prompts a second of the search judge, time and memory for a catalog, and what a job costs the calls meanwhile. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FileTokens } from '../src/access/access.ts';
import type { Admin } from '../src/admin/admin.ts';
import { connectAdmin } from '../src/admin/client/client.ts';
import { systemClock } from '../src/base/clock.ts';
import { GatewayError } from '../src/base/errors.ts';
import { silentLog } from '../src/base/log.ts';
import { Signal } from '../src/base/signal.ts';
import type { Catalog, Entry } from '../src/catalog/catalog.ts';
import { type Config, parseServer } from '../src/config/config.ts';
import { SearchJudge } from '../src/optimizer/search-judge.ts';
import { type SearchDocument, ToolSearch } from '../src/search/search.ts';
import { promptCategories, type Store } from '../src/store/store.ts';
import { callEcho, introduce, type Target } from './kit/agent-requests.ts';
import { Connection } from './kit/connection.ts';
import { cpuMs } from './kit/process-figures.ts';
import { type Program, startGateway } from './kit/program.ts';
import { median, percentile, rounded } from './kit/statistics.ts';
import { inventTools, makeCatalog, makeQueries, type ToolRow } from './scale-catalog.ts';
import { seededRandom } from './usage-week.ts';

const toolCount = 300;
const promptCount = 2_000;
const wordingCount = 200;
/** One stdio server each. */
const serverCount = 6;
/** Tools that a job works on, and their prompts of each category. */
const jobTools = 10;
const promptsEach = 8;
/** Calls under way at the same time. */
const atOnce = 4;
const rounds = 3;

let lastId = 0;

const { values } = parseArgs({ options: { json: { type: 'boolean' } } });
const report = { judge: await measureJudge(), calls: await measureCalls() };
if (values.json) console.info(JSON.stringify(report));
else for (const [name, figures] of Object.entries(report)) console.table({ [name]: figures });

/** Of this thread, which no other program lengthens. */
function spentMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

async function measureJudge() {
  const documents = makeCatalog(toolCount, undefined);
  const queries = makeQueries(documents, undefined, promptCount);
  const search = searchOver(documents);
  const [{ server = '', name = '' } = {}] = documents;
  const wording = (description: string) => ({ server, toolName: name, description });
  const { signal } = new AbortController();
  const judge = new SearchJudge(search);
  globalThis.gc?.();
  const heap = process.memoryUsage().heapUsed;
  let from = spentMs();
  await judge.begin();
  const indexMs = spentMs() - from;
  for (const query of queries.slice(0, 200)) await judge.choose(wording('Warms up.'), query, signal);
  globalThis.gc?.();
  const heapMb = (process.memoryUsage().heapUsed - heap) / 1_048_576;
  const slices: number[] = [];
  for (const query of queries) {
    from = spentMs();
    await judge.choose(wording('Stays the same.'), query, signal);
    slices.push(spentMs() - from);
  }
  const promptMs = slices.reduce((sum, ms) => sum + ms, 0) / queries.length;
  from = spentMs();
  for (let at = 0; at < wordingCount; at += 1)
    await judge.choose(wording(`The text with number ${at}.`), queries[at] ?? '', signal);
  const wordingMs = (spentMs() - from) / wordingCount - promptMs;
  await judge.close();
  return {
    tools: toolCount,
    'index, CPU ms': rounded(indexMs, 1),
    'heap, MB': rounded(heapMb, 1),
    'prompts/s of CPU': Math.round(1_000 / promptMs),
    'a call waits for at most, CPU ms (p99)': rounded(percentile(slices, 0.99), 2),
    'new wording, CPU ms': rounded(wordingMs, 2),
    'new wording / index': rounded(wordingMs / indexMs, 4),
  };
}

/** A search over these tools that stores nothing. */
function searchOver(documents: readonly SearchDocument[]): ToolSearch {
  const entries = documents.map(({ server, name, description }): Entry => {
    const definition = { name, description, inputSchema: { type: 'object' } };
    const key = `${server}:${name}`;
    return { key, server, name, serverName: name, definition, fingerprint: `${key} ${description}` };
  });
  const servers = [...Map.groupBy(entries, ({ server }) => server)].map(([server, tools]) => {
    const spec = parseServer(server, { command: 'serve' }, {}, 'file');
    return [server, { spec, title: server, description: '', instructions: '', tools }] as const;
  });
  const tools = new Map(entries.map((entry) => [entry.key, entry]));
  const embedding = { provider: 'builtin', model: 'made-up', baseUrl: '', apiKeyEnv: null, dimensions: 256 };
  const settings = { search: { embedding, synonyms: new Map(), usage: true, mode: 'hybrid' } };
  // A trial uses only these members.
  return new ToolSearch({
    catalog: { snapshot: { servers: new Map(servers), tools }, changed: new Signal() } as unknown as Catalog,
    store: { listVectors: async () => [] } as unknown as Store,
    config: () => settings as unknown as Config,
    env: {},
    clock: systemClock,
    log: silentLog,
  });
}

interface Stage {
  readonly gateway: Program;
  readonly admin: Admin;
  readonly target: Target;
}

async function measureCalls() {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-optimize-'));
  const configFile = join(dataDir, 'toolcrib.json');
  const rows = inventTools(toolCount, seededRandom(1));
  await writeFile(configFile, JSON.stringify({ mcpServers: serversWith(rows), optimize: { enabled: true } }));
  const gateway = await startGateway({ kind: 'bare', dataDir, configFile });
  try {
    const admin = connectAdmin(gateway.url, (await FileTokens.open(dataDir)).owner);
    await admin.run('servers.refresh', {});
    const target = await introduce(`${gateway.url}/servers/echo/mcp`, 'modern', 'echo', gateway.token);
    await savePrompts(admin, rows);
    return await measureRounds({ gateway, admin, target });
  } finally {
    await gateway.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Alone and together by turns, so that a slow machine is slow for all of them. */
async function measureRounds(stage: Stage) {
  const { pid } = stage.gateway;
  const alone: Calls[] = [];
  const together: Calls[] = [];
  const jobsAlone: number[] = [];
  const jobsTogether: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const before = cpuMs(pid);
    const jobAlone = await timed(runJob(stage));
    const jobMs = cpuMs(pid) - before;
    const quiet = await callWhile(stage, new Promise((resolve) => setTimeout(resolve, jobAlone)), 0);
    const busy = timed(runJob(stage));
    const meanwhile = await callWhile(stage, busy, jobMs);
    // The first round warms up.
    if (round === 0) continue;
    alone.push(quiet);
    together.push(meanwhile);
    jobsAlone.push(jobAlone);
    jobsTogether.push(await busy);
  }
  const cpuOf = (calls: readonly Calls[]) => median(calls.map(({ cpuMsEach }) => cpuMsEach));
  const latencies = (calls: readonly Calls[]) => calls.flatMap(({ latenciesMs }) => latenciesMs);
  const share = (calls: readonly Calls[], at: number) => percentile(latencies(calls), at);
  return {
    calls: latencies(together).length,
    'job, s': rounded(median(jobsAlone) / 1_000, 2),
    'CPU of a call, ms': rounded(cpuOf(alone), 2),
    'with a job / without': rounded(cpuOf(together) / cpuOf(alone), 2),
    'latency p50, with / without': rounded(share(together, 0.5) / share(alone, 0.5), 2),
    'job with calls / without': rounded(median(jobsTogether) / median(jobsAlone), 2),
  };
}

interface Calls {
  readonly cpuMsEach: number;
  readonly latenciesMs: readonly number[];
}

/** Calls until the work is done. `workMs`: the processor time of the gateway that is none of the calls'. */
async function callWhile({ gateway, target }: Stage, work: Promise<unknown>, workMs: number): Promise<Calls> {
  let isDone = false;
  void work.then(() => {
    isDone = true;
  });
  const connections = await Promise.all(Array.from({ length: atOnce }, () => Connection.open(target.url)));
  const latenciesMs: number[] = [];
  const before = cpuMs(gateway.pid);
  const caller = async (connection: Connection) => {
    while (!isDone) {
      lastId += 1;
      const from = performance.now();
      const { status, text } = await callEcho(connection, target, lastId, `call ${lastId}`);
      if (status !== 200) throw new Error(`A call was answered ${status}: ${text}`);
      latenciesMs.push(performance.now() - from);
    }
    connection.close();
  };
  await Promise.all(connections.map(caller));
  return { cpuMsEach: (cpuMs(gateway.pid) - before - workMs) / latenciesMs.length, latenciesMs };
}

async function timed(work: Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work;
  return performance.now() - from;
}

async function runJob({ admin }: Stage): Promise<void> {
  let id: string | undefined;
  for await (const event of admin.events(AbortSignal.timeout(600_000))) {
    if (event.kind === 'begin') {
      const begun = await admin.run('optimize.run', {});
      id = 'jobId' in begun ? begun.jobId : undefined;
    }
    if (event.kind === 'job' && event.data.jobId === id && event.data.state === 'done') return;
  }
}

async function savePrompts(admin: Admin, rows: readonly ToolRow[]): Promise<void> {
  const queries = makeQueries(makeCatalog(toolCount, undefined), undefined, jobTools * promptsEach * 3);
  let saved = 0;
  for (const [at, { name }] of rows.entries()) {
    const tool = { server: `made-${at % serverCount}`, tool: `${name}_${at}` };
    const ofTool = queries.slice(saved * 3 * promptsEach, (saved + 1) * 3 * promptsEach);
    const prompts = ofTool.map((query, number) => {
      const category = promptCategories[number % promptCategories.length] ?? 'direct';
      return { category, prompt: `${query} for case ${number}` };
    });
    const text = `Handles one case at a time for a team, with the number of the case: ${name.split('_').join(' of a ')}.`;
    try {
      await admin.run('optimize.prompts', { ...tool, prompts });
      await admin.run('optimize.candidates', { ...tool, description: text });
    } catch (error) {
      // Some invented texts read like orders: their tools wait for the owner.
      if (error instanceof GatewayError && error.code === 'TOOL_NOT_FOUND') continue;
      throw error;
    }
    saved += 1;
    if (saved === jobTools) return;
  }
}

function serversWith(rows: readonly ToolRow[]): Record<string, object> {
  const folder = join(import.meta.dirname, 'servers');
  const made = Array.from({ length: serverCount }, (_, server) => {
    const tools = rows.flatMap(({ name, description, inputSchema }, at) =>
      at % serverCount === server ? [{ name: `${name}_${at}`, description, inputSchema }] : [],
    );
    const given = JSON.stringify({ name: `made-${server}`, tools });
    return [`made-${server}`, { command: process.execPath, args: [join(folder, 'given-tools-server.js'), given] }];
  });
  const echo = { command: process.execPath, args: [join(folder, 'stdio-echo.ts')] };
  return { echo, ...Object.fromEntries(made) };
}

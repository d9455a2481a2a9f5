/**
 * Measures how soon a gateway with 30 servers shows all their 270 real-sized tools: cold (nothing known), warm (the catalog of an
 * earlier run), and beside both the time to start the same 30 servers directly; and the memory that it then holds.
 */

import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { realSizeNames, realSizeSpec } from '../test/kit/real-size.ts';
import { introduce, listTools } from './kit/agent-requests.ts';
import { Connection } from './kit/connection.ts';
import { guardOf, rssMb } from './kit/process-figures.ts';
import { type Program, startGateway } from './kit/program.ts';
import { rounded, spread } from './kit/statistics.ts';
import { type ServerCommand, startDirectly } from './start-direct.ts';

const serverCount = 30;
const toolsOfEach = 9;
const rounds = 3;
/** When memory is looked at, after the list was complete. */
const settleMs = 10_000;
const giveUpMs = 60_000;

interface Memory {
  readonly gatewayMb: number;
  /** null: it has no guard, because it has started no server. */
  readonly guardMb: number | null;
}

interface Start {
  readonly tookMs: number;
  /** Servers that were started, by their own journals, until the gateway was asked to end. */
  readonly serversStarted: number;
  readonly memory: Memory | undefined;
}

interface Round {
  readonly directMs: number;
  readonly cold: Start;
  readonly warm: Start;
}

const { values } = parseArgs({
  options: {
    /** Measure the program that users start, not the gateway alone. */
    bin: { type: 'boolean' },
    /** Servers without the official SDK, which start three times as fast as real ones. */
    light: { type: 'boolean' },
    json: { type: 'boolean' },
  },
});
const folder = await mkdtemp(join(tmpdir(), 'toolcrib-bench-'));
try {
  const measured: Round[] = [];
  // The first of each fills Node's compile cache, which is there on every start but the first, and does not count.
  for (let round = 0; round <= rounds; round += 1) measured.push(await runRound(round));
  const report = reportOf(measured.slice(1));
  if (values.json) console.info(JSON.stringify(report));
  else print(report);
  process.exitCode = report.warm.serversStarted === 0 ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function runRound(round: number): Promise<Round> {
  const home = join(folder, `round-${round}`);
  const journals = join(home, 'journals');
  const dataDir = join(home, 'data');
  for (const path of [journals, dataDir]) await mkdir(path, { recursive: true });
  const isLast = round === rounds;
  const directMs = await startDirectly([...serversOf().values()], toolsOfEach);
  const configFile = join(home, 'toolcrib.json');
  await writeFile(configFile, JSON.stringify({ mcpServers: Object.fromEntries(serversOf(journals)) }));
  const cold = await startOnce(dataDir, configFile, journals, isLast);
  const warm = await startOnce(dataDir, configFile, journals, isLast);
  return { directMs, cold, warm };
}

/** The servers of a config; with a folder, each keeps a journal there. */
function serversOf(journals?: string): Map<string, ServerCommand> {
  const program = join(
    import.meta.dirname,
    values.light ? '../test/servers/start.js' : 'servers/given-tools-server.js',
  );
  const names = Array.from({ length: serverCount }, (_, at) => `server-${String(at + 1).padStart(2, '0')}`);
  const offered = unrelatedTools();
  return new Map(
    names.map((name, at) => {
      const journal = journals === undefined ? {} : { journal: join(journals, `${name}.jsonl`) };
      const tools = Array.from(
        { length: toolsOfEach },
        (_, index) => offered[(at * toolsOfEach + index) % offered.length],
      );
      const spec = JSON.stringify({ name, tools, ...journal });
      return [name, { command: process.execPath, args: [program, spec] }];
    }),
  );
}

/** Definitions that name no other tool: dealt out to servers at random, the others would be withheld for naming a tool of a stranger. */
function unrelatedTools(): readonly object[] {
  const all = realSizeNames.flatMap((name) =>
    realSizeSpec(name).tools.map(({ runAs: _, ...definition }) => definition),
  );
  // A name of one plain word, such as `query`, is everybody's word.
  const names = new Set(all.map(({ name }) => name).filter((name) => /[_.A-Z-]/.test(name)));
  const namesAnother = ({ name, ...rest }: (typeof all)[number]) =>
    JSON.stringify(rest)
      .match(/[\w.-]+/g)
      ?.some((word) => word !== name && names.has(word)) === true;
  return all.filter((definition) => !namesAnother(definition));
}

async function startOnce(dataDir: string, configFile: string, journals: string, withMemory: boolean): Promise<Start> {
  const startedBefore = await countStarts(journals);
  const start = performance.now();
  const gateway = await startGateway({ kind: values.bin ? 'bin' : 'bare', dataDir, configFile });
  try {
    await waitForAllTools(gateway);
    const tookMs = performance.now() - start;
    if (withMemory) await sleep(settleMs);
    const memory = withMemory ? memoryOf(gateway.pid) : undefined;
    return { tookMs, serversStarted: (await countStarts(journals)) - startedBefore, memory };
  } finally {
    await gateway.stop();
  }
}

async function waitForAllTools(gateway: Program): Promise<void> {
  const target = await introduce(`${gateway.url}/mcp?surface=direct`, 'modern', '', gateway.token);
  const connection = await Connection.open(target.url);
  const deadline = performance.now() + giveUpMs;
  let count = 0;
  while (count !== serverCount * toolsOfEach) {
    if (performance.now() > deadline) throw new Error(`Only ${count} tools were listed within ${giveUpMs} ms.`);
    const { text } = await listTools(connection, target);
    count = JSON.parse(text).result.tools.length;
  }
  connection.close();
}

async function countStarts(journals: string): Promise<number> {
  const texts = await Promise.all((await readdir(journals)).map((name) => readFile(join(journals, name), 'utf8')));
  return texts.join('').split('"event":"started"').length - 1;
}

function memoryOf(pid: number): Memory {
  const guard = guardOf(pid);
  return { gatewayMb: rounded(rssMb(pid), 1), guardMb: guard === undefined ? null : rounded(rssMb(guard), 1) };
}

function reportOf(measured: readonly Round[]) {
  const figures = (pick: (round: Round) => Start) => ({
    ms: spread(measured.map((round) => pick(round).tookMs)),
    timesDirect: spread(measured.map((round) => pick(round).tookMs / round.directMs)),
    serversStarted: measured.reduce((sum, round) => sum + pick(round).serversStarted, 0),
    memory: measured.map((round) => pick(round).memory).findLast((memory) => memory !== undefined),
  });
  return {
    rounds: measured.length,
    servers: serverCount,
    tools: serverCount * toolsOfEach,
    directMs: spread(measured.map((round) => round.directMs)),
    cold: { ...figures((round) => round.cold), targetTimesDirect: 1.05 },
    warm: { ...figures((round) => round.warm), targetTimesDirect: 0.1 },
    targetMb: 130,
    laterTargetMb: 110,
  };
}

function print(report: ReturnType<typeof reportOf>): void {
  const row = ({ ms, timesDirect, targetTimesDirect, serversStarted, memory }: typeof report.cold) => ({
    'ms to all tools': Math.round(ms.median),
    p10: Math.round(ms.p10),
    '× direct': timesDirect.median,
    target: targetTimesDirect,
    'servers started': serversStarted,
    'RSS MB': memory?.gatewayMb,
    'target MB': `${report.targetMb} (later ${report.laterTargetMb})`,
    'guard MB': memory?.guardMb ?? 'none',
  });
  const direct = {
    'ms to all tools': Math.round(report.directMs.median),
    p10: Math.round(report.directMs.p10),
    'servers started': report.rounds * report.servers,
  };
  console.table({ direct, cold: row(report.cold), warm: row(report.warm) });
  console.info(`${report.servers} servers, ${report.tools} tools, ${report.rounds} rounds; memory ten seconds after.`);
}

/**
 * Measures gateways on one PostgreSQL database beside one gateway on SQLite: processor time of the gateways and statements at the database
 * for a call, with one, two and three replicas, and for a legacy session whose requests reach another replica than its own. All take turns
 * in short slices. `--large` measures replicas with 100,000 tools and 1,000 tokens instead.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { introduce, type Target } from './kit/agent-requests.ts';
import { MeasuredPostgres } from './kit/database.ts';
import { runSlice, type Slice } from './kit/load.ts';
import { type Program, startProgram } from './kit/program.ts';
import { median, percentile, rounded, type Spread, spread } from './kit/statistics.ts';
import { measureLarge } from './replicas-large.ts';
import {
  type BenchGateway,
  listedTools,
  makeAgentToken,
  msUntil,
  startBenchGateway,
  useBenchKey,
} from './replicas-stage.ts';

const usage =
  'npm run bench:replicas -- [--seconds 30] [--large [--tools 100000] [--servers 200] [--tokens 990]] [--json]';
const replicaCounts = [1, 2, 3];
/** Calls at once at each target: a replica writes what comes at once in one transaction, so the load of one must not shrink with their number. */
const atOnce = 12;
const sliceMs = 500;
const warmUpMs = 1_000;
/** Long enough to see what replicas say to each other every few seconds. */
const restMs = 10_000;

/** One way for calls, with the targets among which they are divided. */
interface Lane {
  readonly name: string;
  readonly targets: readonly Target[];
  readonly gateways: readonly BenchGateway[];
  /** Its PostgreSQL database; undefined on SQLite. */
  readonly database?: string;
}

interface LaneFigures {
  readonly cpuMs: Spread;
  readonly timesSqlite: number;
  readonly callsPerSecond: number;
  readonly latencyMsP50: number;
  readonly latencyMsP99: number;
  /** null on SQLite. */
  readonly statementsPerCall: number | null;
  readonly statementsPerSecondAtRest: number | null;
}

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '30' },
      large: { type: 'boolean' },
      tools: { type: 'string', default: '100000' },
      servers: { type: 'string', default: '200' },
      tokens: { type: 'string', default: '990' },
      json: { type: 'boolean' },
    },
  });
  const seconds = Number(values.seconds);
  const [tools = 0, servers = 0, tokens = 0] = [values.tools, values.servers, values.tokens].map(Number);
  if (!(seconds > 0) || ![tools, servers, tokens].every(Number.isInteger)) {
    console.error(`Numbers are expected: ${usage}`);
    return 2;
  }
  useBenchKey();
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-replicas-'));
  try {
    const large = { folder, tools, servers, tokens };
    const report = values.large ? await measureLarge(large) : await measureCalls(folder, seconds);
    if (values.json) console.info(JSON.stringify(report));
    else console.table(report);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
  return 0;
}

async function measureCalls(folder: string, seconds: number): Promise<Record<string, LaneFigures>> {
  const postgres = await MeasuredPostgres.start();
  const echo = await startProgram('servers/http-echo.ts', []);
  const lanes = await openLanes(folder, postgres, echo);
  try {
    for (const lane of lanes) await runLane(lane, warmUpMs);
    const rounds = Math.max(3, Math.round((seconds * 1_000) / (lanes.length * sliceMs)));
    const slices = new Map(lanes.map((lane) => [lane, [] as Slice[]]));
    for (let round = 0; round < rounds; round += 1) {
      // Every other round goes backwards, so that nobody always follows the same neighbour.
      for (const lane of round % 2 === 0 ? lanes : lanes.toReversed())
        slices.get(lane)?.push(await runLane(lane, sliceMs));
    }
    const atRest = await postgres.countStatements(() => wait(restMs));
    const [first = []] = slices.values();
    const report: Record<string, LaneFigures> = {};
    for (const [lane, own] of slices) {
      report[lane.name] = {
        ...figuresOf(own, first),
        statementsPerCall: await statementsPerCall(postgres, lane),
        statementsPerSecondAtRest: perSecondAtRest(lane, atRest),
      };
    }
    return report;
  } finally {
    const gateways = new Set(lanes.flatMap((lane) => lane.gateways));
    await Promise.all([...gateways].map(({ program }) => program.stop()));
    await echo.stop();
  }
}

async function openLanes(folder: string, postgres: MeasuredPostgres, echo: Program): Promise<Lane[]> {
  const servers = { echo: { url: echo.url } };
  const alone = await startBenchGateway({ folder: join(folder, 'sqlite'), servers });
  const lanes: Lane[] = [{ name: 'SQLite', gateways: [alone], targets: await modernTargets([alone]) }];
  for (const count of replicaCounts) {
    const database = `replicas_${count}`;
    const storeUrl = await postgres.create(database);
    const gateways: BenchGateway[] = [];
    for (let at = 0; at < count; at += 1)
      gateways.push(await startBenchGateway({ folder: join(folder, `${database}-${at}`), servers, storeUrl }));
    const name = count === 1 ? '1 replica' : `${count} replicas`;
    lanes.push({ name, database, gateways, targets: await modernTargets(gateways) });
    if (count === 2) lanes.push(...(await legacyLanes(name, database, gateways)));
  }
  return lanes;
}

async function modernTargets(gateways: readonly BenchGateway[]): Promise<Target[]> {
  const [first] = gateways;
  if (first === undefined) return [];
  for (const gateway of gateways)
    await msUntil('the echo server is listed', async () => (await listedTools(gateway)) === 1);
  const token = await makeAgentToken(first, 'bench-modern');
  return Promise.all(gateways.map(({ program }) => introduce(doorOf(program), 'modern', 'echo.echo', token)));
}

/** Sessions whose requests all reach the replica that has them, and sessions whose requests all reach the other one. */
async function legacyLanes(name: string, database: string, gateways: readonly BenchGateway[]): Promise<Lane[]> {
  const [one, other] = gateways;
  if (one === undefined || other === undefined) return [];
  const token = await makeAgentToken(one, 'bench-legacy');
  const session = await introduce(doorOf(one.program), 'legacy', 'echo.echo', token);
  const elsewhere = { ...session, url: new URL(doorOf(other.program)) };
  return [
    { name: `${name}, legacy session at its replica`, database, gateways, targets: [session] },
    { name: `${name}, legacy session passed on`, database, gateways, targets: [elsewhere] },
  ];
}

function doorOf({ url }: Program): string {
  return `${url}/mcp?surface=direct`;
}

/** Load on all targets at once; processor time is that of all gateways of the lane. */
async function runLane({ targets, gateways }: Lane, ms: number): Promise<Slice> {
  const [first, ...others] = targets;
  if (first === undefined) throw new Error('A lane needs a target.');
  const counted = runSlice(first, { atOnce, ms, pids: gateways.flatMap((gateway) => gateway.pids()) });
  const slices = await Promise.all([counted, ...others.map((target) => runSlice(target, { atOnce, ms, pids: [] }))]);
  const sum = (figure: (slice: Slice) => number) => slices.reduce((total, slice) => total + figure(slice), 0);
  const fault = slices.find(({ sample }) => sample !== undefined)?.sample;
  if (fault !== undefined) throw new Error(`A call failed: ${fault}`);
  const [{ calls, cpuMsPerCall } = { calls: 0, cpuMsPerCall: 0 }] = slices;
  return {
    calls: sum((slice) => slice.calls),
    errors: 0,
    sample: undefined,
    cpuMsPerCall: (cpuMsPerCall * calls) / sum((slice) => slice.calls),
    callsPerSecond: sum((slice) => slice.callsPerSecond),
    latenciesMs: slices.flatMap((slice) => slice.latenciesMs),
  };
}

function figuresOf(own: readonly Slice[], sqlite: readonly Slice[]) {
  const latencies = own.flatMap(({ latenciesMs }) => latenciesMs);
  const ratios = own.map(({ cpuMsPerCall }, round) => cpuMsPerCall / (sqlite[round]?.cpuMsPerCall ?? Number.NaN));
  return {
    cpuMs: spread(own.map(({ cpuMsPerCall }) => cpuMsPerCall)),
    timesSqlite: rounded(median(ratios), 2),
    callsPerSecond: Math.round(median(own.map(({ callsPerSecond }) => callsPerSecond))),
    latencyMsP50: rounded(percentile(latencies, 0.5), 1),
    latencyMsP99: rounded(percentile(latencies, 0.99), 1),
  };
}

async function statementsPerCall(postgres: MeasuredPostgres, lane: Lane): Promise<number | null> {
  if (lane.database === undefined) return null;
  let calls = 0;
  const statements = await postgres.countStatements(async () => {
    calls = (await runLane(lane, 4 * sliceMs)).calls;
  });
  return rounded((statements.get(lane.database) ?? 0) / calls, 2);
}

/** For one replica. */
function perSecondAtRest({ database, gateways }: Lane, counted: ReadonlyMap<string, number>): number | null {
  if (database === undefined) return null;
  return rounded((counted.get(database) ?? 0) / (restMs / 1_000) / gateways.length, 2);
}

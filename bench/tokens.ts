/**
 * Counts what an agent has to read, in tokens (o200k), of the JSON that arrives: at the start on every surface, of answers that
 * find and describe tools, of a whole errand from a need to a result, of trouble. Behind the gateway are thirty made-up
 * servers, then 3,000 tools, then the real-sized fixture of the tests; or the servers of a file. Exits with 1 when something costs more than it may.
 */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { JsonObject } from '../src/base/json.ts';
import { createLog } from '../src/base/log.ts';
import { type Gateway, openGateway } from '../src/gateway.ts';
import { openRealSizeHost, realSizeNames, realSizeSpec } from '../test/kit/real-size.ts';
import { longTool, MadeUpHost } from './kit/made-up-host.ts';
import { type MadeUpCatalog, madeUpCatalogs } from './kit/made-up-tools.ts';
import { inventTools } from './scale-catalog.ts';
import { Agent, type Dict, whenListed } from './tokens-agent.ts';
import {
  type Agents,
  type Errand,
  type LongCall,
  measureCalls,
  measureDescribing,
  measureErrands,
  measureFinding,
  measureFindingUsed,
  measureStart,
  type Need,
  needsFrom,
  partsOf,
  type Surface,
  surfaces,
} from './tokens-measure.ts';
import { oneRow, printRows, type Row } from './tokens-rows.ts';
import { seededRandom } from './usage-week.ts';

const usage = 'npm run bench:tokens -- [--servers FILE [--call KEY --arguments JSON --need TEXT]] [--json]';
const manyTools = 3_000;
/** The start may differ by this share between few and many tools. */
const sameShare = 0.05;

interface Measured {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly start: Readonly<Record<Surface, number>>;
}

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    options: {
      servers: { type: 'string' },
      call: { type: 'string' },
      arguments: { type: 'string', default: '{}' },
      need: { type: 'string' },
      json: { type: 'boolean' },
    },
    allowPositionals: true,
  });
  if (positionals.length > 0 || (values.call === undefined) !== (values.need === undefined)) {
    console.error(`Usage: ${usage}`);
    return 2;
  }
  const { call, need, servers } = values;
  const isCalling = call !== undefined && need !== undefined;
  const errand = isCalling ? { toolKey: call, query: need, args: JSON.parse(values.arguments) } : undefined;
  const measured =
    servers === undefined
      ? [...(await measureMadeUp()), await measureRealSize()]
      : [await measureFile(servers, errand)];
  const isKept = measured.every(({ rows }) => rows.every((row) => row.isKept !== false));
  if (values.json)
    console.info(JSON.stringify({ isKept, catalogs: measured.map(({ title, rows }) => ({ title, rows })) }));
  else for (const { title, rows } of measured) printRows(title, rows);
  return isKept ? 0 : 1;
}

async function measureMadeUp(): Promise<Measured[]> {
  const few = madeUpCatalogs();
  const first = await measureCatalogs(few);
  const second = await measureCatalogs(withInvented(few));
  const same = (['search', 'code'] as const).map((surface) => {
    const difference = Math.abs(second.start[surface] - first.start[surface]);
    const row = `start on ${surface}: difference to ${first.title}`;
    return oneRow(row, difference, Math.floor(sameShare * first.start[surface]));
  });
  return [first, { ...second, rows: [...same, ...second.rows] }];
}

/** With as many more tools, by twelve a server, as make up the large number. */
function withInvented(few: ReadonlyMap<string, MadeUpCatalog>): Map<string, MadeUpCatalog> {
  const count = [...few.values()].reduce((sum, { tools }) => sum + tools.length, 0);
  const rows = inventTools(manyTools - count, seededRandom(1));
  const byServer = Map.groupBy(rows, ({ server }) => server);
  const invented = [...byServer].map(([name, tools]): [string, MadeUpCatalog] => {
    const byName = new Map(tools.map((tool) => [tool.name, tool]));
    const made = [...byName.values()].map(({ name: toolName, description = '', inputSchema }) => ({
      name: toolName,
      description,
      inputSchema: inputSchema as JsonObject, // as the inventor makes them
    }));
    return [name, { title: name, tools: made }];
  });
  return new Map([...few, ...invented]);
}

async function measureCatalogs(catalogs: ReadonlyMap<string, MadeUpCatalog>): Promise<Measured> {
  await using host = await MadeUpHost.open(catalogs);
  const long = { toolKey: `${longTool.server}:${longTool.name}`, args: { process_id: '1' } };
  const errandsFor = (needs: readonly Need[]) =>
    needs
      .filter(({ toolKey }) => toolKey !== long.toolKey)
      .map((need) => ({ ...need, args: argumentsFor(need, catalogs) }));
  return await measureGateway({ servers: host.servers, errandsFor, long });
}

/** Errands go to tools that take plain values and answer briefly. */
async function measureRealSize(): Promise<Measured> {
  await using host = await openRealSizeHost();
  const catalogs = new Map(realSizeNames.map((name) => [name as string, realSizeSpec(name)]));
  const errandsFor = (needs: readonly Need[]) =>
    needs.filter((need) => isBrief(need, catalogs)).map((need) => ({ ...need, args: argumentsFor(need, catalogs) }));
  const long = { toolKey: 'forge:list_issues', args: { owner: 'acme', repo: 'shop' } };
  return await measureGateway({ servers: host.servers, errandsFor, long });
}

async function measureFile(file: string, errand: Errand | undefined): Promise<Measured> {
  const { mcpServers } = JSON.parse(await readFile(file, 'utf8'));
  return measureGateway({ servers: mcpServers, errandsFor: () => (errand ? [errand] : []) });
}

/** A definition, and for tools of the test server how they answer. */
type ListedTool = { readonly name: string; readonly inputSchema?: unknown; readonly runAs?: string };
type Catalogs = ReadonlyMap<string, { readonly tools: readonly ListedTool[] }>;

function toolFor({ toolKey }: Need, catalogs: Catalogs): ListedTool | undefined {
  const { server, name } = partsOf(toolKey);
  return catalogs.get(server)?.tools.find((one) => one.name === name);
}

/** The schemas of what a tool must be given. */
function requiredOf(tool: ListedTool | undefined): [string, Dict][] {
  const { properties = {}, required = [] } = (tool?.inputSchema ?? {}) as { properties?: Dict; required?: string[] };
  return required.map((parameter) => [parameter, properties[parameter] as Dict]);
}

/** The required arguments of a tool, in short. */
function argumentsFor(need: Need, catalogs: Catalogs): Dict {
  return Object.fromEntries(
    requiredOf(toolFor(need, catalogs)).map(([parameter, schema]) => [parameter, valueFor(schema)]),
  );
}

function isBrief(need: Need, catalogs: Catalogs): boolean {
  const tool = toolFor(need, catalogs);
  const plain = ['string', 'number', 'boolean'];
  const isPlain = ([, { type, format, pattern }]: [string, Dict]) =>
    plain.includes(String(type)) && format === undefined && pattern === undefined;
  return tool?.runAs === undefined && requiredOf(tool).every(isPlain);
}

function valueFor(schema: Dict): unknown {
  if (Array.isArray(schema.enum)) return schema.enum[0];
  return { number: schema.minimum ?? 3, boolean: true, array: ['report'], object: {} }[String(schema.type)] ?? 'report';
}

interface Subject {
  readonly servers: Readonly<Record<string, JsonObject>>;
  errandsFor(needs: readonly Need[]): readonly Errand[];
  /** The call whose answer is long. */
  readonly long?: LongCall;
}

async function measureGateway({ servers, errandsFor, long }: Subject): Promise<Measured> {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-tokens-'));
  const gateway = await openGateway({
    dataDir,
    cwd: dataDir,
    env: process.env,
    log: createLog({ level: 'error', format: 'line', write: (line) => console.error(line), now: Date.now }),
    listen: { host: '127.0.0.1', port: 0, isAuthOff: false },
    extraServers: servers,
  });
  try {
    const tools = await whenListed(gateway);
    const keys = tools.map(({ toolKey }) => toolKey);
    const needs = needsFrom(tools);
    const errands = errandsFor(needs);
    // One that must be given something, so that it can be called wrongly.
    const mistaken = errands.find(({ args }) => Object.keys(args).length > 0);
    const agents = agentsOf(gateway);
    const start = await measureStart(agents);
    const rows = [
      ...start.rows,
      ...(await measureFinding(agents.search, needs)),
      ...(await measureDescribing(agents.search, keys)),
      ...(await measureErrands(agents, start, errands)),
      ...(errands.length > 1 ? await measureFindingUsed(agents.search, needs) : []),
      ...(mistaken === undefined ? [] : await measureCalls(agents.search, mistaken, long)),
    ];
    const serverCount = new Set(keys.map((key) => partsOf(key).server)).size;
    return { title: `${keys.length} tools on ${serverCount} servers`, rows, start: start.tokens };
  } finally {
    await gateway.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

function agentsOf(gateway: Gateway): Agents {
  const agents = surfaces.map((surface) => [surface, new Agent(gateway, surface)]);
  return Object.fromEntries(agents) as Agents; // one for each surface
}

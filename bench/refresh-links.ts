/** A start of the whole gateway with a known catalog: links that are opened at the first call against links opened at once. */

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { callEcho, introduce, listTools, type Target } from './kit/agent-requests.ts';
import { Connection } from './kit/connection.ts';
import { cpuMs, rssMb } from './kit/process-figures.ts';
import { startGateway } from './kit/program.ts';
import { median, rounded } from './kit/statistics.ts';

const serverCount = 10;
const toolsOfEach = 9;
const rounds = 3;
/** Until links that are opened at once are open. */
const settleMs = 5_000;
const giveUpMs = 60_000;

export interface LinkFigures {
  /** Until an agent sees every tool. */
  readonly listMs: number;
  /** The first call of a tool, right after. */
  readonly firstCallMs: number;
  /** Five seconds later; for the call one server is always started. */
  readonly serversStarted: number;
  readonly cpuMs: number;
  readonly rssMb: number;
}

export async function measureLinks(folder: string): Promise<Record<'lazy' | 'eager', LinkFigures>> {
  const measured = { lazy: [] as LinkFigures[], eager: [] as LinkFigures[] };
  await mkdir(join(folder, 'data'), { recursive: true });
  await startOnce(folder, true); // lists every server once, and fills Node's compile cache
  for (let round = 0; round < rounds; round += 1) {
    measured.lazy.push(await startOnce(folder, true));
    measured.eager.push(await startOnce(folder, false));
  }
  return { lazy: mediansOf(measured.lazy), eager: mediansOf(measured.eager) };
}

async function startOnce(folder: string, isLazy: boolean): Promise<LinkFigures> {
  const configFile = join(folder, 'toolcrib.json');
  const journals = join(folder, 'journals');
  await mkdir(journals, { recursive: true });
  await writeFile(configFile, JSON.stringify({ connect: { lazy: isLazy }, mcpServers: serversOf(journals) }));
  const startedBefore = await countStarts(journals);
  const start = performance.now();
  const gateway = await startGateway({ kind: 'bare', dataDir: join(folder, 'data'), configFile });
  try {
    const target = await introduce(`${gateway.url}/mcp?surface=direct`, 'modern', 'server-01.say_1', gateway.token);
    const connection = await Connection.open(target.url);
    await waitForAllTools(connection, target);
    const listMs = performance.now() - start;
    const callStart = performance.now();
    const { status, text } = await callEcho(connection, target, 2, 'hello');
    if (status !== 200 || !text.includes('hello')) throw new Error(`The first call failed: ${text}`);
    const firstCallMs = performance.now() - callStart;
    await sleep(settleMs);
    connection.close();
    const serversStarted = (await countStarts(journals)) - startedBefore;
    return { listMs, firstCallMs, serversStarted, cpuMs: cpuMs(gateway.pid), rssMb: rssMb(gateway.pid) };
  } finally {
    await gateway.stop();
  }
}

function serversOf(journals: string): Record<string, object> {
  const program = join(import.meta.dirname, 'servers/sdk-server.js');
  const names = Array.from({ length: serverCount }, (_, at) => `server-${String(at + 1).padStart(2, '0')}`);
  return Object.fromEntries(
    names.map((name) => {
      const spec = JSON.stringify({ name, toolCount: toolsOfEach, journal: join(journals, `${name}.jsonl`) });
      return [name, { command: process.execPath, args: [program, spec] }];
    }),
  );
}

async function waitForAllTools(connection: Connection, target: Target): Promise<void> {
  const deadline = performance.now() + giveUpMs;
  let count = 0;
  while (count !== serverCount * toolsOfEach) {
    if (performance.now() > deadline) throw new Error(`Only ${count} tools were listed within ${giveUpMs} ms.`);
    const { text } = await listTools(connection, target);
    count = JSON.parse(text).result.tools.length;
  }
}

async function countStarts(journals: string): Promise<number> {
  const texts = await Promise.all((await readdir(journals)).map((name) => readFile(join(journals, name), 'utf8')));
  return texts.join('').split('"event":"started"').length - 1;
}

function mediansOf(measured: readonly LinkFigures[]): LinkFigures {
  const of = (name: keyof LinkFigures) => rounded(median(measured.map((each) => each[name])), 1);
  return {
    listMs: of('listMs'),
    firstCallMs: of('firstCallMs'),
    serversStarted: of('serversStarted'),
    cpuMs: of('cpuMs'),
    rssMb: of('rssMb'),
  };
}

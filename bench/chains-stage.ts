/** The lanes of `chains.ts`: the same work by single calls and by a program, at the door and inside the gateway. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../src/base/log.ts';
import { openGateway } from '../src/gateway.ts';
import { runFresh } from './chains-fresh.ts';
import { callTool, introduce, type Target } from './kit/agent-requests.ts';
import { Connection } from './kit/connection.ts';
import { cpuMs } from './kit/process-figures.ts';
import { startGateway } from './kit/program.ts';

/** Something that is done again and again, and the processor time of who does it. */
export interface Lane {
  readonly name: string;
  run(): Promise<void>;
  /** So far, of all threads. */
  cpuMs(): number;
}

/** The same work in two ways. */
export interface Pair {
  readonly name: string;
  readonly calls: Lane;
  readonly chain: Lane;
}

export interface Place {
  readonly nothing: Lane;
  /** A server like most real ones, then one that does next to nothing: there the work of the gateway is all there is. */
  readonly usual: Pair;
  readonly quick: Pair;
  readonly quickAtOnce: Pair;
  readonly many: Lane;
  close(): Promise<void>;
}

const calls = 10;
export const manyCalls = 1_000;
const each = Array.from({ length: calls }, (_, at) => at);
/** The servers by name, with the tool of each that gives back its text. */
const servers = { usual: 'say_1', quick: 'echo' } as const;
type ServerName = keyof typeof servers;

const oneByOne = (server: ServerName) =>
  `let last; for (let at = 0; at < ${calls}; at += 1) last = await servers.${server}.${servers[server]}({ text: 'call ' + at }); return last;`;
const atOnce = `return (await Promise.all(Array.from({ length: ${calls} }, (_, at) => servers.quick.echo({ text: 'call ' + at })))).length;`;
const manyAtOnce = `const texts = await Promise.all(Array.from({ length: ${manyCalls} }, (_, at) => servers.quick.echo({ text: 'call ' + at }))); return texts.every((text, at) => text === 'call ' + at);`;

/** How a place makes a call and runs a program; both throw where the answer is not the right one. */
interface Ways {
  call(server: ServerName, at: number): Promise<void>;
  chain(code: string, expected: unknown): Promise<void>;
  cpuMs(): number;
  close(): Promise<void>;
}

/** Through the door of a gateway that is a process of its own, as an agent of the modern era. */
export async function openDoor(): Promise<Place> {
  const { dataDir, configFile } = await makeFolder();
  const gateway = await startGateway({ kind: 'bare', dataDir, configFile });
  const target = await introduce(`${gateway.url}/mcp?surface=search`, 'modern', 'tool_execute', gateway.token);
  const connections = await Promise.all(each.map(() => Connection.open(target.url)));
  const ask = (at: number, tool: string, args: object) =>
    callTool(connections[at] as Connection, { ...target, tool } satisfies Target, at + 1, args);
  return placeOf('at the door', {
    call: async (server, at) => {
      const given = { toolKey: `${server}:${servers[server]}`, arguments: { text: `call ${at}` } };
      const { text } = await ask(at, 'tool_execute', given);
      if (!text.includes(`"text":"call ${at}"`)) throw new Error(text);
    },
    chain: async (code, expected) => {
      const { text } = await ask(0, 'call_tool_chain', { code });
      if (!text.includes(`"structuredContent":{"result":${JSON.stringify(expected)},`)) throw new Error(text);
    },
    cpuMs: () => cpuMs(gateway.pid),
    close: async () => {
      for (const connection of connections) connection.close();
      await gateway.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  });
}

/** The same inside this process, without a door around either. */
export async function openInside(): Promise<Place> {
  const { dataDir, configFile } = await makeFolder();
  const gateway = await openGateway({
    dataDir,
    configPath: configFile,
    cwd: dataDir,
    env: process.env,
    log: silentLog,
  });
  await gateway.admin.run('servers.refresh', {});
  return placeOf('inside', {
    call: async (server, at) => {
      const given = { toolKey: `${server}:${servers[server]}`, arguments: { text: `call ${at}` } };
      const { content } = await gateway.admin.run('tools.call', given);
      if (!JSON.stringify(content).includes(`"call ${at}"`)) throw new Error(JSON.stringify(content));
    },
    chain: async (code, expected) => {
      const outcome = await gateway.admin.run('tools.chain', { code });
      if (outcome.result !== expected) throw new Error(JSON.stringify(outcome));
    },
    cpuMs: ownCpuMs,
    close: async () => {
      await gateway.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  });
}

export const fresh: Lane = {
  name: 'a fresh thread and machine for each',
  run: async () => void (await runFresh('1')),
  cpuMs: ownCpuMs,
};

function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function placeOf(where: string, { call, chain, cpuMs: spent, close }: Ways): Place {
  const lane = (name: string, run: () => Promise<void>): Lane => ({ name: `${name}, ${where}`, run, cpuMs: spent });
  const pair = (server: ServerName): Pair => ({
    name: `${server} server, one by one, ${where}`,
    calls: lane(`ten calls, ${server} server, one by one`, async () => {
      for (const at of each) await call(server, at);
    }),
    chain: lane(`a program of ten, ${server} server, one by one`, () => chain(oneByOne(server), `call ${calls - 1}`)),
  });
  return {
    nothing: lane('a program that does nothing', () => chain('return 1', 1)),
    usual: pair('usual'),
    quick: pair('quick'),
    quickAtOnce: {
      name: `quick server, at once, ${where}`,
      calls: lane('ten calls, quick server, at once', async () => {
        await Promise.all(each.map((at) => call('quick', at)));
      }),
      chain: lane('a program of ten, quick server, at once', () => chain(atOnce, calls)),
    },
    many: lane(`a program of ${manyCalls}, quick server, at once`, () => chain(manyAtOnce, true)),
    close,
  };
}

async function makeFolder(): Promise<{ readonly dataDir: string; readonly configFile: string }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-bench-'));
  const configFile = join(dataDir, 'toolcrib.json');
  const program = (file: string, ...args: string[]) => ({
    command: process.execPath,
    args: [join(import.meta.dirname, 'servers', file), ...args],
  });
  const mcpServers = {
    usual: program('sdk-server.js', JSON.stringify({ name: 'usual', toolCount: 1 })),
    quick: program('stdio-echo.ts'),
  };
  await writeFile(configFile, JSON.stringify({ mcpServers, chains: { maxCalls: 2 * manyCalls } }));
  return { dataDir, configFile };
}

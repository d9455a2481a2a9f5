/** Fourteen servers with about 200 tools as long as real ones: as commands, or served over HTTP by the test's own process. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ServerCommand, serverCommand } from '../servers/launch.ts';
import { ServerState } from '../servers/server-state.ts';
import { parseSpec, type ServerSpec, type ToolSpec } from '../servers/spec.ts';
import { serveHttp } from '../servers/transport-http.ts';
import { openTestGateway, type TestGateway, type TestGatewayOptions } from './gateway.ts';

/** Each server with the file of its definitions; the two mailboxes are two accounts of one server. */
const files = {
  git: 'git',
  forge: 'forge',
  filesystem: 'filesystem',
  desktop: 'desktop',
  browser: 'browser',
  memory: 'memory',
  toolbox: 'toolbox',
  calendar: 'calendar',
  'mail-work': 'mail',
  'mail-private': 'mail',
  database: 'database',
  wiki: 'wiki',
  billing: 'billing',
  maps: 'maps',
} as const;

export type RealSizeName = keyof typeof files;

// Object.keys forgets which strings they are.
export const realSizeNames = Object.keys(files) as readonly RealSizeName[];

interface RealSizeSpec extends ServerSpec {
  readonly tools: readonly ToolSpec[];
}

/** A server as the test server takes it. */
export function realSizeSpec(name: RealSizeName): RealSizeSpec {
  const path = join(import.meta.dirname, '../fixtures/real-size', `${files[name]}.json`);
  const { instructions = '', tools } = JSON.parse(readFileSync(path, 'utf8')) as RealSizeSpec;
  return { name, instructions, tools, resources: [], templates: [], prompts: [] };
}

interface RealSizeWish {
  /** All fourteen, if left out. */
  readonly only?: readonly RealSizeName[];
  /** Servers that are down: a command that exits at once, a port that is closed. */
  readonly dead?: readonly RealSizeName[];
  readonly era?: ServerSpec['era'];
}

/** Members of `mcpServers` over stdio: a process for each, once a gateway starts them. */
export function realSizeServers({
  only = realSizeNames,
  dead = [],
  era,
}: RealSizeWish = {}): Record<string, ServerCommand> {
  return Object.fromEntries(
    only.map((name) => {
      const modes = dead.includes(name) ? { exitAtStart: 1 } : {};
      return [name, serverCommand({ ...realSizeSpec(name), ...(era && { era }), modes })];
    }),
  );
}

export interface RealSizeHost extends AsyncDisposable {
  /** Members of `mcpServers`. */
  readonly servers: Record<string, { url: string }>;
  /** Lets a slow server list its tools. */
  release(name: RealSizeName): void;
  /** Ends a server: from now on its port is closed. */
  stop(name: RealSizeName): Promise<void>;
}

interface HostWish extends RealSizeWish {
  /** Servers whose lists wait until they are released. */
  readonly slow?: readonly RealSizeName[];
}

/** Serves them over HTTP in this process, which costs a scenario next to nothing. They speak both eras by default. */
export async function openRealSizeHost(wish: HostWish = {}): Promise<RealSizeHost> {
  const { only = realSizeNames, dead = [], slow = [], era = 'dual' } = wish;
  const gates = new Map(slow.map((name) => [name, Promise.withResolvers<void>()]));
  const opening = only.map(async (name) => {
    const state = new ServerState(parseSpec({ ...realSizeSpec(name), transport: 'http', era }));
    const gate = gates.get(name);
    if (gate) state.listsAfter = gate.promise;
    return [name, await serveHttp(state)] as const;
  });
  const open = new Map(await Promise.all(opening));
  const servers = Object.fromEntries([...open].map(([name, { url }]) => [name, { url }]));
  const stop = async (name: RealSizeName) => {
    const listening = open.get(name);
    open.delete(name);
    await listening?.close();
  };
  for (const name of dead) await stop(name);
  return {
    servers,
    release: (name) => gates.get(name)?.resolve(),
    stop,
    [Symbol.asyncDispose]: async () => {
      for (const name of [...open.keys()]) await stop(name);
    },
  };
}

interface RealSizeGateway extends TestGateway {
  readonly host: RealSizeHost;
}

/** A gateway in front of them, once every server that is neither dead nor slow has been listed. */
export async function openRealSizeGateway(
  wish: HostWish & Omit<TestGatewayOptions, 'servers'> = {},
): Promise<RealSizeGateway> {
  const { dead = [], slow = [] } = wish;
  const host = await openRealSizeHost(wish);
  // A slow one is listed when it is released: whoever waited for it would wait until its time is over.
  const isCold = wish.isCold ?? slow.length > 0;
  const opened = await openTestGateway({ ...wish, isCold, servers: host.servers });
  const awaited = (wish.only ?? realSizeNames).filter((name) => ![...dead, ...slow].includes(name));
  await Promise.all(awaited.map((name) => opened.gateway.admin.run('servers.refresh', { name })));
  const close = async () => {
    await opened.close();
    await host[Symbol.asyncDispose]();
  };
  return { ...opened, host, close, [Symbol.asyncDispose]: close };
}

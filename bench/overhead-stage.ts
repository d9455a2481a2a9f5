/** The lanes of `overhead.ts`: echo servers, the gateway and the floor as processes, one lane for each path. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Era, introduce, listTools, type Target } from './kit/agent-requests.ts';
import { Connection } from './kit/connection.ts';
import { guardOf } from './kit/process-figures.ts';
import { type GatewayProgram, type Program, startGateway, startProgram } from './kit/program.ts';

export type ServerKind = 'stdio' | 'http';

/** One way for a call, with the processes that are charged for it. */
export interface Lane {
  readonly name: string;
  readonly target: Target;
  readonly pids: readonly number[];
}

export interface Stage {
  readonly direct: Lane;
  readonly floors: Readonly<Record<ServerKind, Lane>>;
  readonly ways: readonly Way[];
  close(): Promise<void>;
}

/** One way through the gateway. */
export interface Way extends Lane {
  readonly era: Era;
  readonly server: ServerKind;
}

const eras: readonly Era[] = ['modern', 'legacy'];
const serverKinds: readonly ServerKind[] = ['stdio', 'http'];

export async function openStage(program: Pick<GatewayProgram, 'kind' | 'flags'>): Promise<Stage> {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-bench-'));
  const echo = await startProgram('servers/http-echo.ts', []);
  const floor = await startProgram('kit/minimal-gateway.ts', [echo.url]);
  const configFile = join(dataDir, 'toolcrib.json');
  await writeFile(configFile, JSON.stringify({ mcpServers: serversOf(echo.url) }));
  const gateway = await startGateway({ ...program, dataDir, configFile });
  const close = async () => {
    await gateway.stop();
    await floor.stop();
    await echo.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  const floorLane = async (server: ServerKind): Promise<Lane> => ({
    name: `floor to ${server}`,
    target: await introduce(`${floor.url}/${server}`, 'modern', 'echo'),
    pids: [floor.pid],
  });
  return {
    direct: { name: 'direct', target: await introduce(echo.url, 'modern', 'echo'), pids: [echo.pid] },
    floors: { stdio: await floorLane('stdio'), http: await floorLane('http') },
    ways: await openWays(gateway),
    close,
  };
}

/** Each server is named after its kind. */
function serversOf(echoUrl: string): Readonly<Record<ServerKind, object>> {
  const program = join(import.meta.dirname, 'servers/stdio-echo.ts');
  return { stdio: { command: process.execPath, args: [program] }, http: { url: echoUrl } };
}

async function openWays(gateway: Program): Promise<Way[]> {
  const { url, token } = gateway;
  const door = `${url}/mcp?surface=direct`;
  await waitForTools(await introduce(door, 'modern', '', token));
  const guard = guardOf(gateway.pid);
  const pids = guard === undefined ? [gateway.pid] : [gateway.pid, guard];
  const ways: Way[] = [];
  for (const server of serverKinds) {
    for (const era of eras) {
      const target = await introduce(door, era, `${server}.echo`, token);
      ways.push({ name: `${era} to ${server}`, era, server, target, pids });
    }
  }
  return ways;
}

async function waitForTools(target: Target): Promise<void> {
  const connection = await Connection.open(target.url);
  const deadline = performance.now() + 20_000;
  while (performance.now() < deadline) {
    const { text } = await listTools(connection, target);
    if (serverKinds.every((server) => text.includes(`"${server}.echo"`))) return connection.close();
  }
  throw new Error('The gateway did not list both echo servers within 20 s.');
}

/** The gateway of `dashboard.ts` and `tui.ts`: thousands of tools on many servers, calls of a day behind it, an echo server to call, and its owner's token. */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectAdmin } from '../src/admin/client/client.ts';
import { systemClock } from '../src/base/clock.ts';
import { silentLog } from '../src/base/log.ts';
import { type AuditRecord, type CallRecord, createSqliteStore } from '../src/store/store.ts';
import { introduce, type Target } from './kit/agent-requests.ts';
import { MadeUpHost } from './kit/made-up-host.ts';
import { type Program, startGateway, startProgram } from './kit/program.ts';
import { makeCalls } from './made-up-calls.ts';
import { inventTools } from './scale-catalog.ts';
import { seededRandom } from './usage-week.ts';

export interface DashboardStage extends AsyncDisposable {
  readonly gateway: Program;
  readonly dataDir: string;
  readonly admin: ReturnType<typeof connectAdmin>;
  readonly target: Target;
}

export interface StageSize {
  readonly tools: number;
  readonly calls: number;
}

export async function openDashboardStage(size: StageSize): Promise<DashboardStage> {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-bench-'));
  const host = await MadeUpHost.open(catalogsOf(size.tools));
  const echo = await startProgram('servers/http-echo.ts', []);
  const configFile = join(dataDir, 'toolcrib.json');
  const access = { keyring: 'off' };
  await writeFile(configFile, JSON.stringify({ access, mcpServers: { ...host.servers, echo: { url: echo.url } } }));
  await writeCalls(join(dataDir, 'toolcrib.db'), size.calls);
  const gateway = await startGateway({ kind: 'bare', dataDir, configFile });
  const admin = connectAdmin(gateway.url, (await readFile(join(dataDir, 'owner-token'), 'utf8')).trim());
  await admin.run('servers.refresh', {});
  return {
    gateway,
    dataDir,
    admin,
    target: await introduce(`${gateway.url}/servers/echo/mcp`, 'modern', 'echo', gateway.token),
    async [Symbol.asyncDispose]() {
      await gateway.stop();
      await echo.stop();
      await host[Symbol.asyncDispose]();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

function catalogsOf(tools: number) {
  const rows = inventTools(tools, seededRandom(1));
  const byServer = Map.groupBy(rows, ({ server }) => server);
  return new Map(
    [...byServer].map(([server, own]) => [
      server,
      {
        title: server,
        tools: own.map(({ name, description = '', inputSchema }) => ({
          ...{ name, description, inputSchema: inputSchema as Record<string, unknown> },
        })),
      },
    ]),
  );
}

/** A day of calls, each with its record in the audit. */
async function writeCalls(file: string, count: number): Promise<void> {
  const store = createSqliteStore({ file, clock: systemClock, log: silentLog });
  await store.open();
  const batch: CallRecord[] = [];
  const write = () => store.appendRecords(batch, batch.map(recordOf));
  for (const call of makeCalls(count, 1, Date.now())) {
    if (batch.push(call) < 1_000) continue;
    await write();
    batch.length = 0;
  }
  await write();
  await store.close();
}

function recordOf({ at, server, tool, outcome, errorType, ms, principal, session, error }: CallRecord): AuditRecord {
  return {
    ...{ at, kind: 'execution', action: 'tools.call', principal, principalName: principal, client: 'bench/1.0.0' },
    ...{ requestId: null, rpcId: null, trace: null, project: null, session, server, tool, outcome, errorType, ms },
    ...{ argumentsHash: null, arguments: null, detail: error === null ? {} : { message: error } },
  };
}

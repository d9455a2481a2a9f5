/** A row of servers behind one gateway: every era over every transport, each with its own journal. */

import { test } from 'node:test';
import { openServer } from '../servers/hosted.ts';
import { newJournal, type OpenServer, type ServerSpec, serverCommand } from '../servers/launch.ts';
import { type Agent, type AgentOptions, connectAgent, KINDS, type Kind } from './agents.ts';
import { openTestGateway, type TestGateway, type TestGatewayOptions } from './gateway.ts';

export interface RowServer {
  /** Its name in the gateway and its own. */
  readonly name: string;
  readonly era: 'legacy' | 'modern' | 'dual';
  readonly transport: 'stdio' | 'http' | 'sse';
  readonly journal: string;
}

export interface ServerRow extends AsyncDisposable {
  readonly servers: readonly RowServer[];
  readonly gateway: TestGateway;
  /** Connects an agent to the door that shows one server under its own names. */
  connect(kind: Kind, server: RowServer, options?: Partial<AgentOptions>): Promise<Agent>;
}

const EVERY_SERVER = [
  ['legacy', 'stdio'],
  ['modern', 'stdio'],
  ['dual', 'stdio'],
  ['legacy', 'http'],
  ['modern', 'http'],
  ['dual', 'http'],
  ['legacy', 'sse'],
] as const;

export interface RowOptions extends Omit<TestGatewayOptions, 'servers'> {
  /** More of each server's spec. */
  readonly spec?: ServerSpec;
  /** More of each server's entry in the config. */
  readonly entry?: Record<string, unknown>;
}

/** Opens a gateway in front of seven servers, one for each era and transport that go together. */
export async function openServerRow(options: RowOptions = {}): Promise<ServerRow> {
  const { spec, entry, ...rest } = options;
  const running: OpenServer[] = [];
  const entries: Record<string, unknown> = {};
  const servers = EVERY_SERVER.map(([era, transport]) => ({
    ...{ name: `${era}-${transport}`, era, transport },
    journal: newJournal(),
  }));
  for (const { name, era, transport, journal } of servers) {
    const full = { ...spec, name, era, transport, journal };
    if (transport === 'stdio') entries[name] = { ...serverCommand(full), ...entry };
    else {
      const server = await openServer(full);
      running.push(server);
      entries[name] = { url: server.url, ...(transport === 'sse' ? { type: 'sse' } : {}), ...entry };
    }
  }
  const gateway = await openTestGateway({ ...rest, servers: entries });
  return {
    servers,
    gateway,
    connect: (kind, { name }, more) =>
      connectAgent(kind, `${gateway.url}/servers/${name}/mcp?names=plain`, { headers: gateway.agentHeaders, ...more }),
    [Symbol.asyncDispose]: async () => {
      await gateway.close();
      await Promise.all(running.map((server) => server.stop()));
    },
  };
}

/** A test that runs once for each kind of agent and each server of the row. */
export function everyPair(
  title: string,
  row: () => ServerRow,
  setup: (agent: Agent, server: RowServer) => Promise<void>,
  options?: Partial<AgentOptions>,
): void {
  test(title, { concurrency: true }, async (context) => {
    for (const kind of KINDS) {
      const scenes = row().servers.map((server) =>
        context.test(`${kind} agent, ${server.name}`, async () => {
          await using agent = await row().connect(kind, server, options);
          await setup(agent, server);
        }),
      );
      await Promise.all(scenes);
    }
  });
}

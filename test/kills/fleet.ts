/** Gateways in processes of their own on one PostgreSQL database, each at a port that it keeps, with servers that write down every call. */

import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MetricLines } from '../kit/metric-lines.ts';
import { freePort } from '../kit/postgres.ts';
import { eventually } from '../kit/processes.ts';
import { sharedKey } from '../kit/replicas.ts';
import { bearer } from '../kit/tokens.ts';
import { type GatewayProcess, startGatewayProcess } from '../real/kit/gateway-process.ts';
import { whenListed } from '../real/kit/listed.ts';
import type { Scratch } from '../real/kit/scratch.ts';
import { newJournal, readJournal, type ServerSpec, serverCommand, startServer } from '../servers/launch.ts';

/** Its tools say nothing about themselves, so that nobody may call them twice; `guarded` needs the permission of a person. */
const tools = ['note', 'guarded'].map((name) => ({
  name,
  description: 'Writes a value down.',
  runAs: 'nonce',
  inputSchema: {
    type: 'object',
    properties: { value: { type: 'string' }, delayMs: { type: 'number' } },
    required: ['value'],
  },
}));

/** One that each gateway starts for itself, and one that all of them call. */
export const fleetServers = ['desk', 'hall'] as const;

interface FleetOptions {
  readonly storeUrl: string;
  readonly count: number;
  /** The default of the gateways, if left out. */
  readonly cacheMs?: number;
  readonly scratch: Scratch;
  /** The version that they begin with; left out, that of this checkout. */
  readonly otherProgram?: string;
}

export class Fleet implements AsyncDisposable {
  readonly ports: readonly number[];
  readonly #options: FleetOptions;
  readonly #config: object;
  readonly #servers: Readonly<Record<string, unknown>>;
  readonly #journals: readonly string[];
  readonly #stopServer: () => Promise<void>;
  /** By their places; undefined: it is down. */
  readonly #replicas: (GatewayProcess | undefined)[];

  private constructor(
    options: FleetOptions,
    ports: readonly number[],
    { servers, journals, stop }: Awaited<ReturnType<typeof openServers>>,
  ) {
    const { storeUrl, cacheMs } = options;
    this.#options = options;
    this.ports = ports;
    this.#servers = servers;
    this.#journals = journals;
    this.#stopServer = stop;
    this.#config = {
      store: { url: storeUrl },
      access: { keyring: 'off', askBy: ['owner'], cacheMs },
      audit: { arguments: true },
    };
    this.#replicas = ports.map(() => undefined);
  }

  static async open(options: FleetOptions): Promise<Fleet> {
    const ports = await Promise.all(Array.from({ length: options.count }, freePort));
    const fleet = new Fleet(options, ports, await openServers());
    // The first makes the tables.
    for (const at of ports.keys()) await fleet.start(at);
    await Promise.all(fleet.live.map((replica) => whenListed(replica)));
    return fleet;
  }

  get live(): GatewayProcess[] {
    return this.#replicas.filter((replica) => replica !== undefined);
  }

  at(place: number): GatewayProcess {
    const replica = this.#replicas[place];
    assert.ok(replica !== undefined, `The gateway at place ${place} is down.`);
    return replica;
  }

  async start(at: number, otherProgram = this.#options.otherProgram): Promise<void> {
    const { scratch } = this.#options;
    const dataDir = join(scratch.folder, `replica-${at}`);
    await mkdir(dataDir, { recursive: true });
    this.#replicas[at] = await startGatewayProcess({
      dataDir,
      env: { ...scratch.env, ...sharedKey },
      servers: this.#servers,
      config: { ...this.#config },
      port: this.ports[at] ?? 0,
      otherProgram,
    });
  }

  /** Ends one in good order. */
  async stop(at: number): ReturnType<GatewayProcess['stop']> {
    const leaving = this.at(at);
    this.#replicas[at] = undefined;
    return leaving.stop();
  }

  async kill(at: number): Promise<void> {
    const victim = this.#replicas[at];
    this.#replicas[at] = undefined;
    await victim?.kill();
  }

  /** Headers with a token that is good at all of them. */
  async makeToken(name: string): Promise<Record<string, string>> {
    const [first] = this.live;
    assert.ok(first !== undefined);
    return bearer((await first.admin.run('tokens.create', { name })).token);
  }

  /** How often each value was written down. */
  executions(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const entry of this.#journals.flatMap(readJournal)) {
      if (entry.event !== 'tool') continue;
      const { value } = entry.arguments as { readonly value: string };
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    return counts;
  }

  /** Rows that wait for the database, and rows that were dropped, of all gateways. */
  async rows(): Promise<{ readonly waiting: number; readonly dropped: number }> {
    const pages = await Promise.all(this.live.map(readMetrics));
    const sum = (name: string) => pages.reduce((all, page) => all + (page.value(name) ?? 0), 0);
    return { waiting: sum('toolcrib_rows_waiting'), dropped: sum('toolcrib_rows_lost_total') };
  }

  /** Calls that each of the running gateways has carried out, by their places. */
  async calls(): Promise<number[]> {
    const pages = await Promise.all(this.live.map(readMetrics));
    return pages.map((page) => page.all('toolcrib_calls_total').reduce((all, { value }) => all + value, 0));
  }

  /** Resolves when the database has every row. A gateway that was killed before would take its rows with it. */
  async whenWritten(): Promise<void> {
    await eventually('no row waits', async () => (await this.rows()).waiting === 0 || undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.live.map((replica) => replica.stop()));
    await this.#stopServer();
  }
}

async function openServers() {
  const spec = (name: string, more: ServerSpec) => ({ name, tools, journal: newJournal(), ...more });
  const desk = spec('desk', { era: 'legacy' });
  const hall = spec('hall', { era: 'modern' });
  const { url, stop } = await startServer(hall);
  const permissions = { guarded: 'ask' };
  const servers = { desk: { ...serverCommand(desk), permissions }, hall: { url, permissions } };
  return { servers, journals: [desk.journal, hall.journal], stop };
}

/** By the token of its folder, which is good without the database too. */
async function readMetrics({ url, ownerToken }: GatewayProcess): Promise<MetricLines> {
  const response = await fetch(`${url}/metrics`, { headers: bearer(ownerToken) });
  assert.equal(response.status, 200);
  return new MetricLines(await response.text());
}

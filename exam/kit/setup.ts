/** One gateway with its servers and agents, watched from outside, with the figures it had before anything went wrong. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { allGone, eventually, openFiles, residentBytes } from '../../test/kit/processes.ts';
import type { Size } from '../check.ts';
import { ExamAgent } from './agent.ts';
import type { Era } from './agent-requests.ts';
import type { SharedDatabase } from './database.ts';
import { type GatewayFiles, type GatewayProgram, startGateway } from './gateway-program.ts';
import type { History } from './history.ts';
import { Prober, type Sample } from './prober.ts';
import { RigServer, type ServerPlan } from './rig-server.ts';

export interface SetupPlan {
  readonly servers: Readonly<Record<string, ServerPlan>>;
  /** Other sections of the config file. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** The whole config file, made from what it would hold; for files that no object can say. */
  readonly configText?: (config: unknown) => string;
  /** More variables of the gateway's environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Servers that need not come up before the check begins. */
  readonly lateServers?: readonly string[];
  /** The check ends the gateway, or looks into its process: a quick examination, too, gives it a process of its own. */
  readonly isAlone?: boolean;
}

export interface SetupOptions {
  /** The checkout whose gateway is examined. */
  readonly root: string;
  readonly size: Size;
  readonly history: History;
  /** Gives an empty one; left out, gateways keep a file. */
  readonly newDatabase?: (() => Promise<SharedDatabase>) | undefined;
}

export interface Baseline {
  readonly residentBytes: number;
  readonly openFiles: number;
}

/** Words that must stay where they were put. */
export interface Canaries {
  /** In the environment or the headers of every server. */
  readonly serverSecret: string;
  /** Sent as an argument, over and over. */
  readonly argument: string;
}

/** Without it a gateway does not start on a shared database. */
const sharedKey = { TOOLCRIB_SECRET_KEY: Buffer.alloc(32, 9).toString('base64') };

/** An ordinary spell of work, after which code is compiled and memory is at the size that work needs. */
const warmUp = { quick: { calls: 50, atOnce: 8 }, full: { calls: 300, atOnce: 8 } };

export class Setup {
  readonly dataDir: string;
  readonly servers: ReadonlyMap<string, RigServer>;
  readonly history: History;
  readonly size: Size;
  readonly canaries: Canaries;
  readonly shared: SharedDatabase | undefined;
  readonly #plan: SetupPlan;
  readonly #place: GatewayFiles;
  readonly #agents = new Set<ExamAgent>();
  #gateway: GatewayProgram | undefined;
  #firstPid = 0;
  #baseline: Baseline | undefined;
  #prober: Prober | undefined;

  private constructor(
    options: SetupOptions,
    plan: SetupPlan,
    servers: RigServer[],
    canaries: Canaries,
    shared: SharedDatabase | undefined,
  ) {
    const { root, size, history } = options;
    this.shared = shared;
    this.history = history;
    this.size = size;
    this.#plan = plan;
    this.canaries = canaries;
    this.servers = new Map(servers.map((server) => [server.name, server]));
    this.dataDir = mkdtempSync(join(tmpdir(), 'toolcrib-exam-'));
    const configFile = join(this.dataDir, 'toolcrib.json');
    const logFile = join(history.folder, 'gateway.log');
    const isAlone = size === 'full' || plan.isAlone === true || plan.env !== undefined;
    const env = { ...(shared !== undefined && sharedKey), ...plan.env };
    this.#place = { root, dataDir: this.dataDir, configFile, logFile, env, isAlone };
  }

  static async open(options: SetupOptions, plan: SetupPlan, canaries: Canaries): Promise<Setup> {
    const plans = Object.entries({ sibling: {}, ...plan.servers });
    const servers = await Promise.all(plans.map(([name, one]) => RigServer.make(name, one, canaries.serverSecret)));
    return new Setup(options, plan, servers, canaries, await options.newDatabase?.());
  }

  /** Starts the gateway, lets it list its servers, and takes its figures. */
  async start(): Promise<GatewayProgram> {
    const mcpServers = Object.fromEntries([...this.servers.values()].map(({ name, entry }) => [name, entry]));
    const { config = {}, configText = JSON.stringify } = this.#plan;
    const store = this.shared && { store: { url: this.shared.url } };
    writeFileSync(this.#place.configFile, configText({ ...config, ...store, mcpServers }));
    const gateway = await this.restart();
    await this.#settleIn();
    await this.#filesAtRest();
    this.#baseline = { residentBytes: residentBytes(gateway.pid), openFiles: openFiles(gateway.pid) };
    this.history.note('baseline', { pid: gateway.pid, ...this.#baseline });
    return gateway;
  }

  /** Starts a gateway on the same folder, after the last one has ended. */
  async restart(): Promise<GatewayProgram> {
    this.#gateway = await startGateway(this.#place);
    this.#firstPid ||= this.#gateway.pid;
    this.history.note('started', { pid: this.#gateway.pid, startMs: Math.round(this.#gateway.startMs) });
    return this.#gateway;
  }

  get gateway(): GatewayProgram {
    if (this.#gateway === undefined) throw new Error('The setup has not been started.');
    return this.#gateway;
  }

  /** The checkout whose gateway is examined. */
  get root(): string {
    return this.#place.root;
  }

  get firstPid(): number {
    return this.#firstPid;
  }

  get baseline(): Baseline | undefined {
    return this.#baseline;
  }

  server(name: string): RigServer {
    const server = this.servers.get(name);
    if (server === undefined) throw new Error(`There is no server "${name}" in this setup.`);
    return server;
  }

  agent(
    era: Era,
    options: {
      readonly door?: string;
      readonly name?: string;
      readonly isOwner?: boolean;
      readonly token?: string;
    } = {},
  ): Promise<ExamAgent> {
    const { url, agentToken, ownerToken } = this.gateway;
    const token = options.token ?? (options.isOwner === true ? ownerToken : agentToken);
    const name = options.name ?? `${era}-${this.#agents.size}`;
    const agent = new ExamAgent({ url, token, history: this.history }, name, era, options.door);
    this.#agents.add(agent);
    return agent.open();
  }

  /** Every agent leaves. */
  dismissAgents(): void {
    for (const agent of this.#agents) agent.close();
    this.#agents.clear();
  }

  startProber(): void {
    const { url, agentToken } = this.gateway;
    this.#prober = new Prober({ url, token: agentToken, secret: this.canaries.argument, size: this.size });
  }

  async stopProber(): Promise<readonly Sample[]> {
    const samples = (await this.#prober?.stop()) ?? [];
    return samples;
  }

  /** Every process that any server had. */
  serverPids(): number[] {
    return [...this.servers.values()].filter(({ isStdio }) => isStdio).flatMap((server) => server.pids());
  }

  /** Ends everything by force and removes the folder; what is to be judged has been judged. */
  async close(): Promise<void> {
    this.dismissAgents();
    await this.stopProber();
    this.#gateway?.kill('SIGKILL');
    await this.#gateway?.exited;
    await Promise.all([...this.servers.values()].map((server) => server.stop()));
    await allGone(this.serverPids()).catch(() => {});
    rmSync(this.dataDir, { recursive: true, force: true, maxRetries: 3 });
  }

  /** The gateway has noticed that the agents of the warm-up are gone. */
  async #filesAtRest(): Promise<void> {
    let before = 0;
    await eventually('its open files stay the same', async () => {
      const now = openFiles(this.gateway.pid);
      const isAtRest = now === before;
      before = now;
      await pause(150);
      return isAtRest || undefined;
    });
  }

  async #settleIn(): Promise<void> {
    const late = new Set(this.#plan.lateServers);
    const awaited = [...this.servers.keys()].filter((name) => !late.has(name));
    const agent = await this.agent('modern', { name: 'settling' });
    await eventually(`all of ${awaited.join(', ')} are listed`, async () => {
      const tools = await agent.tools();
      return awaited.every((name) => tools.some((tool) => tool.startsWith(`${name}.`))) || undefined;
    });
    this.startProber();
    const agents = [agent, await this.agent('legacy', { name: 'settling too' })];
    const { calls, atOnce } = warmUp[this.size];
    let left = calls;
    const worker = async (_: unknown, at: number) => {
      while (left-- > 0) await agents[at % agents.length]?.call('sibling.echo', { text: `warm up ${left}` });
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    this.dismissAgents();
  }
}

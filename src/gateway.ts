/** The composition root: builds every layer in the order of the flow and closes them in reverse. It holds no behaviour. */

import { dirname, join } from 'node:path';
import {
  AccessControl,
  Approvals,
  FileTokens,
  IssuerAccess,
  NamedSecrets,
  Projects,
  type TokenOrigin,
} from './access/access.ts';
import {
  type Admin,
  type AdminContext,
  apiHandler,
  EventHub,
  type GatewayFacts,
  localAdmin,
  metricsPage,
  otlpMetrics,
  watchGateway,
} from './admin/admin.ts';
import { AgentHomes, allowedAgent } from './agent-program/agent-program.ts';
import { AuditLog } from './audit/audit.ts';
import { type Clock, systemClock } from './base/clock.ts';
import { GatewayError } from './base/errors.ts';
import { defaultDataDir } from './base/folders.ts';
import type { JsonObject } from './base/json.ts';
import type { Log } from './base/log.ts';
import { commandAnywhere, dataOption, version } from './base/own-program.ts';
import { Caller, type CallerOptions, CallRecorder } from './caller/caller.ts';
import { auditPins, Catalog, Registry, ServerTrials } from './catalog/catalog.ts';
import { type Config, LiveConfig } from './config/config.ts';
import { Door, HttpListener, SeenAgents } from './door/door.ts';
import { Downstream } from './downstream/downstream.ts';
import { reservedNames } from './meta-tools/meta-tools.ts';
import { CallMetrics, DisclosureMetrics } from './metrics/metrics.ts';
import { evaluationDoors, Optimizer, optimizerTools } from './optimizer/optimizer.ts';
import { Spool, StoredResults } from './results/results.ts';
import { Sandbox } from './sandbox/sandbox.ts';
import { ToolSearch } from './search/search.ts';
import {
  acquireDataLock,
  createPostgresStore,
  createSqliteStore,
  type DataLock,
  DiskWatch,
  type LockHolder,
  RecordWriter,
  type ReplicaFacts,
  Replicas,
} from './store/store.ts';
import { Telemetry } from './telemetry/telemetry.ts';
import { type SharedKey, Vault } from './vault/vault.ts';

/** The config decides where, unless something is said here. */
export interface ListenOptions {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** True: where the port is taken, any other will do. */
  readonly isAnyPortFine?: boolean | undefined;
  readonly isAuthOff: boolean;
}

export interface GatewayOptions {
  readonly dataDir: string;
  readonly configPath?: string | undefined;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  readonly clock?: Clock | undefined;
  /** Where to listen; left out, the gateway serves only this process. */
  readonly listen?: ListenOptions | undefined;
  /** Servers for this run alone, as members of `mcpServers`; the file's own go first. */
  readonly extraServers?: Readonly<Record<string, JsonObject>> | undefined;
  /** True: the optimizer is on, whatever the config says. */
  readonly isOptimizing?: boolean | undefined;
  /** Where the built files of the dashboard lie; left out, those of this program. */
  readonly dashboardDir?: string | undefined;
  /** Told whenever the number of agents may have changed. */
  readonly onAgents?: ((count: number) => void) | undefined;
  /** Called when the owner orders it to end; left out, that order is refused. */
  readonly onStop?: (() => void) | undefined;
}

/** Another gateway has the data folder; `holder` says which. */
export class DataTakenError extends GatewayError {
  readonly holder: LockHolder;

  constructor(dataDir: string, holder: LockHolder) {
    const where = holder.url === null ? 'which is just starting' : `at ${holder.url}`;
    super('DATA_LOCKED', `A gateway is already running on ${dataDir}: process ${holder.pid}, ${where}.`, {
      hint: 'Use that one, end it with "toolcrib stop", or choose another folder with --data.',
    });
    this.holder = holder;
  }
}

export class Gateway {
  readonly tokens: FileTokens;
  readonly admin: Admin;
  readonly #context: AdminContext;
  readonly #close: () => Promise<void>;

  constructor(context: AdminContext, tokens: FileTokens, close: () => Promise<void>) {
    this.#context = context;
    this.#close = close;
    this.tokens = tokens;
    this.admin = localAdmin(context);
  }

  /** The operations as whoever has a token may use them; without one, as the owner may. Throws UNAUTHENTICATED. */
  adminFor(token: string | undefined): Admin {
    if (!token) return this.admin;
    const principal = this.#context.access.authenticate(token);
    if (principal) return localAdmin(this.#context, principal);
    throw new GatewayError('UNAUTHENTICATED', 'The token in TOOLCRIB_TOKEN is not good.', {
      hint: 'Unset TOOLCRIB_TOKEN to act as the owner of the data folder, or put a good one into it.',
    });
  }

  get facts(): GatewayFacts {
    return this.#context.about();
  }

  /** True: others may use the same database. */
  get isShared(): boolean {
    return this.#context.replicas.isShared;
  }

  /** null when the gateway does not listen. */
  get url(): string | null {
    return this.facts.url;
  }

  /** Idempotent; when it resolves, no process of a server is left. */
  close(): Promise<void> {
    return this.#close();
  }
}

export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const closing: (() => unknown)[] = [];
  let ending: Promise<void> | undefined;
  const close = () => {
    ending ??= closeInReverse(closing);
    return ending;
  };
  try {
    const clock = options.clock ?? systemClock;
    const lock = await takeFolder(options, clock);
    closing.push(() => lock.release());
    const tokens = await FileTokens.open(options.dataDir);
    const config = await LiveConfig.load(
      { path: options.configPath, cwd: options.cwd, dataDir: options.dataDir, env: options.env },
      clock,
      options.log,
    );
    closing.push(() => config.close());
    const listener = await openListener(options, config.current, closing);
    const context = await buildLayers({ options, clock, log: options.log, live: config, listener, closing }, tokens);
    if (listener) {
      openDoor(options, listener, context, closing);
      await lock.update(listener);
    }
    // Before the door, which would wait for requests that stay with trials.
    closing.push(() => context.trials.close());
    return new Gateway(context, tokens, close);
  } catch (error) {
    await close();
    throw error;
  }
}

/** One that fails does not keep the others from closing; the first failure is told when all are done. */
async function closeInReverse(steps: (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps.splice(0).reverse()) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** First of all that others can see: a gateway without its port starts nothing. */
async function openListener(
  { listen }: GatewayOptions,
  config: Config,
  closing: (() => unknown)[],
): Promise<HttpListener | undefined> {
  if (listen === undefined) return undefined;
  const { host = config.listen.host, port = config.listen.port, isAuthOff } = listen;
  const ports = listen.isAnyPortFine ? [port, 0] : [port];
  const listener = await HttpListener.open({ host, ports, isAuthOff });
  closing.push(() => listener.close());
  return listener;
}

async function takeFolder(options: GatewayOptions, clock: Clock): Promise<DataLock> {
  const describe = { pid: process.pid, startedAt: clock.now(), url: null, version };
  const result = await acquireDataLock({ dataDir: options.dataDir, clock, describe });
  if (result.kind === 'other') throw new DataTakenError(options.dataDir, result.holder);
  return result.lock;
}

/** Every layer is built with these. */
interface Ground {
  readonly options: GatewayOptions;
  readonly clock: Clock;
  readonly log: Log;
  readonly live: LiveConfig;
  /** Undefined when the gateway serves only this process. */
  readonly listener: HttpListener | undefined;
  /** Everything that is opened says here how it is closed. */
  readonly closing: (() => unknown)[];
}

async function buildLayers(ground: Ground, files: FileTokens): Promise<AdminContext> {
  const { options, clock, log, live, closing } = ground;
  const { env } = options;
  const telemetry = new Telemetry({ config: () => live.current, changed: live.changed, clock, log });
  const records = await buildRecords(ground);
  // The secrets for its headers are known by now; it is closed when everything that it tells of has ended.
  telemetry.open();
  closing.push(() => telemetry.close());
  const { store, audit } = records;
  const reach = await buildReach(ground, records);
  const { downstream, catalog, registry, agentProgram } = reach;
  const rights = await buildAccess(ground, records, registry, files);
  const config = () => live.current;
  const search = new ToolSearch({ catalog, store, config, env, agentProgram, clock, log });
  closing.push(() => search.close());
  void search.prepare();
  const onVerdict: CallerOptions['onVerdict'] = (session, key, verdict) => search.credit(session, key, verdict);
  const { results } = reach;
  const { metrics, disclosure, secrets, replicas, shared, vault } = records;
  const { approvals } = rights;
  const recorder = new CallRecorder(clock);
  closing.push(() => recorder.close());
  const base = { downstream, results, metrics, audit, approvals, recorder };
  const caller = new Caller({ ...base, config, clock, log, dataOption: dataOptionOf(options), onVerdict, shared });
  closing.push(() => caller.close());
  const sandbox = new Sandbox({ clock, log });
  closing.push(() => sandbox.close());
  const layers = { ...reach, ...rights, caller, metrics, audit, disclosure, search, sandbox, store, clock, config };
  const isOn = () => isOptimizing(options, live);
  const openDoor = evaluationDoors(layers, log);
  const optimizer = new Optimizer({ ...layers, replicas, env, log, openDoor, isOn });
  closing.push(() => optimizer.close());
  const parts = { replicas, secrets, vault, recorder, optimizer, agents: new SeenAgents(clock), telemetry };
  const watched = { ...layers, ...parts };
  const events = new EventHub({ clock, watch: (publish) => watchGateway(watched, publish) });
  closing.push(() => events.close());
  await optimizer.open();
  return { ...watched, events, about: factsOf(ground, metrics), stop: options.onStop };
}

/** For people whose shells need not have the environment of this process. */
function dataOptionOf({ dataDir, env }: GatewayOptions): string {
  return dataOption(dataDir, defaultDataDir(env));
}

/** Read at every use, because the config may change. */
function isOptimizing(options: GatewayOptions, live: LiveConfig): boolean {
  return options.isOptimizing === true || live.current.optimize.enabled;
}

/** The layers that survive a restart: the store, the metrics and the audit. */
async function buildRecords(ground: Ground) {
  const { options, clock, log, live, closing } = ground;
  const { dataDir, env } = options;
  const useKeyring = live.current.access.keyring === 'auto';
  const vault = Vault.open({ dataDir, env, useKeyring, log, clock });
  const startedAt = clock.now();
  const { url, path: file } = live.current.store;
  const parts = { clock, log, sealer: vault };
  const store = file === null ? createPostgresStore({ url, ...parts }) : createSqliteStore({ file, ...parts });
  // Before anything is stored that the others could not read.
  const key = file === null ? await vault.sharedKey() : undefined;
  await store.open();
  closing.push(() => store.close());
  const describe = () => aboutReplica(ground, key, startedAt);
  const replicas = new Replicas({ store: key && store, clock, log, describe, markOf: key?.markOf });
  await replicas.open();
  closing.push(() => replicas.close());
  const secrets = new NamedSecrets({ store, vault, clock, log });
  await secrets.open();
  closing.push(() => secrets.close());
  live.useSecrets((name) => secrets.find(name));
  closing.push(secrets.changed.on(() => live.renew()));
  const writer = new RecordWriter({ store, clock, log });
  closing.push(() => writer.close());
  const audit = new AuditLog({ store, writer, clock, log, replicas, settings: () => live.current.audit });
  audit.open();
  closing.push(() => audit.close());
  const retentionDays = () => live.current.metrics.retentionDays;
  const metrics = new CallMetrics({ store, writer, clock, log, retentionDays, replicas });
  await metrics.open();
  closing.push(() => metrics.close());
  const disclosure = new DisclosureMetrics({ store, clock, log });
  closing.push(() => disclosure.close());
  const stateKey = key && Buffer.from(key.markOf('states of requests'), 'base64url');
  const shared = stateKey && { replica: replicas.id, stateKey };
  return { vault, store, replicas, shared, secrets, audit, metrics, disclosure };
}

/** `key`: of several gateways on one store; one alone needs no marks. */
function aboutReplica(
  { options, live, listener }: Ground,
  key: SharedKey | undefined,
  startedAt: number,
): Omit<ReplicaFacts, 'id'> {
  const url = listener === undefined ? null : (live.current.listen.advertise ?? listener.url);
  const configMark = key?.markOf([live.sharedFingerprint, ...flagsOf(options)].join('\n')) ?? '';
  return { url, version, startedAt, keyMark: key?.id ?? '', configMark };
}

/** The flags of the start that should be the same at every replica. */
function flagsOf({ listen, isOptimizing, extraServers = {} }: GatewayOptions): string[] {
  const switches = [...(listen?.isAuthOff ? ['no-auth'] : []), ...(isOptimizing ? ['optimizing'] : [])];
  return [...switches, ...Object.keys(extraServers).sort()];
}

type Records = Awaited<ReturnType<typeof buildRecords>>;

/** The ways to servers, and what they offer. */
async function buildReach({ options, clock, log, live, listener, closing }: Ground, records: Records) {
  const { vault, store, replicas, secrets: book, audit } = records;
  const { dataDir, env } = options;
  const results = new StoredResults({
    folder: join(dataDir, 'results'),
    clock,
    log,
    settings: () => live.current.calls,
    shared: store.isShared ? { store, replicas } : undefined,
  });
  results.open();
  closing.push(() => results.close());
  const spool = new Spool({ dataDir, clock });
  await spool.open();
  closing.push(() => spool.close());
  const privateHosts = () => live.current.access.privateHosts;
  const config = () => live.current;
  const signIns = { store, sealer: vault, replicas, audit, config, address: () => urlOf(listener) };
  const { connect } = live.current;
  const homes = new AgentHomes({ dataDir, log });
  await homes.open();
  closing.push(() => homes.close());
  // The current folder may be a stranger's, with modules and settings that a program finds before its own.
  const folder = live.file === null ? dataDir : dirname(live.file);
  const downstream = new Downstream({ connect, privateHosts, store, clock, log, env, folder, spool, signIns });
  closing.push(() => downstream.close());
  await downstream.signIns?.open();
  const agentProgram = () => allowedAgent(live.current.optimize, { downstream, homes, env, clock });
  const approvesNew = () => live.current.access.approveNew;
  const upgrades = () => live.current.access.upgrades;
  const listsUnknown = options.listen !== undefined;
  const settings = { listsUnknown, approvesNew, upgrades, ownNames: reservedNames };
  const catalog = new Catalog({ store, downstream, replicas, clock, log, ...settings });
  closing.push(auditPins(catalog.pins, audit));
  await catalog.open();
  closing.push(() => catalog.close());
  const extra = options.extraServers ?? {};
  const secrets = (name: string) => book.find(name);
  const registry = new Registry(live, { store, downstream, catalog, clock, log, env, secrets, extra });
  await registry.open();
  closing.push(() => registry.close());
  const trials = new ServerTrials({ downstream, catalog, clock, replica: replicas.own });
  return { results, downstream, agentProgram, catalog, registry, trials };
}

/** Who may do what: projects, tokens, and what a person has to be asked for. */
async function buildAccess(
  { options, clock, log, live, listener, closing }: Ground,
  { store, audit, replicas }: Records,
  registry: Registry,
  files: FileTokens,
) {
  const config = () => live.current;
  const places = () => live.places.projects;
  const projects = new Projects({ store, clock, log, config, places, specs: () => registry.specs });
  await projects.open();
  closing.push(live.changed.on(() => projects.configChanged()));
  const issuer = new IssuerAccess({
    config,
    address: () => urlOf(listener),
    isOptimizing: () => isOptimizing(options, live),
    clock,
    log,
  });
  const cacheMs = () => live.current.access.cacheMs;
  const access = new AccessControl({ store, files, projects, issuer, cacheMs, replica: replicas.own, clock, log });
  await access.open();
  closing.push(() => access.close());
  const approvals = new Approvals({
    store,
    audit,
    clock,
    log,
    settings: () => live.current.access,
    replicas,
  });
  await approvals.open();
  closing.push(() => approvals.close());
  return { projects, access, approvals };
}

function urlOf(listener: HttpListener | undefined): string | null {
  return listener?.url ?? null;
}

function factsOf({ options, clock, live, listener }: Ground, metrics: CallMetrics): () => GatewayFacts {
  const startedAt = clock.now();
  const disk = new DiskWatch([options.dataDir, dirname(live.current.store.path ?? options.dataDir)], clock);
  return () => ({
    version,
    pid: process.pid,
    url: urlOf(listener),
    hasFixedPort: listener?.hasFixedPort ?? true,
    startedAt: new Date(startedAt).toISOString(),
    dataDir: options.dataDir,
    command: `${commandAnywhere()}${dataOptionOf(options)}`,
    configFile: live.file,
    configProblem: live.problem,
    configWarnings: live.warnings,
    diskProblem: disk.problem,
    recordsProblem: metrics.recordsProblem,
    isAuthOff: listener !== undefined && asksNobody(options, listener, live.current),
    isOptimizing: isOptimizing(options, live),
    issuer: issuerOf(live.current),
  });
}

/** Where agents have to bring tokens of somebody else. */
function issuerOf({ access: { auth, oauth } }: Config): string | null {
  return auth === 'oauth' && !oauth.keepTokens ? oauth.issuer : null;
}

/** True if requests need no token: by a flag at the start, or by the config where only this machine can connect. */
function asksNobody({ listen }: GatewayOptions, { isLoopback }: HttpListener, config: Config): boolean {
  return listen?.isAuthOff === true || (config.access.auth === 'none' && isLoopback);
}

function openDoor(
  options: GatewayOptions,
  listener: HttpListener,
  context: AdminContext,
  closing: (() => unknown)[],
): void {
  const authenticate = (token: string, origin: TokenOrigin) => context.access.admit(token, origin);
  // Read at every request, because the config may change.
  const isOpen = () => asksNobody(options, listener, context.config());
  const door = new Door({
    listener,
    context,
    dashboardDir: options.dashboardDir,
    get authenticate() {
      return isOpen() ? null : authenticate;
    },
    api: apiHandler(context),
    events: context.events,
    metricsPage: (figures) => metricsPage(context, figures),
    ownerTools: () => optimizerTools(context.optimizer),
    jobs: context.optimizer.jobs,
    clock: context.clock,
    log: options.log,
    isReady: () => context.about().diskProblem === null && (isOpen() || !context.access.isOutdated),
    agents: context.agents,
    telemetry: context.telemetry,
    replicas: context.replicas,
    onSessionEnd: (id) => context.approvals.endSession(id),
    onAgents: options.onAgents,
  });
  closing.push(() => door.close());
  context.telemetry.useMetrics(() => otlpMetrics(context, door.figures));
  door.open();
}

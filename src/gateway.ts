/** The composition root: builds every layer in the order of the flow and closes them in reverse. It holds no behaviour. */

import { join } from 'node:path';
import { TokenBook } from './access/access.ts';
import { type Admin, type AdminContext, apiHandler, type GatewayFacts, localAdmin } from './admin/admin.ts';
import { type Clock, systemClock } from './base/clock.ts';
import { GatewayError } from './base/errors.ts';
import type { JsonObject } from './base/json.ts';
import type { Log } from './base/log.ts';
import { version } from './base/version.ts';
import { Caller, type CallerOptions } from './caller/caller.ts';
import { Catalog, Registry } from './catalog/catalog.ts';
import { type Config, LiveConfig } from './config/config.ts';
import { Door, isLoopback } from './door/door.ts';
import { Downstream } from './downstream/downstream.ts';
import { CallBook, DisclosureBook } from './metrics/metrics.ts';
import { ResultShelf, Spool } from './results/results.ts';
import { Sandbox } from './sandbox/sandbox.ts';
import { ToolSearch } from './search/search.ts';
import { acquireDataLock, createSqliteStore, type DataLock, type LockHolder } from './store/store.ts';

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
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
  /** Told whenever the number of agents may have changed. */
  readonly onAgents?: ((count: number) => void) | undefined;
}

/** Another gateway has the data folder; `holder` says which. */
export class DataTakenError extends GatewayError {
  readonly holder: LockHolder;

  constructor(dataDir: string, holder: LockHolder) {
    const where = holder.url === null ? 'which is just starting' : `at ${holder.url}`;
    super('DATA_LOCKED', `A gateway is already running on ${dataDir}: process ${holder.pid}, ${where}.`, {
      hint: `Use that one, end it (kill ${holder.pid}), or choose another folder with --data.`,
    });
    this.holder = holder;
  }
}

export class Gateway {
  readonly tokens: TokenBook;
  readonly admin: Admin;
  readonly #context: AdminContext;
  readonly #close: () => Promise<void>;

  constructor(context: AdminContext, tokens: TokenBook, close: () => Promise<void>) {
    this.#context = context;
    this.#close = close;
    this.tokens = tokens;
    this.admin = localAdmin(context);
  }

  get facts(): GatewayFacts {
    return this.#context.about();
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
    const tokens = await TokenBook.open(options.dataDir);
    const config = await LiveConfig.load(
      { path: options.configPath, cwd: options.cwd, dataDir: options.dataDir, env: options.env },
      clock,
      options.log,
    );
    closing.push(() => config.close());
    const address: Address = { url: null };
    const context = await buildLayers(options, clock, config, address, closing);
    if (options.listen) {
      address.url = await openDoor(options, options.listen, context, tokens, closing);
      await lock.update(address);
    }
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

/** Known only once the door is open, which is last. */
interface Address {
  url: string | null;
}

async function takeFolder(options: GatewayOptions, clock: Clock): Promise<DataLock> {
  const describe = { pid: process.pid, startedAt: clock.now(), url: null, version };
  const result = await acquireDataLock({ dataDir: options.dataDir, clock, describe });
  if (result.kind === 'other') throw new DataTakenError(options.dataDir, result.holder);
  return result.lock;
}

async function buildLayers(
  options: GatewayOptions,
  clock: Clock,
  live: LiveConfig,
  address: Address,
  closing: (() => unknown)[],
): Promise<AdminContext> {
  const { log, env } = options;
  const store = createSqliteStore({ file: live.current.store.path, clock, log });
  await store.open();
  closing.push(() => store.close());
  const metrics = new CallBook({ store, clock, log, retentionDays: () => live.current.metrics.retentionDays });
  await metrics.open();
  closing.push(() => metrics.close());
  const disclosure = new DisclosureBook({ store, clock, log });
  closing.push(() => disclosure.close());
  const results = new ResultShelf({
    folder: join(options.dataDir, 'results'),
    clock,
    log,
    settings: () => live.current.calls,
  });
  results.open();
  closing.push(() => results.close());
  const spool = new Spool({ dataDir: options.dataDir, clock });
  await spool.open();
  closing.push(() => spool.close());
  const downstream = new Downstream({ connect: live.current.connect, store, clock, log, env, spool });
  closing.push(() => downstream.close());
  const catalog = new Catalog({ store, downstream, clock, log, listsUnknown: options.listen !== undefined });
  await catalog.open();
  closing.push(() => catalog.close());
  const extra = options.extraServers ?? {};
  const registry = new Registry(live, { store, downstream, catalog, clock, log, env, extra });
  await registry.open();
  closing.push(() => registry.close());
  const config = () => live.current;
  const search = new ToolSearch({ catalog, store, config, env, clock, log });
  closing.push(() => search.close());
  void search.prepare();
  const onVerdict: CallerOptions['onVerdict'] = (session, key, verdict) => search.credit(session, key, verdict);
  const caller = new Caller({ downstream, results, metrics, config, clock, log, onVerdict });
  closing.push(() => caller.close());
  const sandbox = new Sandbox({ clock, log });
  closing.push(() => sandbox.close());
  const about = factsOf(options, clock.now(), live, address);
  return {
    catalog,
    registry,
    downstream,
    caller,
    metrics,
    disclosure,
    results,
    search,
    sandbox,
    store,
    clock,
    config,
    about,
  };
}

function factsOf(options: GatewayOptions, startedAt: number, live: LiveConfig, address: Address): () => GatewayFacts {
  return () => ({
    version,
    pid: process.pid,
    url: address.url,
    startedAt: new Date(startedAt).toISOString(),
    dataDir: options.dataDir,
    configFile: live.file,
    configProblem: live.problem,
    configWarnings: live.warnings,
    isAuthOff: options.listen !== undefined && asksNobody(options.listen, live.current),
  });
}

/** Whether requests need no token: asked for at the start, or by the config where only this machine can come in. */
function asksNobody(listen: ListenOptions, config: Config): boolean {
  return listen.isAuthOff || (config.access.auth === 'none' && isLoopback(listen.host));
}

async function openDoor(
  options: GatewayOptions,
  listen: ListenOptions,
  context: AdminContext,
  tokens: TokenBook,
  closing: (() => unknown)[],
): Promise<string> {
  const authenticate = (token: string) => tokens.authenticate(token);
  const door = new Door({
    ...listen,
    context,
    // Read at every request, because the config may change.
    get authenticate() {
      return asksNobody(listen, context.config()) ? null : authenticate;
    },
    api: apiHandler(context),
    clock: context.clock,
    log: options.log,
    onAgents: options.onAgents,
  });
  closing.push(() => door.close());
  return door.open();
}

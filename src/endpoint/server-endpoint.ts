/** One server re-exposed: its tools under public names, or (plain) exactly as the server has them. */

import { authorize, mayHideTools, type Principal } from '../access/access.ts';
import { sleep } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { implementation } from '../base/own-program.ts';
import { type AgentSide, troubleResult } from '../caller/caller.ts';
import { canonicalOf, type Entry, readingMark, type ServerEntry } from '../catalog/catalog.ts';
import { limits } from '../config/config.ts';
import { OfferedNames, Offers, OwnResults, offerMethods, Subscriptions } from '../offers/offers.ts';
import { type Result, RpcError, rpcCodes } from '../protocol/messages.ts';
import {
  type AdviceLayer,
  type CallOptions,
  canSee,
  type EndpointRequest,
  executeCall,
  isVisible,
  layersAt,
  makeAdvisor,
  NameTable,
  refuseCursor,
  type Uses,
  unknownTool,
} from '../tools/tools.ts';
import type { Endpoint, EndpointChange, EndpointInfo } from './endpoint.ts';
import { EndpointChanges } from './endpoint-changes.ts';
import { auditRequest } from './record-request.ts';
import { type ListMarks, marksForServer } from './tool-lists.ts';

/** No tool at this door is ours. */
const noTools = new Map<string, never>();

/** The names of one listing's tools: the server's own, and those that carry its name. */
interface ServerNames {
  readonly entry: ServerEntry;
  readonly separator: string;
  readonly own: ReadonlyMap<string, Entry>;
  readonly open: NameTable<Entry>;
}

type ServerLayer = AdviceLayer | 'caller' | 'audit' | 'results' | 'clock';

export class ServerEndpoint implements Endpoint {
  readonly methods: ReadonlySet<string> = new Set(['tools/list', 'tools/call', ...offerMethods]);
  readonly #layers: Uses<ServerLayer>;
  readonly #server: string;
  readonly #isPlain: boolean;
  readonly #callOptionsFor: (principal: Principal) => CallOptions;
  readonly #offers: Offers;
  readonly #subscriptions: Subscriptions;
  readonly #changes: EndpointChanges;
  #names: ServerNames | undefined;

  constructor(layers: Uses<ServerLayer>, server: string, isPlain: boolean) {
    this.#layers = layers;
    this.#server = server;
    this.#isPlain = isPlain;
    const options = { way: 'server', reader: 'server', onlyServer: server } as const;
    this.#callOptionsFor = (principal) =>
      isPlain
        ? { way: 'plain', reader: 'server', advisor: null }
        : {
            ...options,
            advisor: makeAdvisor(layers, { ...options, nameOf: (key) => this.#publicName(key, principal) }),
          };
    this.#offers = this.#offersOf(layers, (principal) => [this.#entry(principal)]);
    this.#subscriptions = new Subscriptions(layers.downstream, this.#offers, (update) =>
      this.#changes.tellUpdate(update),
    );
    this.#changes = new EndpointChanges(layers, {
      marksOf: (state, principal) => this.#marksAt(layersAt(layers, state), principal),
    });
  }

  listen(principal: Principal, hear: (change: EndpointChange) => void): () => void {
    return this.#changes.listen(principal, hear);
  }

  async describe(principal: Principal): Promise<EndpointInfo> {
    await this.#known(principal);
    const { capabilities, instructions, serverInfo } = this.#entry(principal);
    const { resources } = capabilities;
    const canSubscribe = isObject(resources) && resources.subscribe === true;
    const offered = Object.fromEntries(
      Object.entries({
        tools: { listChanged: true },
        resources: { ...(canSubscribe && { subscribe: true }), listChanged: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {},
      }).filter(([name]) => capabilities[name] !== undefined),
    );
    // Large results are resources of ours, also where the server has none; their ids can be completed.
    const own = this.#isPlain ? {} : { resources: { listChanged: true }, completions: {} };
    return {
      serverInfo: this.#isPlain && serverInfo ? serverInfo : implementation,
      capabilities: { ...own, ...offered, tools: { listChanged: true } },
      instructions: instructions === '' ? undefined : instructions,
    };
  }

  handle(request: EndpointRequest): Promise<Result> {
    return auditRequest(this.#layers, request, noTools, () => this.#answer(request));
  }

  async #answer(request: EndpointRequest): Promise<Result> {
    if (request.method === 'tools/list') return this.#listTools(request);
    if (request.method === 'tools/call') return this.#callTool(request);
    if (request.method.endsWith('/list')) await this.#known(request.principal);
    return this.#offers.handle(request);
  }

  findTool(name: string, principal: Principal): Readonly<Record<string, unknown>> | undefined {
    return this.#find(name, principal)?.definition;
  }

  subscribe(uri: string, principal: Principal, agent: AgentSide): Promise<void> {
    return this.#subscriptions.add(uri, principal, agent);
  }

  unsubscribe(uri: string, principal: Principal, session?: string): Promise<void> {
    return this.#subscriptions.remove(uri, principal, session);
  }

  close(): void {
    this.#changes.close();
    this.#subscriptions.close();
  }

  #offersOf(layers: Uses<ServerLayer>, serversFor: (principal: Principal) => readonly ServerEntry[]): Offers {
    const namesFor = (principal: Principal) =>
      new OfferedNames({ servers: () => serversFor(principal), isPlain: this.#isPlain, config: layers.config });
    return new Offers(layers, namesFor, this.#isPlain ? undefined : new OwnResults(layers));
  }

  /** Marks of the lists that this door showed; empty while its server was not there. */
  #marksAt(layers: Uses<ServerLayer>, principal: Principal): ListMarks {
    const { snapshot } = layers.catalog;
    const entry = snapshot.servers.get(this.#server);
    const isThere = entry !== undefined && isVisible(entry, principal);
    const tools = isThere ? entry.tools.filter((tool) => canSee(snapshot, principal, tool)) : [];
    const table = new NameTable(tools, layers.config().names.separator);
    const readingOf = (tool: Entry) =>
      this.#isPlain ? [tool.name, tool.fingerprint] : [table.nameOf(tool), readingMark(tool)];
    return marksForServer(
      tools,
      readingOf,
      this.#offersOf(layers, () => (isThere ? [entry] : [])),
      principal,
    );
  }

  /** One that is switched off, or not for this principal, reads like one that is not there. */
  #entry(principal: Principal): ServerEntry {
    const entry = this.#layers.catalog.snapshot.servers.get(this.#server);
    if (entry && isVisible(entry, principal)) return entry;
    throw new GatewayError('SERVER_NOT_FOUND', `There is no server "${this.#server}".`);
  }

  /** A server that was never listed is listed now, and waited for: this door has nothing else to show. */
  async #known(principal: Principal): Promise<void> {
    if (this.#entry(principal).listedAt !== null) return;
    const patience = new AbortController();
    // Its state says why it could not be listed; the list is then empty.
    const listing = this.#layers.catalog.refresh(this.#server).catch(() => {});
    const waiting = sleep(this.#layers.clock, limits.firstListWaitMs, patience.signal).catch(() => {});
    await Promise.race([listing, waiting]);
    patience.abort();
  }

  #tools(principal: Principal): Entry[] {
    const { snapshot } = this.#layers.catalog;
    return this.#entry(principal).tools.filter((tool) => canSee(snapshot, principal, tool));
  }

  /** Made once for each listing: this is on the path of every call. */
  #table(principal: Principal): ServerNames {
    const entry = this.#entry(principal);
    const { separator } = this.#layers.config().names;
    if (this.#names?.entry !== entry || this.#names.separator !== separator) {
      const own = new Map(entry.tools.map((tool) => [tool.name, tool]));
      this.#names = { entry, separator, own, open: new NameTable(entry.tools, separator) };
    }
    return this.#names;
  }

  /** Where two tools want one name, only those that the principal can see decide: another name would tell of the others. */
  #openNames(principal: Principal): NameTable<Entry> {
    const { open, separator } = this.#table(principal);
    return open.hasClashes ? new NameTable(this.#tools(principal), separator) : open;
  }

  #publicName(toolKey: string, principal: Principal): string {
    const tool = this.#layers.catalog.snapshot.tools.get(toolKey);
    return tool ? this.#nameOf(tool, principal) : toolKey;
  }

  #nameOf(tool: Entry, principal: Principal): string {
    return this.#isPlain ? tool.name : this.#openNames(principal).nameOf(tool);
  }

  /** The server's own name is understood too: here it cannot mean anything else. */
  #find(name: string, principal: Principal): Entry | undefined {
    const { own } = this.#table(principal);
    const tool = (this.#isPlain ? undefined : this.#openNames(principal).find(name)) ?? own.get(name);
    return tool && canSee(this.#layers.catalog.snapshot, principal, tool) ? tool : undefined;
  }

  async #listTools({ params, principal }: EndpointRequest): Promise<Result> {
    if (!this.#isPlain) refuseCursor(params);
    await this.#known(principal);
    const tools = this.#tools(principal);
    if (this.#isPlain) return { tools: tools.map(canonicalOf) };
    const names = this.#openNames(principal);
    return { tools: tools.map((tool) => ({ ...tool.definition, name: names.nameOf(tool) })) };
  }

  async #callTool(request: EndpointRequest): Promise<Result> {
    const { params, principal, agent } = request;
    const name = params.name;
    if (typeof name !== 'string') throw new RpcError(rpcCodes.invalidParams, 'The parameter "name" must be a text.');
    // A tool that was never listed was never scanned.
    await this.#known(principal);
    const found = this.#find(name, principal);
    try {
      const entry = found ?? (this.#isPlain ? this.#unlisted(name, principal) : undefined);
      if (!entry) throw this.#unknown(name, principal);
      return await executeCall(this.#layers, entry, params, { principal, agent }, this.#callOptionsFor(principal));
    } catch (error) {
      if (error instanceof GatewayError && error.code !== 'CANCELLED')
        return troubleResult(error, { reader: 'server' });
      throw error;
    }
  }

  #unknown(name: string, principal: Principal): GatewayError {
    const tools = this.#tools(principal);
    // Suggest names in the form that the agent wrote.
    const isOwn = !name.startsWith(`${this.#server}${this.#layers.config().names.separator}`);
    const names = tools.map((tool) => (isOwn ? tool.name : this.#nameOf(tool, principal)));
    return unknownTool(name, names, ` on server "${this.#server}"`);
  }

  /** A tool that its server no longer lists may be one that was rejected; with `approveNew` every unlisted tool is new. */
  #isUnapproved(name: string): boolean {
    const { catalog, config } = this.#layers;
    return config().access.approveNew || catalog.pins.isWaiting(this.#server, name);
  }

  /**
   * A transparent door lets the server itself say that it has no such tool. Where the owner hid some of its tools, the answer is
   * ours for every name: else the server's own words would tell which there are.
   */
  #unlisted(name: string, principal: Principal): Entry {
    const { spec, heldTools } = this.#entry(principal);
    const isHiding = mayHideTools(principal, spec) || heldTools.size > 0 || this.#isUnapproved(name);
    if (isHiding || authorize(principal, spec, name) === 'deny') throw this.#unknown(name, principal);
    return {
      key: `${this.#server}:${name}`,
      server: this.#server,
      name,
      serverName: name,
      definition: {},
      fingerprint: '',
    };
  }
}

/** The agent door: all servers at once, on the surface that fits and under public names, with instructions for it; and the tokens that its start costs. */

import type { Principal } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import { aboutTokens } from '../base/estimate-tokens.ts';
import { isObject } from '../base/json.ts';
import { implementation } from '../base/own-program.ts';
import { type AgentSide, RequestTrace, troubleResult } from '../caller/caller.ts';
import type { Entry, Snapshot } from '../catalog/catalog.ts';
import { limits, type SurfaceName } from '../config/config.ts';
import {
  givenArguments,
  listMetaTools,
  type MetaTool,
  metaToolsByName,
  runMetaTool,
} from '../meta-tools/meta-tools.ts';
import {
  type DoorView,
  OfferedNames,
  Offers,
  type OwnLayer,
  OwnOffers,
  OwnSubscriptions,
  offerMethods,
  Subscriptions,
} from '../offers/offers.ts';
import { type Result, RpcError, rpcCodes } from '../protocol/messages.ts';
import {
  type AdviceLayer,
  answer,
  awaitListing,
  type CallOptions,
  canSee,
  chooseSurface,
  discoveryOff,
  type EndpointRequest,
  executeCall,
  identityOf,
  isDiscoveryOff,
  isThere,
  type LayerName,
  layersAt,
  makeAdvisor,
  NameTable,
  namedServers,
  readerOf,
  refuseCursor,
  remembered,
  rightsOf,
  type ShownSurface,
  toolNames,
  type Uses,
  unknownTool,
  type ViewState,
  visibleServers,
  visibleTools,
} from '../tools/tools.ts';
import type { Endpoint, EndpointChange, EndpointInfo } from './endpoint.ts';
import { EndpointChanges } from './endpoint-changes.ts';
import { auditRequest, noteDirectCall, noteList, noteMetaTool, shownTokens } from './record-request.ts';
import { listDirectly, marksForAgent } from './tool-lists.ts';

export class AgentEndpoint implements Endpoint {
  readonly methods: ReadonlySet<string> = new Set(['tools/list', 'tools/call', ...offerMethods]);
  readonly #layers: Uses<LayerName>;
  readonly #asked: SurfaceName | undefined;
  readonly #view: AgentView;
  /** The same view at states that are compared. */
  readonly #viewsThen = new WeakMap<ViewState, AgentView>();
  /** How tools are called by their public names where these are not listed, by surface; `tool_execute` has options of its own. */
  readonly #callOptions: Readonly<Record<Exclude<ShownSurface, 'direct'>, CallOptions>>;
  readonly #offers: Offers;
  readonly #subscriptions: Subscriptions;
  readonly #ownSubscriptions: OwnSubscriptions;
  readonly #changes: EndpointChanges;

  /** `asked` is the surface that the URL names, if it does. */
  constructor(layers: Uses<LayerName>, asked: SurfaceName | undefined) {
    this.#layers = layers;
    this.#asked = asked;
    this.#view = new AgentView(layers, asked);
    // These agents have no name for another tool in their list: they call it by its key.
    this.#callOptions = {
      search: callOptionsOn(layers, 'search', undefined),
      code: callOptionsOn(layers, 'code', undefined),
      full: callOptionsOn(layers, 'full', undefined),
    };
    this.#offers = offersAt(this.#view);
    this.#changes = new EndpointChanges(layers, {
      marksOf: (state, principal) => {
        const view = this.#viewAt(state);
        return marksForAgent(view, offersAt(view), principal);
      },
      onLook: (state) => this.#ownSubscriptions.look(state),
    });
    const source = {
      viewState: () => this.#changes.viewState(),
      doorAt: (state: ViewState) => this.#viewAt(state),
      renew: (principal: Principal) => layers.access.renew(principal),
    };
    this.#ownSubscriptions = new OwnSubscriptions(source, ({ uri, session, principal }) =>
      this.#changes.tell({ kind: 'resource', params: { uri }, session }, new Set([identityOf(principal)])),
    );
    this.#subscriptions = new Subscriptions(layers.downstream, this.#offers, (update) =>
      this.#changes.tellUpdate(update),
    );
  }

  listen(principal: Principal, hear: (change: EndpointChange) => void): () => void {
    return this.#changes.listen(principal, hear);
  }

  async describe(principal: Principal): Promise<EndpointInfo> {
    await this.#layers.catalog.settle(limits.listWaitMs);
    return {
      serverInfo: implementation,
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {},
      },
      instructions: instructionsOn(this.#chosen(principal), this.#layers, principal),
    };
  }

  handle(request: EndpointRequest): Promise<Result> {
    return auditRequest(this.#layers, request, metaToolsByName, () => this.#answer(request));
  }

  async #answer(request: EndpointRequest): Promise<Result> {
    if (request.method === 'tools/call') return this.#callTool(request);
    if (request.method === 'tools/list') refuseCursor(request.params);
    if (request.method.endsWith('/list')) await this.#layers.catalog.settle(limits.listWaitMs);
    if (request.method === 'tools/list') return this.#listTools(request.principal);
    return this.#offers.handle(request);
  }

  findTool(name: string, principal: Principal): Readonly<Record<string, unknown>> | undefined {
    return this.#find(name, principal)?.definition;
  }

  subscribe(uri: string, principal: Principal, agent: AgentSide): Promise<void> {
    return this.#subscriptionsFor(uri).add(uri, principal, agent);
  }

  unsubscribe(uri: string, principal: Principal, session?: string): Promise<void> {
    return this.#subscriptionsFor(uri).remove(uri, principal, session);
  }

  #subscriptionsFor(uri: string): Subscriptions | OwnSubscriptions {
    return this.#ownSubscriptions.isOwn(uri) ? this.#ownSubscriptions : this.#subscriptions;
  }

  close(): void {
    this.#changes.close();
    this.#subscriptions.close();
  }

  #viewAt(state: ViewState): AgentView {
    const view = this.#viewsThen.get(state) ?? new AgentView(layersAt(this.#layers, state), this.#asked);
    this.#viewsThen.set(state, view);
    return view;
  }

  #chosen(principal: Principal): ShownSurface {
    return this.#view.surfaceOf(principal);
  }

  #callOptionsOn(surface: ShownSurface, principal: Principal): CallOptions {
    if (surface !== 'direct') return this.#callOptions[surface];
    return callOptionsOn(this.#layers, surface, (key) => this.#view.nameOf(key, principal));
  }

  #find(name: string, principal: Principal): Entry | undefined {
    const tool = this.#view.table(principal).find(name);
    return tool && canSee(this.#layers.catalog.snapshot, principal, tool) ? tool : undefined;
  }

  /** An agent may know a tool from before a start, while its server is being listed for the first time. */
  async #findLater(name: string, principal: Principal): Promise<Entry | undefined> {
    const { catalog, config } = this.#layers;
    await catalog.settle(limits.listWaitMs);
    // Its name says whose it is: that server is waited for, and no other.
    const { separator } = config().names;
    if (!this.#find(name, principal))
      await awaitListing(this.#layers, principal, (server) => name.startsWith(`${server}${separator}`));
    return this.#find(name, principal);
  }

  #listTools(principal: Principal): Result {
    const surface = this.#chosen(principal);
    const tools =
      surface === 'direct'
        ? listDirectly(
            this.#layers,
            this.#view.table(principal),
            visibleTools(this.#layers.catalog.snapshot, principal),
          )
        : listMetaTools(surface, this.#layers, principal);
    noteList(this.#layers, { principal, surface }, tools);
    return { tools };
  }

  /** A tool that the surface does not list is still answered when it is called by its name. */
  async #callTool(request: EndpointRequest): Promise<Result> {
    const { params, principal, agent } = request;
    const name = params.name;
    if (typeof name !== 'string') throw new RpcError(rpcCodes.invalidParams, 'The parameter "name" must be a text.');
    const metaTool = metaToolsByName.get(name);
    try {
      if (metaTool) return await this.#callMetaTool(metaTool, request);
      const entry = this.#find(name, principal) ?? (await this.#findLater(name, principal));
      if (!entry) throw this.#unknown(name, principal);
      const surface = this.#chosen(principal);
      noteDirectCall(this.#layers, { principal, surface }, params);
      return await executeCall(
        this.#layers,
        entry,
        params,
        { principal, agent },
        this.#callOptionsOn(surface, principal),
      );
    } catch (error) {
      if (!(error instanceof GatewayError) || error.code === 'CANCELLED') throw error;
      const surface = this.#chosen(principal);
      const result = troubleResult(error, { reader: readerOf(surface) });
      if (metaTool) noteMetaTool(this.#layers, { principal, surface }, { tool: metaTool, params, result });
      return result;
    }
  }

  async #callMetaTool(tool: MetaTool, request: EndpointRequest): Promise<Result> {
    const { params, principal, agent } = request;
    const args = params.arguments ?? {};
    if (!isObject(args))
      throw new GatewayError('ARGUMENTS_INVALID', `The arguments for "${tool.name}" must be an object.`);
    // Tools of a first listing that is under way should be found too.
    await this.#layers.catalog.settle(limits.listWaitMs);
    const own = tool.kind === 'execute' || tool.kind === 'describe' ? this.#ownToolAt(args, principal) : undefined;
    if (own && tool.kind === 'describe') return answer(this.#describeOwn(own, principal));
    // One that calls others is called by itself.
    if (own && own.kind !== 'execute')
      return this.#callMetaTool(own, { ...request, params: { ...params, arguments: givenArguments(args, tool.name) } });
    const surface = this.#chosen(principal);
    const result = await runMetaTool(tool, { layers: this.#layers, principal, agent, args, params, surface });
    noteMetaTool(this.#layers, { principal, surface }, { tool, params, result });
    return result;
  }

  /** Tools of ours are called and described by a key or by their names as well, where no server has that tool. */
  #ownToolAt({ toolKey, server, tool }: Readonly<Record<string, unknown>>, principal: Principal): MetaTool | undefined {
    const key = typeof server === 'string' && typeof tool === 'string' ? `${server}:${tool}` : toolKey;
    const own = [...metaToolsByName.values()].find((item) => key === ownKey(item) || key === item.name);
    const { snapshot } = this.#layers.catalog;
    if (!own || isThere(snapshot, principal, ownKey(own))) return undefined;
    return key === own.name && toolNames(snapshot, principal).named(own.name).length > 0 ? undefined : own;
  }

  #describeOwn(tool: MetaTool, principal: Principal): Record<string, unknown> {
    const head = { toolKey: ownKey(tool), toolName: tool.name, serverName: 'toolcrib' };
    return { ...head, definition: tool.define(this.#layers, principal, this.#chosen(principal)) };
  }

  #unknown(name: string, principal: Principal): GatewayError {
    const table = this.#view.table(principal);
    const names = visibleTools(this.#layers.catalog.snapshot, principal).map((tool) => table.nameOf(tool));
    return unknownTool(name, [...names, ...metaToolsByName.keys()]);
  }
}

/** `toolcrib:read_result`. */
function ownKey({ name }: MetaTool): string {
  return `toolcrib:${name}`;
}

function offersAt(view: AgentView): Offers {
  return new Offers(view.layers, (principal) => view.namesFor(principal), new OwnOffers(view));
}

function callOptionsOn(
  layers: Uses<AdviceLayer>,
  surface: ShownSurface,
  nameOf: ((key: string) => string) | undefined,
): CallOptions {
  const options = { way: 'direct', reader: readerOf(surface) } as const;
  return { ...options, advisor: makeAdvisor(layers, { ...options, nameOf }) };
}

type Grounds = Uses<'catalog' | 'config'>;

export function instructionsOn(surface: ShownSurface, grounds: Grounds, principal: Principal): string {
  if (surface === 'direct') return directInstructions(grounds, principal);
  const isOff = isDiscoveryOff(principal);
  if (surface === 'code') return `${opening} ${isOff ? knownInPrograms : inPrograms}`;
  return [opening, isOff ? knownByKey : byKey, ...(grounds.config().chains.enabled ? [several] : []), recovery].join(
    ' ',
  );
}

const opening = 'This gateway gives you the tools of many MCP servers without listing them.';
const byKey =
  'Find one with tool_discovery (say what you need, one need per query) and call it with tool_execute, by its toolKey.';
const knownByKey = `${discoveryOff.notice} Call tools that you know with tool_execute, by their toolKeys.`;
const knownInPrograms = `${discoveryOff.notice} Call tools that you know in a program with call_tool_chain and return only what matters.`;
const several = 'For several calls, loops or large data use one call_tool_chain.';
const recovery = 'If a call fails, its answer says under STEPS what to do.';
const inPrograms =
  'Find what you need with tool_discovery, one need per query, then call the tools in a program with call_tool_chain and return only what matters.';

/** Agents that defer tools choose by this text what to search their list for. */
function directInstructions(grounds: Grounds, principal: Principal): string {
  // Not by category: the text must not wait for the model that judges them, nor change once it has.
  const what = namedServers(grounds, principal);
  if (what === null) return 'The tools of MCP servers are listed here as soon as one is connected.';
  const { separator } = grounds.config().names;
  return `${what}. Each tool is named SERVER${separator}TOOL. Not all of them may be loaded: search your tools by what you need, or by a server named here.`;
}

interface Names {
  readonly snapshot: Snapshot;
  readonly separator: string;
  /** Of all tools. */
  readonly all: NameTable<Entry>;
  /** Of what one can see, where two tools want one name. */
  readonly byRights: Map<string, NameTable<Entry>>;
}

export class AgentView implements DoorView {
  readonly layers: Uses<OwnLayer | 'caller'>;
  readonly #asked: SurfaceName | undefined;
  /** Public names of the snapshot they were made from. */
  #names: Names | undefined;

  /** `asked`: the surface that the URL names, if it does. */
  constructor(layers: Uses<OwnLayer | 'caller'>, asked: SurfaceName | undefined) {
    this.layers = layers;
    this.#asked = asked;
  }

  namesFor(principal: Principal): OfferedNames {
    const { catalog, config } = this.layers;
    return new OfferedNames({ servers: () => visibleServers(catalog.snapshot, principal), isPlain: false, config });
  }

  surfaceOf(principal: Principal): ShownSurface {
    return chooseSurface(this.#asked, this.layers, principal).surface;
  }

  /**
   * The same names for every viewer, unless two tools want one name: then each differs only from those that the viewer
   * can see, because any other name would reveal a hidden tool.
   */
  table(principal: Principal): NameTable<Entry> {
    const names = this.#allNames();
    if (!names.all.hasClashes) return names.all;
    const { snapshot, separator, byRights } = names;
    const make = () => new NameTable(visibleTools(snapshot, principal), separator);
    return remembered(byRights, rightsOf(principal), make);
  }

  nameOf(toolKey: string, principal: Principal): string {
    const tool = this.layers.catalog.snapshot.tools.get(toolKey);
    return tool ? this.table(principal).nameOf(tool) : toolKey;
  }

  #allNames(): Names {
    const { snapshot } = this.layers.catalog;
    const { separator } = this.layers.config().names;
    if (this.#names?.snapshot !== snapshot || this.#names.separator !== separator) {
      const all = new NameTable(snapshot.tools.values(), separator);
      this.#names = { snapshot, separator, all, byRights: new Map() };
    }
    return this.#names;
  }
}

interface StartTokens {
  readonly list: number;
  readonly instructions: number;
}

type StartBySurface = Readonly<Record<ShownSurface, StartTokens>>;

export async function measureStart(layers: Uses<LayerName>, principal: Principal): Promise<StartBySurface> {
  // Nobody is shown anything here, and nobody asked for it: the gateway looks at itself.
  const audit = { record: async () => {}, recordRepeated: async () => {} };
  const unnoted = { ...layers, disclosure: { note: () => {} }, audit };
  const on = (surface: ShownSurface) => measureSurface(unnoted, surface, principal);
  const [search, direct, code, full] = await Promise.all([on('search'), on('direct'), on('code'), on('full')]);
  return { search, direct, code, full };
}

async function measureSurface(
  layers: Uses<LayerName>,
  surface: ShownSurface,
  principal: Principal,
): Promise<StartTokens> {
  const endpoint = new AgentEndpoint(layers, surface);
  try {
    const { tools } = await endpoint.handle({ method: 'tools/list', params: {}, principal, agent: nobody });
    const { instructions = '' } = await endpoint.describe(principal);
    const list = Array.isArray(tools) ? shownTokens(tools.filter(isObject)) : 0;
    return { list, instructions: aboutTokens(instructions) };
  } finally {
    endpoint.close();
  }
}

/** A list asks nothing of the agent. */
const nobody: AgentSide = {
  era: 'modern',
  capabilities: {},
  session: '',
  signal: new AbortController().signal,
  notify: () => {},
  trace: new RequestTrace(),
};

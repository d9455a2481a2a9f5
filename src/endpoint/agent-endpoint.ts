/** The agent door's content: all servers at once, on the surface that fits. */

import { isInProject, type Principal } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { Signal } from '../base/signal.ts';
import { implementation } from '../base/version.ts';
import { type AgentSide, fitResult, troubleResult } from '../caller/caller.ts';
import { type Entry, kindsChanged, type ServerEntry, type Snapshot } from '../catalog/catalog.ts';
import { limits } from '../config/config.ts';
import { type Result, RpcError, rpcCodes } from '../protocol/messages.ts';
import { makeAdvisor } from './advisor.ts';
import { executeCall, type Manner } from './call-tool.ts';
import type { Endpoint, EndpointChange, EndpointContext, EndpointInfo, EndpointRequest } from './endpoint.ts';
import { getToolAlternatives } from './meta-tools/get-tool-alternatives.ts';
import { getToolMetrics } from './meta-tools/get-tool-metrics.ts';
import { answer, type MetaTool } from './meta-tools/meta-tool.ts';
import { readResult } from './meta-tools/read-result.ts';
import { recommendTools } from './meta-tools/recommend-tools.ts';
import { resetToolMetrics } from './meta-tools/reset-tool-metrics.ts';
import { toolCapabilities } from './meta-tools/tool-capabilities.ts';
import { toolDiscovery } from './meta-tools/tool-discovery.ts';
import { givenArguments, toolExecute } from './meta-tools/tool-execute.ts';
import { toolInfoTool } from './meta-tools/tool-info.ts';
import { NameTable } from './naming.ts';
import { Offers, offerMethods } from './offers.ts';
import { readOwn, withOwn } from './own-results.ts';
import { Subscriptions } from './subscriptions.ts';
import { chooseSurface, type SurfaceChoice, type SurfaceName } from './surface.ts';
import { unknownTool } from './unknown-tool.ts';
import { canSee, isThere, isVisible, visibleTools } from './visible.ts';

/** In the order in which they are listed. */
const listedTools: readonly MetaTool[] = [toolDiscovery, toolExecute, toolCapabilities, toolInfoTool];
/** Answered when called, though an agent is not burdened with reading about them. */
const unlistedTools: readonly MetaTool[] = [
  recommendTools,
  getToolMetrics,
  getToolAlternatives,
  resetToolMetrics,
  readResult,
];
const metaToolsByName: ReadonlyMap<string, MetaTool> = new Map(
  [...listedTools, ...unlistedTools].map((tool) => [tool.name, tool]),
);

type Surface = SurfaceChoice['surface'];

const instructions = {
  search:
    'Many tools are available through this gateway. Find one with tool_discovery (say what you need), then call it with tool_execute.',
  direct: 'These tools come from several MCP servers; each name begins with the name of its server.',
};

export class AgentEndpoint implements Endpoint {
  readonly methods: ReadonlySet<string> = new Set(['tools/list', 'tools/call', ...offerMethods]);
  readonly changed = new Signal<EndpointChange>();
  readonly #context: EndpointContext;
  readonly #surface: SurfaceName;
  /** How tools are called by their public names, by the surface of the agent; `tool_execute` has a manner of its own. */
  readonly #manners: Readonly<Record<Surface, Manner>>;
  readonly #offers: Offers;
  readonly #subscriptions: Subscriptions;
  readonly #stop: () => void;
  /** Public names of the snapshot they were made from. */
  #names: { readonly snapshot: Snapshot; readonly separator: string; readonly table: NameTable<Entry> } | undefined;
  /** The surface of each principal by the snapshot it was chosen from: this is on the path of every call. */
  #choices: { readonly snapshot: Snapshot; readonly byPrincipal: Map<string, Surface> } | undefined;

  /** `project`: only its servers are there. */
  constructor(context: EndpointContext, surface: SurfaceName, project: string | undefined) {
    this.#context = context;
    this.#surface = surface;
    this.#manners = {
      // This agent has no name for another tool in its list: it calls it by its key.
      search: mannerOf(context, 'search', undefined),
      direct: mannerOf(context, 'direct', (key) => this.#publicName(key)),
    };
    const isHere = (server: ServerEntry) => isVisible(server, { project });
    this.#offers = new Offers(context, () => [...context.catalog.snapshot.servers.values()].filter(isHere), false);
    this.#subscriptions = new Subscriptions(context.downstream, this.#offers, ({ server, params, session }) => {
      const spec = context.catalog.snapshot.servers.get(server)?.spec;
      // One that now belongs to others is not heard of, whoever subscribed before; one that is just going may finish.
      if (!spec || isInProject({ project }, spec)) this.changed.emit({ kind: 'resource', params, session });
    });
    this.#stop = context.catalog.changed.on((changes) => {
      for (const kind of kindsChanged(changes, isHere)) this.changed.emit({ kind });
    });
  }

  async describe(principal: Principal): Promise<EndpointInfo> {
    await this.#context.catalog.settle(limits.listWaitMs);
    return {
      serverInfo: implementation,
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {},
      },
      instructions: instructions[this.#chosen(principal)],
    };
  }

  async handle(request: EndpointRequest): Promise<Result> {
    if (request.method === 'tools/call') return this.#callTool(request);
    if (request.method.endsWith('/list')) await this.#context.catalog.settle(limits.listWaitMs);
    if (request.method === 'tools/list') return this.#listTools(request.principal);
    return readOwn(this.#context, request) ?? withOwn(request, await this.#offers.handle(request));
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
    this.#stop();
    this.#subscriptions.close();
  }

  #chosen(principal: Principal): Surface {
    const { snapshot } = this.#context.catalog;
    if (this.#choices?.snapshot !== snapshot) this.#choices = { snapshot, byPrincipal: new Map() };
    const { byPrincipal } = this.#choices;
    const surface = byPrincipal.get(principal.id) ?? chooseSurface(this.#surface, snapshot, principal).surface;
    byPrincipal.set(principal.id, surface);
    return surface;
  }

  #table(): NameTable<Entry> {
    const { snapshot } = this.#context.catalog;
    const { separator } = this.#context.config().names;
    if (this.#names?.snapshot !== snapshot || this.#names.separator !== separator) {
      this.#names = { snapshot, separator, table: new NameTable(snapshot.tools.values(), separator) };
    }
    return this.#names.table;
  }

  #publicName(toolKey: string): string {
    const tool = this.#context.catalog.snapshot.tools.get(toolKey);
    return tool ? this.#table().nameOf(tool) : toolKey;
  }

  #find(name: string, principal: Principal): Entry | undefined {
    const tool = this.#table().find(name);
    return tool && canSee(this.#context.catalog.snapshot, principal, tool) ? tool : undefined;
  }

  /** An agent may know a tool from before a start, while its server is being listed for the first time. */
  async #findLater(name: string, principal: Principal): Promise<Entry | undefined> {
    await this.#context.catalog.settle(limits.listWaitMs);
    return this.#find(name, principal);
  }

  #listTools(principal: Principal): Result {
    if (this.#chosen(principal) === 'search')
      return { tools: listedTools.map((tool) => tool.define(this.#context, principal)) };
    const table = this.#table();
    const tools = visibleTools(this.#context.catalog.snapshot, principal);
    return { tools: tools.map((tool) => ({ ...tool.definition, name: table.nameOf(tool) })) };
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
      const manner = this.#manners[this.#chosen(principal)];
      return await executeCall(this.#context, entry, params, { principal, agent }, manner);
    } catch (error) {
      if (error instanceof GatewayError && error.code !== 'CANCELLED')
        return troubleResult(error, { reader: this.#chosen(principal) });
      throw error;
    }
  }

  async #callMetaTool(tool: MetaTool, request: EndpointRequest): Promise<Result> {
    const { params, principal, agent } = request;
    const args = params.arguments ?? {};
    if (!isObject(args))
      throw new GatewayError('ARGUMENTS_INVALID', `The arguments for "${tool.name}" must be an object.`);
    // What is being listed for the first time should be found too.
    await this.#context.catalog.settle(limits.listWaitMs);
    const own = tool === toolExecute || tool === toolInfoTool ? this.#ownToolAt(args, principal) : undefined;
    if (own && tool === toolInfoTool) return answer(this.#describeOwn(own, principal));
    if (own) return this.#callMetaTool(own, { ...request, params: { ...params, arguments: givenArguments(args) } });
    const result = await tool.run({ context: this.#context, principal, agent, args, params });
    return tool.isBounded ? result : this.#fit(tool, result, request);
  }

  /** A large answer of ours is kept and read on like one of a server. */
  #fit(tool: MetaTool, result: Result, { principal, agent }: EndpointRequest): Promise<Result> {
    return fitResult(result, this.#context.results, {
      principal: principal.id,
      toolKey: ownKey(tool),
      maxBytes: this.#context.config().calls.maxResultBytes,
      keepsStructured: false,
      canExecute: this.#chosen(principal) === 'search',
      knowsLinks: agent.knowsLinks === true,
    });
  }

  /** Tools of ours are called and described by a key as well, where no server has that tool. */
  #ownToolAt({ toolKey, server, tool }: Readonly<Record<string, unknown>>, principal: Principal): MetaTool | undefined {
    const key = typeof server === 'string' && typeof tool === 'string' ? `${server}:${tool}` : toolKey;
    const own = [...metaToolsByName.values()].find((item) => item !== toolExecute && key === ownKey(item));
    return own && !isThere(this.#context.catalog.snapshot, principal, ownKey(own)) ? own : undefined;
  }

  #describeOwn(tool: MetaTool, principal: Principal): Record<string, unknown> {
    const head = { toolKey: ownKey(tool), toolName: tool.name, serverName: 'toolcrib' };
    return { ...head, definition: tool.define(this.#context, principal) };
  }

  #unknown(name: string, principal: Principal): GatewayError {
    const table = this.#table();
    const names = visibleTools(this.#context.catalog.snapshot, principal).map((tool) => table.nameOf(tool));
    return unknownTool(name, [...names, ...metaToolsByName.keys()]);
  }
}

/** `toolcrib:read_result`. */
function ownKey({ name }: MetaTool): string {
  return `toolcrib:${name}`;
}

function mannerOf(context: EndpointContext, reader: Surface, nameOf: ((key: string) => string) | undefined): Manner {
  const place = { way: 'direct', reader } as const;
  return { ...place, advisor: makeAdvisor(context, { ...place, nameOf }) };
}

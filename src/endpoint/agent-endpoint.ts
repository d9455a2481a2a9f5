/** The agent door's content: all servers at once, on the surface that fits. */

import { isInProject, type Principal } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { nearest } from '../base/nearest.ts';
import { Signal } from '../base/signal.ts';
import { implementation } from '../base/version.ts';
import { type AgentSide, troubleResult } from '../caller/caller.ts';
import type { Entry, ServerEntry, Snapshot } from '../catalog/catalog.ts';
import { limits } from '../config/config.ts';
import { type Result, RpcError, rpcCodes } from '../protocol/messages.ts';
import { makeAdvisor } from './advisor.ts';
import { executeCall, type Manner } from './call-tool.ts';
import type { Endpoint, EndpointChange, EndpointContext, EndpointInfo, EndpointRequest } from './endpoint.ts';
import { getToolAlternatives } from './meta-tools/get-tool-alternatives.ts';
import { getToolMetrics } from './meta-tools/get-tool-metrics.ts';
import type { MetaTool } from './meta-tools/meta-tool.ts';
import { readResult } from './meta-tools/read-result.ts';
import { recommendTools } from './meta-tools/recommend-tools.ts';
import { resetToolMetrics } from './meta-tools/reset-tool-metrics.ts';
import { toolCapabilities } from './meta-tools/tool-capabilities.ts';
import { toolDiscovery } from './meta-tools/tool-discovery.ts';
import { toolExecute } from './meta-tools/tool-execute.ts';
import { toolInfoTool } from './meta-tools/tool-info.ts';
import { NameTable } from './naming.ts';
import { Offers, offerMethods } from './offers.ts';
import { readOwn, withOwn } from './own-results.ts';
import { Subscriptions } from './subscriptions.ts';
import { chooseSurface, type SurfaceName } from './surface.ts';
import { canSee, isVisible, visibleTools } from './visible.ts';

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
  /** How tools are called by their public names; by their keys, `tool_execute` has a manner of its own. */
  readonly #direct: Manner;
  readonly #offers: Offers;
  readonly #subscriptions: Subscriptions;
  readonly #stop: () => void;
  /** Public names of the snapshot they were made from. */
  #names: { readonly snapshot: Snapshot; readonly separator: string; readonly table: NameTable<Entry> } | undefined;

  /** `project`: only its servers are there. */
  constructor(context: EndpointContext, surface: SurfaceName, project: string | undefined) {
    this.#context = context;
    this.#surface = surface;
    const place = { way: 'direct', reader: 'direct' } as const;
    this.#direct = { ...place, advisor: makeAdvisor(context, { ...place, nameOf: (key) => this.#publicName(key) }) };
    const isHere = (server: ServerEntry) => isVisible(server, { project });
    this.#offers = new Offers(context, () => [...context.catalog.snapshot.servers.values()].filter(isHere), false);
    this.#subscriptions = new Subscriptions(context.downstream, this.#offers, (update) =>
      this.changed.emit({ kind: 'resource', ...update }),
    );
    this.#stop = context.catalog.changed.on((news) => {
      for (const [kind, servers] of news) {
        const isOurs = (name: string) => {
          const server = context.catalog.snapshot.servers.get(name);
          // One that is gone may have been here.
          return server === undefined || isInProject({ project }, server.spec);
        };
        if ([...servers].some(isOurs)) this.changed.emit({ kind });
      }
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

  #chosen(principal: Principal): 'search' | 'direct' {
    return chooseSurface(this.#surface, this.#context.catalog.snapshot, principal).surface;
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
      return await executeCall(this.#context, entry, params, { principal, agent }, this.#direct);
    } catch (error) {
      if (error instanceof GatewayError && error.code !== 'CANCELLED')
        return troubleResult(error, { reader: this.#chosen(principal) });
      throw error;
    }
  }

  async #callMetaTool(tool: MetaTool, request: EndpointRequest): Promise<Result> {
    const args = request.params.arguments ?? {};
    if (!isObject(args))
      throw new GatewayError('ARGUMENTS_INVALID', `The arguments for "${tool.name}" must be an object.`);
    const own = tool === toolExecute ? ownToolAt(args) : undefined;
    if (own) return this.#callMetaTool(own, { ...request, params: { ...request.params, arguments: args.arguments } });
    // What is being listed for the first time should be found too.
    await this.#context.catalog.settle(limits.listWaitMs);
    return tool.run({
      context: this.#context,
      principal: request.principal,
      agent: request.agent,
      args,
      params: request.params,
    });
  }

  #unknown(name: string, principal: Principal): GatewayError {
    const table = this.#table();
    const names = visibleTools(this.#context.catalog.snapshot, principal).map((tool) => table.nameOf(tool));
    const near = nearest(name, [...names, ...metaToolsByName.keys()]);
    const hint = near.length > 0 ? `Did you mean ${near.map((item) => `"${item}"`).join(' or ')}?` : undefined;
    return new GatewayError('TOOL_NOT_FOUND', `There is no tool "${name}".`, { hint, data: { nearest: near } });
  }
}

/** Tools of ours that an agent has no name for in its list are called by a key as well: `toolcrib:read_result`. */
function ownToolAt({ toolKey }: Readonly<Record<string, unknown>>): MetaTool | undefined {
  if (typeof toolKey !== 'string' || !toolKey.startsWith('toolcrib:')) return undefined;
  return unlistedTools.find((tool) => toolKey === `toolcrib:${tool.name}`);
}

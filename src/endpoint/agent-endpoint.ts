/** The agent door's content: all servers at once, on the surface that fits. */

import { isInProject, type Principal } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { Signal } from '../base/signal.ts';
import { implementation } from '../base/version.ts';
import { type AgentSide, fitResult, troubleResult } from '../caller/caller.ts';
import type { Entry, ServerEntry, Snapshot } from '../catalog/catalog.ts';
import { type Config, limits, type SurfaceName } from '../config/config.ts';
import { type Result, RpcError, rpcCodes } from '../protocol/messages.ts';
import { makeAdvisor } from './advisor.ts';
import { executeCall, type Manner } from './call-tool.ts';
import { listDirectly } from './direct-list.ts';
import type { Endpoint, EndpointChange, EndpointContext, EndpointInfo, EndpointRequest } from './endpoint.ts';
import { EndpointChanges, toldToAgents } from './endpoint-changes.ts';
import { instructionsOn } from './instructions.ts';
import { answer, type MetaTool } from './meta-tools/meta-tool.ts';
import { listMetaTools, metaToolsByName } from './meta-tools/meta-tools.ts';
import { callTool, getToolSchema } from './meta-tools/other-names.ts';
import { givenArguments, toolExecute } from './meta-tools/tool-execute.ts';
import { toolInfoTool } from './meta-tools/tool-info.ts';
import { NameTable } from './naming.ts';
import { noteDirectCall, noteList, noteMetaTool } from './note-disclosure.ts';
import { OfferedNames } from './offered-names.ts';
import { Offers, offerMethods } from './offers.ts';
import { OwnOffers } from './own/own-offers.ts';
import { OwnSubscriptions } from './own-subscriptions.ts';
import { refuseCursor } from './paging.ts';
import { Subscriptions } from './subscriptions.ts';
import { chooseSurface, readerOf, type ShownSurface } from './surface.ts';
import { unknownTool } from './unknown-tool.ts';
import { canSee, isThere, isVisible, visibleTools } from './visible.ts';

interface Choices {
  readonly snapshot: Snapshot;
  readonly config: Config;
  readonly byPrincipal: Map<string, ShownSurface>;
}

export class AgentEndpoint implements Endpoint {
  readonly methods: ReadonlySet<string> = new Set(['tools/list', 'tools/call', ...offerMethods]);
  readonly changed = new Signal<EndpointChange>();
  readonly #context: EndpointContext;
  /** What the URL asks for. */
  readonly #asked: SurfaceName | undefined;
  /** How tools are called by their public names, by the surface of the agent; `tool_execute` has a manner of its own. */
  readonly #manners: Readonly<Record<ShownSurface, Manner>>;
  readonly #offers: Offers;
  readonly #subscriptions: Subscriptions;
  readonly #ownSubscriptions: OwnSubscriptions;
  readonly #changes: EndpointChanges;
  /** Public names of the snapshot they were made from. */
  #names: { readonly snapshot: Snapshot; readonly separator: string; readonly table: NameTable<Entry> } | undefined;
  /** The surface of each principal by what it was chosen from: this is on the path of every call. */
  #choices: Choices | undefined;

  /** `asked` is the surface that the URL names, if it does; `project`: only its servers are there. */
  constructor(context: EndpointContext, asked: SurfaceName | undefined, project: string | undefined) {
    this.#context = context;
    this.#asked = asked;
    // These agents have no name for another tool in their list: they call it by its key.
    this.#manners = {
      search: mannerOf(context, 'search', undefined),
      code: mannerOf(context, 'code', undefined),
      full: mannerOf(context, 'full', undefined),
      direct: mannerOf(context, 'direct', (key) => this.#publicName(key)),
    };
    const isHere = (server: ServerEntry) => isVisible(server, { project });
    const servers = () => [...context.catalog.snapshot.servers.values()].filter(isHere);
    const names = new OfferedNames({ servers, isPlain: false, config: context.config });
    const surfaceOf = (principal: Principal) => this.#chosen(principal);
    const own = new OwnOffers({ context, names, surfaceOf, nameOf: (key) => this.#publicName(key) });
    this.#offers = new Offers(context, names, own);
    this.#subscriptions = new Subscriptions(context.downstream, this.#offers, ({ server, params, session }) => {
      const spec = context.catalog.snapshot.servers.get(server)?.spec;
      // One that now belongs to others is not heard of, whoever subscribed before; one that is just going may finish.
      if (!spec || isInProject({ project }, spec)) this.changed.emit({ kind: 'resource', params, session });
    });
    this.#ownSubscriptions = new OwnSubscriptions(context, (uri, session) =>
      this.changed.emit({ kind: 'resource', params: { uri }, session }),
    );
    const onLook = () => this.#ownSubscriptions.look();
    this.#changes = new EndpointChanges(context, { isHere, changed: this.changed, listsTold: toldToAgents, onLook });
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
      instructions: instructionsOn(this.#chosen(principal), this.#context, principal),
    };
  }

  async handle(request: EndpointRequest): Promise<Result> {
    if (request.method === 'tools/call') return this.#callTool(request);
    if (request.method === 'tools/list') refuseCursor(request.params);
    if (request.method.endsWith('/list')) await this.#context.catalog.settle(limits.listWaitMs);
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

  #chosen(principal: Principal): ShownSurface {
    const { snapshot } = this.#context.catalog;
    const config = this.#context.config();
    if (this.#choices?.snapshot !== snapshot || this.#choices.config !== config)
      this.#choices = { snapshot, config, byPrincipal: new Map() };
    const { byPrincipal } = this.#choices;
    const surface = byPrincipal.get(principal.id) ?? chooseSurface(this.#asked, this.#context, principal).surface;
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
    const surface = this.#chosen(principal);
    const tools =
      surface === 'direct'
        ? listDirectly(this.#context, this.#table(), visibleTools(this.#context.catalog.snapshot, principal))
        : listMetaTools(surface, this.#context, principal);
    noteList(this.#context, { principal, surface }, tools);
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
      noteDirectCall(this.#context, { principal, surface }, params);
      return await executeCall(this.#context, entry, params, { principal, agent }, this.#manners[surface]);
    } catch (error) {
      if (!(error instanceof GatewayError) || error.code === 'CANCELLED') throw error;
      const surface = this.#chosen(principal);
      const result = troubleResult(error, { reader: readerOf(surface) });
      if (metaTool) noteMetaTool(this.#context, { principal, surface }, { name, params, result });
      return result;
    }
  }

  async #callMetaTool(tool: MetaTool, request: EndpointRequest): Promise<Result> {
    const { params, principal, agent } = request;
    const args = params.arguments ?? {};
    if (!isObject(args))
      throw new GatewayError('ARGUMENTS_INVALID', `The arguments for "${tool.name}" must be an object.`);
    // What is being listed for the first time should be found too.
    await this.#context.catalog.settle(limits.listWaitMs);
    const own = callers.has(tool) || describers.has(tool) ? this.#ownToolAt(args, principal) : undefined;
    if (own && describers.has(tool)) return answer(this.#describeOwn(own, principal));
    if (own)
      return this.#callMetaTool(own, { ...request, params: { ...params, arguments: givenArguments(args, tool.name) } });
    const surface = this.#chosen(principal);
    const result = await tool.run({ context: this.#context, principal, agent, args, params, surface });
    const fitting = tool.isBounded ? result : await this.#fit(tool, result, request);
    noteMetaTool(this.#context, { principal, surface }, { name: tool.name, params, result: fitting });
    return fitting;
  }

  /** A large answer of ours is kept and read on like one of a server. */
  #fit(tool: MetaTool, result: Result, { principal, agent }: EndpointRequest): Promise<Result> {
    return fitResult(result, this.#context.results, {
      principal: principal.id,
      toolKey: ownKey(tool),
      maxBytes: this.#context.config().calls.maxResultBytes,
      keepsStructured: false,
      reader: readerOf(this.#chosen(principal)),
      knowsLinks: agent.knowsLinks === true,
    });
  }

  /** Tools of ours are called and described by a key as well, where no server has that tool. */
  #ownToolAt({ toolKey, server, tool }: Readonly<Record<string, unknown>>, principal: Principal): MetaTool | undefined {
    const key = typeof server === 'string' && typeof tool === 'string' ? `${server}:${tool}` : toolKey;
    const own = [...metaToolsByName.values()].find((item) => !callers.has(item) && key === ownKey(item));
    return own && !isThere(this.#context.catalog.snapshot, principal, ownKey(own)) ? own : undefined;
  }

  #describeOwn(tool: MetaTool, principal: Principal): Record<string, unknown> {
    const head = { toolKey: ownKey(tool), toolName: tool.name, serverName: 'toolcrib' };
    return { ...head, definition: tool.define(this.#context, principal, this.#chosen(principal)) };
  }

  #unknown(name: string, principal: Principal): GatewayError {
    const table = this.#table();
    const names = visibleTools(this.#context.catalog.snapshot, principal).map((tool) => table.nameOf(tool));
    return unknownTool(name, [...names, ...metaToolsByName.keys()]);
  }
}

/** Tools of ours that call others, and that describe them. */
const callers: ReadonlySet<MetaTool> = new Set([toolExecute, callTool]);
const describers: ReadonlySet<MetaTool> = new Set([toolInfoTool, getToolSchema]);

/** `toolcrib:read_result`. */
function ownKey({ name }: MetaTool): string {
  return `toolcrib:${name}`;
}

function mannerOf(
  context: EndpointContext,
  surface: ShownSurface,
  nameOf: ((key: string) => string) | undefined,
): Manner {
  const place = { way: 'direct', reader: readerOf(surface) } as const;
  return { ...place, advisor: makeAdvisor(context, { ...place, nameOf }) };
}

/** The owner's door: tools that manage servers, and those that other layers bring. */

import type { Principal, Scope } from '../access/access.ts';
import { GatewayError, messageOf } from '../base/errors.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import { implementation } from '../base/own-program.ts';
import { troubleResult } from '../caller/caller.ts';
import { limits } from '../config/config.ts';
import {
  getToolAlternatives,
  getToolMetrics,
  listMcpServers,
  listToolsMeta,
  type MetaTool,
  metaToolsByName,
  recommendTools,
  resetToolMetrics,
  runMetaTool,
  type ToolLayer,
} from '../meta-tools/meta-tools.ts';
import { type Result, RpcError, rpcCodes } from '../protocol/messages.ts';
import {
  answer,
  type EndpointRequest,
  fitRows,
  refuseCursor,
  reportServer,
  roomBeside,
  stateOf,
  type Uses,
  unknownTool,
  viewerOf,
} from '../tools/tools.ts';
import type { Endpoint, EndpointInfo } from './endpoint.ts';
import { auditRequest, type OwnTools } from './record-request.ts';

export interface OwnerTool {
  readonly definition: Readonly<Record<string, unknown>>;
  /** Left out, it is the owner's alone. */
  readonly scope?: Scope | undefined;
  run(
    layers: Uses<'catalog' | 'registry' | 'downstream' | 'search' | 'store' | 'config' | 'clock'>,
    args: Readonly<Record<string, unknown>>,
    request: EndpointRequest,
  ): Promise<Readonly<Record<string, unknown>>>;
}

const nameSchema = { type: 'string', description: 'The name of the server.' };
const texts = { type: 'object', additionalProperties: { type: 'string' } };

const ownerTools: readonly OwnerTool[] = [
  {
    definition: {
      name: 'add_server',
      description:
        'Register an MCP server, connect to it and list its tools. Give a command for a local one or a url for a remote one.',
      inputSchema: {
        type: 'object',
        properties: {
          name: nameSchema,
          command: { type: 'string' },
          args: { type: 'array', items: { type: 'string' } },
          env: texts,
          cwd: { type: 'string' },
          url: { type: 'string' },
          headers: texts,
          type: { type: 'string', enum: ['stdio', 'http', 'sse'] },
          projects: { type: 'array', items: { type: 'string' } },
        },
        required: ['name'],
      },
    },
    async run(layers, { name, ...raw }) {
      const spec = await layers.registry.add(text(name), raw as JsonObject);
      const failure = await layers.catalog.refresh(spec.name).then(() => undefined, messageOf);
      const entry = layers.catalog.snapshot.servers.get(spec.name);
      const tools = entry?.tools.map((tool) => tool.name) ?? [];
      return {
        name: spec.name,
        state: stateOf(layers, spec.name),
        toolCount: tools.length,
        tools,
        ...(failure === undefined ? {} : { lastError: failure }),
      };
    },
  },
  {
    definition: {
      name: 'remove_server',
      description: 'Remove a server that was added at run time.',
      inputSchema: { type: 'object', properties: { name: nameSchema }, required: ['name'] },
      annotations: { destructiveHint: true },
    },
    async run(layers, { name }) {
      await layers.registry.remove(text(name));
      return { removed: text(name) };
    },
  },
  {
    definition: {
      name: 'list_servers',
      description: 'All servers with state, transport, era, tool count, last error and last change.',
      inputSchema: { type: 'object', properties: {} },
      annotations: { readOnlyHint: true },
    },
    async run(layers) {
      const servers = await Promise.all(
        [...layers.catalog.snapshot.servers.keys()].map(async (name) => ({
          ...(await reportServer(layers, name)),
        })),
      );
      const brief = servers.map(({ name, state, toolCount, lastError }) => ({ name, state, toolCount, lastError }));
      const least = servers.map(({ name, state, toolCount }) => ({ name, state, toolCount }));
      const { rows } = fitRows([servers, brief, least], roomBeside(layers, {}));
      return { servers: rows, serverCount: servers.length };
    },
  },
  {
    definition: {
      name: 'refresh_server',
      description:
        'Ask a server for its tools again, at once. Says how many were added, updated, removed or stayed the same. force: connect again from nothing and index every tool again.',
      inputSchema: { type: 'object', properties: { name: nameSchema, force: { type: 'boolean' } }, required: ['name'] },
    },
    async run(layers, { name, force }) {
      const spec = layers.registry.find(text(name));
      if (force === true) await layers.downstream.reset(spec.name);
      else layers.downstream.hurry(spec.name);
      const diff = await layers.catalog.relist(spec.name).catch((error: unknown) => {
        if (!(error instanceof RpcError)) throw error;
        // An error of the protocol would read as ours.
        throw new GatewayError('TOOL_FAILED', `Server "${spec.name}" could not be listed: ${error.message}`, {
          cause: error,
        });
      });
      if (force === true) layers.search.rebuild(spec.name);
      return {
        added: diff.added.length,
        updated: diff.updated.length,
        removed: diff.removed.length,
        unchanged: diff.unchanged,
      };
    },
  },
];

/** Tools of agents that an owner finds here as well. */
const sharedTools: readonly MetaTool[] = [
  listToolsMeta,
  recommendTools,
  getToolAlternatives,
  getToolMetrics,
  resetToolMetrics,
  listMcpServers,
];

/** Owner tools are administration unless their hints say that they only read. */
function actsOf(tools: readonly OwnerTool[]): OwnTools {
  const acts = tools.map(({ definition: { name, annotations } }) => {
    const isReadOnly = isObject(annotations) && annotations.readOnlyHint === true;
    return [String(name), { kind: 'other', auditedAs: isReadOnly ? 'discovery' : 'administration' }] as const;
  });
  return new Map<string, Pick<MetaTool, 'kind' | 'auditedAs'>>([...acts, ...metaToolsByName]);
}

export class OwnerEndpoint implements Endpoint {
  readonly methods: ReadonlySet<string> = new Set(['tools/list', 'tools/call']);
  readonly #layers: Uses<ToolLayer>;
  readonly #others: () => readonly OwnerTool[];

  /** `others`: tools that other layers bring, as they are now. */
  constructor(layers: Uses<ToolLayer>, others: () => readonly OwnerTool[]) {
    this.#layers = layers;
    this.#others = others;
  }

  async describe(): Promise<EndpointInfo> {
    return {
      serverInfo: implementation,
      capabilities: { tools: {} },
      instructions: "Manage this gateway's MCP servers.",
    };
  }

  /** A tool may ask the model of its agent. What became of it is recorded also where the agent never comes back. */
  handle(request: EndpointRequest): Promise<Result> {
    const { principal, agent, params } = request;
    return this.#layers.caller.converse({ viewer: viewerOf(principal), params }, agent, (asked) => {
      const asking = { ...request, agent: asked };
      return auditRequest(this.#layers, asking, actsOf(this.#tools), () => this.#answer(asking));
    });
  }

  async #answer(request: EndpointRequest): Promise<Result> {
    if (request.method === 'tools/list') {
      refuseCursor(request.params);
      return this.#listTools(request.principal);
    }
    try {
      return await this.#callTool(request);
    } catch (error) {
      if (error instanceof GatewayError && error.code !== 'CANCELLED') return troubleResult(error, { reader: 'owner' });
      throw error;
    }
  }

  findTool(name: string, principal: Principal): Readonly<Record<string, unknown>> | undefined {
    return this.#toolsFor(principal).find((tool) => tool.definition.name === name)?.definition;
  }

  get #tools(): readonly OwnerTool[] {
    return [...ownerTools, ...this.#others()];
  }

  #toolsFor({ scopes }: Principal): readonly OwnerTool[] {
    return this.#tools.filter(({ scope = 'admin' }) => scopes.has(scope));
  }

  async subscribe(uri: string, _principal: Principal): Promise<void> {
    throw new RpcError(rpcCodes.invalidParams, `There is no resource "${uri}" here.`);
  }

  async unsubscribe(): Promise<void> {}

  /** The list of this door never changes. */
  listen(): () => void {
    return () => {};
  }

  close(): void {}

  #listTools(principal: Principal): Result {
    const shared = sharedFor(principal).map((tool) => tool.define(this.#layers, principal));
    return { tools: [...this.#toolsFor(principal).map((tool) => tool.definition), ...shared] };
  }

  async #callTool(request: EndpointRequest): Promise<Result> {
    const { params, principal, agent } = request;
    const { name, arguments: args = {} } = params;
    if (!isObject(args)) throw new GatewayError('ARGUMENTS_INVALID', 'The arguments must be an object.');
    const layers = this.#layers;
    const tools = this.#toolsFor(principal);
    const tool = tools.find((item) => item.definition.name === name);
    if (tool) return answer(await tool.run(layers, args, request));
    const shared = sharedFor(principal).find((item) => item.name === name);
    if (!shared) {
      const names = [
        ...tools.map(({ definition }) => String(definition.name)),
        ...sharedFor(principal).map((item) => item.name),
      ];
      throw unknownTool(String(name), names);
    }
    await layers.catalog.settle(limits.listWaitMs);
    return runMetaTool(shared, { layers, principal, agent, args, params });
  }
}

function sharedFor({ scopes }: Principal): readonly MetaTool[] {
  return scopes.has('admin') ? sharedTools : [];
}

function text(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new GatewayError('ARGUMENTS_INVALID', 'The parameter "name" is missing.');
}

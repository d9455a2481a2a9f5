/** Names under which other gateways have tools like ours: answered for agents and prompts that know them, listed nowhere. */

import { z } from 'zod';
import type { Entry } from '../catalog/catalog.ts';
import {
  answer,
  awaitTool,
  badArguments,
  briefMetrics,
  discoverWithin,
  type FindLayer,
  findServer,
  fitWhole,
  type ListPosition,
  parseDiscovery,
  readToolArguments,
  type ToolAddress,
  visibleTools,
} from '../tools/tools.ts';
import { listedRow, pageWithin } from './list-tools-meta.ts';
import { type MetaTool, readOnly } from './meta-tool.ts';
import { type ExecuteLayer, runToolExecute } from './tool-execute.ts';
import { definitionOutline } from './tool-info.ts';

const text = { type: 'string' };

export const searchTools: MetaTool<FindLayer> = {
  name: 'search_tools',
  kind: 'find',
  auditedAs: 'discovery',
  define: () =>
    definition('search_tools', 'Find tools by what you need; like tool_discovery.', ['query'], {
      query: text,
      top_k: { type: 'integer', minimum: 1, maximum: 100 },
      min_similarity: { type: 'number', minimum: 0, maximum: 1 },
      server: text,
      brief: { type: 'boolean', default: true },
    }),
  async run({ layers, principal, agent, args, surface }) {
    const { query, top_k: maxResults, min_similarity: minSimilarity, server, brief = true } = args;
    if (typeof brief !== 'boolean') throw badArguments('search_tools', '"brief" must be true or false');
    const given = { query, maxResults, minSimilarity, server, detailLevel: brief ? 'summary' : 'full' };
    const words = { tool: 'search_tools', maxResults: 'top_k', minSimilarity: 'min_similarity' };
    const wanted = parseDiscovery(given, layers.config().search.maxResults, words);
    return answer(await discoverWithin(layers, principal, agent, wanted, surface));
  },
};

export const callTool: MetaTool<ExecuteLayer> = {
  name: 'call_tool',
  kind: 'execute',
  auditedAs: 'execution',
  define: () =>
    definition('call_tool', 'Call a tool of a server; like tool_execute.', ['server', 'tool'], {
      server: text,
      tool: text,
      arguments: { type: 'object' },
    }),
  run: async (request) =>
    runToolExecute({ ...request, args: { ...request.args, ...addressIn('call_tool', request.args) } }, 'call_tool'),
};

export const getToolSchema: MetaTool<'catalog' | 'downstream' | 'clock' | 'config'> = {
  name: 'get_tool_schema',
  kind: 'describe',
  auditedAs: 'discovery',
  define: () =>
    definition('get_tool_schema', 'The schemas of a tool; like tool_info.', ['server', 'tool'], {
      server: text,
      tool: text,
    }),
  async run({ layers, principal, args }) {
    const tool = await awaitTool(layers, principal, addressIn('get_tool_schema', args));
    const { key, name, server } = tool;
    // Ours come last: no definition of a server may say whose tool it is.
    const own = { toolKey: key, toolName: name, serverName: server, name };
    return answer(
      fitWhole(layers, [() => ({ ...tool.definition, ...own }), () => ({ ...definitionOutline(tool), ...own })]),
    );
  },
};

const listInput = z.strictObject({
  server: z.string().min(1).optional(),
  cursor: z.string().nullish(),
  include_metrics: z.boolean().default(false),
});

export const listTools: MetaTool<'catalog' | 'metrics' | 'config'> = {
  name: 'list_tools',
  kind: 'find',
  auditedAs: 'discovery',
  define: () =>
    definition('list_tools', 'Every tool with its first sentence; pass nextCursor on as cursor.', [], {
      server: text,
      cursor: text,
      include_metrics: { type: 'boolean', default: false },
    }),
  async run({ layers, principal, args }) {
    const { server, cursor, include_metrics: withMetrics } = readToolArguments('list_tools', listInput, args);
    const { snapshot } = layers.catalog;
    if (server !== undefined) findServer(snapshot, principal, server);
    const tools = visibleTools(snapshot, principal).filter((tool) => server === undefined || tool.server === server);
    const rowOf = (tool: Entry) => ({ ...listedRow(tool), ...(withMetrics && briefMetrics(layers, tool)) });
    const order = ({ server, name }: Entry): ListPosition => [server, name];
    return answer(pageWithin(layers, { name: 'list_tools', tools, order, rowOf }, cursor, tools.length));
  },
};

/** The tool by its server and its name, by a key in place of either, or trouble that says which is missing. */
function addressIn(name: string, { server, tool, toolKey }: ToolAddress): ToolAddress {
  if (toolKey !== undefined) return { toolKey };
  if (typeof tool !== 'string' || tool === '') throw badArguments(name, '"tool" is missing or no text');
  if (server === undefined) return { toolKey: tool };
  if (typeof server !== 'string' || server === '') throw badArguments(name, '"server" must be a text');
  return { server, tool };
}

function definition(
  name: string,
  description: string,
  required: readonly string[],
  properties: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const inputSchema = { type: 'object', properties, required };
  return { name, description, inputSchema, ...(name !== 'call_tool' && { annotations: readOnly }) };
}

/** All tools of the gateway's own, and which of them each surface lists. */

import type { Principal } from '../access/access.ts';
import type { ShownSurface, Uses } from '../tools/tools.ts';
import { callToolChain } from './call-tool-chain.ts';
import { getToolAlternatives } from './get-tool-alternatives.ts';
import { listMcpServers } from './list-mcp-servers.ts';
import { listToolsMeta } from './list-tools-meta.ts';
import type { MetaTool } from './meta-tool.ts';
import { callTool, getToolSchema, listTools, searchTools } from './other-names.ts';
import { readResult } from './read-result.ts';
import { toolCapabilities } from './tool-capabilities.ts';
import { recommendTools, toolDiscovery } from './tool-discovery.ts';
import { toolExecute } from './tool-execute.ts';
import { toolInfoTool } from './tool-info.ts';
import { getToolMetrics, resetToolMetrics } from './tool-metrics.ts';

export { getToolAlternatives } from './get-tool-alternatives.ts';
export { listMcpServers } from './list-mcp-servers.ts';
export { listToolsMeta } from './list-tools-meta.ts';
export { type MetaTool, type MetaToolRequest, runMetaTool, type ToolLayer } from './meta-tool.ts';
export { readResult } from './read-result.ts';
export { recommendFor, recommendModes, recommendTools } from './tool-discovery.ts';
export { executeTool, givenArguments } from './tool-execute.ts';
export { getToolMetrics, listMetrics, metricsQuery, resetToolMetrics } from './tool-metrics.ts';

const onSearch: readonly MetaTool[] = [toolDiscovery, toolExecute, toolCapabilities, toolInfoTool, callToolChain];

const onFull: readonly MetaTool[] = [
  ...onSearch,
  listToolsMeta,
  recommendTools,
  getToolAlternatives,
  getToolMetrics,
  resetToolMetrics,
  listMcpServers,
  readResult,
];

const listedNowhere: readonly MetaTool[] = [searchTools, callTool, getToolSchema, listTools];

/** In the order in which they are listed; it never changes, because agents keep what they have read. */
const bySurface: Readonly<Record<ShownSurface, readonly MetaTool[]>> = {
  search: onSearch,
  code: [toolDiscovery, callToolChain],
  full: onFull,
  direct: [],
};

/** Names that are ours alone. Those that no surface lists are everyday names, which servers have as well. */
export const reservedNames: ReadonlySet<string> = new Set(onFull.map(({ name }) => name));

/** Every one of them by its name, those that no surface lists too: all are answered wherever they are called. */
export const metaToolsByName: ReadonlyMap<string, MetaTool> = new Map(
  [...onFull, ...listedNowhere].map((tool) => [tool.name, tool]),
);

export function listMetaTools(
  surface: ShownSurface,
  layers: Uses<'catalog' | 'search' | 'config'>,
  principal: Principal,
): Record<string, unknown>[] {
  return bySurface[surface]
    .filter((tool) => tool.isListed?.(layers, principal) ?? true)
    .map((tool) => tool.define(layers, principal, surface));
}

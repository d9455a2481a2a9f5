/** `tool_capabilities`: what there is, by category and by server, with true counts. */

import type { Entry } from '../../catalog/catalog.ts';
import { categories } from '../../search/search.ts';
import { findServer } from '../find-server.ts';
import { visibleServers, visibleTools } from '../visible.ts';
import { answer, type MetaTool, readOnly } from './meta-tool.ts';

const examplesShown = 3;

export const toolCapabilities: MetaTool = {
  name: 'tool_capabilities',
  define: () => ({
    name: 'tool_capabilities',
    title: 'Overview of tools',
    description:
      'An overview of all servers and kinds of tools, with counts. Use it when you do not know what to search for.',
    inputSchema: {
      type: 'object',
      properties: {
        server: { type: 'string' },
        category: { type: 'string', enum: categories.map((category) => category.name) },
      },
    },
    annotations: { title: 'Overview of tools', ...readOnly },
  }),
  async run({ context, principal, args }) {
    const { snapshot } = context.catalog;
    const servers = visibleServers(snapshot, principal);
    if (typeof args.server === 'string') findServer(snapshot, principal, args.server);
    const categoryOf = (tool: Entry) => context.search.categoryOf(tool);
    const isWanted = (tool: Entry) =>
      (args.server === undefined || tool.server === args.server) &&
      (args.category === undefined || categoryOf(tool) === args.category);
    const tools = visibleTools(snapshot, principal).filter(isWanted);
    const byServer = Map.groupBy(tools, (tool) => tool.server);
    return answer({
      totalTools: tools.length,
      categories: describeCategories(tools, categoryOf),
      servers: servers
        .filter(
          (server) => byServer.has(server.spec.name) || (args.category === undefined && args.server === undefined),
        )
        .map((server) => ({
          name: server.title,
          serverId: server.spec.name,
          toolCount: byServer.get(server.spec.name)?.length ?? 0,
          status: context.downstream.status(server.spec.name)?.state ?? 'configured',
          categories: [...new Set((byServer.get(server.spec.name) ?? []).map(categoryOf))].sort(),
        })),
    });
  },
};

function describeCategories(tools: readonly Entry[], categoryOf: (tool: Entry) => string): Record<string, unknown>[] {
  const groups = Map.groupBy(tools, categoryOf);
  return categories.flatMap(({ name, description }) => {
    const members = groups.get(name);
    if (!members) return [];
    return [
      {
        name,
        description,
        toolCount: members.length,
        examples: members.slice(0, examplesShown).map((tool) => tool.key),
      },
    ];
  });
}

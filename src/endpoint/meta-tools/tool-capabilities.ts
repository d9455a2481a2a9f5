/** `tool_capabilities`: what there is, by category and by server, with true counts. */

import { z } from 'zod';
import type { Entry } from '../../catalog/catalog.ts';
import { categories } from '../../search/search.ts';
import { findServer } from '../find-server.ts';
import { stateOf } from '../server-report.ts';
import { visibleServers, visibleTools } from '../visible.ts';
import { answer, type MetaTool, readArguments, readOnly } from './meta-tool.ts';

const examplesShown = 3;

const question = z.object({
  server: z.string().optional(),
  category: z.enum(categories.map(({ name }) => name)).optional(),
});

export const toolCapabilities: MetaTool = {
  name: 'tool_capabilities',
  define: () => ({
    name: 'tool_capabilities',
    description:
      'Use it when you do not know what to search for: an overview of what there is at all, by kind and by server, with counts.',
    inputSchema: {
      type: 'object',
      properties: {
        server: { type: 'string' },
        category: { type: 'string' },
      },
    },
    annotations: readOnly,
  }),
  async run({ context, principal, args }) {
    const { snapshot } = context.catalog;
    const servers = visibleServers(snapshot, principal);
    const { server: wanted, category } = readArguments('tool_capabilities', question, args);
    if (wanted !== undefined) findServer(snapshot, principal, wanted);
    const categoryOf = (tool: Entry) => context.search.categoryOf(tool);
    const isWanted = (tool: Entry) =>
      (wanted === undefined || tool.server === wanted) && (category === undefined || categoryOf(tool) === category);
    const tools = visibleTools(snapshot, principal).filter(isWanted);
    const byServer = Map.groupBy(tools, (tool) => tool.server);
    return answer({
      totalTools: tools.length,
      categories: describeCategories(tools, categoryOf),
      servers: servers
        .filter((server) => byServer.has(server.spec.name) || (category === undefined && wanted === undefined))
        .map((server) => ({
          name: server.title,
          serverId: server.spec.name,
          toolCount: byServer.get(server.spec.name)?.length ?? 0,
          status: stateOf(context, server.spec.name),
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

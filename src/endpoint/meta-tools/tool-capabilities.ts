/** `tool_capabilities`: what there is, by category and by server, with true counts. */

import { GatewayError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import { categories, categoryOf, type Entry } from '../../catalog/catalog.ts';
import { enabledServers, visibleTools } from '../visible.ts';
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
    const servers = enabledServers(snapshot);
    if (typeof args.server === 'string' && !servers.some((server) => server.spec.name === args.server)) {
      const near = nearest(
        args.server,
        servers.map((server) => server.spec.name),
      );
      throw new GatewayError('SERVER_NOT_FOUND', `There is no server "${args.server}".`, { data: { nearest: near } });
    }
    const isWanted = (tool: Entry) =>
      (args.server === undefined || tool.server === args.server) &&
      (args.category === undefined || categoryOf(tool.definition, tool.server) === args.category);
    const tools = visibleTools(snapshot, principal).filter(isWanted);
    const byServer = Map.groupBy(tools, (tool) => tool.server);
    return answer({
      totalTools: tools.length,
      categories: describeCategories(tools),
      servers: servers
        .filter(
          (server) => byServer.has(server.spec.name) || (args.category === undefined && args.server === undefined),
        )
        .map((server) => ({
          name: server.title,
          serverId: server.spec.name,
          toolCount: byServer.get(server.spec.name)?.length ?? 0,
          status: context.downstream.status(server.spec.name)?.state ?? 'configured',
          categories: [
            ...new Set((byServer.get(server.spec.name) ?? []).map((tool) => categoryOf(tool.definition, tool.server))),
          ].sort(),
        })),
    });
  },
};

function describeCategories(tools: readonly Entry[]): Record<string, unknown>[] {
  const groups = Map.groupBy(tools, (tool) => categoryOf(tool.definition, tool.server));
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

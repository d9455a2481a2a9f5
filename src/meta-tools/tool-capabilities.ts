/** `tool_capabilities`: what there is, by category and by server, with true counts. */

import { z } from 'zod';
import type { Entry, ServerEntry } from '../catalog/catalog.ts';
import { categories } from '../search/search.ts';
import {
  type AnswerObject,
  answer,
  findServer,
  fitRows,
  fitWhole,
  readToolArguments,
  roomBeside,
  stateOf,
  visibleServers,
  visibleTools,
} from '../tools/tools.ts';
import { type MetaTool, readOnly } from './meta-tool.ts';

/** How much is said of categories and servers: all of it, and less and less where there are very many. */
interface Detail {
  /** Examples of each category. */
  readonly examples: number;
  /** True if the categories of each server are named. */
  readonly hasCategories: boolean;
  /** True if a server has its title and state beside its name and count. */
  readonly hasStates: boolean;
}

const details: readonly Detail[] = [
  { examples: 3, hasCategories: true, hasStates: true },
  { examples: 1, hasCategories: true, hasStates: true },
  { examples: 1, hasCategories: false, hasStates: true },
  { examples: 0, hasCategories: false, hasStates: false },
];

const input = z.object({
  server: z.string().optional(),
  category: z.enum(categories.map(({ name }) => name)).optional(),
});

export const toolCapabilities: MetaTool<'catalog' | 'downstream' | 'search' | 'config'> = {
  name: 'tool_capabilities',
  kind: 'find',
  auditedAs: 'discovery',
  define: () => ({
    name: 'tool_capabilities',
    description:
      'Use it when you do not know what to search for: an overview of all tools, by category and by server, with counts.',
    inputSchema: {
      type: 'object',
      properties: {
        server: { type: 'string' },
        category: { type: 'string' },
      },
    },
    annotations: readOnly,
  }),
  async run({ layers, principal, args }) {
    const { snapshot } = layers.catalog;
    const servers = visibleServers(snapshot, principal);
    const { server: wanted, category } = readToolArguments('tool_capabilities', input, args);
    if (wanted !== undefined) findServer(snapshot, principal, wanted);
    const categoryOf = (tool: Entry) => layers.search.categoryOf(tool);
    const isWanted = (tool: Entry) =>
      (wanted === undefined || tool.server === wanted) && (category === undefined || categoryOf(tool) === category);
    const tools = visibleTools(snapshot, principal).filter(isWanted);
    const byServer = Map.groupBy(tools, (tool) => tool.server);
    const shown = servers.filter(
      ({ spec }) => byServer.has(spec.name) || (category === undefined && wanted === undefined),
    );
    const describe = ({ title, spec: { name } }: ServerEntry, { hasCategories, hasStates }: Detail): AnswerObject => {
      const own = byServer.get(name) ?? [];
      return {
        ...(hasStates && { name: title }),
        serverId: name,
        toolCount: own.length,
        ...(hasStates && { status: stateOf(layers, name) }),
        ...(hasCategories && { categories: [...new Set(own.map(categoryOf))].sort() }),
      };
    };
    const describeAll = (detail: Detail): AnswerObject => {
      const kinds = describeCategories(tools, categoryOf, detail.examples);
      const others = { totalTools: tools.length, categories: kinds, ...(detail !== details[0] && shortened) };
      const rows = shown.map((server) => describe(server, detail));
      if (detail !== details.at(-1)) return { ...others, servers: rows };
      const counts = { serverCount: rows.length };
      return { ...others, ...counts, servers: fitRows([rows], roomBeside(layers, { ...others, ...counts })).rows };
    };
    return answer(
      fitWhole(
        layers,
        details.map((detail) => () => describeAll(detail)),
      ),
    );
  },
};

const shortened = { notice: 'Shortened to fit. Give "server" or "category" for more about either.' };

function describeCategories(
  tools: readonly Entry[],
  categoryOf: (tool: Entry) => string,
  examplesShown: number,
): Record<string, unknown>[] {
  const groups = Map.groupBy(tools, categoryOf);
  return categories.flatMap(({ name, description }) => {
    const members = groups.get(name);
    if (!members) return [];
    return [
      {
        name,
        description,
        toolCount: members.length,
        ...(examplesShown > 0 && { examples: members.slice(0, examplesShown).map((tool) => tool.key) }),
      },
    ];
  });
}

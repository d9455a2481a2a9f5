/** Operations on tools: what an agent would see and do, by hand. */

import { z } from 'zod';
import { firstSentence } from '../base/text.ts';
import { type AgentSide, signatureOf } from '../caller/caller.ts';
import { categories, categoryOf } from '../catalog/catalog.ts';
import { limits } from '../config/config.ts';
import { detailLevels, discover, executeTool, toolInfo, visibleTools } from '../endpoint/endpoint.ts';
import { opaqueObject, operation } from './operation.ts';

export interface ToolRow {
  readonly toolKey: string;
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly parameters: string;
  readonly category: string;
}

const categoryNames = categories.map((category) => category.name);

export const toolOperations = {
  'tools.list': operation({
    summary: 'All tools, of one server or category if wanted',
    input: z.strictObject({
      server: z.string().optional(),
      category: z.enum(categoryNames as [string, ...string[]]).optional(),
    }),
    async run({ context, input, principal }): Promise<ToolRow[]> {
      if (input.server !== undefined) context.registry.find(input.server);
      await context.catalog.settle(limits.listWaitMs);
      return visibleTools(context.catalog.snapshot, principal)
        .map((tool) => ({
          toolKey: tool.key,
          server: tool.server,
          name: tool.name,
          description: firstSentence(String(tool.definition.description ?? '')),
          parameters: signatureOf(tool.definition.inputSchema),
          category: categoryOf(tool.definition, tool.server),
        }))
        .filter(
          (row) =>
            (input.server === undefined || row.server === input.server) &&
            (input.category === undefined || row.category === input.category),
        );
    },
  }),
  'tools.search': operation({
    summary: 'Find tools by what is needed',
    input: z.strictObject({
      query: z.array(z.string().min(1)).min(1).max(10),
      limit: z.number().int().min(1).max(100).default(10),
      detailLevel: z.enum(detailLevels).default('summary'),
      server: z.string().optional(),
      category: z.enum(categoryNames as [string, ...string[]]).optional(),
    }),
    async run({ context, input, principal }) {
      const { query, limit, detailLevel, server, category } = input;
      await context.catalog.settle(limits.listWaitMs);
      return discover(context, principal, {
        query,
        maxResults: limit,
        detailLevel,
        server,
        category,
        minSimilarity: 0,
      });
    },
  }),
  'tools.info': operation({
    summary: 'One tool in full',
    input: z.strictObject({ toolKey: z.string().min(1), full: z.boolean().default(true) }),
    async run({ context, input, principal }) {
      await context.catalog.settle(limits.listWaitMs);
      return toolInfo(context, principal, { toolKey: input.toolKey }, input.full);
    },
  }),
  'tools.call': operation({
    summary: 'Call a tool',
    input: z.strictObject({ toolKey: z.string().min(1), arguments: opaqueObject.default({}) }),
    async run({ context, input, principal, signal }): Promise<Record<string, unknown>> {
      // A person at a terminal answers no questions in the middle of a call.
      const agent: AgentSide = {
        era: 'modern',
        capabilities: {},
        session: `principal:${principal.id}`,
        signal,
        notify() {},
      };
      return executeTool(context, principal, agent, { toolKey: input.toolKey }, { arguments: input.arguments });
    },
  }),
};

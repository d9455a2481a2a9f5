/** Operations on tools: what an agent would see and do, by hand. */

import { setImmediate as giveWay } from 'node:timers/promises';
import { z } from 'zod';
import type { Principal } from '../access/access.ts';
import { signatureOf } from '../arguments/arguments.ts';
import { GatewayError } from '../base/errors.ts';
import { firstSentence, givenText } from '../base/text.ts';
import { limits } from '../config/config.ts';
import { executeTool, recommendFor, recommendModes } from '../meta-tools/meta-tools.ts';
import { chainOutcome } from '../programs/programs.ts';
import { categories, type SearchStatus, searchModes } from '../search/search.ts';
import {
  awaitListing,
  awaitTool,
  detailLevels,
  discover,
  findServer,
  makeAdvisor,
  toolInfo,
  visibleTools,
} from '../tools/tools.ts';
import { explainSearch, type SearchExplanation } from './explain-search.ts';
import { type AdminContext, opaqueObject, operation } from './operation.ts';
import { readPairs } from './read-pairs.ts';

/** Tools that are looked at before others come first. */
const toolsPerTurn = 200;

export interface ToolRow {
  readonly toolKey: string;
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly parameters: string;
  readonly category: string;
}

/** Vectors of texts, in their order. */
export interface EmbeddedTexts {
  readonly model: string;
  readonly dimensions: number;
  readonly vectors: readonly (readonly number[])[];
}

const need = z.string().regex(/\S/, 'must say what is needed');
const fewestNeeds = 1;
const mostNeeds = 10;
const needsForm = `must be a text or a list of ${fewestNeeds} to ${mostNeeds} texts`;
const needs = z
  .union([need, z.array(need).min(fewestNeeds, needsForm).max(mostNeeds, needsForm)], { error: needsForm })
  .transform((value) => (typeof value === 'string' ? [value] : value));
const categoryNames = categories.map((category) => category.name);

export const toolOperations = {
  'tools.list': operation({
    summary: 'All tools, optionally of one server or category',
    audit: 'discovery',
    scope: 'use',
    input: z.strictObject({
      server: z.string().optional(),
      category: z.enum(categoryNames as [string, ...string[]]).optional(),
    }),
    async run({ context, input, principal }): Promise<ToolRow[]> {
      if (input.server !== undefined) checkServer(context, principal, input.server);
      await context.catalog.settle(limits.listWaitMs);
      // Of one that could never be listed nothing is known, which is not the same as that it has no tools.
      if (input.server !== undefined) await awaitListing(context, principal, (server) => server === input.server);
      const rows: ToolRow[] = [];
      let lookedAt = 0;
      for (const tool of visibleTools(context.catalog.snapshot, principal)) {
        if (input.server !== undefined && tool.server !== input.server) continue;
        lookedAt += 1;
        // A large catalog must not block other requests.
        if (lookedAt % toolsPerTurn === 0) await giveWay();
        const category = context.search.categoryOf(tool);
        if (input.category !== undefined && category !== input.category) continue;
        rows.push({
          toolKey: tool.key,
          server: tool.server,
          name: tool.name,
          description: firstSentence(givenText(tool.definition.description)),
          parameters: signatureOf(tool.definition.inputSchema),
          category,
        });
      }
      return rows;
    },
  }),
  'tools.names': operation({
    summary: 'The names of all servers and tools as they are known now, for completions',
    audit: 'none',
    input: z.strictObject({}),
    async run({ context }): Promise<{ readonly servers: readonly string[]; readonly tools: readonly string[] }> {
      const { servers, tools } = context.catalog.snapshot;
      return { servers: [...servers.keys()], tools: [...tools.keys()] };
    },
  }),
  'tools.search': operation({
    summary: 'Find tools for a task',
    audit: 'discovery',
    scope: 'use',
    input: z.strictObject({
      query: needs,
      context: z.string().optional(),
      limit: z.number().int().min(1).max(100).default(10),
      detailLevel: z.enum(detailLevels).default('summary'),
      server: z.string().optional(),
      category: z.enum(categoryNames as [string, ...string[]]).optional(),
      mode: z.enum(searchModes).optional(),
    }),
    async run({ context, input, principal, agent }) {
      const { query, context: about, limit, detailLevel, server, category, mode } = input;
      await context.catalog.settle(limits.listWaitMs);
      return discover(
        context,
        principal,
        agent,
        {
          query,
          context: about,
          maxResults: limit,
          detailLevel,
          server,
          category,
          mode,
        },
        'hand',
      );
    },
  }),
  'tools.recommend': operation({
    summary: 'The few tools that fit a task best, with reasons',
    audit: 'discovery',
    scope: 'use',
    input: z.strictObject({
      task: need,
      limit: z.number().int().min(1).max(20).default(3),
      mode: z.enum(recommendModes).optional(),
    }),
    async run({ context, input, principal, agent }) {
      await context.catalog.settle(limits.listWaitMs);
      return recommendFor(context, principal, agent, input, 'hand');
    },
  }),
  'tools.embed': operation({
    summary: 'Vectors of texts, by the embedding model in use',
    audit: 'none',
    input: z.strictObject({ texts: z.array(z.string().max(10_000)).min(1).max(100) }),
    async run({ context, input, signal }): Promise<EmbeddedTexts> {
      const { model, dimensions, vectors } = await context.search.embed(input.texts, signal);
      // A text that means nothing to the model points nowhere.
      const numbersOf = (vector: (typeof vectors)[number]) =>
        Array.from({ length: dimensions }, (_, at) => (vector ? (vector.values[at] ?? 0) * vector.scale : 0));
      return { model, dimensions, vectors: vectors.map(numbersOf) };
    },
  }),
  'search.explain': operation({
    summary:
      'A search taken apart: what each score is made of and what was left out, as the owner of a token or an agent in a project sees it',
    audit: 'discovery',
    input: z.strictObject({
      query: need,
      mode: z.enum(searchModes).optional(),
      limit: z.number().int().min(1).max(100).default(10),
      server: z.string().optional(),
      category: z.enum(categoryNames as [string, ...string[]]).optional(),
      project: z.string().min(1).optional(),
      token: z.string().min(1).optional(),
    }),
    async run({ context, input, principal, signal }): Promise<SearchExplanation> {
      await context.catalog.settle(limits.listWaitMs);
      return explainSearch(context, principal, input, signal);
    },
  }),
  'search.status': operation({
    summary: 'The search index: its size, its model, and the work of the model since the start',
    audit: 'none',
    input: z.strictObject({}),
    async run({ context }): Promise<SearchStatus> {
      return context.search.status;
    },
  }),
  'tools.info': operation({
    summary: 'One tool in full',
    audit: 'discovery',
    scope: 'use',
    input: z.strictObject({ toolKey: z.string().min(1), full: z.boolean().default(true) }),
    async run({ context, input, principal }) {
      await context.catalog.settle(limits.listWaitMs);
      const tool = await toolInfo(context, principal, { toolKey: input.toolKey }, input.full);
      // Of a change that waits, only the owner knows.
      return principal.scopes.has('admin') ? { ...tool, lastChange: await lastChangeIn(context, tool.toolKey) } : tool;
    },
  }),
  'tools.call': operation({
    summary: 'Call a tool',
    audit: 'execution',
    scope: 'use',
    input: z.strictObject({
      toolKey: z.string().min(1),
      arguments: opaqueObject.default({}),
      /** Arguments as somebody types them, instead: `key=value`, each value read as the schema of the tool says. */
      pairs: z.array(z.string()).min(1).optional(),
      /** True if the caller approves this call, where the tool needs approval for each. */
      approve: z.boolean().default(false),
      /** True to store a large result and get its beginning, to be read on with results.read. */
      shape: z.boolean().default(false),
    }),
    async run({ context, input, principal, agent }): Promise<Record<string, unknown>> {
      if (input.approve && !principal.scopes.has('admin'))
        throw new GatewayError('ACCESS_DENIED', 'Only the owner approves calls: this token lacks the scope "admin".');
      const place = { way: 'api', reader: 'owner' } as const;
      const address = { toolKey: input.toolKey };
      // Within the call, so that whatever is wrong with it is a refused call.
      const given = input.pairs ? await readTyped(context, principal, input, input.pairs) : input.arguments;
      return executeTool(
        context,
        address,
        { arguments: given },
        { principal, agent },
        { ...place, advisor: makeAdvisor(context, place), isApproved: input.approve, isShaped: input.shape },
      );
    },
  }),
  'tools.chain': operation({
    summary: 'Run a program that calls tools',
    audit: 'execution',
    scope: 'use',
    input: z.strictObject({
      code: z.string(),
      timeoutMs: z.number().int().min(1).optional(),
      maxOutputBytes: z.number().int().min(1).optional(),
    }),
    async run({ context, input, principal, agent }): Promise<Record<string, unknown>> {
      await context.catalog.settle(limits.listWaitMs);
      return chainOutcome(context, input, { principal, agent });
    },
  }),
};

interface TypedCall {
  readonly toolKey: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

async function readTyped(
  context: AdminContext,
  principal: Principal,
  { toolKey, arguments: others }: TypedCall,
  pairs: readonly string[],
): Promise<Record<string, unknown>> {
  if (Object.keys(others).length > 0) throw new GatewayError('USAGE', 'Give "arguments" or "pairs", not both.');
  const { definition } = await awaitTool(context, principal, { toolKey });
  return readPairs(toolKey, definition.inputSchema, pairs);
}

/** The owner hears of every server; others only of theirs. */
function checkServer(context: AdminContext, principal: Principal, name: string): void {
  if (principal.scopes.has('admin')) context.registry.find(name);
  else findServer(context.catalog.snapshot, principal, name);
}

/** The last change of one tool by its server, which has its own name for it. */
async function lastChangeIn({ store, catalog }: AdminContext, toolKey: unknown): Promise<object | null> {
  const tool = catalog.snapshot.tools.get(String(toolKey));
  if (tool === undefined) return null;
  const marks = await store.listChangeMarks({ server: tool.server, name: tool.serverName });
  const last = marks.find(({ kind }) => kind === 'tool');
  return last ? { at: new Date(last.at).toISOString(), change: last.change } : null;
}

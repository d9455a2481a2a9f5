/** `tool_discovery`: from what an agent needs to the tools that do it. */

import type { Principal } from '../../access/access.ts';
import { GatewayError } from '../../base/errors.ts';
import { cutAtWord, firstSentence } from '../../base/text.ts';
import { type AgentSide, signatureOf } from '../../caller/caller.ts';
import { categories } from '../../search/search.ts';
import { capabilityIndex } from '../capability-index.ts';
import type { EndpointContext } from '../endpoint.ts';
import {
  equalsOf,
  explain,
  type Found,
  findTools,
  offeredFor,
  remarksOn,
  rounded,
  type ToolNeed,
} from '../find-tools.ts';
import { expirationOf, stampKey, stampsOf } from '../tool-keys.ts';
import { briefMetrics } from '../tool-metrics.ts';
import { answer, loadHint, type MetaTool, readOnly } from './meta-tool.ts';

export const detailLevels = ['minimal', 'summary', 'full'] as const;
export type DetailLevel = (typeof detailLevels)[number];

const maxQueries = 10;
/** Characters of a query that its answer repeats: an agent may have pasted a page. */
const echoed = 500;

export interface Discovery extends ToolNeed {
  readonly detailLevel: DetailLevel;
}

export const toolDiscovery: MetaTool = {
  name: 'tool_discovery',
  define: (context, principal) => ({
    name: 'tool_discovery',
    title: 'Find tools',
    description: `${capabilityIndex(context, principal)} Say what you need in plain words, one need per query; then call tool_execute with a toolKey from the answer.`,
    inputSchema: {
      type: 'object',
      properties: {
        query: {
          anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, maxItems: maxQueries }],
          description: 'What you need, e.g. "create a GitHub issue". Several needs: a list.',
        },
        context: { type: 'string', description: 'More about the task.' },
        maxResults: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
        detailLevel: { type: 'string', enum: [...detailLevels], default: 'summary' },
        category: { type: 'string', enum: categories.map((category) => category.name) },
        server: { type: 'string' },
        minSimilarity: { type: 'number', minimum: 0, maximum: 1 },
      },
      required: ['query'],
    },
    annotations: { title: 'Find tools', ...readOnly },
    _meta: loadHint,
  }),
  async run({ context, principal, agent, args }) {
    const wanted = parseDiscovery(args, context.config().search.maxResults);
    return answer(await discover(context, principal, agent, wanted));
  },
};

/** The search an agent makes, also for the command line. */
export async function discover(
  context: EndpointContext,
  principal: Principal,
  agent: Pick<AgentSide, 'session' | 'signal'>,
  wanted: Discovery,
): Promise<Record<string, unknown>> {
  const findings = await findTools(context, principal, wanted, agent.signal);
  const { fitting, mode } = findings;
  context.search.offered(agent.session, wanted.query, offeredFor(wanted.query, fitting));
  const stamps = stampsOf(context);
  const expiration = expirationOf(stamps);
  const metadata = {
    query: wanted.query.map((text) => cutAtWord(text, echoed)),
    detailLevel: wanted.detailLevel,
    resultCount: fitting.length,
    mode,
    ...remarksOn(findings),
    ...(expiration === undefined ? {} : { expiration }),
  };
  const tools = fitting.map((found) => ({
    ...describe(found, wanted.detailLevel),
    toolKey: stampKey(found.tool.key, stamps),
    ...(wanted.detailLevel === 'minimal' ? {} : briefMetrics(context, found.tool)),
  }));
  return { tools, metadata };
}

function describe({ tool, hit }: Found, level: DetailLevel): Record<string, unknown> {
  const names = { toolKey: tool.key, toolName: tool.name, serverName: tool.server };
  const equals = equalsOf(hit);
  if (level === 'minimal') return { ...names, ...equals };
  const { definition } = tool;
  const text = typeof definition.description === 'string' ? definition.description : '';
  const relevance = rounded(hit.relevance);
  if (level === 'summary') {
    const parameters = signatureOf(definition.inputSchema);
    return { ...names, description: firstSentence(text), relevance, parameters, ...equals };
  }
  return {
    ...names,
    description: text,
    relevance,
    ...equals,
    inputSchema: definition.inputSchema,
    ...(definition.outputSchema === undefined ? {} : { outputSchema: definition.outputSchema }),
    ...(definition.annotations === undefined ? {} : { annotations: definition.annotations }),
    explanation: explain(hit),
  };
}

/** Reads the arguments, forgiving in form and strict in meaning. */
export function parseDiscovery(args: Readonly<Record<string, unknown>>, defaultResults: number): Discovery {
  const raw = typeof args.query === 'string' ? [args.query] : Array.isArray(args.query) ? args.query : [];
  const query = raw
    .filter((item): item is string => typeof item === 'string' && item.trim() !== '')
    .slice(0, maxQueries);
  if (query.length === 0) throw bad('"query" must say what you need, as a text or a list of texts');
  const detailLevel = args.detailLevel ?? 'summary';
  if (!detailLevels.includes(detailLevel as DetailLevel))
    throw bad(`"detailLevel" must be one of ${detailLevels.join(', ')}`);
  const { category } = args;
  if (category !== undefined && !categories.some((item) => item.name === category)) {
    throw bad(`"category" must be one of ${categories.map((item) => item.name).join(', ')}`);
  }
  const maxResults = Number(args.maxResults ?? defaultResults);
  const minSimilarity = Number(args.minSimilarity ?? 0);
  if (!Number.isInteger(maxResults) || maxResults < 1 || maxResults > 100)
    throw bad('"maxResults" must be a whole number from 1 to 100');
  if (!(minSimilarity >= 0 && minSimilarity <= 1)) throw bad('"minSimilarity" must be a number from 0 to 1');
  return {
    query,
    context: typeof args.context === 'string' ? args.context : undefined,
    maxResults,
    detailLevel: detailLevel as DetailLevel,
    category: typeof category === 'string' ? category : undefined,
    server: typeof args.server === 'string' ? args.server : undefined,
    minSimilarity,
  };
}

function bad(what: string): GatewayError {
  return new GatewayError('ARGUMENTS_INVALID', `The arguments for "tool_discovery" are not right: ${what}.`);
}

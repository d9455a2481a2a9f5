/** `tool_discovery` and `recommend_tools`: from what an agent needs, or from its task, to the tools that do it. The agent's own model may rank them (MCP sampling). */

import type { Principal } from '../access/access.ts';
import { signatureOf } from '../arguments/arguments.ts';
import type { GatewayError } from '../base/errors.ts';
import { cutAtWord, firstSentence, givenText } from '../base/text.ts';
import { type AgentSide, sampledModel } from '../caller/caller.ts';
import type { AskModel } from '../language-model/language-model.ts';
import { doubtIn, mostNeeds, type SearchMode } from '../search/search.ts';
import {
  type AnswerObject,
  answer,
  availabilityOf,
  badArguments,
  briefMetrics,
  capabilityIndex,
  clamped,
  detailLevels,
  discoverWithin,
  discoveryOff,
  equalsOf,
  type FindLayer,
  type Found,
  findTools,
  fitRows,
  isDiscoveryOff,
  metricsOf,
  offeredFor,
  parseDiscovery,
  reasonForHit,
  remarksOn,
  roomBeside,
  rounded,
  type SearchReader,
  type ShownSurface,
  type Uses,
} from '../tools/tools.ts';
import { loadHint, type MetaTool, readOnly } from './meta-tool.ts';

export const toolDiscovery: MetaTool<FindLayer> = {
  name: 'tool_discovery',
  kind: 'find',
  auditedAs: 'discovery',
  define: (layers, principal, surface) => ({
    name: 'tool_discovery',
    description: descriptionOn(surface, layers, principal),
    inputSchema: {
      type: 'object',
      properties: parametersOn(surface, layers.config().search.maxResults),
      required: ['query'],
    },
    annotations: readOnly,
    _meta: loadHint,
  }),
  async run({ layers, principal, agent, args, surface }) {
    const sample = sampledModel(layers, agent);
    const wanted = { ...parseDiscovery(args, layers.config().search.maxResults), sample };
    return answer(await discoverWithin(layers, principal, agent, wanted, surface));
  },
};

function descriptionOn(
  surface: ShownSurface | undefined,
  layers: Uses<'catalog' | 'search'>,
  principal: Principal,
): string {
  const words = surface === 'code' ? 'code' : 'search';
  return isDiscoveryOff(principal) ? off[words] : `${capabilityIndex(layers, principal)} ${usage[words]}`;
}

/** The description where discovery is off. */
const off = {
  search: `${discoveryOff.notice} Nothing is found with it: call tools that you know by their keys with tool_execute.`,
  code: `${discoveryOff.notice} Nothing is found with it: call tools that you know in call_tool_chain.`,
};

/** How to use it: each surface has another tool to call the hits with. */
const usage = {
  search:
    'Use it when you need a tool and have no key yet: say what you need, one need per query; then call what you find with tool_execute. Nothing found: use other words.',
  code: 'Use it when you need a tool: say what you need, one need per query; then call what you find in call_tool_chain. Nothing found: use other words.',
};

/** Programs seldom need more than the first few; the others are answered all the same. */
function parametersOn(surface: ShownSurface | undefined, usualResults: number): Record<string, unknown> {
  const first = {
    query: {
      anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, maxItems: mostNeeds }],
      description: 'e.g. "create a GitHub issue"; several needs: a list.',
    },
    maxResults: { type: 'integer', default: usualResults },
    server: { type: 'string' },
    detailLevel: { type: 'string', enum: [...detailLevels], default: 'summary' },
  };
  if (surface === 'code') return first;
  return {
    ...first,
    context: { type: 'string', description: 'More about the task.' },
    category: { type: 'string', description: 'As in tool_capabilities.' },
    minSimilarity: { type: 'number', description: '0 to 1' },
  };
}

export const recommendModes = ['semantic', 'hybrid', 'llm'] as const;

const usualLimit = 3;
const mostTools = 20;
/** Characters of the task, and of a query from before, that an answer repeats. */
const repeated = { task: 500 };

interface Task {
  readonly task: string;
  /** If left out, the mode of the project or the config. */
  readonly mode?: SearchMode | undefined;
  readonly limit?: number | undefined;
  /** Asks the model of the agent, where it offers one. */
  readonly sample?: AskModel | undefined;
}

export const recommendTools: MetaTool<FindLayer> = {
  name: 'recommend_tools',
  kind: 'find',
  auditedAs: 'discovery',
  define: () => ({
    name: 'recommend_tools',
    description: 'The few tools that fit a task best, each with the reason. Tools that often fail come later.',
    inputSchema: {
      type: 'object',
      properties: {
        task: { type: 'string', description: 'The task, in plain words.' },
        mode: { type: 'string', enum: [...recommendModes] },
        limit: { type: 'integer', minimum: 1, maximum: mostTools, default: usualLimit },
      },
      required: ['task'],
    },
    annotations: readOnly,
  }),
  async run({ layers, principal, agent, args, surface }) {
    const task = { ...parseTask(args), sample: sampledModel(layers, agent) };
    const { recommendations, metadata } = await recommendFor(layers, principal, agent, task, surface);
    const brief = recommendations.map(({ toolKey, relevance, available, reason }) => {
      return { toolKey, relevance, available, reason };
    });
    const { rows } = fitRows([recommendations, brief], roomBeside(layers, { metadata }));
    return answer({ recommendations: rows, metadata });
  },
};

/** Recommends tools for a task, to agents and on the command line. */
export async function recommendFor(
  layers: Uses<FindLayer>,
  principal: Principal,
  agent: Pick<AgentSide, 'session' | 'signal'>,
  { task, mode, limit = usualLimit, sample }: Task,
  reader?: SearchReader,
): Promise<{ readonly recommendations: readonly AnswerObject[]; readonly metadata: AnswerObject }> {
  const need = { query: [task], maxResults: limit, mode, weighsReliability: true, sample };
  const findings = await findTools(layers, principal, need, agent.signal);
  const { fitting } = findings;
  layers.search.offered(agent.session, [task], offeredFor([task], fitting));
  const metadata = { task: cutAtWord(task, repeated.task), mode: findings.mode, ...remarksOn(findings, reader) };
  const now = layers.clock.now();
  return {
    recommendations: fitting.map((found) => ({
      ...describe(found, findings.mode, doubtIn(metricsOf(layers, found.tool), now) > 0),
      ...availabilityOf(layers, found.tool),
      ...briefMetrics(layers, found.tool),
    })),
    metadata,
  };
}

function describe({ tool, hit }: Found, mode: SearchMode | null, isDoubted: boolean): AnswerObject {
  return {
    toolKey: tool.key,
    toolName: tool.name,
    serverName: tool.server,
    description: firstSentence(givenText(tool.definition.description)),
    relevance: rounded(hit.relevance),
    parameters: signatureOf(tool.definition.inputSchema),
    reason: reasonForHit(hit, mode, isDoubted),
    ...equalsOf(hit),
  };
}

function parseTask(args: Readonly<Record<string, unknown>>): Task {
  const { task, mode } = args;
  if (typeof task !== 'string' || task.trim() === '') throw bad('"task" must say what is to be done');
  const known = recommendModes.find((item) => item === mode);
  if (mode !== undefined && known === undefined) throw bad(`"mode" must be one of ${recommendModes.join(', ')}`);
  const limit = clamped(1, mostTools).safeParse(args.limit ?? usualLimit).data;
  if (limit === undefined) throw bad(`"limit" must be a whole number from 1 to ${mostTools}`);
  return { task, mode: known, limit };
}

function bad(what: string): GatewayError {
  return badArguments('recommend_tools', what);
}

/** `recommend_tools`: the few tools that fit a task best, each with the reason in words. */

import type { Principal } from '../access/access.ts';
import { signatureOf } from '../arguments/arguments.ts';
import type { GatewayError } from '../base/errors.ts';
import { cutAtWord, firstSentence, givenText } from '../base/text.ts';
import type { AgentSide } from '../caller/caller.ts';
import { doubtIn, type Sample, type SearchMode } from '../search/search.ts';
import {
  type AnswerObject,
  answer,
  availabilityOf,
  badArguments,
  briefMetrics,
  clamped,
  equalsOf,
  type FindLayer,
  type Found,
  findTools,
  fitRows,
  metricsOf,
  offeredFor,
  reasonForHit,
  remarksOn,
  roomBeside,
  rounded,
  type SearchReader,
  type Uses,
} from '../tools/tools.ts';
import { type MetaTool, readOnly } from './meta-tool.ts';
import { orQuestion, samplerOf } from './sample-agent.ts';

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
  readonly sample?: Sample | undefined;
}

export const recommendTools: MetaTool<FindLayer> = {
  name: 'recommend_tools',
  kind: 'find',
  act: 'discovery',
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
  async run({ layers, principal, agent, args, params, surface }) {
    const task = { ...parseTask(args), sample: samplerOf(agent, params) };
    return orQuestion(
      recommendFor(layers, principal, agent, task, surface).then(({ recommendations, metadata }) => {
        const brief = recommendations.map(({ toolKey, relevance, available, reason }) => {
          return { toolKey, relevance, available, reason };
        });
        const { rows } = fitRows([recommendations, brief], roomBeside(layers, { metadata }));
        return answer({ recommendations: rows, metadata });
      }),
    );
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

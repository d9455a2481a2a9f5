/** The optimizer's tools on the owner's door: one table, in which every answer ends with its next steps. */

import { z } from 'zod';
import { isObject } from '../base/json.ts';
import { type AgentSide, sampledModel } from '../caller/caller.ts';
import type { OwnerTool } from '../endpoint/endpoint.ts';
import { notification } from '../protocol/messages.ts';
import { type AnswerObject, fitRows, readToolArguments, roomBeside, type Uses } from '../tools/tools.ts';
import { givenPrompt, givenResult, optimizeInput } from './given-records.ts';
import { percentOf, progressOf, sayProgress } from './job-progress.ts';
import { type KnowsServer, shownJob } from './jobs.ts';
import type { Optimizer, WritingRequester } from './optimizer.ts';
import { type ActingPrincipal, checkReach, knowsJobsOn, serversInReach } from './reach.ts';

interface ToolRequest<I> {
  readonly optimizer: Optimizer;
  readonly input: I;
  readonly layers: Uses<'config' | 'clock'>;
  readonly by: ActingPrincipal;
  /** The servers that the principal reaches. */
  readonly servers: readonly string[];
  readonly knows: KnowsServer;
  readonly agent: AgentSide;
}

interface OptimizerTool<S extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly description: string;
  readonly isReadOnly?: boolean;
  readonly input: S;
  run(request: ToolRequest<z.infer<S>>): Promise<AnswerObject>;
  /** The steps that an agent can take next, each as one sentence. */
  nextSteps(input: z.infer<S>, answer: AnswerObject): readonly string[];
}

/** Keeps the types of a tool's input. */
function defineTool<S extends z.ZodType>(tool: OptimizerTool<S>): OptimizerTool<S> {
  return tool;
}

function requesterOf({ layers, agent, servers }: ToolRequest<unknown>): WritingRequester {
  return { sampled: sampledModel(layers, agent), reach: servers, signal: agent.signal };
}

const server = z.string().min(1).describe('The name of the server.');
const tool = z.string().min(1).describe('The name of the tool, as the server calls it.');
const count = z.number().int().min(0).max(100).optional().describe('How many at most; 5 if left out.');
const afterState: Readonly<Record<string, string>> = {
  queued: 'Ask again, or stop it with cancel_job.',
  running: 'Ask again, or stop it with cancel_job.',
  paused: 'Ask the owner to do what the outcome says, then start the same job again.',
  done: 'Read the figures with get_eval_results, then promote with promote_candidate.',
};

const tools = [
  defineTool({
    name: 'get_canonical_tools',
    description: "The definitions of a server's tools as the server gave them, whatever is promoted.",
    isReadOnly: true,
    input: z.strictObject({ server }),
    async run({ optimizer, input, layers }) {
      const { tools: whole, ...named } = await optimizer.getCanonicalTools(input);
      const brief = whole.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
      const least = whole.map(({ name, description }) => ({ name, description }));
      const { rows } = fitRows([whole, brief, least], roomBeside(layers, named));
      return { ...named, tools: rows, ...(rows.length < whole.length ? { toolCount: whole.length } : {}) };
    },
    nextSteps: ({ server: name }) => [
      `Write golden prompts for a tool with save_golden_prompts { server: "${name}", tool, prompts }.`,
      `Propose a better description with propose_candidate { server: "${name}", tool, description }.`,
    ],
  }),
  defineTool({
    name: 'propose_candidate',
    description: 'Store another description of a tool, to be evaluated. It changes nothing that agents see.',
    input: z.strictObject({
      server,
      tool,
      description: z.string().describe('At most 280 characters: what it does, when to use it, when not.'),
      example: z.string().optional().describe('An example call, shown in details only.'),
    }),
    run: ({ optimizer, input }) => optimizer.proposeCandidate(input),
    nextSteps: ({ server: name }, { candidateId }) => [
      'Save golden prompts of all three categories with save_golden_prompts, unless the tool has some.',
      `Evaluate each prompt and record it with record_eval_run { server: "${name}", candidateId: "${candidateId}", promptId, result }, and the same with candidateId "canonical".`,
    ],
  }),
  defineTool({
    name: 'save_golden_prompts',
    description: 'Save the prompts that descriptions of a tool are measured by. They replace those that it had.',
    input: z.strictObject({ server, tool, prompts: z.array(givenPrompt).min(1) }),
    run: ({ optimizer, input }) => optimizer.saveGoldenPrompts(input),
    nextSteps: ({ server: name }) => [
      'Propose candidates with propose_candidate, unless there are some.',
      `Record a run of each prompt for every candidate and for "canonical" with record_eval_run { server: "${name}", candidateId, promptId, result }.`,
    ],
  }),
  defineTool({
    name: 'generate_golden_prompts',
    description:
      'Add golden prompts. First come queries of real traffic that led to a successful call, with secrets and personal data masked. Your model (MCP sampling), or else a configured model or agent program, writes the rest.',
    input: z.strictObject({ server, tool, directCount: count, indirectCount: count, negativeCount: count }),
    run: (request) => request.optimizer.generateGoldenPrompts(request.input, requesterOf(request)),
    nextSteps: ({ server: name, tool: of }) => [
      'Read them, and save your own with save_golden_prompts for what they do not cover.',
      `Propose candidates with propose_candidate { server: "${name}", tool: "${of}", description }.`,
    ],
  }),
  defineTool({
    name: 'record_eval_run',
    description:
      'Record one evaluation of a prompt under a candidate, or under "canonical" for the description of the server.',
    input: z.strictObject({
      server,
      candidateId: z.string().min(1).describe('The candidate, or "canonical".'),
      promptId: z.string().min(1),
      result: givenResult,
    }),
    run: ({ optimizer, input }) => optimizer.recordEvalRun(input),
    nextSteps: ({ server: name, candidateId }) => [
      'Record the remaining prompts, for the candidate and for "canonical".',
      `Then read the figures with get_eval_results { server: "${name}", candidateId: "${candidateId}" }.`,
    ],
  }),
  defineTool({
    name: 'get_eval_results',
    description:
      'The figures of candidates, by category with 95 % intervals, and the reasons that keep one from promotion.',
    isReadOnly: true,
    input: z.strictObject({ server, candidateId: z.string().min(1).optional(), tool: tool.optional() }),
    async run({ optimizer, input, layers }) {
      const { candidates, ...named } = await optimizer.getEvalResults(input);
      const brief = candidates.map(({ candidateId, judge, metrics, runs }) => ({ candidateId, judge, metrics, runs }));
      const { rows } = fitRows([candidates, brief], roomBeside(layers, named));
      return { ...named, candidates: rows };
    },
    nextSteps: ({ server: name }) => [
      `Promote a candidate without refusals with promote_candidate { server: "${name}", tool, candidateId }.`,
      'Otherwise record the missing runs, or propose a better candidate with propose_candidate.',
    ],
  }),
  defineTool({
    name: 'promote_candidate',
    description:
      'Show a candidate to every agent instead of the description of the server, if its figures pass the gates. Schemas never change.',
    input: z.strictObject({
      server,
      tool,
      candidateId: z.string().min(1),
      force: z.boolean().optional().describe('Skip the gates; needs the scope admin, and records who and why.'),
      why: z.string().optional().describe('The reason for force.'),
    }),
    run: ({ optimizer, input, by }) => optimizer.promoter.promote(input, by),
    nextSteps: ({ server: name, tool: of }, { promoted }) =>
      promoted === true
        ? [`Undo it at any time with revert_optimization { server: "${name}", tool: "${of}" }.`]
        : ['Read the reasons, then record more runs or propose a better candidate with propose_candidate.'],
  }),
  defineTool({
    name: 'revert_optimization',
    description: "Show agents the server's own description again.",
    input: z.strictObject({ server, tool, why: z.string().optional() }),
    run: ({ optimizer, input, by }) => optimizer.promoter.revert(input, by.name),
    nextSteps: ({ server: name }) => [
      `Look at the figures with get_eval_results { server: "${name}" }, or propose another candidate.`,
    ],
  }),
  defineTool({
    name: 'generate_candidates',
    description:
      'Generate candidates for a tool: by your model (MCP sampling), else by a configured model or agent program, else by rules.',
    input: z.strictObject({ server, tool, count: z.int().min(1).max(10).optional() }),
    run: (request) => request.optimizer.generateCandidates(request.input, requesterOf(request)),
    nextSteps: ({ server: name, tool: of }) => [
      `Measure them with run_evaluation { server: "${name}", tool: "${of}" }, or write a better one with propose_candidate.`,
    ],
  }),
  defineTool({
    name: 'run_evaluation',
    description:
      'Measure candidates and the description of the server with every golden prompt, among all tools. Runs as a job.',
    input: z.strictObject({
      server,
      tool,
      candidateIds: z.array(z.string()).min(1).optional(),
      judge: optimizeInput.shape.judge,
    }),
    run: async (request) => tellJob(request, await request.optimizer.runEvaluation(request.input, request.by.name)),
    nextSteps: ({ server: name }, { jobId }) => [
      `Follow it with get_job { jobId: "${jobId}" }; then read get_eval_results { server: "${name}" }.`,
    ],
  }),
  defineTool({
    name: 'optimize',
    description:
      'Choose the best candidate of each tool by half of its prompts, decide by the other half, and promote it if autoPromote is true. Runs as a job.',
    input: optimizeInput,
    async run(request) {
      const { optimizer, input, by, servers } = request;
      return tellJob(request, await optimizer.optimize(input, by, servers));
    },
    nextSteps: (_, { jobId }) =>
      jobId === undefined
        ? ['Start it with optimize without dryRun.']
        : [`Follow it with get_job { jobId: "${jobId}" }, or stop it with cancel_job { jobId: "${jobId}" }.`],
  }),
  defineTool({
    name: 'get_job',
    description: 'The state, progress and outcome of a job.',
    isReadOnly: true,
    input: z.strictObject({ jobId: z.string().min(1) }),
    run: ({ optimizer, input, knows }) => optimizer.getJob(input, knows),
    nextSteps: (_, { state }) => [afterState[String(state)] ?? 'Read what was measured with get_eval_results.'],
  }),
  defineTool({
    name: 'cancel_job',
    description: 'Stop a job; runs that are done stay.',
    input: z.strictObject({ jobId: z.string().min(1) }),
    run: ({ optimizer, input, knows }) => optimizer.cancelJob(input, knows),
    nextSteps: () => ['Read what was measured with get_eval_results.'],
  }),
  defineTool({
    name: 'get_optimization_report',
    description:
      'Reports on the descriptions of a server, or of all servers: state, figures, which tools are confused, and how to improve them; the most to gain first.',
    isReadOnly: true,
    input: z.strictObject({ server: server.optional() }),
    async run({ optimizer, input, layers, servers: all, agent: { signal } }) {
      const wanted = input.server === undefined ? all : [input.server];
      const { servers, totals } = await optimizer.getOptimizationReport(wanted, signal);
      if (input.server === undefined) {
        const brief = servers.map(({ tools: _, ...counts }) => counts);
        const { rows } = fitRows([servers.map((one) => ({ ...one })), brief], roomBeside(layers, { totals }));
        return { servers: rows, totals };
      }
      const [{ tools: whole = [], ...counts } = { tools: [] }] = servers;
      const brief = whole.map(({ name, status, promptCount, candidateCount, diagnosis }) => {
        const { answered, expectedGain, advice } = diagnosis;
        return { name, status, promptCount, candidateCount, diagnosis: { answered, expectedGain, advice } };
      });
      const { rows } = fitRows([whole.map((one) => ({ ...one })), brief], roomBeside(layers, counts));
      return { ...counts, tools: rows };
    },
    nextSteps: () => [
      'Begin with the first tool: save_golden_prompts, propose_candidate, then run_evaluation or optimize.',
    ],
  }),
];

/** Those that there are now: none while the optimizer is off. */
export function optimizerTools(optimizer: Optimizer): readonly OwnerTool[] {
  return optimizer.isOn ? tools.map((row) => ownerTool(row as OptimizerTool, optimizer)) : [];
}

function ownerTool(
  { name, description, isReadOnly, input: schema, run, nextSteps }: OptimizerTool,
  optimizer: Optimizer,
): OwnerTool {
  return {
    definition: {
      name,
      description,
      inputSchema: z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }),
      annotations: { readOnlyHint: isReadOnly === true, openWorldHint: false },
    },
    scope: 'optimize',
    async run(layers, args, { principal, agent }) {
      const { snapshot } = layers.catalog;
      const input = readToolArguments(name, schema, args);
      if (isObject(input) && typeof input.server === 'string') checkReach(snapshot, principal, input.server);
      const servers = serversInReach(snapshot, principal);
      const knows = knowsJobsOn(snapshot, principal);
      const answered = await run({ optimizer, input, layers, by: principal, servers, knows, agent });
      return { ...answered, nextSteps: nextSteps(input, answered) };
    },
  };
}

const progressKey = 'toolcrib/progress';

/** An agent that asked for progress is told of it until the job has ended, and has the outcome as its answer; others have the job at once. */
async function tellJob(
  { optimizer: { jobs }, agent }: Pick<ToolRequest<unknown>, 'optimizer' | 'agent'>,
  begun: AnswerObject,
): Promise<AnswerObject> {
  const { progressToken } = agent;
  if (progressToken === undefined || typeof begun.jobId !== 'string') return begun;
  let told = -1;
  const job = await jobs.follow(
    begun.jobId,
    (step) => {
      const progress = progressOf(step);
      const percent = percentOf(progress);
      // The protocol wants each number above the last.
      if (percent <= told) return;
      told = percent;
      const _meta = { [progressKey]: { ...progress } };
      const params = { progressToken, progress: percent, total: 100, message: sayProgress(progress), _meta };
      agent.notify(notification('notifications/progress', params));
    },
    agent.signal,
  );
  return shownJob(job);
}

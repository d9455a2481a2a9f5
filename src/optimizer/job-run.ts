/** One job at work: every tool of its order in turn, with its progress and what came of it. */

import { abortable, type Clock } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { givenText } from '../base/text.ts';
import { type Catalog, canonicalOf, type Entry, type Snapshot } from '../catalog/catalog.ts';
import type { Config } from '../config/config.ts';
import {
  type OptimizerStore,
  promptCategories,
  type StoredCandidate,
  type StoredJob,
  type StoredPrompt,
  type Turn,
} from '../store/store.ts';
import { canonicalId, countsByCategory, decidePromotion, type PromotionDecision } from './decide-promotion.ts';
import {
  type EvaluatedTool,
  type Evaluation,
  type EvaluationStep,
  optimizeTool,
  runPrompts,
  SanityError,
  wordingsOf,
} from './evaluate.ts';
import { allPrompts } from './find-records.ts';
import { type JobProgress, progressBefore, progressOf } from './job-progress.ts';
import type { DescriptionJudge, JudgeName } from './judge.ts';
import { measure } from './measure.ts';
import { ModelBudget, PauseError } from './model-budget.ts';
import { untilStoreAnswers } from './wait-for-store.ts';

/** The work of a job, as it is stored: it must mean the same after a restart. */
export interface JobOrder {
  readonly kind: 'evaluate' | 'optimize';
  readonly judge: JudgeName;
  readonly tools: readonly { readonly server: string; readonly tool: string }[];
  /** `evaluate`: only these; all candidates of the tool, if left out. */
  readonly candidateIds?: readonly string[] | undefined;
  /** `optimize`: so many are generated where a tool has none. */
  readonly candidatesPerTool: number;
  /** All, if left out. */
  readonly promptsPerCategory?: number | undefined;
  readonly repeats: number;
  /** Least overall success, in place of the setting. */
  readonly threshold?: number | undefined;
  readonly autoPromote: boolean;
}

/** The end of a job; with an error alone, it failed, and with an error and tools it is paused. */
export interface JobOutcome {
  readonly calls?: number;
  readonly tools?: readonly ToolOutcome[];
  readonly error?: string;
}

/** A candidate that the deciding half has decided about. */
interface CandidateOutcome extends Omit<PromotionDecision, 'judge' | 'evidence'> {
  readonly candidateId: string;
  readonly passes: boolean;
  readonly promoted: boolean;
}

/** The end of one tool: its chosen candidate, or why there is none. */
interface ToolOutcome extends Partial<CandidateOutcome> {
  /** `server:tool`. */
  readonly tool: string;
  readonly skipped?: string;
  readonly void?: string;
  readonly kept?: string;
  readonly written?: WrittenCandidates | undefined;
  /** How each wording did on the choosing half, the server's own first. */
  readonly tried?: readonly { readonly candidateId: string; readonly right: number; readonly all: number }[];
  /** Of an evaluation, which chooses none. */
  readonly candidates?: readonly CandidateOutcome[];
}

/** Who wrote the candidates of a tool that had none, and why no better author did. */
interface WrittenCandidates {
  readonly author: StoredCandidate['author'];
  readonly notes: readonly string[];
}

export interface JobRunOptions {
  readonly store: OptimizerStore;
  readonly catalog: Pick<Catalog, 'snapshot' | 'settle'>;
  readonly config: () => Pick<Config, 'optimize'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Throws where the judge is not available, with what to set. */
  readonly judge: (name: JudgeName, budget: ModelBudget) => DescriptionJudge;
  /** Stores new candidates for a tool that has none. */
  readonly generate: (
    tool: JobOrder['tools'][number],
    count: number,
    by: { readonly budget: ModelBudget; readonly reach: readonly string[]; readonly signal: AbortSignal },
  ) => Promise<WrittenCandidates>;
  /** True if a model writes them. */
  readonly hasAuthor: () => boolean;
  /** Puts a candidate in place that the job has decided for. */
  readonly promote: (
    tool: JobOrder['tools'][number],
    candidateId: string,
    decision: PromotionDecision,
    by: string,
  ) => Promise<unknown>;
}

/** How long a resumed job waits for the listings of its servers. */
const settleMs = 30_000;

/** `outcome`: that of the tools that are done, with every urgent step. */
export type TellJob = (progress: JobProgress, isUrgent: boolean, outcome?: JobOutcome) => Promise<void>;

/** One job at work. */
export class JobRun {
  readonly #options: JobRunOptions;
  readonly #job: StoredJob;
  readonly #order: JobOrder;
  readonly #signal: AbortSignal;
  readonly #term: Turn['term'];
  readonly #tell: TellJob;
  readonly #budget: ModelBudget;
  /** The outcome of each tool that is done. */
  readonly #tools: ToolOutcome[];
  readonly #standing = { isSane: false };
  #progress: JobProgress;
  #calls = 0;

  constructor(options: JobRunOptions, job: StoredJob, turn: Turn, tell: TellJob) {
    this.#options = options;
    this.#term = turn.term;
    this.#job = job;
    this.#order = orderOf(job);
    this.#signal = turn.signal;
    this.#tell = tell;
    const { model } = progressOf(job);
    this.#progress = { ...progressBefore(this.#order), ...(model && { model }) };
    this.#tools = [...((job.outcome as JobOutcome | undefined)?.tools ?? [])]; // only ever what a run told
    this.#budget = new ModelBudget(
      () => options.config().optimize,
      model ?? { calls: 0, tokens: 0 },
      (used) => this.#at({ ...this.#progress, model: used }),
    );
  }

  /** So far, with the tools that were done before a restart or a pause: nothing is decided twice. */
  get outcome(): JobOutcome {
    return { calls: this.#calls, tools: this.#tools };
  }

  async run(): Promise<JobOutcome> {
    const { store, catalog } = this.#options;
    await abortable(catalog.settle(settleMs), this.#signal);
    const ran = await Promise.all(this.#order.tools.map(({ server, tool }) => store.listEvalRuns(server, tool)));
    // Before a restart or a pause.
    this.#calls = ran.flat().filter(({ jobId, reused }) => jobId === this.#job.id && !reused).length;
    const judge = this.#options.judge(this.#order.judge, this.#budget);
    const neighbourJudge = judge.price ? this.#options.judge('search', this.#budget) : judge;
    try {
      for (const tool of this.#order.tools.slice(this.#tools.length)) {
        const named = { serverName: tool.server, currentTool: tool.tool, completedTools: this.#tools.length };
        await this.#at({ ...this.#progress, ...progressBefore(this.#order), ...named });
        this.#signal.throwIfAborted(); // only now, when the tool before is stored as done
        const done = await this.#runTool({ judge, neighbourJudge }, tool);
        this.#tools.push({ tool: `${tool.server}:${tool.tool}`, ...done });
      }
    } finally {
      await judge.close();
      await neighbourJudge.close();
    }
    await this.#at({ ...this.#progress, completedTools: this.#tools.length });
    return this.outcome;
  }

  async #runTool(
    judges: Pick<Evaluation, 'judge' | 'neighbourJudge'>,
    named: JobOrder['tools'][number],
  ): Promise<Omit<ToolOutcome, 'tool'>> {
    const { server, tool: toolName } = named;
    const { store, catalog, clock, config } = this.#options;
    const prompts = somePrompts(await store.listPrompts(server, toolName), this.#order);
    const { snapshot } = catalog;
    const entry = evaluatedTool(snapshot, named);
    if (!entry) return { skipped: 'The tool is missing.' };
    if (prompts.length === 0) return { skipped: 'It has no golden prompts.' };
    const tool = { server, toolName, description: givenText(canonicalOf(entry).description), prompts };
    const evaluation: Evaluation = {
      ...{ ...judges, clock, jobId: this.#job.id, standing: this.#standing, signal: this.#signal },
      store: {
        listEvalRuns: (...of) => store.listEvalRuns(...of),
        addEvalRuns: (runs) =>
          untilStoreAnswers(() => store.addEvalRuns(runs, this.#term), { ...this.#options, signal: this.#signal }),
      },
      definitionOf: (address) => {
        const [ofServer = '', ...name] = address.split(':');
        return evaluatedTool(snapshot, { server: ofServer, tool: name.join(':') })?.definition;
      },
      timeoutMs: config().optimize.timeoutMs,
      repeats: this.#order.repeats,
      spend: () => this.#spend(),
      moved: (step) => this.#moved(step),
    };
    const { candidates, written } = await this.#candidatesOf(named);
    await this.#at({ ...this.#progress, phase: 'evaluating', candidates: candidates.length });
    for (const judge of new Set(Object.values(judges))) await judge.begin(this.#signal);
    try {
      if (this.#order.kind === 'evaluate') return await this.#evaluate(evaluation, tool, candidates);
      return { ...(written && { written }), ...(await this.#optimize(evaluation, tool, candidates)) };
    } catch (error) {
      if (!(error instanceof SanityError)) throw error;
      // A judge that has answered before, and costs something, may do so again: the other tools would be void too.
      if (judges.judge.price && this.#calls > 0)
        throw new PauseError(`The judge has stopped answering: ${error.message} Wait until it answers.`);
      return { void: `The sanity check failed, so nothing is decided: ${error.message}` };
    }
  }

  /** Generated only where there are none: an author's text goes first. */
  async #candidatesOf(tool: JobOrder['tools'][number]) {
    const { store, generate } = this.#options;
    const { kind, candidatesPerTool } = this.#order;
    const list = async () =>
      (await store.listCandidates(tool.server, tool.tool)).filter(({ id }) => isWanted(id, this.#order));
    const known = await list();
    if (known.length > 0 || kind === 'evaluate') return { candidates: known };
    const { reach = this.#order.tools.map(({ server }) => server) } = this.#job;
    const by = { budget: this.#budget, reach, signal: this.#signal };
    const { author, notes } = await generate(tool, candidatesPerTool, by);
    return { candidates: await list(), written: { author, notes } };
  }

  async #evaluate(
    evaluation: Evaluation,
    tool: EvaluatedTool,
    candidates: readonly StoredCandidate[],
  ): Promise<Omit<ToolOutcome, 'tool'>> {
    const { prompts } = tool;
    await runPrompts(evaluation, tool, wordingsOf(tool, candidates), prompts);
    const runs = await this.#options.store.listEvalRuns(tool.server, tool.toolName);
    const settings = this.#options.config().optimize;
    return {
      candidates: candidates.map(({ id: candidateId }) => {
        const decision = decidePromotion({ prompts, runs, jobId: this.#job.id, candidateId, settings, stolen: [] });
        return outcomeOf(candidateId, decision);
      }),
    };
  }

  async #optimize(
    evaluation: Evaluation,
    tool: EvaluatedTool,
    candidates: readonly StoredCandidate[],
  ): Promise<Omit<ToolOutcome, 'tool'>> {
    const { catalog, config, promote } = this.#options;
    if (candidates.length === 0) return { skipped: 'It has no candidates.' };
    const { snapshot } = catalog;
    const { optimize } = config();
    const settings = { ...optimize, minOverall: this.#order.threshold ?? optimize.minOverall };
    const found = await optimizeTool(evaluation, {
      tool,
      candidates,
      settings,
      snapshot,
      allPrompts: await allPrompts(this.#options),
    });
    const tried = await this.#tried(tool, candidates);
    if (!found)
      return { kept: "No candidate did better than the server's own description on the choosing prompts.", tried };
    const { candidateId, decision } = found;
    const promoted = this.#order.autoPromote && decision.refusals.length === 0;
    if (promoted) await this.#at({ ...this.#progress, phase: 'promoting', currentProgress: 100 });
    if (promoted) await promote({ server: tool.server, tool: tool.toolName }, candidateId, decision, this.#job.by);
    return { ...outcomeOf(candidateId, decision), promoted, tried };
  }

  async #tried({ server, toolName, prompts }: EvaluatedTool, candidates: readonly StoredCandidate[]) {
    const runs = (await this.#options.store.listEvalRuns(server, toolName)).filter(
      ({ jobId }) => jobId === this.#job.id,
    );
    const choosing = prompts.filter(({ part }) => part === 'choosing');
    return [canonicalId, ...candidates.map(({ id }) => id)].map((candidateId) => {
      const { right, all } = measure(choosing, runs, candidateId).overall;
      return { candidateId, right, all };
    });
  }

  #spend(): void {
    const { maxCalls } = this.#options.config().optimize;
    this.#calls += 1;
    if (this.#calls > maxCalls)
      throw new GatewayError('TOO_LARGE', `The job reached its limit of ${maxCalls} judgements ("optimize.maxCalls").`);
  }

  async #moved({ candidate, share, figures, prompts = this.#progress.prompts }: EvaluationStep): Promise<void> {
    const byCategory = figures ? countsByCategory(figures) : this.#progress.byCategory;
    this.#progress = { ...this.#progress, currentProgress: Math.floor(100 * share), candidate, prompts, byCategory };
    await this.#tell(this.#progress, false);
  }

  async #at(progress: JobProgress): Promise<void> {
    this.#progress = progress;
    await this.#tell(progress, true, this.#tools.length > 0 ? this.outcome : undefined);
  }
}

/** By the server's own name for it. */
export function evaluatedTool({ servers }: Snapshot, { server, tool }: JobOrder['tools'][number]): Entry | undefined {
  return servers.get(server)?.tools.find(({ serverName }) => serverName === tool);
}

/** Only ever what `start` stored. */
export function orderOf({ order }: StoredJob): JobOrder {
  return order as unknown as JobOrder;
}

export function isWanted(candidateId: string, { candidateIds }: JobOrder): boolean {
  return candidateIds?.includes(candidateId) ?? true;
}

/** At most so many of each category, as evenly from both halves as there are. */
export function somePrompts(
  prompts: readonly StoredPrompt[],
  { promptsPerCategory = prompts.length }: JobOrder,
): StoredPrompt[] {
  return promptCategories.flatMap((category) => {
    const { choosing = [], deciding = [] } = Object.groupBy(
      prompts.filter((prompt) => prompt.category === category),
      ({ part }) => part,
    );
    const half = Math.ceil(promptsPerCategory / 2);
    const decide = deciding.slice(0, Math.max(half, promptsPerCategory - choosing.length));
    return [...decide, ...choosing.slice(0, promptsPerCategory - decide.length)];
  });
}

function outcomeOf(
  candidateId: string,
  { judge: _judge, evidence: _evidence, ...decision }: PromotionDecision,
): CandidateOutcome {
  return { candidateId, passes: decision.refusals.length === 0, promoted: false, ...decision };
}

/** The optimizer: descriptions of tools, improved by experiment. This is the front of the folder; it is off unless the owner switches it on. */

import type { Clock } from '../base/clock.ts';
import { GatewayError, messageOf } from '../base/errors.ts';
import { fingerprintOf, randomId } from '../base/ids.ts';
import type { Log } from '../base/log.ts';
import { refuseOutdated } from '../base/refuse-outdated.ts';
import { type Catalog, canonicalOf, type Entry } from '../catalog/catalog.ts';
import { type Config, limits } from '../config/config.ts';
import type { AskModel } from '../language-model/language-model.ts';
import type { CallMetrics } from '../metrics/metrics.ts';
import type { ToolSearch } from '../search/search.ts';
import type { OptimizerStore, StoredCandidate, StoredEvalRun, StoredPrompt } from '../store/store.ts';
import { type AuthorSurroundings, authorsFor } from './author.ts';
import { checkCandidate, noteMissingTools } from './check-candidate.ts';
import { checkPrompts } from './check-prompts.ts';
import { dealPrompts, noteEmptyHalves } from './deal-prompts.ts';
import { canonicalId, figuresOf } from './decide-promotion.ts';
import { evalResults } from './eval-results.ts';
import { exportRecords, type RecordFile } from './export-records.ts';
import {
  allPrompts,
  candidateOf,
  canonicalTools,
  findTool,
  noCandidate,
  noPrompt,
  noRuns,
  ownTool,
  type ToolName,
  tooManyRecords,
} from './find-records.ts';
import { type GenerateRequest, generateCandidates, generatePrompts } from './generate.ts';
import type { GivenPrompt, GivenResult, OptimizeInput } from './given-records.ts';
import { type ImportOutcome, importRecords } from './import-records.ts';
import type { JobOrder } from './job-run.ts';
import { findJob, Jobs, type JobsOptions, type KnowsServer, shownJob } from './jobs.ts';
import { judgeResult } from './judge-result.ts';
import { type JudgeSurroundings, judgeOf, usualRepeats } from './judges.ts';
import { emptyBudget, type ModelBudget, meterOnce } from './model-budget.ts';
import { Promoter } from './promoter.ts';
import { Promotions, type PromotionsOptions, shownPromotion } from './promotions.ts';
import { confusionsIn, outcomesOf } from './prompt-outcomes.ts';
import { type ActingPrincipal, checkForce } from './reach.ts';
import { gatherReport } from './report.ts';

export { evaluationDoors } from './evaluation-door.ts';
export { givenPrompt, optimizeInput } from './given-records.ts';
export type { ImportOutcome } from './import-records.ts';
export { findJob, ownedJob, shownJob } from './jobs.ts';
export { optimizerTools } from './optimizer-tools.ts';
export { checkReach, knowsJobsOn, serversInReach } from './reach.ts';
export { reportForms, writeReport } from './write-report.ts';

export interface OptimizerOptions {
  readonly catalog: PromotionsOptions['catalog'] & Pick<Catalog, 'settle'>;
  readonly store: OptimizerStore & PromotionsOptions['store'];
  readonly audit: PromotionsOptions['audit'];
  readonly metrics: PromotionsOptions['metrics'] & Pick<CallMetrics, 'queries'>;
  readonly search: Pick<ToolSearch, 'trial'>;
  readonly log: Log;
  readonly config: () => Pick<Config, 'optimize' | 'search' | 'llm' | 'access'>;
  /** Where keys of models are. */
  readonly env: NodeJS.ProcessEnv;
  readonly replicas: JobsOptions['replicas'];
  readonly agentProgram: AuthorSurroundings['agentProgram'];
  readonly clock: Clock;
  readonly openDoor: JudgeSurroundings['openDoor'];
  /** Read at every request, because the config may change. */
  readonly isOn: () => boolean;
}

/** On whose behalf texts are written. */
export interface WritingRequester extends Pick<GenerateRequest, 'reach' | 'signal'> {
  /** The model of the calling agent, where it offers one. */
  readonly sampled?: AskModel | undefined;
  /** Of a job. */
  readonly budget?: ModelBudget | undefined;
}

interface PromptsToSave extends ToolName {
  readonly prompts: readonly GivenPrompt[];
  /** As the sender saw them; where they are others now, nothing is saved. */
  readonly seen?: readonly GivenPrompt[] | undefined;
}

export class Optimizer {
  readonly #options: OptimizerOptions;
  readonly #promotions: Promotions;
  readonly #closing = new AbortController();
  #stopFollowing = () => {};
  #switching: Promise<void> = Promise.resolve();
  #savingPrompts: Promise<unknown> = Promise.resolve();
  readonly promoter: Promoter;
  readonly jobs: Jobs;

  constructor(options: OptimizerOptions) {
    this.#options = options;
    this.#promotions = new Promotions({ ...options, watchCalls: () => this.#settings.watchCalls });
    this.promoter = new Promoter(options, this.#promotions, this.#closing.signal);
    this.jobs = new Jobs({
      ...options,
      judge: (name, budget) => judgeOf(name, options, budget),
      // A job outlives the call of its agent, so it asks no agent.
      generate: (tool, count, by) => this.generateCandidates({ ...tool, count }, by),
      hasAuthor: () => authorsFor(options, {}).length > 0,
      promote: (tool, candidateId, decision, by) =>
        this.promoter.putInPlace({ ...tool, candidateId }, decision, { by }),
    });
  }

  /** Call it before agents are let in: from the first list on they read what was promoted. */
  async open(): Promise<void> {
    await this.#promotions.open();
    this.#stopFollowing = this.#options.catalog.configured.on(() => this.#switchJobs());
    await this.#switchJobs();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#stopFollowing();
    await this.#switching;
    await this.jobs.close();
    await this.#promotions.close();
  }

  get isOn(): boolean {
    return this.#options.isOn();
  }

  /** Jobs stop while the optimizer is off, where nobody could cancel them, and then go on. */
  #switchJobs(): Promise<void> {
    const { log } = this.#options;
    this.#switching = this.#switching
      .then(() => (this.isOn ? this.jobs.open() : this.jobs.close()))
      .catch((error) => log.warn('Jobs of the optimizer cannot go on', { error: messageOf(error) }));
    return this.#switching;
  }

  /** The state of every description of these servers, and the gain that a better one may bring. */
  async getOptimizationReport(servers: readonly string[], signal: AbortSignal) {
    await this.#options.catalog.settle(limits.listWaitMs);
    return gatherReport(this.#options, servers, this.#promotions, signal);
  }

  /** The definitions of a server's tools as the server gave them. */
  async getCanonicalTools({ server }: { readonly server: string }) {
    const entries = await this.#toolsOf(server);
    return { server, tools: entries.map(canonicalOf) };
  }

  /** The same text proposed twice is one candidate. */
  async proposeCandidate(
    input: ToolName & { readonly description: string; readonly example?: string | undefined },
    author: StoredCandidate['author'] = 'hand',
  ) {
    const { description, example } = input;
    const entry = await this.#find(input);
    const { server, serverName: toolName } = entry;
    const { store, clock, catalog } = this.#options;
    const { maxChars, maxCandidatesPerTool } = this.#settings;
    const prompts = await store.listPrompts(server, toolName);
    const definition = canonicalOf(entry);
    checkCandidate({ description, example }, { definition, prompts, maxChars });
    const warnings = noteMissingTools(description, definition, catalog.snapshot.tools.values());
    const id = `cand_${fingerprintOf([server, toolName, description, example ?? null]).slice(0, 16)}`;
    const known = await store.listCandidates(server, toolName);
    const same = known.find((candidate) => candidate.id === id);
    if (same) return { candidateId: id, charCount: same.charCount, warnings };
    if (known.length >= maxCandidatesPerTool) throw tooManyRecords('candidates', input, maxCandidatesPerTool);
    const charCount = [...description].length;
    const createdAt = new Date(clock.now()).toISOString();
    const said = { description, ...(example === undefined ? {} : { example }) };
    await store.saveCandidates([{ id, server, toolName, ...said, charCount, createdAt, author }]);
    return { candidateId: id, charCount, warnings };
  }

  /**
   * These are the prompts of the tool from now on; those that were there before stay in their half. Saved one after the other: each
   * list is compared with what the one before it left.
   */
  saveGoldenPrompts(input: PromptsToSave, author: StoredPrompt['author'] = 'hand') {
    const saved = this.#savingPrompts.then(() => this.#savePrompts(input, author));
    this.#savingPrompts = saved.catch(() => {});
    return saved;
  }

  async #savePrompts(input: PromptsToSave, author: StoredPrompt['author']) {
    const entry = await this.#find(input);
    const { server, serverName: toolName } = entry;
    const { store, clock, catalog } = this.#options;
    const { maxPromptsPerTool } = this.#settings;
    if (input.prompts.length > maxPromptsPerTool) throw tooManyRecords('golden prompts', input, maxPromptsPerTool);
    const all = await store.listPrompts(server);
    const before = all.filter((prompt) => prompt.toolName === toolName);
    const now = before.map(({ id, category, prompt, expectedBehavior }) => ({
      id,
      category,
      prompt,
      expectedBehavior,
    }));
    refuseOutdated(`The list of golden prompts of "${entry.key}"`, input.seen, now);
    const others = all.filter((prompt) => prompt.toolName !== toolName);
    const { prompts, warnings } = checkPrompts(input.prompts, { entry, others, tools: catalog.snapshot.tools });
    const createdAt = new Date(clock.now()).toISOString();
    const dealt = dealPrompts(prompts, before);
    const saved = prompts.map((prompt, at): StoredPrompt => {
      const known = before.find(({ id }) => id === prompt.id);
      const part = dealt[at] ?? 'deciding';
      const { author: by = author, createdAt: since = createdAt } = known ?? {};
      return { server, toolName, ...prompt, part, author: by, createdAt: since };
    });
    await store.replacePrompts(server, toolName, saved);
    return {
      saved: saved.length,
      promptIds: saved.map(({ id }) => id),
      warnings: [...warnings, ...noteEmptyHalves(saved)],
    };
  }

  /** Adds prompts to those that the tool has: mined from traffic, and written where these are too few. */
  async generateGoldenPrompts(
    input: ToolName & {
      readonly directCount?: number | undefined;
      readonly indirectCount?: number | undefined;
      readonly negativeCount?: number | undefined;
    },
    by: WritingRequester,
  ) {
    const { directCount: direct = 5, indirectCount: indirect = 5, negativeCount: negative = 5 } = input;
    return generatePrompts(this.#options, {
      ...(await this.#generating(input, by)),
      counts: { direct, indirect, negative },
      save: (prompts, author) => this.saveGoldenPrompts({ ...input, prompts }, author),
    });
  }

  /** A run that an agent evaluated by itself; whether it is right is decided here. */
  async recordEvalRun(input: {
    readonly server: string;
    readonly candidateId: string;
    readonly promptId: string;
    readonly result: GivenResult;
  }) {
    const { server, candidateId, promptId } = input;
    const { store, clock } = this.#options;
    await this.#toolsOf(server);
    const prompt = (await store.listPrompts(server)).find(({ id }) => id === promptId);
    if (!prompt) throw noPrompt(promptId, server);
    const { toolName } = prompt;
    if (candidateId !== canonicalId) await candidateOf(this.#options.store, server, toolName, candidateId);
    const before = await store.listEvalRuns(server, toolName);
    const repeat = before.filter((run) => run.candidateId === candidateId && run.promptId === promptId).length;
    const result = judgeResult(input.result, prompt);
    const run: StoredEvalRun = {
      id: `run_${randomId()}`,
      ...{ server, toolName, candidateId, promptId, result, repeat },
      timestamp: new Date(clock.now()).toISOString(),
      judge: 'self',
      jobId: null,
    };
    await store.addEvalRuns([run]);
    return { runId: run.id, correct: result.correct };
  }

  /** Of every candidate that has runs, or of one, by each judge that ran it; with the reasons that keep it from a promotion. */
  async getEvalResults(input: {
    readonly server: string;
    readonly candidateId?: string | undefined;
    readonly tool?: string | undefined;
  }) {
    const { server, candidateId, tool } = input;
    const toolName = tool === undefined ? undefined : (await this.#find({ server, tool })).serverName;
    await this.#toolsOf(server);
    const { store } = this.#options;
    const records = {
      prompts: await store.listPrompts(server, toolName),
      runs: await store.listEvalRuns(server, toolName),
    };
    const candidates = evalResults(records, this.#settings, candidateId);
    if (candidates.length === 0) throw noRuns(input);
    return { server, candidates };
  }

  /** Each with its figures beside those of the server's own description, and with its promotion if it is in place. */
  async listCandidates({ server, tool }: { readonly server: string; readonly tool?: string | undefined }) {
    const { store } = this.#options;
    const candidates = await store.listCandidates(server, tool);
    const prompts = Map.groupBy(await store.listPrompts(server, tool), ({ toolName }) => toolName);
    const runs = Map.groupBy(await store.listEvalRuns(server, tool), ({ toolName }) => toolName);
    return candidates.map((candidate) => {
      const { id: candidateId, toolName } = candidate;
      const own = { prompts: prompts.get(toolName) ?? [], runs: runs.get(toolName) ?? [] };
      const promotion = this.#promotions.find(server, toolName);
      return {
        ...candidate,
        figures: figuresOf({ ...own, candidateId }),
        promotion:
          promotion?.candidateId === candidateId
            ? shownPromotion(promotion, this.#promotions.stateOf(promotion))
            : null,
      };
    });
  }

  /** Everything that was measured of one tool: figures by judge, each prompt with its answers, and what was taken for what. */
  async getToolResults({ server, tool }: ToolName) {
    const { serverName: toolName } = await this.#find({ server, tool });
    const { store } = this.#options;
    const prompts = await store.listPrompts(server, toolName);
    const runs = await store.listEvalRuns(server, toolName);
    const candidates = await this.listCandidates({ server, tool: toolName });
    const measured = outcomesOf(prompts, runs, [canonicalId, ...candidates.map(({ id }) => id)]);
    return { candidates, results: evalResults({ prompts, runs }, this.#settings), prompts: measured };
  }

  /** Which tools of a server were taken for which: with its own descriptions, and with those that agents read now. */
  async getConfusions({ server }: { readonly server: string }) {
    await this.#toolsOf(server);
    const { store } = this.#options;
    const runs = Map.groupBy(await store.listEvalRuns(server), ({ toolName }) => toolName);
    const byTool = Map.groupBy(await store.listPrompts(server), ({ toolName }) => toolName);
    const shownId = (toolName: string) => this.#promotions.find(server, toolName)?.candidateId ?? canonicalId;
    const measured = [...byTool].flatMap(([toolName, prompts]) =>
      outcomesOf(prompts, runs.get(toolName) ?? [], [canonicalId, shownId(toolName)]),
    );
    return { own: confusionsIn(measured, () => canonicalId), shown: confusionsIn(measured, shownId) };
  }

  listPrompts({ server, tool }: { readonly server: string; readonly tool?: string | undefined }) {
    return this.#options.store.listPrompts(server, tool);
  }

  async removeCandidate({ server, candidateId }: { readonly server: string; readonly candidateId: string }) {
    const promotion = this.#promotions.list().find((one) => one.server === server && one.candidateId === candidateId);
    if (promotion)
      throw new GatewayError('ARGUMENTS_INVALID', `Candidate "${candidateId}" is promoted.`, {
        hint: `Revert it first: toolcrib optimize revert ${server}:${promotion.toolName}`,
      });
    if (await this.#options.store.removeCandidate(server, candidateId)) return { removed: candidateId };
    throw noCandidate(candidateId, server);
  }

  /** The records of a server as files. Prompts that were mined from real traffic only where they are asked for. */
  async exportRecords({ server, mined = false }: { readonly server: string; readonly mined?: boolean | undefined }) {
    const { store, catalog } = this.#options;
    const prompts = await store.listPrompts(server);
    const tools = new Map(catalog.snapshot.servers.get(server)?.tools.map((entry) => [entry.serverName, entry]));
    return exportRecords({
      tools: [...tools.values()].map(canonicalOf),
      candidates: await store.listCandidates(server),
      prompts: prompts.filter(({ author }) => mined || author !== 'mined'),
      runs: await store.listEvalRuns(server),
      promotions: this.#promotions.list().filter((promotion) => promotion.server === server),
    });
  }

  /**
   * Imports one file of an export, possibly edited by hand. Applies promotions only if asked to. A refusal names
   * only servers within `reach`.
   */
  importRecords(
    input: RecordFile & {
      readonly server: string;
      readonly replace?: boolean | undefined;
      readonly promotions?: boolean | undefined;
    },
    by: ActingPrincipal,
    reach: readonly string[],
  ): Promise<ImportOutcome> {
    const { server, replace: replaces = false } = input;
    const { store, catalog, clock } = this.#options;
    const { snapshot } = catalog;
    return importRecords(input, {
      ...{ server, store, replaces, tools: snapshot.tools, limits: this.#settings },
      definitionOf: (toolName) => {
        const entry = ownTool(snapshot, { server, tool: toolName }, reach);
        return entry ? canonicalOf(entry) : { name: toolName };
      },
      promotionOf: (toolName) => this.#promotions.find(server, toolName),
      sayReverted: (promotion) => this.#promotions.sayReverted(promotion),
      restore: input.promotions ? (promotion) => this.promoter.restore(promotion, replaces, by) : undefined,
      now: new Date(clock.now()).toISOString(),
    });
  }

  /** By the first author that there is, else by rule; texts that a check refuses are left out. */
  async generateCandidates(input: ToolName & { readonly count?: number | undefined }, by: WritingRequester) {
    return generateCandidates(this.#options, {
      ...(await this.#generating(input, by)),
      count: input.count ?? this.#settings.candidatesPerTool,
      allPrompts: () => allPrompts(this.#options),
      propose: (description, author) => this.proposeCandidate({ ...input, description }, author),
    });
  }

  async #generating(tool: ToolName, { sampled, budget, reach, signal }: WritingRequester): Promise<GenerateRequest> {
    const meter = budget ? (ask: AskModel) => budget.meter(ask) : meterOnce(() => this.#settings);
    const authors = authorsFor(this.#options, { sampled, meter });
    return { entry: await this.#find(tool), authors, reach, signal };
  }

  /** Judges all candidates of a tool, or some, with all of its prompts. */
  async runEvaluation(
    input: ToolName & { readonly candidateIds?: readonly string[] | undefined } & Pick<OptimizeInput, 'judge'>,
    by: string,
  ) {
    const { server, serverName: tool } = await this.#find(input);
    const { candidateIds } = input;
    for (const id of candidateIds ?? []) await candidateOf(this.#options.store, server, tool, id);
    const { candidatesPerTool } = this.#settings;
    const order: JobOrder = {
      ...{ kind: 'evaluate', tools: [{ server, tool }], candidateIds, candidatesPerTool, autoPromote: false },
      ...this.#judgeFor(input),
    };
    return shownJob(await this.jobs.start(order, by));
  }

  /** Generates, judges and, where asked to, promotes, for tools that have golden prompts on servers within `reach`. */
  async optimize(input: OptimizeInput, by: ActingPrincipal, reach: readonly string[]) {
    const { candidatesPerTool, promptsPerCategory, minOverall } = this.#settings;
    // A threshold below the owner's gate skips that gate.
    if (input.autoPromote === true && (input.threshold ?? minOverall) < minOverall) checkForce(by);
    const order: JobOrder = {
      kind: 'optimize',
      tools: await this.#toolsToOptimize(input, reach),
      candidatesPerTool: input.candidatesPerTool ?? candidatesPerTool,
      promptsPerCategory: input.promptsPerCategory ?? promptsPerCategory,
      ...this.#judgeFor(input),
      threshold: input.threshold,
      autoPromote: input.autoPromote ?? false,
    };
    if (input.dryRun === true) {
      const { tools: _, threshold = this.#settings.minOverall, ...settings } = order;
      return { estimate: { ...(await this.jobs.estimate(order)) }, settings: { ...settings, threshold } };
    }
    return shownJob(await this.jobs.start(order, by.name, reach));
  }

  /** Refused now, not in the job, where the judge is not available. */
  #judgeFor(input: Pick<OptimizeInput, 'judge' | 'repeats'>): Pick<JobOrder, 'judge' | 'repeats'> {
    const { judge: usual, repeats } = this.#settings;
    const judge = input.judge ?? usual;
    judgeOf(judge, this.#options, emptyBudget);
    return { judge, repeats: input.repeats ?? repeats ?? usualRepeats[judge] };
  }

  async getJob({ jobId }: { readonly jobId: string }, knows: KnowsServer) {
    return shownJob(findJob(await this.jobs.list(knows), jobId));
  }

  async cancelJob({ jobId }: { readonly jobId: string }, knows: KnowsServer) {
    return shownJob(await this.jobs.cancel(findJob(await this.jobs.list(knows), jobId)));
  }

  async #toolsToOptimize({ server, tools }: OptimizeInput, reach: readonly string[]): Promise<ToolName[]> {
    if (tools !== undefined && server === undefined)
      throw new GatewayError('ARGUMENTS_INVALID', '"tools" needs "server": name the server that has them.');
    if (tools !== undefined && server !== undefined) {
      const entries = await Promise.all(tools.map((tool) => this.#find({ server, tool })));
      return entries.map((entry) => ({ server, tool: entry.serverName }));
    }
    if (server !== undefined) await this.#toolsOf(server);
    const wanted = server === undefined ? reach : [server];
    const known = (await allPrompts(this.#options)).filter((prompt) => wanted.includes(prompt.server));
    const named = new Map(known.map((prompt) => [`${prompt.server}:${prompt.toolName}`, prompt]));
    return [...named.values()].map((prompt) => ({ server: prompt.server, tool: prompt.toolName }));
  }

  get #settings() {
    return this.#options.config().optimize;
  }

  #toolsOf(server: string): Promise<readonly Entry[]> {
    return canonicalTools(this.#options.catalog, server);
  }

  #find(tool: ToolName): Promise<Entry> {
    return findTool(this.#options.catalog, tool);
  }
}

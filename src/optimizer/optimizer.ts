/** The optimizer: descriptions of tools, improved by experiment. This is the front of the folder; it is off unless the owner switches it on. */

import type { Clock } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import { fingerprintOf, randomId } from '../base/ids.ts';
import { nearest } from '../base/nearest.ts';
import { type Catalog, canonicalOf, type Entry } from '../catalog/catalog.ts';
import { type Config, limits } from '../config/config.ts';
import type { OptimizerStore, StoredCandidate, StoredEvalRun, StoredPrompt } from '../store/store.ts';
import { checkCandidate } from './check-candidate.ts';
import { checkPrompts, type GivenPrompt } from './check-prompts.ts';
import { dealPrompts } from './deal-prompts.ts';
import { type GivenResult, judgeResult } from './judge-result.ts';

export { optimizerTools } from './optimizer-tools.ts';

export interface OptimizerOptions {
  readonly catalog: Pick<Catalog, 'snapshot' | 'settle'>;
  readonly store: OptimizerStore;
  readonly config: () => Pick<Config, 'optimize'>;
  readonly clock: Clock;
  /** Read at every request, because the config may change. */
  readonly isOn: () => boolean;
}

/** The candidate id of the server's own description. */
export const canonicalId = 'canonical';

/** A tool by the name that its server gives it. */
export interface ToolName {
  readonly server: string;
  readonly tool: string;
}

export class Optimizer {
  readonly #options: OptimizerOptions;

  constructor(options: OptimizerOptions) {
    this.#options = options;
  }

  get isOn(): boolean {
    return this.#options.isOn();
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
    const { store, clock } = this.#options;
    const { maxChars, maxCandidatesPerTool } = this.#settings;
    const prompts = await store.listPrompts(server, toolName);
    checkCandidate({ description, example }, { definition: canonicalOf(entry), prompts, maxChars });
    const id = `cand_${fingerprintOf([server, toolName, description, example ?? null]).slice(0, 16)}`;
    const known = await store.listCandidates(server, toolName);
    const same = known.find((candidate) => candidate.id === id);
    if (same) return { candidateId: id, charCount: same.charCount };
    if (known.length >= maxCandidatesPerTool) throw tooMany('candidates', input, maxCandidatesPerTool);
    const charCount = [...description].length;
    const createdAt = new Date(clock.now()).toISOString();
    const said = { description, ...(example === undefined ? {} : { example }) };
    await store.saveCandidates([{ id, server, toolName, ...said, charCount, createdAt, author }]);
    return { candidateId: id, charCount };
  }

  /** These are the prompts of the tool from now on; those that were there before stay in their half. */
  async saveGoldenPrompts(
    input: ToolName & { readonly prompts: readonly GivenPrompt[] },
    author: StoredPrompt['author'] = 'hand',
  ) {
    const entry = await this.#find(input);
    const { server, serverName: toolName } = entry;
    const { store, clock, catalog } = this.#options;
    const { maxPromptsPerTool } = this.#settings;
    if (input.prompts.length > maxPromptsPerTool) throw tooMany('golden prompts', input, maxPromptsPerTool);
    const all = await store.listPrompts(server);
    const others = all.filter((prompt) => prompt.toolName !== toolName);
    const { prompts, warnings } = checkPrompts(input.prompts, { entry, others, tools: catalog.snapshot.tools });
    const createdAt = new Date(clock.now()).toISOString();
    const before = all.filter((prompt) => prompt.toolName === toolName);
    const dealt = dealPrompts(prompts, before);
    const saved = prompts.map((prompt, at): StoredPrompt => {
      const known = before.find(({ id }) => id === prompt.id);
      const part = dealt[at] ?? 'deciding';
      return { server, toolName, ...prompt, part, author, createdAt: known?.createdAt ?? createdAt };
    });
    await store.replacePrompts(server, toolName, saved);
    return { saved: saved.length, promptIds: saved.map(({ id }) => id), warnings };
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
    if (!prompt) throw unknown('golden prompt', promptId, server, 'Save it first with save_golden_prompts.');
    const { toolName } = prompt;
    if (candidateId !== canonicalId) await this.#checkCandidateOf(server, toolName, candidateId);
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

  async #checkCandidateOf(server: string, toolName: string, candidateId: string): Promise<void> {
    const candidates = await this.#options.store.listCandidates(server);
    const candidate = candidates.find(({ id }) => id === candidateId);
    if (!candidate)
      throw unknown('candidate', candidateId, server, 'Propose it first, or use "canonical" for the baseline.');
    if (candidate.toolName === toolName) return;
    throw new GatewayError(
      'ARGUMENTS_INVALID',
      `Candidate "${candidateId}" is for tool "${candidate.toolName}", but the prompt is for "${toolName}".`,
    );
  }

  get #settings() {
    return this.#options.config().optimize;
  }

  /** Every tool of a server by its own name; an alias is no tool of its own. */
  async #toolsOf(server: string): Promise<readonly Entry[]> {
    const { catalog } = this.#options;
    await catalog.settle(limits.listWaitMs);
    const entry = catalog.snapshot.servers.get(server);
    if (!entry) {
      const [near] = nearest(server, catalog.snapshot.servers.keys(), 1);
      const hint = near === undefined ? undefined : `Did you mean "${near}"?`;
      throw new GatewayError('SERVER_NOT_FOUND', `There is no server "${server}".`, { hint });
    }
    const tools = new Map(entry.tools.map((tool) => [tool.serverName, tool]));
    if (tools.size > 0) return [...tools.values()];
    throw new GatewayError('TOOL_NOT_FOUND', `Server "${server}" has no canonical tools yet: is it connected?`, {
      hint: `Run "toolcrib refresh ${server}", or look at its state with "toolcrib show ${server}".`,
    });
  }

  async #find({ server, tool }: ToolName): Promise<Entry> {
    const entries = await this.#toolsOf(server);
    const found = entries.find(({ serverName, name }) => serverName === tool || name === tool);
    if (found) return found;
    const [near] = nearest(
      tool,
      entries.map((entry) => entry.serverName),
      1,
    );
    const hint = near === undefined ? 'get_canonical_tools lists them.' : `Did you mean "${near}"?`;
    throw new GatewayError('TOOL_NOT_FOUND', `Server "${server}" has no tool "${tool}".`, { hint });
  }
}

function unknown(what: string, id: string, server: string, hint: string): GatewayError {
  return new GatewayError('ARGUMENTS_INVALID', `Server "${server}" has no ${what} "${id}".`, { hint });
}

function tooMany(what: string, { server, tool }: ToolName, most: number): GatewayError {
  return new GatewayError('ARGUMENTS_INVALID', `Tool "${server}:${tool}" can have at most ${most} ${what}.`);
}

/** The judge that asks a language model: one request with the tools found for the prompt, answered with the calls that the model would make. */

import { messageOf } from '../base/errors.ts';
import { fingerprintOf } from '../base/ids.ts';
import { jsonSize } from '../base/json.ts';
import { redactedBeginning } from '../base/redact.ts';
import type { AskModel, ModelAnswer, OfferedTool } from '../language-model/language-model.ts';
import type { ToolSearch } from '../search/search.ts';
import type { Choice, DescriptionJudge, PricedQuestion, Wording } from './judge.ts';
import { BudgetError, usualAnswerTokens, usualTokens } from './model-budget.ts';
import { OfferedTools, type ToolOffer } from './offered-tools.ts';

/** Favours neither a call nor none. */
const system = 'You are a helpful assistant. Use the tools that you are given where they help with the request.';
const maxTokens = 1_024;
/** Limits on what is kept of an answer. */
const mostReasoningChars = 500;
const mostCalls = 20;
const mostArgumentBytes = 20_000;

const nothing = { type: 'object', properties: {} };
/** Every model that can call tools gets it right. */
const sanity = {
  text: 'Call the tool current_time, please.',
  tools: [
    { name: 'random_number', description: 'A random number between 0 and 1.', inputSchema: nothing },
    { name: 'current_time', description: 'The date and the time of now.', inputSchema: nothing },
  ],
  right: 'current_time',
};

export interface ModelJudgeOptions {
  readonly search: Pick<ToolSearch, 'trial'>;
  readonly ask: AskModel;
  /** Identifies the model and its service. */
  readonly model: string;
}

export class ModelJudge implements DescriptionJudge {
  readonly name = 'model';
  readonly atOnce = 3;
  readonly #options: ModelJudgeOptions;
  readonly #offered: OfferedTools;
  readonly #weights = new Map<string, { readonly mark: string; readonly tokens: number }>();

  constructor(options: ModelJudgeOptions) {
    this.#options = options;
    this.#offered = new OfferedTools(options.search);
  }

  async begin(): Promise<void> {
    this.#weights.clear();
    await this.#offered.begin();
  }

  async checkSanity(_wording: Wording, signal: AbortSignal): Promise<string | null> {
    const { text, tools, right } = sanity;
    try {
      const { calls } = await this.#ask(text, tools, signal);
      return calls[0]?.name === right ? null : `The model did not call the tool that it was told to call ("${right}").`;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof BudgetError) throw error;
      return messageOf(error);
    }
  }

  async price(wording: Wording, prompt: string, signal: AbortSignal): Promise<PricedQuestion> {
    const tools = (await this.#offered.offer(wording, prompt, signal)).map((tool) => this.#weigh(tool));
    const key = fingerprintOf([this.#options.model, system, prompt, ...tools.map(({ mark }) => mark)]);
    const ofTools = tools.reduce((sum, { tokens }) => sum + tokens, 0);
    return { key, calls: 1, tokens: usualTokens(`${system}\n${prompt}`) + ofTools + usualAnswerTokens };
  }

  async choose(wording: Wording, prompt: string, signal: AbortSignal): Promise<Choice> {
    const offered = await this.#offered.offer(wording, prompt, signal);
    if (offered.length === 0) throw new Error(`The tool "${wording.server}:${wording.toolName}" is missing.`);
    const byName = new Map(offered.map(({ name, address }) => [name, address]));
    const answer = await this.#ask(
      prompt,
      offered.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
      signal,
    );
    const calls = answer.calls.slice(0, mostCalls).map(({ name, arguments: given }) => ({
      tool: byName.get(name) ?? null,
      arguments: jsonSize(given, mostArgumentBytes) > mostArgumentBytes ? null : given,
    }));
    const said = redactedBeginning(answer.text.trim(), mostReasoningChars);
    return {
      tool: calls[0]?.tool ?? null,
      calls,
      isDoubted: false,
      offered: [...byName.values()],
      ...(said === '' ? {} : { reasoning: said }),
    };
  }

  close(): Promise<void> {
    return this.#offered.close();
  }

  /** Throws if the answer cannot be used. */
  async #ask(text: string, tools: readonly OfferedTool[], signal: AbortSignal): Promise<ModelAnswer> {
    const answer = await this.#options.ask({ system, text, tools, maxTokens }, signal);
    if (answer.ended === 'cut') throw new Error('The answer of the model was cut off.');
    if (answer.ended === 'refused') throw new Error('The model refused to answer.');
    return answer;
  }

  /** The same tools come with many prompts. */
  #weigh({ address, name, description, inputSchema }: ToolOffer) {
    const of = JSON.stringify([address, name, description]);
    const known = this.#weights.get(of);
    if (known) return known;
    const text = JSON.stringify({ name, description, inputSchema });
    const weight = { mark: fingerprintOf(text), tokens: usualTokens(text) };
    this.#weights.set(of, weight);
    return weight;
  }
}

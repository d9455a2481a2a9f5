/** The requests to a model that a job may make, and the tokens that they may take: counted before they are sent, kept over restarts. */

import type { Config } from '../config/config.ts';
import type { AskModel, ModelQuestion } from '../language-model/language-model.ts';

/** Of a model, by a job. */
export type ModelUse = { readonly calls: number; readonly tokens: number };

/** The job may ask no more; it goes on when it is started again with a higher limit. */
export class BudgetError extends Error {}

/** Tokens that the answer to a question about tools usually has. */
export const usualAnswerTokens = 80;
/** Of definitions of tools and prompts, in tokenizers of today; 3.9 to 4.5 of o200k. */
const bytesPerToken = 4;

/** A fair guess for what a service will count: neither the least nor the most. */
export function usualTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

export class ModelBudget {
  readonly #limits: () => Pick<Config['optimize'], 'maxModelCalls' | 'maxModelTokens'>;
  readonly #keep: (used: ModelUse) => Promise<void>;
  #used: ModelUse;

  /** `keep` stores how much was used, before anything is sent. */
  constructor(
    limits: () => Pick<Config['optimize'], 'maxModelCalls' | 'maxModelTokens'>,
    used: ModelUse,
    keep: (used: ModelUse) => Promise<void>,
  ) {
    this.#limits = limits;
    this.#used = used;
    this.#keep = keep;
  }

  /** Counts this use, which is an estimate. The function corrects it when it is known. Throws a BudgetError where it is too much. */
  async begin(estimate: ModelUse): Promise<(known: ModelUse) => Promise<void>> {
    const { maxModelCalls, maxModelTokens } = this.#limits();
    const { calls, tokens } = this.#used;
    if (calls + estimate.calls > maxModelCalls)
      throw spent(`${calls} of ${maxModelCalls} model requests`, 'optimize.maxModelCalls');
    if (tokens + estimate.tokens > maxModelTokens)
      throw spent(`${tokens} of ${maxModelTokens} model tokens`, 'optimize.maxModelTokens');
    await this.#add(estimate.calls, estimate.tokens);
    return (known) => this.#add(known.calls - estimate.calls, known.tokens - estimate.tokens);
  }

  /** Every request through it counts, also one that fails; the tokens of a failed one do not. */
  meter(ask: AskModel): AskModel {
    return async (question, signal) => {
      const tokens = tokensOf(question);
      const settle = await this.begin({ calls: 1, tokens });
      let known = 0;
      try {
        const answer = await ask(question, signal);
        known = answer.tokens || tokens;
        return answer;
      } finally {
        await settle({ calls: 1, tokens: known });
      }
    };
  }

  #add(calls: number, tokens: number): Promise<void> {
    this.#used = { calls: this.#used.calls + calls, tokens: this.#used.tokens + tokens };
    return this.#keep(this.#used);
  }
}

/** For estimates, and to learn whether a judge is available: nothing may be asked. */
export const freeOfCost = new ModelBudget(
  () => ({ maxModelCalls: 0, maxModelTokens: 0 }),
  { calls: 0, tokens: 0 },
  async () => {},
);

/** Of a question and its usual answer, by estimate. */
function tokensOf({ system, text, tools = [] }: ModelQuestion): number {
  return usualTokens(`${system}\n${text}\n${JSON.stringify(tools)}`) + usualAnswerTokens;
}

function spent(what: string, setting: string): BudgetError {
  return new BudgetError(
    `The job has used ${what} ("${setting}"). Raise the limit and start the same job again: it continues where it stopped.`,
  );
}

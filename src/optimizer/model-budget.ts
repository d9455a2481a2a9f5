/** The model requests and tokens that a job may use. Each request is counted before it is sent, also across restarts. */

import { GatewayError } from '../base/errors.ts';
import type { Config } from '../config/config.ts';
import type { AskModel, ModelQuestion } from '../language-model/language-model.ts';

/** A job's use of a model. */
export type ModelUse = { readonly calls: number; readonly tokens: number };

/** The job stops here, and goes on where it stopped when it is started again; the message says what to do before. */
export class PauseError extends Error {}

/** A request that the budget has no room for; it was not sent. */
export class BudgetError extends PauseError {}

/** Usual tokens of an answer to a question about tools. */
export const usualAnswerTokens = 80;
/** Measured on tool definitions and prompts: 3.9 to 4.5 with o200k. */
const bytesPerToken = 4;

/** The tokens that a service is likely to count. */
export function usualTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

type ModelLimits = () => Pick<Config['optimize'], 'maxModelCalls' | 'maxModelTokens'>;

export class ModelBudget {
  readonly #limits: ModelLimits;
  readonly #keep: (used: ModelUse) => Promise<void>;
  #used: ModelUse;

  /** `keep` stores how much was used, before anything is sent. */
  constructor(limits: ModelLimits, used: ModelUse, keep: (used: ModelUse) => Promise<void>) {
    this.#limits = limits;
    this.#used = used;
    this.#keep = keep;
  }

  /** Counts an estimated use; call the returned function with the real one. Throws a BudgetError above a limit. */
  async begin(estimate: ModelUse): Promise<(known: ModelUse) => Promise<void>> {
    const { maxModelCalls, maxModelTokens } = this.#limits();
    const { calls, tokens } = this.#used;
    if (calls + estimate.calls > maxModelCalls)
      throw spent(`${calls} of ${maxModelCalls} model requests`, estimate.calls, 'optimize.maxModelCalls');
    if (tokens + estimate.tokens > maxModelTokens)
      throw spent(`${tokens} of ${maxModelTokens} model tokens`, estimate.tokens, 'optimize.maxModelTokens');
    await this.#add(estimate.calls, estimate.tokens);
    return (known) => this.#add(known.calls - estimate.calls, known.tokens - estimate.tokens);
  }

  /** Every request through it counts, also one that fails: it may have been paid. While it is on its way, the longest answer counts. */
  meter(ask: AskModel): AskModel {
    return async (question, signal) => {
      const tokens = tokensOf(question);
      const settle = await this.begin({ calls: 1, tokens: tokens + question.maxTokens });
      let known = tokens + usualAnswerTokens;
      try {
        const answer = await ask(question, signal);
        known = answer.tokens || known;
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

/** Allows no request: for estimates, and to check that a judge is available. */
export const emptyBudget = new ModelBudget(
  () => ({ maxModelCalls: 0, maxModelTokens: 0 }),
  { calls: 0, tokens: 0 },
  async () => {},
);

/** The same limits for one request outside a job. An author without room left fails as if its model did. */
export function meterOnce(limits: ModelLimits): (ask: AskModel) => AskModel {
  const budget = new ModelBudget(limits, { calls: 0, tokens: 0 }, async () => {});
  return (ask) => {
    const metered = budget.meter(ask);
    return (question, signal) =>
      metered(question, signal).catch((error) => {
        throw error instanceof BudgetError ? new GatewayError('MODEL_FAILED', error.message) : error;
      });
  };
}

/** Of a question, by estimate. */
function tokensOf({ system, text, tools = [] }: ModelQuestion): number {
  return usualTokens(`${system}\n${text}\n${JSON.stringify(tools)}`);
}

function spent(used: string, more: number, setting: string): BudgetError {
  return new BudgetError(`${used} are used, and the next request may take ${more} ("${setting}"). Raise the limit.`);
}

/** Makes a judge by name for one job, or says which setting it lacks. */

import type { AgentProgram } from '../agent-program/agent-program.ts';
import type { Clock } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import type { Config } from '../config/config.ts';
import { modelOf, withRetries } from '../language-model/language-model.ts';
import type { ToolSearch } from '../search/search.ts';
import { AgentJudge } from './agent-judge.ts';
import type { OpenEvaluationDoor } from './evaluation-door.ts';
import type { DescriptionJudge, JudgeName } from './judge.ts';
import type { ModelBudget } from './model-budget.ts';
import { ModelJudge } from './model-judge.ts';
import { SearchJudge } from './search-judge.ts';

export interface JudgeSurroundings {
  readonly search: Pick<ToolSearch, 'trial'>;
  readonly config: () => Pick<Config, 'llm' | 'access' | 'optimize'>;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** The program that the owner allows, if any. */
  readonly agentProgram: () => AgentProgram | null;
  readonly openDoor: OpenEvaluationDoor;
}

/** The search always gives the same answer; the answers of the others vary. */
export const usualRepeats: Readonly<Record<JudgeName, number>> = { search: 1, model: 3, agent: 2 };

/** Throws if the judge is not available, and says what to set. */
export function judgeOf(name: JudgeName, surroundings: JudgeSurroundings, budget: ModelBudget): DescriptionJudge {
  if (name === 'model') return modelJudgeOf(surroundings, budget);
  return name === 'agent' ? agentJudgeOf(surroundings, budget) : new SearchJudge(surroundings.search);
}

function modelJudgeOf({ search, config, env, clock }: JudgeSurroundings, budget: ModelBudget): ModelJudge {
  const { llm, optimize } = config();
  const { provider, model, baseUrl } = llm;
  // A slow answer leaves time for another try.
  const settings = { ...llm, timeoutMs: Math.min(llm.timeoutMs, Math.ceil(optimize.timeoutMs / 2)) };
  const ask = modelOf(settings, { env, clock, privateHosts: () => config().access.privateHosts });
  const identity = JSON.stringify([provider, baseUrl, model]);
  return new ModelJudge({ search, ask: withRetries(budget.meter(ask), clock), model: identity });
}

/** The scope `optimize` must not start programs, so the owner has to allow one in the config file. */
function agentJudgeOf(surroundings: JudgeSurroundings, budget: ModelBudget): AgentJudge {
  const { search, config, agentProgram, openDoor, clock } = surroundings;
  const program = agentProgram();
  if (program) return new AgentJudge({ search, program, openDoor, settings: () => config().optimize, budget, clock });
  throw new GatewayError('ARGUMENTS_INVALID', 'The judge "agent" starts a program, which the owner has not allowed.', {
    hint: 'Name the program in "optimize.agent" of the config file: "claude", "codex" or "gemini".',
  });
}

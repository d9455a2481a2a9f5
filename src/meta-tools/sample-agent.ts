/** Asks the model of the calling agent (MCP sampling): on its stream in the legacy era, by a round trip of "input required" in the modern one. */

import { fingerprintOf } from '../base/fingerprint.ts';
import { isObject } from '../base/json.ts';
import type { AgentSide } from '../caller/caller.ts';
import type { Params, Result } from '../protocol/messages.ts';
import { InputNeeded, type Sample } from '../search/search.ts';

const method = 'sampling/createMessage';
/** The name of our question among those that an agent is asked in one answer. */
const questionKey = 'toolcrib-ranking';

/** Undefined where the agent offers no model. `params` are those of its request. */
export function samplerOf(agent: AgentSide, params: Params): Sample | undefined {
  if (!isObject(agent.capabilities.sampling)) return undefined;
  const { ask } = agent;
  if (agent.era === 'legacy') return ask && (async (question, signal) => textIn(await ask(method, question, signal)));
  return async (question) => {
    // The answer counts for exactly what was asked; where the tools have changed since, it is asked again.
    const requestState = `ranking-${fingerprintOf(question)}`;
    const answers = params.requestState === requestState ? params.inputResponses : undefined;
    const said = isObject(answers) && Object.hasOwn(answers, questionKey) ? answers[questionKey] : undefined;
    if (isObject(said)) return textIn(said);
    const inputRequests = { [questionKey]: { method, params: question } };
    throw new InputNeeded({ resultType: 'input_required', inputRequests, requestState });
  };
}

/** The answer, or the question that the agent has to answer first. */
export async function orQuestion(answering: Promise<Result>): Promise<Result> {
  try {
    return await answering;
  } catch (error) {
    if (error instanceof InputNeeded) return error.result;
    throw error;
  }
}

function textIn({ content }: Readonly<Record<string, unknown>>): string {
  const blocks: unknown[] = Array.isArray(content) ? content : [content];
  return blocks.map((block) => (isObject(block) && typeof block.text === 'string' ? block.text : '')).join('\n');
}

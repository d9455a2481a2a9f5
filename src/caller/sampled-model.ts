/** The model of the calling agent, asked by MCP sampling in the way of the agent's era. */

import { type Clock, inTime } from '../base/clock.ts';
import { GatewayError, messageOf } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { cutAtWord, printable } from '../base/text.ts';
import type { Config } from '../config/config.ts';
import { type AskModel, type ModelAnswer, textOf } from '../language-model/language-model.ts';
import type { Result } from '../protocol/messages.ts';
import type { AgentSide } from './call.ts';

interface SamplingLimits {
  readonly config: () => Pick<Config, 'llm'>;
  readonly clock: Clock;
}

/** Characters of the reason that an agent gives for a refusal. */
const longestReason = 200;

/**
 * Undefined where the agent offers no model, or cannot be asked. Throws MODEL_FAILED where the agent refuses, takes longer than
 * "llm.timeoutMs" or says nothing.
 */
export function sampledModel({ config, clock }: SamplingLimits, agent: AgentSide): AskModel | undefined {
  const { ask } = agent;
  if (!ask || !isObject(agent.capabilities.sampling)) return undefined;
  return async ({ system, text, maxTokens }, signal) => {
    const { timeoutMs } = config().llm;
    const message = { role: 'user', content: { type: 'text', text } };
    const params = { messages: [message], systemPrompt: system, maxTokens };
    const late = () => failed(`did not answer within ${timeoutMs} ms`);
    const asking = (within: AbortSignal) => ask('sampling/createMessage', params, within);
    const answer = await inTime(asking, { clock, timeoutMs, signal }, late).catch((error) => {
      if (signal.aborted || error instanceof GatewayError) throw error;
      throw failed(`refused to answer (${cutAtWord(printable(messageOf(error)), longestReason)})`);
    });
    return readAnswer(answer);
  };
}

/** An agent does not say how many tokens it took. */
function readAnswer({ content, stopReason }: Result): ModelAnswer {
  const text = textOf(content);
  if (text.trim() === '') throw failed('said nothing');
  return { text, calls: [], ended: stopReason === 'maxTokens' ? 'cut' : 'whole', tokens: 0 };
}

function failed(what: string): GatewayError {
  return new GatewayError('MODEL_FAILED', `The model of your client ${what}.`);
}

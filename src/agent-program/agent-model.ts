/** An agent program in place of a language model: one question without any tools, one answer. */

import { type Clock, inTime } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import type { AskModel } from '../language-model/language-model.ts';
import type { AgentProgram } from './agent-program.ts';

/** Ignores `maxTokens`, because programs take no such limit. A program puts its own instructions before ours. */
export function agentModel(
  program: Pick<AgentProgram, 'run'>,
  { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number },
): AskModel {
  return async ({ system, text }, signal) => {
    const run = (within: AbortSignal) => program.run(`${system}\n\n${text}`, null, within);
    const late = () => failed(`did not answer within ${timeoutMs} ms`);
    const { words, tokens } = await inTime(run, { clock, timeoutMs, signal }, late);
    if (words === '') throw failed('said nothing');
    return { text: words, calls: [], ended: 'whole', tokens };
  };
}

function failed(what: string): GatewayError {
  return new GatewayError('MODEL_FAILED', `The agent program ${what}.`);
}

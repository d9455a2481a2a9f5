/** An agent program in place of a language model: one question without any tools, one answer. */

import type { Clock } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import type { AskModel } from '../language-model/language-model.ts';
import type { AgentProgram } from './agent-program.ts';

/** Programs know no limit of tokens for one answer, and have instructions of their own before ours. */
export function agentModel(
  program: Pick<AgentProgram, 'run'>,
  { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number },
): AskModel {
  return async ({ system, text }, signal) => {
    const late = new AbortController();
    const timer = clock.after(timeoutMs, () => late.abort(failed(`did not answer within ${timeoutMs} ms`)));
    try {
      const { words, tokens } = await program.run(`${system}\n\n${text}`, null, AbortSignal.any([signal, late.signal]));
      if (words === '') throw failed('said nothing');
      return { text: words, calls: [], ended: 'whole', tokens };
    } finally {
      timer.cancel();
    }
  };
}

function failed(what: string): GatewayError {
  return new GatewayError('MODEL_FAILED', `The agent program ${what}.`);
}

/** Trouble as a tool result that a model can act on: one sentence, what to do, numbered steps; and the same as data. */

import { type ErrorCode, GatewayError, messageOf } from '../base/errors.ts';
import { commandAnywhere, withOwnCommand } from '../base/own-command.ts';
import type { Result } from '../protocol/messages.ts';
import { ownText } from '../results/results.ts';
import type { AlternativeTool } from './call.ts';
import { type Reader, type Recovery, recoveryFrom } from './recoveries.ts';

/** Data for programs, in the words of the contract. */
interface Trouble {
  readonly errorType: ErrorCode;
  readonly recoveryAction: string;
  readonly recoverySteps: readonly string[];
  readonly hint?: string;
  readonly suggestedTools?: readonly string[];
  readonly fallbackSuggestions?: readonly AlternativeTool[];
}

/** Advice for an agent beyond the error itself. */
export interface Advice {
  readonly reader: Reader;
  readonly alternatives?: readonly AlternativeTool[] | undefined;
  /** The outcome of another tool already called, as a sentence. */
  readonly tried?: string | undefined;
  /** The agent checks structured content against the tool's output schema, so ours would break it. */
  readonly isPromised?: boolean | undefined;
  /** The name by which this agent calls a tool; its key, if left out. */
  readonly nameOf?: ((toolKey: string) => string) | undefined;
  /** Advice, where the kind of trouble alone does not give it. */
  readonly recovery?: Recovery | undefined;
  /** Steps beyond the usual ones. */
  readonly furtherSteps?: readonly string[] | undefined;
}

export function troubleFacts(error: unknown, advice: Advice): Trouble {
  const known = error instanceof GatewayError ? error : undefined;
  const code = known?.code ?? 'TOOL_FAILED';
  const { reader, alternatives = [], furtherSteps = [] } = advice;
  const { action, steps } = advice.recovery ?? recoveryFrom(code, known?.data, reader);
  const near = known?.data?.nearest;
  return {
    errorType: code,
    recoveryAction: action,
    recoverySteps: [
      ...steps.map((step) => (typeof step === 'string' ? step : step[reader])),
      ...furtherSteps,
      ...alternatives.map((alternative) => `Or ${sayAlternative(alternative, advice)}`),
    ],
    ...(known?.hint ? { hint: withOwnCommand(known.hint, commandAnywhere()) } : {}),
    ...(Array.isArray(near) && near.length > 0 ? { suggestedTools: near.map(String) } : {}),
    ...(alternatives.length > 0 ? { fallbackSuggestions: alternatives } : {}),
  };
}

/** The middle of a sentence: `call "exa:search": Same purpose, …`. */
function sayAlternative({ toolKey, reason }: AlternativeTool, { nameOf = (key) => key }: Advice): string {
  return `call "${nameOf(toolKey)}": ${reason}`;
}

/** Where the data is, when it cannot be the structured content. */
const troubleKey = 'toolcrib/trouble';

/** An error as the result of a tool call. */
export function troubleResult(error: unknown, advice: Advice): Result {
  const trouble = troubleFacts(error, advice);
  const text = sayTrouble(messageOf(error), trouble, advice);
  const data = advice.isPromised ? { _meta: { [troubleKey]: trouble } } : { structuredContent: { ...trouble } };
  return { content: [ownText(text)], ...data, isError: true };
}

/** The failure, the remedy and its steps, for agents that read only text. */
export function sayTrouble(opening: string, trouble: Trouble, { tried }: Advice): string {
  const { recoveryAction, recoverySteps, hint } = trouble;
  const steps = recoverySteps.map((step, at) => `${at + 1}. ${step}`).join('\n');
  const first = tried === undefined ? opening : `${opening} ${tried}`;
  return `${first}\nRECOVERY: ${recoveryAction}\nSTEPS:\n${steps}${hint ? `\nHINT: ${hint}` : ''}`;
}

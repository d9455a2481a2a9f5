/** Advice on a program that failed: steps for an agent, a hint for a person. */

import type { ErrorCode } from '../base/errors.ts';
import type { Recovery } from '../caller/caller.ts';
import type { ChainFailure } from '../sandbox/sandbox.ts';
import type { ChainRequest } from './chain-request.ts';

type Reason = ChainFailure['reason'];

const again = 'Correct it and send the whole program again.';
const split =
  'Do less in one program: keep(value, "name") gives an address from which the next one goes on with load(address).';

const correct: Recovery = { action: 'Correct the program', steps: [again] };

const recoveries: Readonly<Partial<Record<Reason, Recovery>>> = {
  syntax: {
    action: 'Correct the code',
    steps: [again, 'Write JavaScript or TypeScript: await servers.NAME.TOOL({…}), and return what you want to know.'],
  },
  thrown: correct,
  timeout: {
    action: 'Do less, or in parallel',
    steps: ['Make independent calls at once: await Promise.all(list.map(…)).', split],
  },
  memory: { action: 'Hold less at once', steps: ['Ask for pages, and keep only the members that you need.', split] },
  stack: { action: 'Correct the recursion', steps: ['Use a loop, or end the recursion earlier.', again] },
  calls: {
    action: 'Split the work',
    steps: ['Look for a tool that takes many items at once, or ask for larger pages.', split],
  },
  output: { action: 'Give less', steps: ['Return only what you need to know, or keep(value) and return its address.'] },
  crashed: {
    action: 'Change the program',
    steps: ['Do less at once: shorter texts, smaller lists, simpler patterns.'],
  },
};

/** Of a call's trouble, where a program can do more about it than an agent. */
const ofCalls: Partial<Record<ErrorCode, Recovery>> = {
  TOO_LARGE: {
    action: 'Read it in pieces',
    steps: [
      'Where an address is named, load(address + "?path=…") or "?lines=…" gives the part that you need, without another call.',
      'Otherwise ask for less, if the tool has a filter, a limit or pages.',
    ],
  },
};

/** A tool asked something, which is possible only outside. */
export const askedInside: Recovery = {
  action: 'Call it outside a program',
  steps: ['Make this one call with tool_execute, or directly: there it can ask.', 'Do the rest in a program.'],
};

/** Undefined where the kind of trouble says by itself what to do. */
export function recoveryFor(failure: ChainFailure, request: ChainRequest): Recovery | undefined {
  const { reason, code, tool } = failure;
  if (reason === 'thrown' && code !== undefined) {
    // Without a tool it was a function of ours that was given something wrong, and there is no schema to look up.
    return code === 'ARGUMENTS_INVALID' && tool === undefined ? correct : ofCalls[code];
  }
  const recovery = recoveries[reason];
  const more = limitSentence(failure, request);
  if (recovery === undefined || more === undefined) return recovery;
  return { ...recovery, steps: [...recovery.steps, more] };
}

/** The same for a person, who has no use for steps that only an agent takes. */
export function hintByHand(failure: ChainFailure, request: ChainRequest): string | undefined {
  const { hint, reason } = failure;
  if (hint !== undefined) return hint;
  const [first] = reason === 'thrown' || reason === 'syntax' ? [] : (recoveries[reason]?.steps ?? []);
  const sentences = [first, limitSentence(failure, request)].filter((one) => typeof one === 'string');
  return sentences.length === 0 ? undefined : sentences.join(' ');
}

/** Which limit it was, who sets it, and how far it may be moved. */
function limitSentence({ reason }: ChainFailure, { reader, timeoutMs, allowed }: ChainRequest): string | undefined {
  if (reason === 'timeout' && timeoutMs < allowed.timeoutMs) {
    const name = reader === 'hand' ? '--timeout' : 'timeoutMs';
    return `It had ${timeoutMs} ms; ${name} may be up to ${allowed.timeoutMs}.`;
  }
  const setting = limitSettings[reason]?.(allowed);
  if (setting === undefined) return undefined;
  return reader === 'hand'
    ? `The limit is ${setting} in the config.`
    : `The owner of this gateway sets the limit: ${setting} in its config.`;
}

const limitSettings: Partial<Record<Reason, (allowed: ChainRequest['allowed']) => string>> = {
  timeout: ({ timeoutMs }) => `chains.timeoutMs (${timeoutMs})`,
  memory: ({ memoryMb }) => `chains.memoryMb (${memoryMb})`,
  calls: ({ maxCalls }) => `chains.maxCalls (${maxCalls})`,
};

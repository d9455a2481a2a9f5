/** Trouble as a tool result that a model can act on: one sentence, what to do, numbered steps; and the same as data. */

import { type ErrorCode, GatewayError, messageOf } from '../base/errors.ts';
import type { Result } from '../protocol/messages.ts';
import { ownText } from '../results/results.ts';
import type { Alternative } from './call.ts';

/** Which tools of ours the reader has: those that find and call others, one that finds and one that runs programs, none beside the servers' own, those of one server, the owner's. */
export type Reader = 'search' | 'code' | 'direct' | 'server' | 'owner';

export interface Recovery {
  readonly action: string;
  /** The first sentence is for everybody; a step that names a tool of ours is for those who have it. */
  readonly steps: readonly (string | Readonly<Record<Reader, string>>)[];
}

const findAgain = {
  search: 'Call tool_discovery with what you need, and use a toolKey from its answer.',
  code: 'Call tool_discovery, or search("what you need") in a program, and use a tool from its answer.',
  direct: 'Choose a tool from your list of tools; each name begins with the name of its server.',
  server: "Choose a tool from this server's list of tools.",
  owner: 'Choose a tool from your list of tools.',
};

const findAnother = {
  search: 'If it cannot wait, find another tool with tool_discovery.',
  code: 'If it cannot wait, find another tool with tool_discovery or search(…).',
  direct: 'If it cannot wait, use another tool of your list.',
  server: 'If it cannot wait, use another tool of this server.',
  owner: 'If it cannot wait, look at the server with list_servers.',
};

const wait: Recovery = { action: 'Wait, or use another tool', steps: ['Try the same call again later.', findAnother] };
const unsent: Recovery = {
  action: wait.action,
  steps: ['The call was not sent, so it had no effect.', ...wait.steps],
};
const findTool: Recovery = { action: 'Find the tool again', steps: [findAgain] };

/** What to do about each kind of trouble that can reach an agent. */
const recoveries: Partial<Record<ErrorCode, Recovery>> = {
  TOOLKEY_INVALID: { action: 'Correct the toolKey', steps: ['Write the toolKey as "server:tool".', findAgain] },
  TOOLKEY_EXPIRED: {
    action: 'Get a fresh toolKey',
    steps: ['Call tool_discovery again, or leave out the stamp after "~".', 'Call again with that toolKey.'],
  },
  TOOL_NOT_FOUND: findTool,
  SERVER_NOT_FOUND: {
    action: 'Choose a server that exists',
    steps: [
      {
        search: 'Call tool_capabilities to see the servers.',
        code: 'In call_tool_chain, "return Object.keys(servers)" gives the servers.',
        direct: 'Look at the names of your tools: each begins with its server.',
        server: 'Ask the user which server is meant.',
        owner: 'Call list_servers.',
      },
      findAgain,
    ],
  },
  ACCESS_DENIED: {
    action: 'Use another tool, or ask the owner',
    steps: ['Tell the user that the permissions of this gateway forbid the tool.', findAgain],
  },
  PROJECT_MISMATCH: {
    action: 'Use a tool of this project',
    steps: ['Tell the user that the server does not belong to this project.', findAgain],
  },
  TOOL_DISABLED: {
    action: 'Use another tool, or ask the owner',
    steps: ['Tell the user that the tool is switched off in this gateway.', findAgain],
  },
  APPROVAL_NEEDED: {
    action: 'Ask the owner',
    steps: [
      'Tell the user that this call needs approval, and how it is approved.',
      'Once it is approved, make exactly the same call again; go on without it meanwhile.',
    ],
  },
  ARGUMENTS_INVALID: {
    action: 'Correct the arguments and call again',
    steps: [
      'Compare your arguments with the parameters named here.',
      {
        search: 'If that is not enough, call tool_info with detail "full" for the whole schema.',
        code: 'If that is not enough, run "return await info(\'server:tool\')" in call_tool_chain, which gives the whole schema.',
        direct: "If that is not enough, read the tool's input schema in your list of tools.",
        server: "If that is not enough, read the tool's input schema in your list of tools.",
        owner: "If that is not enough, read the tool's input schema in your list of tools.",
      },
      'Call the tool again.',
    ],
  },
  SERVER_DISCONNECTED: {
    action: 'Check before you repeat',
    steps: [
      'The server ended during the call: find out whether the call had its effect.',
      'If it had none, or repeating does no harm, call again; the server is started anew.',
    ],
  },
  SERVER_NOT_RUNNING: wait,
  TIMEOUT: {
    action: 'Ask for less, or wait',
    steps: ['The call may still have had an effect: check before you repeat it.', 'Ask for less at a time.'],
  },
  CIRCUIT_OPEN: wait,
  TOOL_FAILED: {
    action: 'Read the message',
    steps: ['Correct what the message names, and call again.', findAnother],
  },
  RATE_LIMITED: wait,
  TOO_LARGE: {
    action: 'Ask for less',
    steps: ['Use a filter, a limit or a page size if the tool has one.', 'Call again.'],
  },
};

/** Where the reason says more than the kind. */
const recoveriesByReason: Readonly<Record<string, Recovery>> = {
  refused: {
    action: 'Go on without the call',
    steps: ['Tell the user that the call was refused.', 'Do not try to get the same done in another way.'],
  },
};

/** Data for programs, in the words of the contract. */
export interface Trouble {
  readonly errorType: ErrorCode;
  readonly recoveryAction: string;
  readonly recoverySteps: readonly string[];
  readonly hint?: string;
  readonly suggestedTools?: readonly string[];
  readonly fallbackSuggestions?: readonly Alternative[];
}

/** What an agent can be told beyond the error itself. */
export interface Advice {
  readonly reader: Reader;
  readonly alternatives?: readonly Alternative[] | undefined;
  /** What came of another tool that was called already, as a sentence. */
  readonly tried?: string | undefined;
  /** Whether the agent checks structured content against what the tool promises, so that ours would break the promise. */
  readonly isPromised?: boolean | undefined;
  /** The name by which this agent calls a tool; its key, if left out. */
  readonly nameOf?: ((toolKey: string) => string) | undefined;
  /** What to do, where the kind of trouble alone does not say it. */
  readonly recovery?: Recovery | undefined;
  /** What has to be said beyond the usual steps. */
  readonly furtherSteps?: readonly string[] | undefined;
}

export function troubleOf(error: unknown, advice: Advice): Trouble {
  const known = error instanceof GatewayError ? error : undefined;
  const code = known?.code ?? 'TOOL_FAILED';
  const { reader, alternatives = [], furtherSteps = [] } = advice;
  const { action, steps } =
    advice.recovery ??
    recoveriesByReason[String(known?.data?.reason)] ??
    (known?.data?.isUnexecuted === true ? unsent : recoveries[code]) ??
    wait;
  const near = known?.data?.nearest;
  return {
    errorType: code,
    recoveryAction: action,
    recoverySteps: [
      ...steps.map((step) => (typeof step === 'string' ? step : step[reader])),
      ...furtherSteps,
      ...alternatives.map((alternative) => `Or ${sayAlternative(alternative, advice)}`),
    ],
    ...(known?.hint ? { hint: known.hint } : {}),
    ...(Array.isArray(near) && near.length > 0 ? { suggestedTools: near.map(String) } : {}),
    ...(alternatives.length > 0 ? { fallbackSuggestions: alternatives } : {}),
  };
}

/** The middle of a sentence: `call "exa:search": Same purpose, …`. */
export function sayAlternative({ toolKey, reason }: Alternative, { nameOf = (key) => key }: Advice): string {
  return `call "${nameOf(toolKey)}": ${reason}`;
}

/** Where the data is, when it cannot be the structured content. */
const troubleKey = 'toolcrib/trouble';

/** An error as the result of a tool call. */
export function troubleResult(error: unknown, advice: Advice): Result {
  const trouble = troubleOf(error, advice);
  const steps = trouble.recoverySteps.map((step, at) => `${at + 1}. ${step}`).join('\n');
  const hint = trouble.hint ? `\nHINT: ${trouble.hint}` : '';
  const tried = advice.tried === undefined ? '' : ` ${advice.tried}`;
  const text = `${messageOf(error)}${tried}\nRECOVERY: ${trouble.recoveryAction}\nSTEPS:\n${steps}${hint}`;
  const data = advice.isPromised ? { _meta: { [troubleKey]: trouble } } : { structuredContent: { ...trouble } };
  return { content: [ownText(text)], ...data, isError: true };
}

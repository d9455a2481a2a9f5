/** Trouble as a tool result that a model can act on: one sentence, what to do, numbered steps; and the same as data. */

import { type ErrorCode, GatewayError, messageOf } from '../base/errors.ts';
import { commandAnywhere, withOwnCommand } from '../base/own-program.ts';
import type { Result } from '../protocol/messages.ts';
import { ownText } from '../results/results.ts';
import type { AlternativeTool } from './call.ts';

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
  owner: "Choose a tool from your list of tools; list_tools_meta gives the keys of the servers' tools.",
};

const findAnother = {
  search: 'If that does not help, find another tool with tool_discovery.',
  code: 'If that does not help, find another tool with tool_discovery or search(…).',
  direct: 'If that does not help, use another tool of your list.',
  server: 'If that does not help, use another tool of this server.',
  owner: 'If that does not help, look at the server with list_servers.',
};

const wait: Recovery = { action: 'Wait, or use another tool', steps: ['Try the same call again later.', findAnother] };
const unsent: Recovery = {
  action: wait.action,
  steps: ['The call was not sent, so it had no effect.', ...wait.steps],
};
const findTool: Recovery = { action: 'Find the tool again', steps: [findAgain] };

const tellOwner: Recovery = {
  action: 'Tell the owner',
  steps: [
    'Tell the user what the message says: the owner of this gateway has to fix it.',
    'Continue without it for now.',
  ],
};

/** Every kind has an answer, so that no new one falls back on advice that does not fit it. */
export const recoveries: Readonly<Record<ErrorCode, Recovery>> = {
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
      'After approval, make exactly the same call again. Continue without it until then.',
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
      'The server ended during the call: check whether the call took effect.',
      'If it did not, or if repeating is safe, call again; the server then restarts.',
    ],
  },
  SERVER_NOT_RUNNING: wait,
  TIMEOUT: {
    action: 'Ask for less, or wait',
    steps: ['The call may still have had an effect: check before you repeat it.', 'Ask for less at a time.'],
  },
  CIRCUIT_OPEN: wait,
  TOOL_FAILED: {
    action: 'Correct the call, or use another tool',
    steps: ['Correct what the message names, and call again.', findAnother],
  },
  RATE_LIMITED: wait,
  TOO_LARGE: {
    action: 'Ask for less',
    steps: ['Use a filter, a limit or a page size if the tool has one.', 'Call again.'],
  },
  CANCELLED: {
    action: 'Call again if you still need it',
    steps: ['The call was cancelled. Repeat it if you need its result.'],
  },
  CONFIG_INVALID: {
    action: 'Correct what is named',
    steps: ['Correct the values that the message names; it says what is allowed.', 'Call again.'],
  },
  CONFIG_UNTRUSTED: tellOwner,
  USAGE: {
    action: 'Change the request',
    steps: ['Change what the message names.', 'Call again, or tell the user what the hint says.'],
  },
  NAME_TAKEN: {
    action: 'Choose another name',
    steps: ['Call again with a name that is not taken.', 'Or remove the other one first, if it is no longer needed.'],
  },
  UNAUTHENTICATED: {
    action: 'Sign in again',
    steps: ['Tell the user that the credential is missing, invalid or expired.', 'Call again with a valid one.'],
  },
  UNREACHABLE: {
    action: 'Check what is named',
    steps: ['Tell the user what cannot be reached: the message names it.', 'Call again once it answers.'],
  },
  PORT_TAKEN: tellOwner,
  DATA_LOCKED: tellOwner,
  STORE_BUSY: {
    action: 'Try again in a moment',
    steps: [
      'Wait a few seconds, and call again.',
      'If it keeps failing, tell the user that another program holds the store.',
    ],
  },
  STORE_BROKEN: tellOwner,
  MODEL_BROKEN: tellOwner,
  MODEL_FAILED: tellOwner,
};

const mendServer: Recovery = {
  action: 'Correct the server, then refresh it',
  steps: [
    'Read why in this message, or as lastError in list_servers.',
    'Correct that: install what is missing, sign in, or call remove_server and add_server with another command, address or environment.',
    'Call refresh_server with "force": true.',
  ],
};

/** At the owner's door it is the owner's own server that fails, and no tool was called. */
const ownerRecoveries: Readonly<Partial<Record<ErrorCode, Recovery>>> = {
  SERVER_DISCONNECTED: mendServer,
  SERVER_NOT_RUNNING: mendServer,
  TIMEOUT: mendServer,
  CIRCUIT_OPEN: mendServer,
  TOOL_FAILED: mendServer,
};

/** Where a tool says that something is not allowed, the advice shows no way around it. */
export const refusedByTool: Recovery = {
  action: 'Correct the call, or tell the user',
  steps: [
    'Correct what the message names, if the mistake was yours, and call again.',
    'Otherwise tell the user what was refused. Do not try to work around it.',
  ],
};

/** Where the reason says more than the kind. */
const recoveriesByReason: Readonly<Record<string, Recovery>> = {
  installing: {
    action: 'Wait until the server is installed, or use another tool',
    steps: [
      'The call was not sent, so it had no effect.',
      'Tell the user that the server is still being installed, and make the same call again in a minute.',
      findAnother,
    ],
  },
  refused: {
    action: 'Go on without the call',
    steps: ['Tell the user that the call was refused.', 'Do not try to work around the refusal.'],
  },
  'result-gone': {
    action: 'Call the tool again',
    steps: ['Call the tool whose result it was again.', 'Read the new result by the id in its answer.'],
  },
};

/** `data` is what the trouble carries. */
function recoveryFrom(code: ErrorCode, data: GatewayError['data'], reader: Reader): Recovery {
  const byReason = recoveriesByReason[String(data?.reason)];
  if (byReason) return byReason;
  if (reader === 'owner') return ownerRecoveries[code] ?? recoveries[code];
  return data?.isUnexecuted === true ? unsent : recoveries[code];
}

/** Trouble as a tool result that a model can act on: one sentence, what to do, numbered steps; and the same as data. */

import { type ErrorCode, GatewayError, messageOf } from '../base/errors.ts';
import type { Result } from '../protocol/messages.ts';

interface Recovery {
  readonly action: string;
  readonly steps: readonly string[];
}

const search: Recovery = {
  action: 'Find the tool again',
  steps: ['Call tool_discovery with what you need.', 'Use a toolKey from its answer.'],
};

const wait: Recovery = {
  action: 'Wait, or use another tool',
  steps: ['Try the same call again later.', 'If it is urgent, find another tool with tool_discovery.'],
};

/** What to do about each kind of trouble that can reach an agent. */
const recoveries: Partial<Record<ErrorCode, Recovery>> = {
  TOOLKEY_INVALID: { action: 'Correct the toolKey', steps: ['A toolKey is "server:tool".', ...search.steps] },
  TOOLKEY_EXPIRED: search,
  TOOL_NOT_FOUND: search,
  SERVER_NOT_FOUND: {
    action: 'Choose a server that exists',
    steps: ['Call tool_capabilities to see the servers.', ...search.steps],
  },
  ACCESS_DENIED: { action: 'Use another tool', steps: ['This token may not use the tool.', ...search.steps] },
  PROJECT_MISMATCH: { action: 'Use another tool', steps: search.steps },
  TOOL_DISABLED: { action: 'Use another tool', steps: search.steps },
  APPROVAL_NEEDED: {
    action: 'Ask the owner',
    steps: ['Tell the user that this tool needs approval.', 'Go on without it meanwhile.'],
  },
  ARGUMENTS_INVALID: {
    action: 'Correct the arguments and call again',
    steps: [
      'Compare your arguments with the parameters named here.',
      'Call tool_info with detail "full" if you need the whole schema.',
      'Call the tool again.',
    ],
  },
  SERVER_DISCONNECTED: {
    action: 'Check before you repeat',
    steps: [
      'The server ended during the call: it may or may not have been carried out.',
      'If repeating does no harm, call again; the server is started anew.',
    ],
  },
  SERVER_NOT_RUNNING: wait,
  TIMEOUT: {
    action: 'Ask for less, or wait',
    steps: ['The call may still have had an effect: check before you repeat it.', 'Ask for less at a time.'],
  },
  CIRCUIT_OPEN: wait,
  TOOL_FAILED: { action: 'Read the message', steps: ['Correct what it says and call again, or use another tool.'] },
  RATE_LIMITED: wait,
  TOO_LARGE: {
    action: 'Ask for less',
    steps: ['Use a filter, a limit or a page size if the tool has one.', 'Call again.'],
  },
};

/** Data for programs, in the words of the contract. */
export interface Trouble {
  readonly errorType: ErrorCode;
  readonly recoveryAction: string;
  readonly recoverySteps: readonly string[];
  readonly hint?: string;
  readonly suggestedTools?: readonly string[];
}

export function troubleOf(error: unknown): Trouble {
  const code = error instanceof GatewayError ? error.code : 'TOOL_FAILED';
  const { action, steps } = recoveries[code] ?? wait;
  const near = error instanceof GatewayError ? error.data?.nearest : undefined;
  return {
    errorType: code,
    recoveryAction: action,
    recoverySteps: steps,
    ...(error instanceof GatewayError && error.hint ? { hint: error.hint } : {}),
    ...(Array.isArray(near) && near.length > 0 ? { suggestedTools: near.map(String) } : {}),
  };
}

/** An error as the result of a tool call. */
export function troubleResult(error: unknown): Result {
  const trouble = troubleOf(error);
  const steps = trouble.recoverySteps.map((step, at) => `${at + 1}. ${step}`).join('\n');
  const hint = trouble.hint ? `\nHINT: ${trouble.hint}` : '';
  const text = `${messageOf(error)}\nRECOVERY: ${trouble.recoveryAction}\nSTEPS:\n${steps}${hint}`;
  return { content: [{ type: 'text', text }], structuredContent: { ...trouble }, isError: true };
}

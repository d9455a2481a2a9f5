/** The detail of a call's record with its types, and its trouble in words. */

import type { AuditLine } from '../../../../admin/admin.ts';

export interface CallDetail {
  readonly way: string | null;
  readonly error: string | null;
  readonly alternatives: readonly string[];
  /** In the order in which they were gone through, with their milliseconds. */
  readonly stages: readonly (readonly [string, number])[];
  readonly requestBytes: number | null;
  readonly resultBytes: number | null;
  readonly isCached: boolean;
  readonly isCorrected: boolean;
}

/** Older records and records of other acts have less. */
export function callDetailOf({ detail }: AuditLine): CallDetail {
  const member = detail ?? {};
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  const number = (value: unknown) => (typeof value === 'number' ? value : null);
  const { alternatives, stages } = member;
  const isTimes = typeof stages === 'object' && stages !== null && !Array.isArray(stages);
  return {
    way: text(member.way),
    error: text(member.error),
    alternatives: Array.isArray(alternatives) ? alternatives.filter((one) => typeof one === 'string') : [],
    stages: Object.entries(isTimes ? stages : {}).flatMap(([name, ms]) =>
      typeof ms === 'number' ? [[name, ms] as const] : [],
    ),
    requestBytes: number(member.requestBytes),
    resultBytes: number(member.resultBytes),
    isCached: member.isCached === true,
    isCorrected: member.isCorrected === true,
  };
}

/** A call that was refused before its tool was found has its name as the agent wrote it; a program has none. */
export function calledName({ server, tool, action }: AuditLine): string {
  return [server, tool].filter((part) => part !== null).join(':') || action;
}

/** Of each stage: what happened in it, and its colour. */
export const stageWords: Readonly<Record<string, readonly [words: string, colour: string]>> = {
  rate: ['checked the rate limit', '--data-6'],
  authorize: ['checked the rights', '--data-3'],
  validate: ['checked the arguments', '--data-5'],
  ask: ['waited for approval', '--data-4'],
  reuse: ['looked for a cached result', '--data-7'],
  link: ['the server worked', '--data-1'],
  shape: ['stored a large result', '--data-6'],
  help: ['looked for other tools', '--data-2'],
};

export const wayWords: Readonly<Record<string, string>> = {
  execute: 'tool_execute',
  direct: 'by its own name',
  chain: 'in a program',
  server: 'at the door of its server',
  plain: 'at the plain door of its server',
  api: 'by hand',
};

/** Why a call ended as it did, by the code of its trouble. */
export const troubleWords: Readonly<Record<string, string>> = {
  TOOLKEY_INVALID: 'The tool key is malformed.',
  TOOLKEY_EXPIRED: 'The tool key has expired.',
  TOOL_NOT_FOUND: 'There is no such tool, or this token cannot see it.',
  SERVER_NOT_FOUND: 'There is no such server, or this token cannot see it.',
  ACCESS_DENIED: 'The permissions of the server, the project or the token deny this call.',
  PROJECT_MISMATCH: 'The server is not in the caller’s project.',
  TOOL_DISABLED: 'The tool is not exposed, or its server is disabled.',
  APPROVAL_NEEDED: 'Nobody approved the call, or the definition of the tool is on hold.',
  ARGUMENTS_INVALID: 'The arguments do not match the tool’s schema.',
  SERVER_DISCONNECTED: 'The server closed the connection before it answered.',
  SERVER_NOT_RUNNING: 'The server could not be started or reached.',
  TIMEOUT: 'The server did not answer in time.',
  CIRCUIT_OPEN: 'The server failed too often. Toolcrib waits before it tries again.',
  TOOL_FAILED: 'The tool reported a failure.',
  RATE_LIMITED: 'The caller exceeded its limit of calls per minute.',
  CANCELLED: 'The agent gave up before the answer came.',
};

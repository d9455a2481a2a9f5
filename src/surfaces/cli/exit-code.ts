/** The exit codes, and which trouble ends with which. */

import { type ErrorCode, GatewayError } from '../../base/errors.ts';

export const exitCodes = { ok: 0, failed: 1, usage: 2, notFound: 3, denied: 4, unreachable: 5 } as const;

export const exitCodeMeanings: readonly (readonly [code: number, meaning: string])[] = [
  [exitCodes.ok, 'It worked.'],
  [exitCodes.failed, 'The command failed.'],
  [exitCodes.usage, 'Wrong usage, wrong arguments, or a config with a mistake or without trust.'],
  [exitCodes.notFound, 'There is no such server or tool.'],
  [exitCodes.denied, 'The token is not allowed to do this.'],
  [exitCodes.unreachable, 'The gateway or the server cannot be reached.'],
];

/** Codes that are not here end with 1. */
const special: Partial<Record<ErrorCode, number>> = {
  USAGE: exitCodes.usage,
  CONFIG_INVALID: exitCodes.usage,
  CONFIG_UNTRUSTED: exitCodes.usage,
  ARGUMENTS_INVALID: exitCodes.usage,
  TOOLKEY_INVALID: exitCodes.usage,
  SERVER_NOT_FOUND: exitCodes.notFound,
  TOOL_NOT_FOUND: exitCodes.notFound,
  ACCESS_DENIED: exitCodes.denied,
  APPROVAL_NEEDED: exitCodes.denied,
  PROJECT_MISMATCH: exitCodes.denied,
  TOOL_DISABLED: exitCodes.denied,
  UNAUTHENTICATED: exitCodes.denied,
  UNREACHABLE: exitCodes.unreachable,
  SERVER_NOT_RUNNING: exitCodes.unreachable,
  CIRCUIT_OPEN: exitCodes.unreachable,
};

export function exitCodeOf(error: unknown): number {
  return error instanceof GatewayError ? (special[error.code] ?? exitCodes.failed) : exitCodes.failed;
}

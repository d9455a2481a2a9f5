/** Trouble: the expected failures of the gateway, as one error class with a closed set of codes. Bugs use `assert` instead. */

export const errorCodes = [
  // what an agent may be told about a call
  'TOOLKEY_INVALID',
  'TOOLKEY_EXPIRED',
  'TOOL_NOT_FOUND',
  'SERVER_NOT_FOUND',
  'ACCESS_DENIED',
  'PROJECT_MISMATCH',
  'TOOL_DISABLED',
  'APPROVAL_NEEDED',
  'ARGUMENTS_INVALID',
  'SERVER_DISCONNECTED',
  'SERVER_NOT_RUNNING',
  'TIMEOUT',
  'CIRCUIT_OPEN',
  'TOOL_FAILED',
  'RATE_LIMITED',
  'CANCELLED',
  // what an owner may be told
  'CONFIG_INVALID',
  'CONFIG_UNTRUSTED',
  'USAGE',
  'NAME_TAKEN',
  'UNAUTHENTICATED',
  'UNREACHABLE',
  'PORT_TAKEN',
  'DATA_LOCKED',
  'STORE_BUSY',
  'STORE_BROKEN',
  'TOO_LARGE',
  'MODEL_BROKEN',
  'MODEL_FAILED',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

interface TroubleOptions {
  /** The next step for the reader, as one sentence. */
  readonly hint?: string | undefined;
  /** The same for the owner, who has commands where an agent has tools; left out, `hint` is for both. */
  readonly ownerHint?: string | undefined;
  readonly cause?: unknown;
  /** Facts a program may use: nearest names, when to retry, a file position. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
}

/** An expected failure. The message is a full sentence that names the server and tool concerned. */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly ownerHint: string | undefined;
  readonly data: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, options: TroubleOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'GatewayError';
    this.code = code;
    this.hint = options.hint;
    this.ownerHint = options.ownerHint ?? options.hint;
    this.data = options.data;
  }
}

/** True where the store cannot be reached, is busy or refuses a write now: it may pass. */
export function isStoreAway(error: unknown): boolean {
  return error instanceof GatewayError && (error.code === 'STORE_BROKEN' || error.code === 'STORE_BUSY');
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  return String(error);
}

/** The system error code (`ENOENT`, `ECONNREFUSED`) of an error or of what caused it, if there is one. */
export function systemCodeOf(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    const code = (at as NodeJS.ErrnoException).code;
    if (typeof code === 'string') return code;
  }
  return undefined;
}

/** Failures of a link: whether to wait, ask again, or believe something else about the server. */

import { GatewayError, messageOf } from '../base/errors.ts';
import { redactedBeginning } from '../base/redact.ts';
import { limits } from '../config/config.ts';
import { RpcError, rpcCodes } from '../protocol/messages.ts';

export function asTrouble(server: string, error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  return new GatewayError(
    'SERVER_NOT_RUNNING',
    `Server "${server}" could not be connected: ${redactedBeginning(messageOf(error), limits.serverWordsChars)}`,
    {
      cause: error,
    },
  );
}

/** Nothing is sent to a server that failed, until it is time to try it again. */
export function circuitOpen(server: string, retryInMs: number, last: GatewayError | undefined): GatewayError {
  const what = `Server "${server}" is not available; Toolcrib tries it again in ${Math.ceil(retryInMs / 1000)} s.`;
  return new GatewayError('CIRCUIT_OPEN', `${what} ${last?.message ?? ''}`.trim(), {
    hint: last?.hint,
    data: { reason: 'circuit-open', retryInMs },
  });
}

/** Nobody more can wait for a turn. */
export function lineFull(server: string, running: number, waiting: number): GatewayError {
  const what = `Server "${server}" has ${running} calls running and ${waiting} waiting.`;
  return new GatewayError('RATE_LIMITED', what, {
    hint: `Try again when some have finished, or raise "maxConcurrent" of this server.`,
  });
}

/** A request that waited for its turn for as long as it may take. */
export function queueTimeout(server: string, method: string, timeoutMs: number): GatewayError {
  const what = `Server "${server}" had no free slot for ${method} within ${timeoutMs / 1000} s.`;
  return new GatewayError('TIMEOUT', what, {
    hint: `It was not sent. Try again when other calls have finished, or raise "maxConcurrent" of this server.`,
    data: { reason: 'queue-timeout', isUnexecuted: true },
  });
}

export function isTimeout(error: unknown): error is GatewayError {
  return error instanceof GatewayError && error.code === 'TIMEOUT';
}

/** A server that let several calls time out without a word. */
export function hung(server: string): GatewayError {
  const what = `Server "${server}" hangs: it let ${limits.maxSilentTimeouts} calls time out and sent nothing.`;
  return new GatewayError('SERVER_DISCONNECTED', what, {
    hint: `The next call connects to it again; "toolcrib doctor" shows what it printed.`,
    data: { reason: 'hung' },
  });
}

function reasonOf(error: unknown): string {
  return error instanceof GatewayError ? String(error.data?.reason) : '';
}

/** Failures before a server was there. */
const installFaults = ['package-not-found', 'broken-install'];

const hopeless = [
  'command-not-found',
  'not-executable',
  'credential',
  'connect-timeout',
  'install-timeout',
  ...installFaults,
  'version',
  'config',
  'busy',
  'redirect',
  'dial-refused',
  'sign-in',
  'scope',
];

/** Waiting does not install a program, change a credential or speed up a server that hangs. */
export function isWorthRetry(error: GatewayError): boolean {
  return !hopeless.includes(reasonOf(error));
}

/** The server provably never saw the request, and there is time left: sending it again cannot do anything twice. */
export function isUnexecuted(error: unknown): boolean {
  return error instanceof GatewayError && error.code !== 'TIMEOUT' && error.data?.isUnexecuted === true;
}

/** The same trouble of a request that was never sent. */
export function asUnexecuted(reason: unknown): unknown {
  if (!(reason instanceof GatewayError)) return reason;
  const { code, message, hint, data } = reason;
  return new GatewayError(code, message, { hint, cause: reason, data: { ...data, isUnexecuted: true } });
}

export function isDisconnected(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'SERVER_DISCONNECTED';
}

/** Errors that only a modern server sends. */
export const modernErrors: ReadonlySet<number> = new Set([
  rpcCodes.headerMismatch,
  rpcCodes.missingCapability,
  rpcCodes.unsupportedVersion,
]);

/** The server does not know `initialize`; one that failed at it knows it very well. */
export function isRefusedInitialize(error: unknown): boolean {
  if (!(error instanceof GatewayError) || reasonOf(error) !== 'initialize-refused') return false;
  const code = Number(error.data?.rpcCode);
  return code === rpcCodes.methodNotFound || code === rpcCodes.invalidParams || modernErrors.has(code);
}

/** The server answered, and the answer was that it does not speak the era it was spoken to in. */
export function isRefusedEra(error: unknown): boolean {
  return error instanceof RpcError || ['initialize-refused', 'version', 'status'].includes(reasonOf(error));
}

/** Nobody is there any more, or nobody who remembers or knows us: the link is of no further use. */
export function isLinkLost(error: unknown): boolean {
  return ['unreachable', 'session-lost', 'sign-in'].includes(reasonOf(error));
}

/** Before streamable HTTP there was HTTP+SSE at the same address: 404 or 405 to a POST is its sign. */
export function isWrongTransport(error: unknown): boolean {
  return error instanceof GatewayError && (error.data?.status === 404 || error.data?.status === 405);
}

const outages = [
  'unreachable',
  ...installFaults,
  'reset',
  'command-not-found',
  'not-executable',
  'credential',
  'busy',
  'dial-refused',
  'sign-in',
  'scope',
  'renewal',
];

/** An outage says nothing about the era; everything else puts what was believed in doubt. */
export function isDoubtful(error: unknown): boolean {
  return !outages.includes(reasonOf(error));
}

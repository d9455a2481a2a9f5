/** Trouble on its way out: the one place where an error becomes a JSON-RPC error. */

import { GatewayError, messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Era } from '../protocol/eras.ts';
import { RpcError, type RpcErrorBody, rpcCodes } from '../protocol/messages.ts';

/** Codes of the other era, or of a hop that is not the agent's, as codes that the agent's era knows. */
const modernWords: Readonly<Record<number, number>> = {
  [rpcCodes.legacyResourceNotFound]: rpcCodes.invalidParams,
  [-32042]: rpcCodes.internalError,
  [rpcCodes.headerMismatch]: rpcCodes.internalError,
  [rpcCodes.unsupportedVersion]: rpcCodes.internalError,
};

export function toWire(error: unknown, era: Era, log: Log): RpcErrorBody {
  if (error instanceof RpcError) {
    const code = era === 'modern' ? (modernWords[error.code] ?? error.code) : error.code;
    return { ...error.toBody(), code };
  }
  if (error instanceof GatewayError) {
    const code =
      error.code === 'SERVER_NOT_FOUND' || error.code === 'ARGUMENTS_INVALID'
        ? rpcCodes.invalidParams
        : rpcCodes.internalError;
    const data = { errorType: error.code, ...(error.hint ? { hint: error.hint } : {}) };
    return { code, message: error.message, data };
  }
  log.error('A request failed in a way that should not happen', {
    error,
    stack: error instanceof Error ? error.stack : undefined,
  });
  return { code: rpcCodes.internalError, message: `Internal error: ${messageOf(error)}` };
}

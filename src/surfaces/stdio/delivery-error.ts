/** Why a message did not get its answer, and whether it is certain that nothing was done about it. */

import { GatewayError } from '../../base/errors.ts';
import { type RpcErrorBody, rpcCodes } from '../../protocol/messages.ts';

/**
 * `unreached`: it never got to a gateway that would act on it. `session-lost`: the gateway no longer knows the session.
 * `token-refused`: the credential was not accepted. `broken`: the connection ended before the answer, so it may have been
 * carried out. `odd`: the gateway answered something that is no answer.
 */
export type DeliveryKind = 'unreached' | 'session-lost' | 'token-refused' | 'broken' | 'odd';

export class DeliveryError extends GatewayError {
  readonly kind: DeliveryKind;

  constructor(kind: DeliveryKind, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(kind === 'token-refused' ? 'UNAUTHENTICATED' : 'UNREACHABLE', message, {
      ...options,
      ...(kind === 'broken' ? { data: { mayHaveRun: true } } : {}),
    });
    this.kind = kind;
  }

  /** Nothing was done, and the gateway, found again, may do it. */
  get canResend(): boolean {
    return this.kind === 'unreached' || this.kind === 'session-lost' || this.kind === 'token-refused';
  }
}

export function brokenOff(cause?: unknown): DeliveryError {
  return new DeliveryError(
    'broken',
    'The connection to the gateway ended before the answer came: the request may or may not have been carried out.',
    { hint: 'Check what it has done before you repeat it.', cause },
  );
}

/** Tries once more where it is certain that the first try did nothing. `attempt` finds the gateway again by itself. */
export async function withResend<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof DeliveryError && error.canResend)) throw error;
  }
  return attempt();
}

/** The error for the agent. The hint is part of the sentence: most agents show nothing else. */
export function toAgentError(error: unknown): RpcErrorBody {
  if (!(error instanceof GatewayError)) {
    return { code: rpcCodes.internalError, message: `The bridge to the gateway failed: ${String(error)}` };
  }
  return {
    code: error.code === 'TOO_LARGE' ? rpcCodes.invalidRequest : rpcCodes.internalError,
    message: error.hint === undefined ? error.message : `${error.message} ${error.hint}`,
    data: { errorType: error.code, ...error.data },
  };
}

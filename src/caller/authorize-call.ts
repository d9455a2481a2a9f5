/** Stages: limit the calls of a principal per minute, and refuse calls that no approval can allow. */

import type { RateLimit } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import { reasonsInWords } from '../trust/trust.ts';
import type { Call, Stage } from './call.ts';

export const authorizeCall: Stage = (call, next) => {
  checkAuthorized(call);
  return next(call);
};

/** Throws where the call may not be made, whatever anybody approves. */
export function checkAuthorized(call: Call): void {
  if (call.permission === 'deny') throw notThere(call);
  if (call.hold) throw changedSince(call, call.hold);
}

/** For one who may not call it, a denied tool does not exist. */
function notThere({ server, tool }: Call): GatewayError {
  return new GatewayError('TOOL_NOT_FOUND', `There is no tool "${tool}" on server "${server}".`);
}

/** Nothing that the server wrote stands in this: it is what may not be read before it is approved. */
function changedSince({ key, server, tool }: Call, { reasons }: NonNullable<Call['hold']>): GatewayError {
  const message = `Tool "${key}" changed since it was approved (${reasonsInWords(reasons)}) and waits for review by the owner.`;
  return new GatewayError('APPROVAL_NEEDED', message, {
    hint: `The owner can review it with "toolcrib review ${server}" and accept it with "toolcrib review accept ${server}:${tool}".`,
    data: { reason: 'definition-changed' },
  });
}

/** The tool or its permission changed while the call waited. */
export function changedMeanwhile({ key }: Call): GatewayError {
  return new GatewayError(
    'APPROVAL_NEEDED',
    `Tool "${key}" or its permission changed while the call waited, and it was not called.`,
    {
      hint: 'Check the tool again, and repeat the call if it still fits.',
      data: { reason: 'changed' },
    },
  );
}

export function limitCalls(rate: RateLimit): Stage {
  return (call, next) => {
    const waitMs = rate.take(call.principal.id);
    if (waitMs === undefined) return next(call);
    const seconds = Math.ceil(waitMs / 1_000);
    throw new GatewayError('RATE_LIMITED', 'This token has reached its limit of calls a minute.', {
      hint: `Try again in ${seconds} s.`,
      data: { retryAfterMs: waitMs },
    });
  };
}

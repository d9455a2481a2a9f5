/** Stage: holds a principal to the number of calls that it may make in a minute. */

import type { RateLimit } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import type { Stage } from './call.ts';

export function limitCalls(rate: RateLimit): Stage {
  return (call, next) => {
    const waitMs = rate.take(call.principal.id);
    if (waitMs === undefined) return next(call);
    const seconds = Math.ceil(waitMs / 1_000);
    throw new GatewayError('RATE_LIMITED', 'This token makes more calls in a minute than it may.', {
      hint: `There is room for the next one in ${seconds} s.`,
      data: { retryAfterMs: waitMs },
    });
  };
}

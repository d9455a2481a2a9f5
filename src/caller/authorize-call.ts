/** Stage: refuses what the principal may not call. */

import { GatewayError } from '../base/errors.ts';
import type { Stage } from './call.ts';

export const authorizeCall: Stage = (call, next) => {
  if (call.permission === 'allow') return next(call);
  if (call.permission === 'ask') {
    throw new GatewayError(
      'APPROVAL_NEEDED',
      `Tool "${call.key}" needs the owner's approval before it can be called.`,
      {
        hint: `The owner can allow it under "permissions" of server "${call.server}" in the config.`,
      },
    );
  }
  // For one who may not call it, a denied tool does not exist.
  throw new GatewayError('TOOL_NOT_FOUND', `There is no tool "${call.tool}" on server "${call.server}".`);
};

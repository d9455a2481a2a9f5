/** Stage: a result over the agent's limit becomes a header, a preview and a link; the rest is kept on the shelf. */

import type { Log } from '../base/log.ts';
import type { ResultShelf } from '../results/results.ts';
import type { Stage } from './call.ts';
import { fitResult } from './fit-result.ts';

export function shapeResults(shelf: ResultShelf, log: Log): Stage {
  return async (call, next) => {
    const result = await next(call);
    const { maxResultBytes: maxBytes, key: toolKey, keepsStructured } = call;
    if (maxBytes === null || result.resultType === 'input_required') return result;
    return fitResult(result, shelf, {
      principal: call.principal.id,
      toolKey,
      maxBytes,
      keepsStructured,
      reader: call.reader,
      knowsLinks: call.agent.knowsLinks === true,
      onUnkept: (error) => log.warn('A large result could not be kept.', { tool: toolKey, error }),
    });
  };
}

/** Stage: says in the result which arguments were read as another type than they were sent in. */

import { isObject } from '../base/json.ts';
import type { Stage } from './call.ts';

const coercedKey = 'toolcrib/coerced';

export const noteCoercions: Stage = async (call, next) => {
  const result = await next(call);
  if (call.coerced === undefined || call.coerced.length === 0) return result;
  return { ...result, _meta: { ...(isObject(result._meta) ? result._meta : {}), [coercedKey]: call.coerced } };
};

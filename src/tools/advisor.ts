/** Who knows other tools when one has failed: looks among those that the same agent may call. */

import { isObject } from '../base/json.ts';
import type { Advisor, Alternative } from '../caller/caller.ts';
import { effectOf, onlyReads } from '../search/search.ts';
import { type Manner, makeCall } from './call-tool.ts';
import { findAlternatives } from './find-alternatives.ts';
import type { AdviceLayer, Uses } from './layers.ts';

interface Place extends Omit<Manner, 'advisor'> {
  /** How agents at this place call a tool; by its key, if left out. */
  readonly nameOf?: ((toolKey: string) => string) | undefined;
  /** Set where no other server is to be had. */
  readonly onlyServer?: string | undefined;
}

export function makeAdvisor(layers: Uses<AdviceLayer>, place: Place): Advisor {
  const { way, reader, nameOf = (key) => key, onlyServer } = place;
  return {
    nameOf,
    alternatives: async (call, errorType) => {
      const args = isObject(call.params.arguments) ? call.params.arguments : {};
      const failed = { toolKey: call.key, args, errorType, onlyServer };
      return findAlternatives(layers, call.principal, failed, layers.config().calls.maxFallbacks);
    },
    retry: (call, alternative) => {
      const entry = layers.catalog.snapshot.tools.get(alternative.toolKey);
      const isSafe = onlyReads(effectOf(call.definition)) && entry && onlyReads(effectOf(entry.definition));
      if (!isSafe || !takesAll(alternative, call.params.arguments)) return undefined;
      const params = { arguments: alternative.arguments };
      const { principal, agent } = call;
      const next = makeCall(layers, entry, params, { principal, agent }, { way, reader, advisor: null });
      // What somebody has to approve is nothing to be called without asking, whatever was approved before.
      return next.permission === 'allow' ? next : undefined;
    },
  };
}

/** Whether it needs nothing more than the failed call had, and leaves out nothing of that, such as a filter. */
function takesAll({ arguments: mapped, missing = [] }: Alternative, given: unknown): boolean {
  if (mapped === undefined || missing.length > 0) return false;
  return Object.keys(mapped).length === Object.keys(isObject(given) ? given : {}).length;
}

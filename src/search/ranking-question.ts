/** What a model that ranks is asked about tools that were found, and the tools in its order. */

import type { Entry, Snapshot } from '../catalog/catalog.ts';
import type { Reliability } from './alternatives/worth.ts';
import { documentFromTool } from './document.ts';
import type { Hit } from './hit.ts';
import type { RankerQuestion } from './model-ranker.ts';

interface RankedRequest {
  readonly queries: readonly string[];
  readonly context?: string | undefined;
  readonly reliabilityOf?: ((tool: Entry) => Reliability | undefined) | undefined;
}

/** What a model is asked: the needs, and what is known of each tool that was found. */
export function rankingOf(request: RankedRequest, hits: readonly Hit[], snapshot: Snapshot): RankerQuestion {
  const candidates = hits.flatMap((hit) => {
    const tool = snapshot.tools.get(hit.key);
    return tool ? [{ key: hit.key, ...toolTextsOf(tool), ...shareOf(hit, request.reliabilityOf?.(tool)) }] : [];
  });
  return { queries: request.queries, context: request.context, candidates };
}

/** The hits as a model ordered them. */
export function inOrder(hits: readonly Hit[], order: readonly string[]): Hit[] {
  const byKey = new Map(hits.map((hit) => [hit.key, hit]));
  return order.flatMap((key) => byKey.get(key) ?? []);
}

/** What others are shown of a tool. */
export function toolTextsOf(tool: Entry): { description: string; parameters: string[] } {
  const document = documentFromTool(tool.server, '', tool.definition);
  return {
    description: document?.description ?? '',
    parameters: (document?.parameters ?? []).map((parameter) => parameter.name),
  };
}

/** Share of calls that went well: of all of them, else of those after needs like this one, where there were any. */
function shareOf({ explanation: { usage } }: Hit, known: Reliability | undefined): { reliability?: number } {
  if (typeof known?.successRate === 'number') return { reliability: known.successRate };
  if (!usage || usage.good + usage.bad === 0) return {};
  return { reliability: usage.good / (usage.good + usage.bad) };
}

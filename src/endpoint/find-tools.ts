/** Looks for tools on behalf of a principal, and says what was found: shared by everything that answers a search. */

import type { Principal } from '../access/access.ts';
import type { Entry } from '../catalog/catalog.ts';
import type { Hit, SearchMode } from '../search/search.ts';
import type { EndpointContext } from './endpoint.ts';
import { canSee } from './visible.ts';

/**
 * Where even the best is less probable than `nothing`, nothing is offered; below `sure` it is said that none is a likely match.
 * On bfcl and our own sets, 2 and 5 % of the needs that could be met fall below, and a fifth and two fifths of the others.
 */
const leastRelevance = { nothing: 0.05, sure: 0.1 };
/** Named where nothing fits. */
const nearestNamed = 5;

export interface ToolNeed {
  readonly query: readonly string[];
  readonly context?: string | undefined;
  readonly maxResults: number;
  readonly category?: string | undefined;
  readonly server?: string | undefined;
  readonly minSimilarity?: number | undefined;
  /** The config's, if left out. */
  readonly mode?: SearchMode | undefined;
}

export interface Found {
  readonly tool: Entry;
  readonly hit: Hit;
}

export interface Findings {
  /** Everything, best first, however unlikely. */
  readonly all: readonly Found[];
  /** Those that are probable enough to be offered. */
  readonly fitting: readonly Found[];
  /** Whether one of them is a likely match. */
  readonly isSure: boolean;
  /** How they were found; not the mode asked for where that failed. */
  readonly mode: SearchMode;
  readonly notice: string | null;
}

export async function findTools(
  context: EndpointContext,
  principal: Principal,
  need: ToolNeed,
  signal: AbortSignal,
): Promise<Findings> {
  const { snapshot } = context.catalog;
  const { hits, mode, notice } = await context.search.search({
    queries: need.query,
    context: need.context,
    limit: need.maxResults,
    mode: need.mode ?? context.config().search.mode,
    collapses: true,
    signal,
    filter: (key) => {
      const tool = snapshot.tools.get(key);
      if (!tool || !canSee(snapshot, principal, tool)) return false;
      if (need.server !== undefined && tool.server !== need.server) return false;
      return need.category === undefined || context.search.categoryOf(tool) === need.category;
    },
  });
  const all = hits.flatMap((hit) => {
    const tool = snapshot.tools.get(hit.key);
    return tool ? [{ tool, hit }] : [];
  });
  const best = Math.max(0, ...hits.map((hit) => hit.relevance));
  // What ranks behind a good match may be improbable beside it and still be meant, so only the best decides.
  const fitting =
    best < leastRelevance.nothing ? [] : all.filter(({ hit }) => hit.relevance >= (need.minSimilarity ?? 0));
  return { all, fitting, isSure: best >= leastRelevance.sure, mode, notice };
}

/** What has to be said beside the tools. Where none fits, that is said instead of passing off what is merely least unlike. */
export function remarksOn({ all, fitting, isSure, notice }: Findings): Record<string, unknown> {
  if (fitting.length > 0 && isSure) return notice === null ? {} : { notice };
  if (fitting.length > 0) {
    const doubt = 'None of these is a likely match.';
    return { code: 'UNSURE', notice: notice === null ? doubt : `${doubt} ${notice}` };
  }
  const sentence = 'No tool here seems to do this; other words may help.';
  return {
    code: 'NOTHING_FITS',
    notice: notice === null ? sentence : `${sentence} ${notice}`,
    hint: 'tool_capabilities gives an overview of what there is.',
    nearest: all.slice(0, nearestNamed).map(({ tool }) => tool.key),
  };
}

/** Why a tool stands where it stands, in numbers a person can follow. */
export function explain({ score, explanation }: Hit): Record<string, unknown> {
  const { words, lexical, coverage, meaning, usage } = explanation;
  return {
    score: rounded(score),
    words,
    lexical: lexical === null ? null : rounded(lexical),
    coverage: coverage === null ? null : rounded(coverage),
    meaning: meaning === null ? null : rounded(meaning),
    usage: usage === null ? null : { boost: rounded(usage.boost), likeQuery: usage.likeQuery },
  };
}

export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

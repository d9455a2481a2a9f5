/** Looks for tools on behalf of a principal, and says what was found: shared by everything that answers a search. */

import type { Principal } from '../access/access.ts';
import type { Entry } from '../catalog/catalog.ts';
import type { Hit, SearchMode } from '../search/search.ts';
import type { EndpointContext } from './endpoint.ts';
import { canSee } from './visible.ts';

/** What is less probable to be meant than this is not offered: chosen so that hardly a right tool is lost. */
const leastRelevance = 0.02;
/** Named where nothing fits. */
const nearestNamed = 3;

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
  const least = Math.max(need.minSimilarity ?? 0, leastRelevance);
  return { all, fitting: all.filter(({ hit }) => hit.relevance >= least), mode, notice };
}

/** What has to be said beside the tools. Where none fits, that is said instead of passing off what is merely least unlike. */
export function remarksOn({ all, fitting, notice }: Findings): Record<string, unknown> {
  if (fitting.length > 0) return notice === null ? {} : { notice };
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

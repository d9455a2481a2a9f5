/** Explains a search as somebody would see it: what each score is made of, and what was left out. The owner asks; nobody is credited. */

import { type AccessRefusal, type Principal, refusalOf } from '../access/access.ts';
import { firstSentence, givenText } from '../base/text.ts';
import type { Entry } from '../catalog/catalog.ts';
import {
  type Hit,
  type LocalMode,
  localModes,
  type ScorePart,
  type SearchMode,
  type WordMatch,
} from '../search/search.ts';
import { type Found, findTools, reasonForHit, visibleTools } from '../tools/tools.ts';
import type { AdminContext } from './operation.ts';
import { principalAs, type ViewedAs } from './view-as.ts';

export interface ExplainRequest extends ViewedAs {
  readonly query: string;
  readonly mode?: SearchMode | undefined;
  readonly limit: number;
  readonly server?: string | undefined;
  readonly category?: string | undefined;
}

/** The one as whom it was searched. */
export interface SearchedAs {
  readonly name: string;
  readonly project: string | null;
  /** Tools that they can see, of all that there are. */
  readonly tools: number;
  readonly allTools: number;
}

export interface ExplainedHit {
  /** From 1. */
  readonly rank: number;
  readonly toolKey: string;
  readonly description: string;
  /** 0 to 1: how probable it is that this tool was meant. */
  readonly relevance: number;
  readonly score: number;
  readonly reason: string;
  /** They add up to the score; null where another service found the tool. */
  readonly parts: Readonly<Record<ScorePart, number>> | null;
  readonly matches: readonly WordMatch[];
  /** How much of the query its words answer, 0 to 1; null where words were not compared. */
  readonly coverage: number | null;
  /** How near its meaning is, -1 to 1; null where it was not compared. */
  readonly nearness: number | null;
  /** Calls after needs like this one, faded and weighted by likeness; null where there were none. */
  readonly use: { readonly good: number; readonly bad: number } | null;
  /** False: no tool fits well enough, so agents get none. */
  readonly isOffered: boolean;
  /** Tools of other servers that do the same and are named beside it. */
  readonly equals: readonly string[];
  /** The same tool for other accounts or folders. */
  readonly otherAccounts: readonly string[];
}

/** A tool that would be among the hits for somebody who can see everything. */
export interface LeftOutTool {
  readonly toolKey: string;
  readonly relevance: number;
  /** Why it is not there: the rule for tools, or the filter of the request. */
  readonly why: AccessRefusal | 'other-server' | 'other-category';
}

export interface SearchExplanation {
  readonly as: SearchedAs;
  /** How it was searched; null: discovery is switched off in the project. */
  readonly mode: SearchMode | null;
  readonly notice: string | null;
  readonly isSure: boolean;
  readonly hits: readonly ExplainedHit[];
  readonly leftOut: readonly LeftOutTool[];
}

/** `owner`: who asks, and as whom it is searched unless the request names somebody. */
export async function explainSearch(
  context: AdminContext,
  owner: Principal,
  request: ExplainRequest,
  signal: AbortSignal,
): Promise<SearchExplanation> {
  const principal = principalAs(context, request, owner);
  const { query, mode, limit, server, category } = request;
  const need = { query: [query], mode, maxResults: limit, server, category, explains: true };
  const found = await findTools(context, principal, need, signal);
  const offered = new Set(found.fitting);
  const { snapshot } = context.catalog;
  return {
    as: {
      name: principal.name,
      project: principal.project?.name ?? null,
      tools: visibleTools(snapshot, principal).length,
      allTools: snapshot.tools.size,
    },
    mode: found.mode,
    notice: found.notice,
    isSure: found.isSure,
    hits: found.all.map((one, at) => explainHit(one, at + 1, found.mode, offered.has(one))),
    leftOut: found.mode === null ? [] : await findLeftOut(context, principal, request, signal),
  };
}

function explainHit({ tool, hit }: Found, rank: number, mode: SearchMode | null, isOffered: boolean): ExplainedHit {
  const { coverage, meaning, usage } = hit.explanation;
  return {
    rank,
    toolKey: tool.key,
    description: firstSentence(givenText(tool.definition.description)),
    relevance: hit.relevance,
    score: hit.score,
    reason: reasonForHit(hit, mode),
    parts: hit.breakdown?.parts ?? null,
    matches: hit.breakdown?.matches ?? [],
    coverage,
    nearness: meaning,
    // Not for which need it was used: that is its agent's own.
    use: usage && { good: usage.good, bad: usage.bad },
    isOffered,
    equals: hit.equals,
    otherAccounts: hit.accounts,
  };
}

/** Tools that rank among as many hits for somebody who can see all of them. */
async function findLeftOut(
  context: AdminContext,
  principal: Principal,
  request: ExplainRequest,
  signal: AbortSignal,
): Promise<LeftOutTool[]> {
  const { snapshot } = context.catalog;
  const { query, limit } = request;
  const { hits } = await context.search.search({
    ...{ queries: [query], limit, mode: localModeOf(request.mode), signal },
    filter: (key) => snapshot.tools.has(key),
  });
  return hits.flatMap(({ key, relevance }: Hit) => {
    const tool = snapshot.tools.get(key);
    const why = tool && whyLeftOut(context, principal, request, tool);
    return why ? [{ toolKey: key, relevance, why }] : [];
  });
}

/** Another service hears of no tool that it was not asked about. */
function localModeOf(mode: SearchMode | undefined): LocalMode {
  return localModes.find((one) => one === mode) ?? 'hybrid';
}

function whyLeftOut(
  { catalog, search }: AdminContext,
  principal: Principal,
  { server, category }: ExplainRequest,
  tool: Entry,
): LeftOutTool['why'] | null {
  const spec = catalog.snapshot.servers.get(tool.server)?.spec;
  const refusal = spec ? refusalOf(principal, spec, tool.serverName) : 'off';
  if (refusal !== null) return refusal;
  if (server !== undefined && tool.server !== server) return 'other-server';
  return category !== undefined && search.categoryOf(tool) !== category ? 'other-category' : null;
}

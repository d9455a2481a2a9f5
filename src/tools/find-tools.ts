/** Searches tools on behalf of a principal and explains the answer: the needs that were read out of its queries, the mode of the search, the reason for each hit, and what was not found. */

import { authorize, type Principal } from '../access/access.ts';
import { isObject } from '../base/json.ts';
import { cutAtWord, givenText } from '../base/text.ts';
import type { Catalog, Entry, ServerEntry, Snapshot } from '../catalog/catalog.ts';
import type { AskModel } from '../language-model/language-model.ts';
import { partsBeyond } from '../meaning/meaning.ts';
import { type Hit, localModes, mostNeeds, type SearchMode } from '../search/search.ts';
import type { Uses } from './layers.ts';
import { findServer } from './resolve-tool.ts';
import { type GivenTool, indexGivenTools, searchGivenIndex } from './search-given-tools.ts';
import { metricsOf } from './tool-metrics.ts';
import { canSee, countVisible, perViewer, type ShownSurface, searchViewOf, visibleServers } from './view.ts';

/**
 * Below `sure` it is said that none is a likely match; below half of it nothing is offered. The more tools there are, the nearer
 * the nearest of them is to anything, so the measure grows with the catalog: .1 up to 170 tools, .14 for 530, .27 for 20,000.
 */
const sureAt = { base: -0.08, perLog: 0.035, least: 0.1, most: 0.3 };
/** Named where nothing fits: at most `most`, and none that has hardly anything to do with the need. */
const nearestNamed = { most: 5, leastRelevance: 0.02 };

/** Twins of a tool on other servers that are named beside it. */
const equalsNamed = 5;
/** Other accounts that are named: the agent has to choose one. */
const accountsNamed = 20;
/** Characters of a query that are repeated in an answer. */
const echoed = 100;

export interface ToolNeed {
  readonly query: readonly string[];
  readonly context?: string | undefined;
  readonly maxResults: number;
  readonly category?: string | undefined;
  readonly server?: string | undefined;
  readonly minSimilarity?: number | undefined;
  /** If left out, the mode of the project or the config. */
  readonly mode?: SearchMode | undefined;
  /** Asks the model of the agent, where it offers one. */
  readonly sample?: AskModel | undefined;
  /** True if tools that clearly fail come later, whatever was asked for. */
  readonly weighsReliability?: boolean | undefined;
  /** True: hits come with the parts of their scores. */
  readonly explains?: boolean | undefined;
}

export interface Found {
  readonly tool: Entry;
  readonly hit: Hit;
}

export interface Findings {
  /** The needs that were looked for, as they were read out of the queries. */
  readonly queries: readonly string[];
  /** Everything, best first, however unlikely. */
  readonly all: readonly Found[];
  /** Those that are probable enough to be offered. */
  readonly fitting: readonly Found[];
  /** How many there would be without the caller's own measure, where there is one. */
  readonly leftOut: number;
  /** The queries that nothing fits. */
  readonly unmet: readonly string[];
  /** True if one of them is a likely match. */
  readonly isSure: boolean;
  /** True if there is a server to look at. */
  readonly hasServers: boolean;
  /** How they were found; not the mode asked for where that failed, and null where nothing may be looked for. */
  readonly mode: SearchMode | null;
  readonly notice: string | null;
}

export async function findTools(
  layers: Uses<'catalog' | 'metrics' | 'search' | 'config'>,
  principal: Principal,
  need: ToolNeed,
  signal: AbortSignal,
): Promise<Findings> {
  const wantedMode = searchModeFor(layers, principal, need.mode);
  const { queries, notice: leftOut } = readNeeds(need.query);
  if (wantedMode === null) return { ...nothing, queries };
  const { snapshot } = layers.catalog;
  const down = toolsDown(layers);
  if (need.server !== undefined) findServer(snapshot, principal, need.server);
  const { hits, bests, mode, notice } = await layers.search.search({
    queries,
    context: need.context,
    limit: need.maxResults,
    mode: wantedMode,
    collapses: true,
    reliabilityOf: need.weighsReliability ? (tool) => metricsOf(layers, tool) : undefined,
    down,
    sample: need.sample,
    explains: need.explains,
    signal,
    view: searchViewOf(snapshot, principal) ?? undefined,
    filter: (key) => {
      const tool = snapshot.tools.get(key);
      if (!tool || !canSee(snapshot, principal, tool)) return false;
      if (need.server !== undefined && tool.server !== need.server) return false;
      return need.category === undefined || layers.search.categoryOf(tool) === need.category;
    },
  });
  const found = hits.flatMap((hit) => {
    const tool = snapshot.tools.get(hit.key);
    return tool ? [{ tool, hit }] : [];
  });
  // However they were ranked, tools that can be called come first.
  const { live = [], dead = [] } = Object.groupBy(found, ({ hit }) => (down?.has(hit.key) ? 'dead' : 'live'));
  const all = [...live, ...dead];
  const toolCount = countVisible(snapshot, principal);
  const verdicts = bests.map((best) => judge(best, toolCount));
  const meant = all.filter(({ hit }) => verdicts[hit.need] !== 'nothing');
  const isAllSure = verdicts.every((verdict) => verdict === 'sure');
  const fitting = meant.filter(({ hit }) => hit.relevance >= (need.minSimilarity ?? 0));
  return {
    queries,
    all,
    fitting,
    leftOut: need.minSimilarity ? meant.length : 0,
    unmet: queries.filter((_, at) => verdicts[at] === 'nothing'),
    isSure: verdicts.includes('sure'),
    hasServers: toolCount > 0 || visibleServers(snapshot, principal).length > 0,
    mode,
    notice: joined(
      sayAccounts(fitting.filter(({ hit }) => judge(hit.relevance, toolCount) === 'sure')),
      isAllSure ? null : sayUnlisted(layers, principal, need.server),
      await sayDisabled(
        layers,
        principal,
        { ...need, query: queries },
        (relevance, at) => {
          const isBetter = relevance > (bests[at] ?? 0);
          return isBetter && judge(relevance, toolCount) === 'sure';
        },
        signal,
      ),
      leftOut,
      notice,
    ),
  };
}

/** The tools of servers that fail, by the state that decides whether they can be called; undefined while all work. */
function toolsDown({ catalog }: Uses<'catalog'>): ReadonlySet<string> | undefined {
  const failing = catalog.failing.names();
  if (failing.size === 0) return undefined;
  const tools = Array.from(failing, (name) => catalog.snapshot.servers.get(name)?.tools ?? []).flat();
  return new Set(tools.map((tool) => tool.key));
}

/** Marks a row whose tool can't be called now; empty for the others. */
export function availabilityOf(
  { catalog, downstream }: Uses<'catalog' | 'downstream'>,
  { server }: Entry,
): Record<string, unknown> {
  if (!catalog.failing.has(server)) return {};
  const nextRetryAt = downstream.status(server)?.nextRetryAt ?? null;
  return { available: false, ...(nextRetryAt !== null && { nextRetryAt: new Date(nextRetryAt).toISOString() }) };
}

/** Names servers that are still listing, because they may have the missing tool. */
function sayUnlisted({ catalog }: Uses<'catalog'>, principal: Principal, server?: string): string | null {
  const asked = visibleServers(catalog.snapshot, principal).filter(
    ({ spec }) => server === undefined || spec.name === server,
  );
  const names = namesBeingListed(catalog, asked);
  return names === undefined ? null : `Servers that are still listing: ${names}. Search again in a moment.`;
}

/** The findings where discovery is off. */
const nothing = {
  ...{ all: [], fitting: [], leftOut: 0, unmet: [], isSure: false, hasServers: true },
  mode: null,
  notice: null,
};

/** Only the best hit for a need decides: hits behind a good match look improbable beside it and may still be meant. */
function judge(best: number, tools: number): 'nothing' | 'unsure' | 'sure' {
  const wanted = sureAt.base + sureAt.perLog * Math.log(1 + tools);
  const sure = Math.min(sureAt.most, Math.max(sureAt.least, wanted));
  if (best < sure / 2) return 'nothing';
  return best < sure ? 'unsure' : 'sure';
}

/** The notice for a program, which gets the hits in any case. */
export function noticeOn(hits: readonly Hit[], tools: number, notice: string | null): Record<string, unknown> {
  const doubt = doubts[judge(Math.max(0, ...hits.map((hit) => hit.relevance)), tools)];
  return { ...(doubt && { code: doubt.code }), ...said(doubt?.sentence, notice) };
}

const doubts = {
  nothing: { code: 'NOTHING_FITS', sentence: 'No tool here seems to do this; other words may help.' },
  unsure: { code: 'UNSURE', sentence: 'None of these is a likely match.' },
  sure: undefined,
} as const;

/** Both in one, or nothing where there is nothing to say. */
function said(doubt: string | undefined, notice: string | null): { readonly notice?: string } {
  const text = joined(doubt ?? null, notice);
  return text === null ? {} : { notice: text };
}

function joined(...sentences: readonly (string | null)[]): string | null {
  return sentences.filter((sentence) => sentence !== null).join(' ') || null;
}

/** Remarks beside the tools. Where no tool fits, they say so instead of passing off the least unlike one. */
export function remarksOn(
  { all, fitting, leftOut, unmet, isSure, hasServers, mode, notice }: Findings,
  reading?: SearchReader,
): Record<string, unknown> {
  if (mode === null) return { ...discoveryOff };
  if (!hasServers) return { code: doubts.nothing.code, ...noServer, hint: addServer[reading ?? 'owner'] ?? addByOwner };
  if (fitting.length === 0 && leftOut > 0)
    return said(`"minSimilarity" left out the ${leftOut} that were found.`, notice);
  // Of several needs, those that nothing meets are told apart from those that are met.
  const rest = unmet.length === 0 ? {} : { unmet: unmet.map((query) => cutAtWord(query, echoed)) };
  if (fitting.length > 0 && isSure) return { ...said(undefined, notice), ...rest };
  if (fitting.length > 0) return { code: doubts.unsure.code, ...said(doubts.unsure.sentence, notice), ...rest };
  return {
    code: doubts.nothing.code,
    ...said(doubts.nothing.sentence, notice),
    hint: overviews[reading ?? 'owner'],
    nearest: all
      .filter(({ hit }) => hit.relevance >= nearestNamed.leastRelevance)
      .slice(0, nearestNamed.most)
      .map(({ tool }) => tool.key),
  };
}

const noServer = { notice: 'There is no server here yet, so no tool can be found.', nearest: [] };
const addByOwner = 'The owner of this gateway adds one with "toolcrib add".';
const addServer: Readonly<Partial<Record<SearchReader, string>>> = {
  hand: 'Add one: toolcrib add NAME -- COMMAND ARGS. Or try the demo servers: toolcrib start --demo',
  owner: 'Add one with add_server.',
};

/** The reader of a search's answer: an agent by its surface, its program, a person at the command line, or the owner's agent. */
export type SearchReader = ShownSurface | 'program' | 'hand' | 'owner';

/** Where an overview is to be had, with what each reader has. */
const overviews: Readonly<Record<SearchReader, string>> = {
  search: 'tool_capabilities gives an overview of all tools.',
  full: 'tool_capabilities gives an overview of all tools.',
  code: 'In call_tool_chain, "return Object.keys(servers)" lists the servers.',
  direct: 'Your list of tools has everything.',
  program: 'Object.keys(servers) lists the servers, and types("SERVER") declares the tools of one.',
  hand: 'All tools: toolcrib tools',
  owner: 'list_tools_meta lists all tools.',
};

/** Why a tool stands where it stands: in numbers a person can follow, or in the words of another service that found it. */
export function explain({ score, explanation, givenReason }: Hit): Record<string, unknown> | string {
  if (givenReason !== undefined) return givenReason;
  const { isNamed, words, similar, lexical, coverage, meaning, usage } = explanation;
  return {
    score: rounded(score),
    ...(isNamed && { isNamed }),
    words,
    similar,
    lexical: lexical === null ? null : rounded(lexical),
    coverage: coverage === null ? null : rounded(coverage),
    meaning: meaning === null ? null : rounded(meaning),
    // Not for which need it was used: that may have been somebody else's.
    usage: usage === null ? null : { boost: rounded(usage.boost) },
  };
}

/** The same tool on other servers and for other accounts: the first by name, and how many more there are. */
export function equalsOf({ equals, accounts }: Hit): Record<string, unknown> {
  const [more, moreAccounts] = [equals.length - equalsNamed, accounts.length - accountsNamed];
  return {
    ...(equals.length > 0 && { equals: equals.slice(0, equalsNamed) }),
    ...(more > 0 && { moreEquals: more }),
    ...(accounts.length > 0 && { otherAccounts: accounts.slice(0, accountsNamed) }),
    ...(moreAccounts > 0 && { moreAccounts }),
  };
}

function sayAccounts(found: readonly Found[]): string | null {
  if (found.every(({ hit }) => hit.accounts.length === 0)) return null;
  return '"otherAccounts" lists the same tool for other accounts or folders: choose the one that is meant, and ask if that is unclear.';
}

/** A less probable tool only fills the answer; its use says nothing about the need. */
const leastCredited = 0.05;

/** The tools offered for each of several queries, as far as their use is to be credited to it: the best in any case. */
export function offeredFor(queries: readonly string[], fitting: readonly Found[]): string[][] {
  return queries.map((_, need) =>
    fitting
      .filter(({ hit }) => hit.need === need)
      .filter(({ hit }, rank) => rank === 0 || hit.relevance >= leastCredited)
      .map(({ tool }) => tool.key),
  );
}

export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/** `asked`: the mode that a request names, if it does. null: nothing is to be found. */
export function searchModeFor(
  { config }: Uses<'config'>,
  principal: Principal,
  asked: SearchMode | undefined,
): SearchMode | null {
  const { project } = principal;
  // Projects that only servers name have no strategy of their own.
  if (project === undefined || project.origin === 'servers') return asked ?? config().search.mode;
  if (project.search === null || asked === undefined) return project.search;
  // A local search tells nobody anything; another service gets only the mode that the project sets.
  return localModes.some((mode) => mode === asked) ? asked : project.search;
}

export function isDiscoveryOff({ project }: Principal): boolean {
  return project !== undefined && project.origin !== 'servers' && project.search === null;
}

/** The notice beside an empty answer. */
export const discoveryOff = {
  code: 'DISCOVERY_DISABLED',
  notice: 'Discovery is switched off in this project.',
} as const;

const mostNamed = 5;

/** Their names as one text; undefined where every server has been listed, or could not be. */
export function namesBeingListed(
  catalog: Pick<Catalog, 'isBeingListed'>,
  servers: readonly ServerEntry[],
): string | undefined {
  const names = servers.map(({ spec }) => spec.name).filter((name) => catalog.isBeingListed(name));
  if (names.length === 0) return undefined;
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
  return `${names.slice(0, mostNamed).join(', ')}${more}`;
}

/** Words that are named in a reason. */
const wordsNamed = 5;
/** From here on a meaning counts as near: three in four tools that were asked for reach it, and few others. */
const nearMeaning = 0.3;

/** In the words of the service that found it, where it gave a reason. `isDoubted`: the tool often fails. */
export function reasonForHit(
  { explanation: { isNamed, words, meaning, usage }, givenReason }: Hit,
  mode: SearchMode | null,
  isDoubted = false,
): string {
  if (givenReason !== undefined) return isDoubted ? `${givenReason} (It often fails.)` : givenReason;
  const reasons: string[] = [];
  const named = listed(words.slice(0, wordsNamed).map(quoted));
  if (isNamed) reasons.push('the query is its name');
  else if (words.length > 0) reasons.push(`it has the ${words.length > 1 ? 'words' : 'word'} ${named}`);
  if (meaning !== null && meaning >= nearMeaning) reasons.push('it is near in meaning');
  if (usage && usage.boost > 0) reasons.push('it was used before for a similar need');
  if (mode === 'llm') reasons.push('a model ranked it');
  if (mode === 'cloud') reasons.push('another gateway ranked it');
  const sentence = reasons.length > 0 ? listed(reasons) : 'it is the nearest one';
  const failedSo = usage && usage.boost < 0 ? ', though it failed recently for such needs' : '';
  const warning = isDoubted ? ', though it often fails' : failedSo;
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}${warning}.`;
}

function quoted(text: string): string {
  return `"${text}"`;
}

/** `a, b and c`. */
function listed(items: readonly string[]): string {
  const last = items.at(-1) ?? '';
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} and ${last}`;
}

/** Servers that are named. */
const disabledNamed = 3;

interface Wanted {
  readonly query: readonly string[];
  readonly server?: string | undefined;
  readonly category?: string | undefined;
}

/** `isFit`: whether a tool with this relevance would be a better answer to the query at this place. null: there is nothing to say. */
export async function sayDisabled(
  layers: Uses<'catalog' | 'config'>,
  principal: Principal,
  { query, server, category }: Wanted,
  isFit: (relevance: number, query: number) => boolean,
  signal: AbortSignal,
): Promise<string | null> {
  if (!principal.scopes.has('admin') || server !== undefined || category !== undefined) return null;
  const disabled = disabledIndex(layers.catalog.snapshot, principal);
  if (disabled === null) return null;
  const { tools, index } = disabled;
  const { synonyms } = layers.config().search;
  const question = { queries: query, limit: disabledNamed, mode: 'hybrid', synonyms, signal } as const;
  const hits = await searchGivenIndex(await index, question);
  const keys = hits.filter(({ relevance, need }) => isFit(relevance, need)).map(({ key }) => key);
  const servers = new Set(tools.filter(({ toolKey }) => keys.includes(toolKey)).map((tool) => tool.server));
  if (servers.size === 0) return null;
  const commands = Array.from(servers, (name) => `toolcrib enable ${name}`);
  return `A disabled server has tools that fit: ${keys.join(', ')}. Enable it with: ${commands.join('; ')}`;
}

/** Made once for each catalog: it takes many times as long as a search, and most searches find nothing there. */
const disabledIndex = perViewer((snapshot, principal) => {
  const tools = disabledTools(snapshot, principal);
  if (tools.length === 0) return null;
  // It is there for other searches too, whoever gives up waiting.
  return { tools, index: indexGivenTools(tools, { signal: new AbortController().signal }) };
});

/** Tools of disabled servers, as last listed, that the principal could use. */
function disabledTools({ servers }: Snapshot, principal: Principal): GivenTool[] {
  const off = [...servers.values()].filter(({ spec }) => !spec.isEnabled);
  return off.flatMap(({ spec, tools }) =>
    tools
      .filter((tool) => authorize(principal, { ...spec, isEnabled: true }, tool.serverName) !== 'deny')
      .map(({ key, server, name, definition }) => {
        const description = givenText(definition.description);
        const schema = definition.inputSchema;
        return { toolKey: key, server, name, description, ...(isObject(schema) && { inputSchema: schema }) };
      }),
  );
}

/** Needs that were not searched and are named in the notice: how many, and characters of each. */
const named = { needs: 5, characters: 60 };
/** In characters. */
const longestWord = 40;
/** Texts of one search that are read: reading is work, and an agent states a few needs with a few keywords each. */
const mostTexts = 200;
/** Characters of a need in which sentences are looked for: a search reads no more. */
const mostCharacters = 10_000;

interface Needs {
  readonly queries: readonly string[];
  /** Names the needs that were left out; null where none was. */
  readonly notice: string | null;
}

/** A phrase is a need of its own. Single words in a row are the keywords of one need. */
export function readNeeds(given: readonly string[]): Needs {
  const groups: string[][] = [];
  let keywords: string[] | undefined;
  for (const text of given.slice(0, mostTexts)) {
    const isWord = isSingleWord(text);
    if (isWord && keywords) keywords.push(text);
    else groups.push([text]);
    keywords = isWord ? groups.at(-1) : undefined;
  }
  const needs = groups.map(([only = '', ...more]) =>
    more.length === 0 ? only : [only, ...more].map((text) => text.trim()).join(' '),
  );
  const queries = needs.slice(0, mostNeeds);
  const sentences = queries.flatMap((query) => partsBeyond(query.slice(0, mostCharacters)));
  const beyond = new Set([...sentences, ...needs.slice(mostNeeds), ...given.slice(mostTexts)]);
  return { queries, notice: beyond.size === 0 ? null : sayLeftOut([...beyond]) };
}

function sayLeftOut(needs: readonly string[]): string {
  const shown = needs.slice(0, named.needs).map((need) => `"${cutAtWord(need.trim(), named.characters)}"`);
  const more = needs.length > shown.length ? ` and ${needs.length - shown.length} more` : '';
  return `Too many needs for one search. Search again for: ${shown.join(', ')}${more}.`;
}

/** A word of any script. `git_commit` and `gitCommit` are names, and a name is a need of its own; GitHub is a word. */
function isSingleWord(text: string): boolean {
  const word = text.trim();
  if (word.length > longestWord || /[\s_:/]|^\p{Ll}+\p{Lu}/u.test(word)) return false;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  let words = 0;
  // The letter of `e-mail` or `C++` makes no second word.
  for (const { isWordLike, segment } of segmenter.segment(word))
    if (isWordLike && !/^[a-z]$/i.test(segment)) words += 1;
  return words < 2;
}

let segmenter: Intl.Segmenter | undefined;

/** Finding tools in every mode: here, with a model that ranks, or by another gateway; what fails is replaced by a search here, and said. */

import { setImmediate as giveWay } from 'node:timers/promises';
import { authorize, everybody } from '../access/access.ts';
import { type AgentProgram, agentModel } from '../agent-program/agent-program.ts';
import { type Clock, sleep } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Surroundings } from '../base/post-json.ts';
import type { AlternativeTool, ToolVerdict } from '../caller/caller.ts';
import type { Catalog, Entry, ServerEntry, Snapshot } from '../catalog/catalog.ts';
import type { Config } from '../config/config.ts';
import { type AskModel, modelOf } from '../language-model/language-model.ts';
import { openTable } from '../meaning/meaning.ts';
import { Durations } from '../metrics/metrics.ts';
import type { StoreSharing, UseStore, VectorStore } from '../store/store.ts';
import { type AlternativesRequest, chooseAlternatives } from './alternatives/choose-alternatives.ts';
import { doubtIn, type Reliability } from './alternatives/worth.ts';
import { CategoryJudge, serverTextOf } from './categories.ts';
import { searchCloud, unsetForCloud } from './cloud-search.ts';
import { FaultNotice } from './fault-notice.ts';
import { type Hit, type LocalMode, localModes, type SearchView } from './hit.ts';
import { inOrder, rankByModel, rankingOf, toolTextsOf, unsetForRanking } from './model-ranker.ts';
import { areOtherAccounts } from './other-accounts.ts';
import { SearchTrial, withoutWriting } from './search-trial.ts';
import { type Embedded, type FinderStatus, type FoundHere, ToolFinder } from './tool-finder.ts';
import { RecentQueries } from './usage/recent-queries.ts';
import { UsageHistory } from './usage/usage-history.ts';

export const searchModes = [...localModes, 'llm', 'cloud'] as const;
export type SearchMode = (typeof searchModes)[number];

/** A share of tools without a vector that is not worth a word. */
const fewLacking = 0.02;
/** Candidates that a model is shown. */
const rankedByModel = 20;
/** The delay of preparations after a start: agents that waited for the gateway come first. */
const prepareAfterMs = 300;
/** Tools whose category is found between two turns of the event loop. */
const judgedPerTurn = 20;
/** Tools that another gateway is sent, the best by a search here first. */
const sentElsewhere = 1_000;

export interface SearchRequest {
  readonly queries: readonly string[];
  /** More about the task; here it may tip the scales. */
  readonly context?: string | undefined;
  readonly limit: number;
  readonly mode: SearchMode;
  readonly filter: (key: string) => boolean;
  /** The tools that the reader can see, unless all. */
  readonly view?: SearchView | undefined;
  readonly collapses?: boolean | undefined;
  /** Tools that cannot be called now. */
  readonly down?: ReadonlySet<string> | undefined;
  /** The record of a tool's calls. With it, tools that clearly fail rank lower, and a model that ranks sees it. */
  readonly reliabilityOf?: ((tool: Entry) => Reliability | undefined) | undefined;
  /** Asks the model of the agent, where it offers one. */
  readonly sample?: AskModel | undefined;
  /** True: hits come with the parts of their scores. */
  readonly explains?: boolean | undefined;
  readonly signal: AbortSignal;
}

export interface SearchAnswer {
  readonly hits: readonly Hit[];
  /** For each query, how probable it is that the best tool for it was meant. */
  readonly bests: readonly number[];
  /** How they were found; not the mode asked for where that failed. */
  readonly mode: SearchMode;
  /** Why it is another mode. */
  readonly notice: string | null;
}

export interface SearchStatus extends Omit<FinderStatus, 'problem'> {
  /** How agents search outside of projects. */
  readonly mode: SearchMode;
  readonly problems: readonly string[];
}

export interface ToolSearchOptions {
  readonly catalog: Pick<Catalog, 'snapshot' | 'changed'>;
  readonly store: UseStore & VectorStore & Partial<Pick<StoreSharing, 'isShared'>>;
  readonly config: () => Config;
  readonly env: NodeJS.ProcessEnv;
  /** The agent program that the owner allows, for the provider "agent". */
  readonly agentProgram?: (() => AgentProgram | null) | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

export class ToolSearch {
  /** How long searches took since the start, by the mode in which they were answered. */
  readonly durations = new Map<SearchMode, Durations>();
  readonly #options: ToolSearchOptions;
  readonly #finder: ToolFinder;
  readonly #usage: UsageHistory;
  readonly #recent: RecentQueries;
  readonly #judge = new CategoryJudge();
  /** Servers whose tools all have a category. */
  readonly #judged = new WeakSet<ServerEntry>();
  #preparing: Promise<void> | undefined;
  /** Catching up with the catalog, and whether it has changed since that began. */
  #following: Promise<void> | undefined;
  #isBehind = false;
  #stopListening: () => void = () => {};
  #isClosed = false;
  readonly #closing = new AbortController();
  /** The text about a server for the judge, by its entry, which is a new one after each change. */
  readonly #serverTexts = new WeakMap<ServerEntry, string>();
  readonly #faults = new Map<'llm' | 'cloud', { readonly settings: string; readonly fault: FaultNotice }>();

  constructor(options: ToolSearchOptions) {
    const { store, clock, log } = options;
    this.#options = options;
    this.#usage = new UsageHistory({ store, clock, log, vectorOf: (text) => openTable().vectorOf(text) });
    this.#recent = new RecentQueries(clock);
    this.#finder = new ToolFinder({ ...options, usageOf: (query) => this.#usage.boosts(query) });
  }

  get #surroundings(): Surroundings {
    const { env, clock, config } = this.#options;
    return { env, clock, privateHosts: () => config().access.privateHosts };
  }

  /** Names for the owner the parts that work less well than they could. */
  get status(): SearchStatus {
    const { problem, ...status } = this.#finder.status;
    // A part that is not set up is not wanted, so it cannot fail.
    const wanted = [...this.#faults].filter(([mode]) => this.#unsetFor(mode) === null);
    const remote = wanted.map(([, { fault }]) => fault.problem);
    const { mode } = this.#options.config().search;
    return { ...status, mode, problems: [problem, this.#judge.problem, ...remote].filter((text) => text !== null) };
  }

  /** Makes everything that is known of a server's tools again, in the background. */
  rebuild(server: string): void {
    this.#finder.rebuild(server);
    if (this.#preparing) this.#followCatalog();
  }

  /** Does in small steps what would keep the first search or list waiting. */
  prepare(): Promise<void> {
    this.#preparing ??= this.#prepare();
    return this.#preparing;
  }

  async #prepare(): Promise<void> {
    try {
      await sleep(this.#options.clock, prepareAfterMs, this.#closing.signal);
      await this.#usage.open();
      if (this.#isClosed) return;
      this.#stopListening = this.#options.catalog.changed.on(() => this.#followCatalog());
      this.#followCatalog();
      await this.#following;
    } catch (error) {
      if (this.#isClosed) return;
      this.#options.log.warn('Search could not be prepared; it is tried again with the first search.', {
        error: messageOf(error),
      });
    }
  }

  /** Reads new listings before anybody searches them, in small steps. */
  #followCatalog(): void {
    this.#isBehind = true;
    this.#following ??= this.#catchUp().finally(() => {
      this.#following = undefined;
    });
  }

  async #catchUp(): Promise<void> {
    while (this.#isBehind && !this.#isClosed) {
      this.#isBehind = false;
      try {
        await this.#finder.prepare();
        await this.#judgeAll();
      } catch (error) {
        this.#options.log.warn('Tools could not be indexed; it is tried again with the next search.', {
          error: messageOf(error),
        });
      }
    }
  }

  async #judgeAll(): Promise<void> {
    let judged = 0;
    for (const server of this.#options.catalog.snapshot.servers.values()) {
      if (!server.spec.isEnabled || this.#judged.has(server)) continue;
      for (const tool of server.tools) {
        if (this.#isClosed) return;
        this.categoryOf(tool);
        judged += 1;
        if (judged % judgedPerTurn === 0) await giveWay();
      }
      this.#judged.add(server);
    }
  }

  async search(request: SearchRequest): Promise<SearchAnswer> {
    const { clock } = this.#options;
    const since = clock.elapsed();
    const answer = await this.#searchInMode(request);
    const durations = this.durations.get(answer.mode) ?? new Durations();
    durations.add(clock.elapsed() - since);
    this.durations.set(answer.mode, durations);
    return answer;
  }

  async #searchInMode(request: SearchRequest): Promise<SearchAnswer> {
    if (request.mode === 'llm') return this.#searchWithModel(request);
    if (request.mode === 'cloud') return this.#searchElsewhere(request);
    return this.#searchHere(request, request.mode, request.limit);
  }

  /** A search apart from this one, in which tools can have other descriptions. To be closed. */
  trial(): SearchTrial {
    return new SearchTrial(this.#options);
  }

  /** The same search over another catalog with other settings. It learns and stores nothing; close it after use. */
  over(catalog: ToolSearchOptions['catalog'], config: () => Config): ToolSearch {
    const { store } = this.#options;
    const uses: UseStore = { listUses: async () => [], addUses: async () => {}, removeUses: async () => {} };
    return new ToolSearch({ ...this.#options, catalog, config, store: { ...uses, ...withoutWriting(store) } });
  }

  /** Vectors by the model in use. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Embedded> {
    return this.#finder.embed(texts, signal);
  }

  /** Other tools for the purpose of one that failed, best first; `size`: how many tools the reader can see; `view`: which, unless all. */
  alternatives(request: AlternativesRequest, size: number, view?: SearchView): AlternativeTool[] {
    const { snapshot } = this.#options.catalog;
    return chooseAlternatives(request, {
      now: this.#options.clock.now(),
      size,
      toolOf: (key) => snapshot.tools.get(key),
      alike: (tool, limit, filter) => this.#finder.alike(tool, limit, filter, view),
      isOtherAccount: (server) => areOtherAccounts(snapshot, request.failed.server, server, view),
    });
  }

  /** The category of a tool: what the owner says, else what it means; in the catalog of this moment or of another one. */
  categoryOf(tool: Entry, { servers } = this.#options.catalog.snapshot): string {
    const server = servers.get(tool.server);
    const said = server?.spec.categories.get(tool.serverName) ?? server?.spec.category;
    return said ?? this.#judge.categoryOf(tool.definition, tool.server, server ? this.#aboutServer(server) : '');
  }

  /** A session was offered these tools, in the order of its queries: a call of one of them is credited to its query. */
  offered(session: string, queries: readonly string[], keys: readonly (readonly string[])[]): void {
    if (this.#options.config().search.usage) this.#recent.asked(session, queries, keys);
  }

  /** The newest query of a session whose answer offered the tool. */
  queryBehind(session: string, toolKey: string): string | null {
    return this.#recent.queriesBehind(session, toolKey)[0] ?? null;
  }

  /** A call of a session ended: the queries that led to the tool are credited with it. */
  credit(session: string, toolKey: string, verdict: ToolVerdict): void {
    if (!this.#options.config().search.usage) return;
    const queries = this.#recent.queriesBehind(session, toolKey);
    if (queries.length > 0) this.#usage.recordCall(queries, toolKey, verdict);
  }

  /** Preparations use the store, which closes next. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#closing.abort();
    this.#stopListening();
    await this.#finder.close();
    await this.#preparing;
    await this.#following;
    await this.#usage.close();
  }

  #aboutServer(server: ServerEntry): string {
    const known = this.#serverTexts.get(server);
    if (known !== undefined) return known;
    // A tool that is denied to everybody does not describe its server either.
    const there = server.tools.filter((tool) => authorize(everybody, server.spec, tool.serverName) !== 'deny');
    const names = there.map((tool) => tool.name);
    const text = serverTextOf(server.description || server.instructions, names);
    this.#serverTexts.set(server, text);
    return text;
  }

  async #searchHere(request: SearchRequest, mode: LocalMode, limit: number): Promise<SearchAnswer> {
    const { filter, view, collapses, down, explains, signal } = request;
    const doubts = request.reliabilityOf && this.#doubts(request.reliabilityOf);
    const options = { limit, mode, filter, view, collapses, doubts, down, explains };
    const found = await this.#finder.search(request, options, signal);
    return {
      hits: found.hits,
      bests: found.bests,
      mode: found.mode,
      notice: remarkOn(found, mode),
    };
  }

  #doubts(reliabilityOf: (tool: Entry) => Reliability | undefined): Map<string, number> {
    const now = this.#options.clock.now();
    const doubts = new Map<string, number>();
    for (const tool of this.#options.catalog.snapshot.tools.values()) {
      const doubt = doubtIn(reliabilityOf(tool), now);
      if (doubt > 0) doubts.set(tool.key, doubt);
    }
    return doubts;
  }

  async #searchWithModel(request: SearchRequest): Promise<SearchAnswer> {
    const here = await this.#searchHere(request, 'hybrid', Math.max(request.limit, rankedByModel));
    const { llm } = this.#options.config();
    if (llm.provider === 'sampling') return this.#searchWithSampling(request, here);
    return this.#orHere('llm', request, here, async (snapshot) => {
      const question = rankingOf(request, here.hits, snapshot);
      return inOrder(here.hits, await rankByModel(this.#model(), question, request.signal));
    });
  }

  #model(): AskModel {
    const { config, clock, agentProgram } = this.#options;
    const { llm } = config();
    const program = llm.provider === 'agent' ? agentProgram?.() : null;
    return program ? agentModel(program, { clock, timeoutMs: llm.timeoutMs }) : modelOf(llm, this.#surroundings);
  }

  /** Not by `#orHere`: an agent that cannot or will not rank is no fault that others have to hear of. */
  async #searchWithSampling(request: SearchRequest, here: SearchAnswer): Promise<SearchAnswer> {
    const { sample, limit, signal } = request;
    const hits = here.hits.slice(0, limit);
    if (!sample) return { ...here, hits, notice: 'Your client offers no model to rank tools with (MCP sampling).' };
    const question = rankingOf(request, here.hits, this.#options.catalog.snapshot);
    try {
      const order = await rankByModel(sample, question, signal);
      return { hits: inOrder(here.hits, order).slice(0, limit), bests: here.bests, mode: 'llm', notice: null };
    } catch (error) {
      // There is no local answer for an agent that has left.
      if (signal.aborted) throw error;
      return { ...here, hits, notice: `${messageOf(error)} This was searched here instead.` };
    }
  }

  async #searchElsewhere(request: SearchRequest): Promise<SearchAnswer> {
    const here = await this.#searchHere(request, 'hybrid', sentElsewhere);
    const { hits } = here;
    return this.#orHere('cloud', request, here, async (snapshot) => {
      const tools = orderedTools(snapshot, hits, request.filter).map((tool) => ({
        key: tool.key,
        name: tool.name,
        server: tool.server,
        ...toolTextsOf(tool),
      }));
      const { queries, context, limit, signal } = request;
      const question = { queries, context, tools, maxResults: limit };
      const found = await searchCloud(this.#options.config().search.cloud, question, signal, this.#surroundings);
      const byKey = new Map(hits.map((hit) => [hit.key, hit]));
      return found.map(({ key, ...said }) => ({ ...(byKey.get(key) ?? foundElsewhere(key)), ...said }));
    });
  }

  /** The hits of `search`; where it fails, those of a search here, with the reason reported once. */
  async #orHere(
    mode: 'llm' | 'cloud',
    { limit, signal }: SearchRequest,
    here: SearchAnswer,
    search: (snapshot: Snapshot) => Promise<Hit[]>,
  ): Promise<SearchAnswer> {
    const what = mode === 'llm' ? 'The model that ranks tools' : 'The search by another gateway';
    const unset = this.#unsetFor(mode);
    if (unset !== null) {
      const notice = `${what} is not configured ("${unset}" is not set), so this was searched here instead.`;
      return { ...here, hits: here.hits.slice(0, limit), notice };
    }
    const fault = this.#faultOf(mode);
    // Why is for the owner (the log, `doctor`): it may quote what a stranger's service said.
    const instead: SearchAnswer = {
      ...here,
      hits: here.hits.slice(0, limit),
      notice: `${what} cannot be used for now, so this was searched here.`,
    };
    if (fault.isResting) return instead;
    try {
      const hits = await search(this.#options.catalog.snapshot);
      const again = fault.worked();
      if (again) this.#options.log.info(again);
      return { hits: hits.slice(0, limit), bests: here.bests, mode, notice: null };
    } catch (error) {
      // The caller has left, which is no fault of the other side.
      if (signal.aborted) throw error;
      const sentence = fault.failed(what, error);
      if (sentence) this.#options.log.warn(`${sentence} Searches go on here.`);
      return instead;
    }
  }

  /** The setting without which the mode is not configured at all. */
  #unsetFor(mode: 'llm' | 'cloud'): string | null {
    const { llm, search } = this.#options.config();
    return mode === 'llm' ? unsetForRanking(llm, Boolean(this.#options.agentProgram?.())) : unsetForCloud(search.cloud);
  }

  /** Anew where its settings have changed, so that a mended one is tried at once. */
  #faultOf(mode: 'llm' | 'cloud'): FaultNotice {
    const { llm, search } = this.#options.config();
    const settings = JSON.stringify(mode === 'llm' ? llm : search.cloud);
    const known = this.#faults.get(mode);
    if (known?.settings === settings) return known.fault;
    const fault = new FaultNotice(this.#options.clock);
    this.#faults.set(mode, { settings, fault });
    return fault;
  }
}

/** Notes for the reader on how these hits were found here. */
function remarkOn({ mode, lacking, tools }: FoundHere, wanted: LocalMode): string | null {
  if (mode !== wanted) return 'Meaning could not be compared, so this was searched by words.';
  if (lacking <= tools * fewLacking) return null;
  // How many is for the owner: it would tell of tools that the reader may not see.
  return 'Some tools are not yet searchable by meaning.';
}

/** All tools that may be seen, those found here first. */
function orderedTools(snapshot: Snapshot, hits: readonly Hit[], filter: (key: string) => boolean): Entry[] {
  const first = hits.flatMap((hit) => snapshot.tools.get(hit.key) ?? []);
  const known = new Set(first.map((tool) => tool.key));
  const rest = [...snapshot.tools.values()].filter((tool) => !known.has(tool.key) && filter(tool.key));
  return [...first, ...rest].slice(0, sentElsewhere);
}

function foundElsewhere(key: string): Hit {
  const explanation = {
    isNamed: false,
    words: [],
    similar: [],
    lexical: null,
    coverage: null,
    meaning: null,
    usage: null,
  };
  return { key, need: 0, score: 0, relevance: 0, explanation, equals: [], accounts: [] };
}

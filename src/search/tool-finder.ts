/** Keeps the index in step with the catalog and the settings, and finds tools in it: only what changed is indexed again. */

import { createHash } from 'node:crypto';
import { setImmediate as giveWay } from 'node:timers/promises';
import { abortable, type Clock } from '../base/clock.ts';
import { GatewayError, messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Surroundings } from '../base/post-json.ts';
import { type Catalog, type Entry, readingMark, type ServerEntry, type Snapshot } from '../catalog/catalog.ts';
import type { Config } from '../config/config.ts';
import {
  type EmbeddingModel,
  openEncoder,
  openTable,
  RemoteModel,
  textOfTool,
  type Vector,
} from '../meaning/meaning.ts';
import type { VectorStore } from '../store/store.ts';
import type { Alike } from './alternatives/likeness.ts';
import { documentFromTool } from './document.ts';
import type { Hit, LocalMode, PastUse, PreparedQuery, SearchOptions, SearchView } from './hit.ts';
import { areOtherAccounts } from './other-accounts.ts';
import { ToolIndex } from './tool-index.ts';
import { type VectorCounts, VectorUpdater } from './vector-updater.ts';

export interface ToolFinderOptions {
  readonly catalog: Pick<Catalog, 'snapshot'>;
  readonly store: VectorStore;
  readonly config: () => Config;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly log: Log;
  readonly usageOf: (query: string) => ReadonlyMap<string, PastUse>;
}

/** Longer queries are cut before sentences are looked for: an agent that pastes a page still gets an answer in bounded time. */
const mostCharacters = 10_000;

/** Tools that are indexed between two turns of the event loop. */
const toolsPerTurn = 25;
/** How often a catalog that changes while it is indexed is gone through; then all that is left is indexed in one step. */
const mostRounds = 5;
/** Characters of a server's own text that are read. */
const mostServerText = 4_000;

export interface FinderRequest {
  readonly queries: readonly string[];
  /** More about the task. */
  readonly context?: string | undefined;
}

export interface FoundHere {
  readonly hits: readonly Hit[];
  /** The relevance of the best hit for each need. */
  readonly bests: readonly number[];
  /** How they were found: by words where meaning was asked for and could not be had. */
  readonly mode: LocalMode;
  /** Texts of tools whose vector is not made yet, and tools in all. */
  readonly lacking: number;
  readonly tools: number;
}

export interface FinderStatus {
  readonly tools: number;
  /** The id of the embedding model; null: by words only. */
  readonly model: string | null;
  readonly problem: string | null;
  readonly vectors: VectorCounts | null;
}

export interface Embedded {
  readonly model: string;
  /** Numbers of a vector that count; what is behind them is filling. */
  readonly dimensions: number;
  readonly vectors: readonly (Vector | null)[];
}

export class ToolFinder {
  readonly #options: ToolFinderOptions;
  readonly #index = new ToolIndex();
  /** The state of the index: what is read of each tool, with a mark of the server's text, by server and key. */
  readonly #indexed = new Map<string, Map<string, string>>();
  /** The servers of which exactly the present tools are in the index: another entry is another state. */
  readonly #read = new Map<string, ServerEntry>();
  #snapshot: Snapshot | undefined;
  #preparing: Promise<void> | undefined;
  #rebuilds = 0;
  #updater: VectorUpdater | undefined;
  #settings: EmbeddingSettings | undefined;
  #synonyms: Config['search']['synonyms'] | undefined;
  #problem: string | null = null;
  #isClosed = false;

  constructor(options: ToolFinderOptions) {
    this.#options = options;
  }

  get status(): FinderStatus {
    return {
      tools: this.#index.size,
      model: this.#updater?.model.id ?? null,
      problem: this.#problem ?? this.#updater?.problem ?? null,
      vectors: this.#updater?.counts ?? null,
    };
  }

  /** Indexes what is known in small steps, so that the first search finds it done and nothing else has to wait. */
  prepare(): Promise<void> {
    this.#preparing ??= this.#indexInSteps().finally(() => {
      this.#preparing = undefined;
    });
    return this.#preparing;
  }

  async #indexInSteps(): Promise<void> {
    await giveWay();
    if (this.#isClosed) return;
    this.#followSettings();
    // The catalog may change during each step: another round indexes what the last one did not finish.
    for (let rounds = 0; rounds < mostRounds; rounds += 1) {
      for (const server of this.#options.catalog.snapshot.servers.values()) {
        if (!this.#isRead(server)) await this.#readInSteps(server);
      }
    }
    if (!this.#isClosed) this.#catchUp();
  }

  /** Stops where a search was quicker, the server has another entry, or what was indexed is forgotten. */
  async #readInSteps(server: ServerEntry): Promise<void> {
    const { catalog } = this.#options;
    const rebuilds = this.#rebuilds;
    const isCurrent = () => catalog.snapshot.servers.get(server.spec.name) === server && this.#rebuilds === rebuilds;
    const isOver = () => this.#isClosed || this.#isRead(server) || !isCurrent();
    const tools = toolsOf(server);
    const said = wordsOf(server);
    for (let from = 0; from < tools.length && !isOver(); from += toolsPerTurn) {
      for (const tool of tools.slice(from, from + toolsPerTurn)) this.#add(tool, said);
      await giveWay();
    }
    if (!isOver()) this.#finish(server);
  }

  /** Waits until the vectors of all tools are made, or cannot be made now. */
  async settled(signal: AbortSignal): Promise<void> {
    this.#followSettings();
    this.#catchUp();
    if (this.#updater) await abortable(this.#updater.settled(), signal);
  }

  /** Forgets what was made of a server's tools: they are indexed again, with vectors that are made again. */
  rebuild(server: string): void {
    for (const key of this.#indexed.get(server)?.keys() ?? []) {
      this.#updater?.discard(key);
      this.#remove(server, key);
    }
    this.#read.delete(server);
    this.#rebuilds += 1;
    this.#snapshot = undefined;
  }

  /** The best tools for one or several needs, among those that `filter` lets through. */
  async search(needs: FinderRequest, options: SearchOptions, signal: AbortSignal): Promise<FoundHere> {
    this.#followSettings();
    // Right after the start that may be very many tools: others are not to wait for this search.
    if (this.#snapshot !== this.#options.catalog.snapshot) await this.prepare();
    this.#catchUp();
    const { mode = 'hybrid' } = options;
    if (mode !== 'bm25') await this.#updater?.hurry();
    const prepared = await Promise.all(
      needs.queries.map((query) => this.#prepare(query, needs.context, { ...options, mode }, signal)),
    );
    const isByMeaning = prepared.some((query) => query.vectors.length > 0);
    // Without a vector of the query, words are all there is.
    const used = isByMeaning ? mode : 'bm25';
    const { snapshot } = this.#options.catalog;
    const areAccounts = (a: string, b: string) => areOtherAccounts(snapshot, a, b, options.view);
    const hits = this.#index.search(prepared, { ...options, mode: used, areAccounts });
    const bestOf = (query: PreparedQuery) => this.#index.search([query], { ...options, mode: used, limit: 1 })[0];
    return {
      hits,
      bests: (prepared.length === 1 ? [hits[0]] : prepared.map(bestOf)).map((hit) => hit?.relevance ?? 0),
      mode: mode === 'hybrid' ? mode : used,
      lacking: isByMeaning ? (this.#updater?.waiting ?? 0) : 0,
      tools: this.#index.size,
    };
  }

  /** Tools that may do the same as this one, among those that `filter` lets through. What is not compared by meaning yet is by its words. */
  alike(tool: Entry, limit: number, filter: (key: string) => boolean, view?: SearchView): Alike[] {
    this.#followSettings();
    this.#catchUp();
    const document = documentFromTool(tool.server, '', tool.definition);
    if (!document) return [];
    // Not the server's name: tools of another one are looked for.
    const text = [document.name, document.title, document.description].join(' ').slice(0, mostCharacters);
    return this.#index.alike({ key: tool.key, text, isByMeaning: isReadable(text), limit, filter, view });
  }

  /** Vectors by the model in use, for programs that compare texts themselves; null for a text without meaning to it. */
  async embed(texts: readonly string[], signal: AbortSignal): Promise<Embedded> {
    this.#followSettings();
    const model = this.#updater?.model;
    if (!model) {
      const why = this.#problem ?? '"search.embedding.provider" is "off".';
      throw new GatewayError('MODEL_FAILED', `No embedding model is in use: ${why}`);
    }
    return { model: model.id, dimensions: model.dimensions, vectors: await model.embed(texts, signal) };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#updater?.close();
  }

  async #prepare(
    query: string,
    said: string | undefined,
    { mode, view }: SearchOptions,
    signal: AbortSignal,
  ): Promise<PreparedQuery> {
    const text = query.slice(0, mostCharacters);
    const reading = this.#index.read(text, view);
    const { meant, parts } = reading;
    const isByMeaning = mode !== 'bm25' && isReadable(text);
    const vectors = isByMeaning ? ((await this.#updater?.vectorsOf([meant, ...parts], signal)) ?? []) : [];
    const around = said?.slice(0, mostCharacters);
    const [context] = around && vectors.length > 0 ? ((await this.#updater?.vectorsOf([around], signal)) ?? []) : [];
    const isLearning = mode === 'hybrid' && this.#options.config().search.usage;
    return { ...reading, vectors, context, usage: isLearning ? this.#options.usageOf(text) : new Map() };
  }

  /** Settings may change while the gateway runs. */
  #followSettings(): void {
    const { embedding, synonyms } = this.#options.config().search;
    if (synonyms !== this.#synonyms) this.#index.useSynonyms(synonyms);
    this.#synonyms = synonyms;
    if (this.#isClosed || embedding === this.#settings) return;
    const isSame = this.#settings && JSON.stringify(embedding) === JSON.stringify(this.#settings);
    this.#settings = embedding;
    if (isSame) return;
    void this.#updater?.close();
    this.#updater = this.#openUpdater(embedding);
  }

  #openUpdater(settings: EmbeddingSettings): VectorUpdater | undefined {
    const { env, clock, log, store, config } = this.#options;
    const privateHosts = () => config().access.privateHosts;
    this.#problem = null;
    try {
      const model = openModel(settings, { env, clock, privateHosts });
      if (!model) return undefined;
      const updater = new VectorUpdater({ model, store, index: this.#index, clock, log });
      // Not the snapshot of the last search: `prepare` may have indexed newer tools. Those that change are wanted again when they are indexed.
      const { snapshot } = this.#options.catalog;
      for (const key of [...this.#indexed.values()].flatMap((states) => [...states.keys()])) {
        const tool = snapshot.tools.get(key);
        const document = tool && documentFromTool(tool.server, '', tool.definition);
        if (document) updater.want(key, textOfTool(document));
      }
      void updater.load();
      return updater;
    } catch (error) {
      this.#problem = messageOf(error);
      log.warn(`Search by meaning is off: ${this.#problem}`);
      return undefined;
    }
  }

  #catchUp(): void {
    const { snapshot } = this.#options.catalog;
    if (snapshot === this.#snapshot) return;
    this.#snapshot = snapshot;
    for (const [name, states] of this.#indexed) {
      if (snapshot.servers.has(name)) continue;
      for (const key of states.keys()) this.#remove(name, key);
      this.#indexed.delete(name);
      this.#read.delete(name);
    }
    for (const server of snapshot.servers.values()) {
      if (this.#isRead(server)) continue;
      const said = wordsOf(server);
      for (const tool of toolsOf(server)) this.#add(tool, said);
      this.#finish(server);
    }
    this.#updater?.settle();
  }

  #isRead(server: ServerEntry): boolean {
    return this.#read.get(server.spec.name) === server;
  }

  /** Drops what a server no longer offers, once all that it offers is in the index. */
  #finish(server: ServerEntry): void {
    const { name } = server.spec;
    const offered = new Set(toolsOf(server).map(({ key }) => key));
    for (const key of this.#indexed.get(name)?.keys() ?? []) if (!offered.has(key)) this.#remove(name, key);
    this.#read.set(name, server);
  }

  #add(tool: Entry, said: ServerWords): void {
    const state = `${readingMark(tool)} ${said.mark}`;
    const states = this.#indexed.get(tool.server) ?? new Map<string, string>();
    this.#indexed.set(tool.server, states);
    if (states.get(tool.key) === state) return;
    if (states.has(tool.key)) this.#remove(tool.server, tool.key);
    const document = documentFromTool(tool.server, said.text, tool.definition);
    if (!document) return;
    this.#index.add(document);
    states.set(tool.key, state);
    this.#updater?.want(tool.key, textOfTool(document));
  }

  #remove(server: string, key: string): void {
    this.#index.remove(key);
    this.#updater?.forget(key);
    this.#indexed.get(server)?.delete(key);
  }
}

function toolsOf(server: ServerEntry): readonly Entry[] {
  return server.spec.isEnabled ? server.tools : [];
}

/** A server's own text, with a mark that is another one for another text. */
interface ServerWords {
  readonly text: string;
  readonly mark: string;
}

function wordsOf(server: ServerEntry): ServerWords {
  const said = [server.title, server.description, server.instructions].filter(Boolean).join('\n');
  const text = said.slice(0, mostServerText);
  return { text, mark: createHash('sha256').update(text).digest('base64url').slice(0, 16) };
}

/** True where the models understand the text: their vocabulary is English, and in other scripts words find more than their guesses. */
function isReadable(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  return 2 * latin >= letters;
}

export type EmbeddingSettings = Config['search']['embedding'];

/** null: search by words only. */
export function openModel(settings: EmbeddingSettings, surroundings: Surroundings): EmbeddingModel | null {
  switch (settings.provider) {
    case 'off':
      return null;
    case 'builtin':
      return openTable();
    case 'encoder':
      return openEncoder();
    case 'openai':
      return new RemoteModel({ settings, ...surroundings });
  }
}

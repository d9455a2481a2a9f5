/** Keeps the index in step with the catalog and the settings, and finds tools in it: only what changed is indexed again. */

import type { Clock } from '../base/clock.ts';
import { GatewayError, messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Catalog, Entry, ServerEntry, Snapshot } from '../catalog/catalog.ts';
import type { Config } from '../config/config.ts';
import { partsOf, textOfTool, type Vector } from '../meaning/meaning.ts';
import { documentFromTool } from './document.ts';
import type { Hit, PastUse, Question, SearchOptions } from './hit.ts';
import { type EmbeddingSettings, openModel } from './open-model.ts';
import { ToolIndex } from './tool-index.ts';
import { type VectorCounts, VectorKeeper, type VectorStore } from './vector-keeper.ts';

export interface FinderOptions {
  readonly catalog: Catalog;
  readonly store: VectorStore;
  readonly config: () => Config;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly log: Log;
  readonly usageOf: (query: string) => ReadonlyMap<string, PastUse>;
}

/** Longer queries are cut before sentences are looked for: an agent that pastes a page still gets an answer in bounded time. */
const mostCharacters = 10_000;

export interface FinderStatus {
  readonly tools: number;
  /** The id of the embedding model; null: by words only. */
  readonly model: string | null;
  readonly problem: string | null;
  readonly vectors: VectorCounts | null;
}

export interface Embedded {
  readonly model: string;
  readonly width: number;
  readonly vectors: readonly (Vector | null)[];
}

export class ToolFinder {
  readonly #options: FinderOptions;
  readonly #index = new ToolIndex();
  /** What is in the index: the fingerprint with the server's text, by key. */
  readonly #indexed = new Map<string, string>();
  #snapshot: Snapshot | undefined;
  #keeper: VectorKeeper | undefined;
  #settings: EmbeddingSettings | undefined;
  #synonyms: Config['search']['synonyms'] | undefined;
  #problem: string | null = null;
  #isClosed = false;

  constructor(options: FinderOptions) {
    this.#options = options;
  }

  get status(): FinderStatus {
    return {
      tools: this.#index.size,
      model: this.#keeper?.model.id ?? null,
      problem: this.#problem ?? (this.#keeper?.isFailing ? 'The embedding model does not answer.' : null),
      vectors: this.#keeper?.counts ?? null,
    };
  }

  /** Indexes what is known in small steps, so that the first search finds it done and nothing else has to wait. */
  async prepare(): Promise<void> {
    await turn();
    this.#followSettings();
    for (const server of this.#options.catalog.snapshot.servers.values()) {
      // A search has meanwhile caught up with what may be a newer catalog.
      if (this.#snapshot || this.#isClosed) return;
      if (server.spec.isEnabled) this.#addServer(server);
      await turn();
    }
  }

  /** The best tools for one or several needs, among those that `filter` lets through. */
  async search(queries: readonly string[], options: SearchOptions, signal: AbortSignal): Promise<Hit[]> {
    this.#followSettings();
    this.#catchUp();
    const isByMeaning = options.mode !== 'bm25' && this.#keeper !== undefined;
    if (isByMeaning) await this.#keeper?.hurry();
    const questions = await Promise.all(queries.map((query) => this.#question(query, isByMeaning, signal)));
    return this.#index.search(questions, options);
  }

  /** Vectors by the model in use, for programs that compare texts themselves; null for a text without meaning to it. */
  async embed(texts: readonly string[], signal: AbortSignal): Promise<Embedded> {
    this.#followSettings();
    const model = this.#keeper?.model;
    if (!model) {
      const why = this.#problem ?? '"search.embedding.provider" is "off".';
      throw new GatewayError('MODEL_FAILED', `There is no embedding model in use: ${why}`);
    }
    return { model: model.id, width: model.width, vectors: await model.embed(texts, signal) };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#keeper?.close();
  }

  async #question(query: string, isByMeaning: boolean, signal: AbortSignal): Promise<Question> {
    const text = query.slice(0, mostCharacters);
    const parts = partsOf(text);
    const vectors = isByMeaning ? ((await this.#keeper?.vectorsOf([text, ...parts], signal)) ?? []) : [];
    const usage = this.#options.config().search.usage ? this.#options.usageOf(text) : new Map();
    return { text, parts, vectors, usage };
  }

  /** Settings may change while the gateway runs. */
  #followSettings(): void {
    const { embedding, synonyms } = this.#options.config().search;
    if (synonyms !== this.#synonyms) this.#index.useSynonyms(synonyms);
    this.#synonyms = synonyms;
    if (this.#isClosed || (this.#settings && JSON.stringify(embedding) === JSON.stringify(this.#settings))) return;
    this.#settings = embedding;
    void this.#keeper?.close();
    this.#keeper = this.#openKeeper(embedding);
  }

  #openKeeper(settings: EmbeddingSettings): VectorKeeper | undefined {
    const { env, clock, log, store } = this.#options;
    this.#problem = null;
    try {
      const model = openModel(settings, env, clock);
      if (!model) return undefined;
      const keeper = new VectorKeeper({ model, store, index: this.#index, clock, log });
      // Before the first search there is only what `prepare` has indexed.
      const snapshot = this.#snapshot ?? this.#options.catalog.snapshot;
      for (const key of this.#indexed.keys()) {
        const tool = snapshot.tools.get(key);
        const document = tool && documentFromTool(tool.server, '', tool.definition);
        if (document) keeper.want(key, textOfTool(document));
      }
      void keeper.load();
      return keeper;
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
    for (const key of [...this.#indexed.keys()]) if (!snapshot.tools.has(key)) this.#remove(key);
    for (const server of snapshot.servers.values()) if (server.spec.isEnabled) this.#addServer(server);
  }

  #addServer(server: ServerEntry): void {
    const text = [server.title, server.description, server.instructions].filter(Boolean).join('\n');
    for (const tool of server.tools) this.#add(tool, text);
  }

  #add(tool: Entry, serverText: string): void {
    const state = `${tool.fingerprint}\n${serverText}`;
    if (this.#indexed.get(tool.key) === state) return;
    if (this.#indexed.has(tool.key)) this.#remove(tool.key);
    const document = documentFromTool(tool.server, serverText, tool.definition);
    if (!document) return;
    this.#index.add(document);
    this.#indexed.set(tool.key, state);
    this.#keeper?.want(tool.key, textOfTool(document));
  }

  #remove(key: string): void {
    this.#index.remove(key);
    this.#keeper?.forget(key);
    this.#indexed.delete(key);
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A search apart from the one that agents use, in which tools can have other descriptions: to find out what these would change. */

import { authorize, everybody } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import { fingerprintOf } from '../base/ids.ts';
import type { Catalog, Entry, ServerEntry, Snapshot } from '../catalog/catalog.ts';
import type { VectorStore } from '../store/store.ts';
import { type Hit, type LocalMode, localModes } from './hit.ts';
import { ToolFinder, type ToolFinderOptions } from './tool-finder.ts';

export interface SearchTrialOptions extends Omit<ToolFinderOptions, 'catalog' | 'usageOf'> {
  readonly catalog: Pick<Catalog, 'snapshot'>;
}

/** Past use does not count, no vector is stored, and tools that are denied to everybody do not exist. */
export class SearchTrial {
  readonly #options: SearchTrialOptions;
  readonly #finder: ToolFinder;
  /** The catalog as it is, and as it is searched. */
  #real: Snapshot;
  #snapshot: Snapshot;
  #view: ReadonlySet<string>;

  constructor(options: SearchTrialOptions) {
    this.#options = options;
    this.#real = options.catalog.snapshot;
    this.#snapshot = this.#real;
    this.#view = viewOf(this.#real);
    const searched = () => this.#snapshot;
    this.#finder = new ToolFinder({
      ...options,
      store: withoutWriting(options.store),
      usageOf: () => new Map(),
      catalog: {
        get snapshot() {
          return searched();
        },
      },
    });
  }

  /** The catalog that is searched; it stays the same until `follow`. */
  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** Tools that are searched. */
  get size(): number {
    return this.#view.size;
  }

  /** Takes over the catalog of now, with the descriptions that agents see. */
  async follow(): Promise<void> {
    this.#real = this.#options.catalog.snapshot;
    this.#snapshot = this.#real;
    this.#view = viewOf(this.#real);
    await this.#finder.prepare();
  }

  /** This tool, under all of its names, has this description from now on; every other one has the catalog's. */
  describe(server: string, toolName: string, description: string): void {
    const entry = this.#real.servers.get(server);
    if (!entry) return;
    const tools = entry.tools.map((tool) => (tool.serverName === toolName ? reworded(tool, description) : tool));
    this.#snapshot = withTools(this.#real, entry, tools);
  }

  /** The best tools, as a search with the settings of this gateway would rank them. Throws MODEL_FAILED where meaning cannot be compared now. */
  async rank(query: string, limit: number, signal: AbortSignal): Promise<readonly Hit[]> {
    await this.#finder.settled(signal);
    const view = this.#view;
    const { hits } = await this.#finder.search(
      { queries: [query] },
      { limit, mode: this.#mode, view, filter: (key) => view.has(key) },
      signal,
    );
    const { problem } = this.#finder.status;
    if (problem !== null) throw new GatewayError('MODEL_FAILED', problem);
    return hits;
  }

  close(): Promise<void> {
    return this.#finder.close();
  }

  /** Models and other gateways rank what a search here finds. */
  get #mode(): LocalMode {
    const { mode } = this.#options.config().search;
    return localModes.find((local) => local === mode) ?? 'hybrid';
  }
}

function reworded(tool: Entry, description: string): Entry {
  const definition = { ...tool.definition, description };
  return { ...tool, definition, fingerprint: fingerprintOf(definition), promoted: undefined };
}

function withTools(snapshot: Snapshot, server: ServerEntry, tools: readonly Entry[]): Snapshot {
  const all = new Map(snapshot.tools);
  for (const tool of tools) if (all.has(tool.key)) all.set(tool.key, tool);
  return { servers: new Map(snapshot.servers).set(server.spec.name, { ...server, tools }), tools: all };
}

function viewOf({ servers, tools }: Snapshot): Set<string> {
  const seen = new Set<string>();
  for (const { key, server, serverName } of tools.values()) {
    const spec = servers.get(server)?.spec;
    if (spec && authorize(everybody, spec, serverName) !== 'deny') seen.add(key);
  }
  return seen;
}

/** Vectors of candidates are not kept: most are never used. */
export function withoutWriting(store: VectorStore): VectorStore {
  return {
    listVectors: (model) => store.listVectors(model),
    saveVectors: async () => {},
    removeVectors: async () => {},
    removeVectorsOfOtherModels: async () => 0,
  };
}

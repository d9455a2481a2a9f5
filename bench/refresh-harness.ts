/** A gateway's catalog, store and search over servers that are only played: what is measured is our own work, not theirs. */

import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { systemClock } from '../src/base/clock.ts';
import { silentLog } from '../src/base/log.ts';
import { Signal } from '../src/base/signal.ts';
import { Catalog } from '../src/catalog/catalog.ts';
import { loadConfig, parseServer, type ServerSpec } from '../src/config/config.ts';
import type { Downstream, Offer } from '../src/downstream/downstream.ts';
import { type LocalMode, type SearchAnswer, ToolSearch } from '../src/search/search.ts';
import { createSqliteStore, type Store } from '../src/store/store.ts';
import { inventTools } from './scale-catalog.ts';
import { seededRandom } from './usage-week.ts';

const hitsPerQuery = 10;

/** The work of one step. */
export interface Work {
  readonly ms: number;
  readonly serversAsked: number;
  readonly toolsChanged: number;
  readonly embedded: number;
  readonly vectorsStored: number;
}

/** The offers of every server by name; they outlive a harness, as servers outlive a gateway. */
export class PlayedServers {
  readonly specs: readonly ServerSpec[];
  readonly #offers = new Map<string, Offer>();

  constructor(serverCount: number, toolsOfEach: number) {
    const random = seededRandom(serverCount);
    const names = Array.from({ length: serverCount }, (_, at) => `server-${String(at + 1).padStart(3, '0')}`);
    this.specs = names.map((name) => parseServer(name, { command: 'serve', args: [name] }, {}, 'file'));
    for (const name of names) {
      const rows = inventTools(toolsOfEach, random);
      // A number keeps two tools of one server from having the same name.
      const tools = rows.map((row, at) => ({
        name: `${row.name}_${at + 1}`,
        description: row.description ?? '',
        inputSchema: row.inputSchema,
      }));
      const nothing = { resources: [], templates: [], prompts: [], warnings: [], startedAt: 0 };
      const about = { serverInfo: null, capabilities: {}, instructions: rows[0]?.serverDescription ?? null };
      this.#offers.set(name, { ...about, ...nothing, tools });
    }
  }

  offerOf(name: string): Offer {
    const offer = this.#offers.get(name);
    if (!offer) throw new Error(`No server "${name}" is played.`);
    return offer;
  }

  /** The first tool of a server does something else from now on. */
  changeOneTool(name: string): void {
    const offer = this.offerOf(name);
    const tools = offer.tools.map((tool, at) =>
      at === 0 ? { ...tool, description: `${tool.description} It also says when it was last changed.` } : tool,
    );
    this.#offers.set(name, { ...offer, tools });
  }

  descriptions(): string[] {
    return this.specs.flatMap(({ name }) => this.offerOf(name).tools.map((tool) => String(tool.description)));
  }
}

export class Harness {
  readonly #servers: PlayedServers;
  readonly #store: Store;
  readonly #downstream: Downstream;
  readonly #catalog: Catalog;
  readonly #search: ToolSearch;
  #preparing: Promise<void> | undefined;
  #asked = 0;
  #changed = 0;
  #stored = 0;

  /** Opens on a folder what is known there; no server is asked by that. */
  static async open(folder: string, servers: PlayedServers): Promise<Harness> {
    const { config } = await loadConfig({ path: undefined, cwd: folder, dataDir: folder, env: {} });
    const harness = new Harness(folder, servers, () => config);
    await harness.#store.open();
    await harness.#catalog.open();
    harness.#catalog.setServers(servers.specs);
    harness.#preparing = harness.#search.prepare();
    return harness;
  }

  private constructor(
    folder: string,
    servers: PlayedServers,
    config: () => Awaited<ReturnType<typeof loadConfig>>['config'],
  ) {
    const shared = { clock: systemClock, log: silentLog };
    this.#servers = servers;
    this.#store = createSqliteStore({ file: join(folder, 'bench.db'), ...shared });
    this.#countVectors();
    this.#downstream = this.#play();
    const layers = { store: this.#store, downstream: this.#downstream };
    this.#catalog = new Catalog({ ...layers, listsUnknown: false, ...shared });
    this.#search = new ToolSearch({ catalog: this.#catalog, store: this.#store, config, env: {}, ...shared });
  }

  /** As the operation of this name does it: what is forced loses its link first. */
  async refresh(names: readonly string[], how: 'plain' | 'forced' = 'plain'): Promise<void> {
    const diffs = await Promise.all(
      names.map(async (name) => {
        if (how === 'forced') await this.#downstream.reset(name);
        return this.#catalog.refresh(name);
      }),
    );
    for (const { added, updated, removed } of diffs) this.#changed += added.length + updated.length + removed.length;
  }

  /** Until what was known at the start is ready to be searched, without anybody asking. */
  async prepared(): Promise<void> {
    while (this.#search.status.vectors?.ready !== this.#catalog.snapshot.tools.size) await turn();
  }

  /** Until a search by meaning sees everything. */
  async settle(): Promise<void> {
    await this.ask('a first question', 'hybrid');
    await this.prepared();
  }

  ask(query: string, mode: LocalMode): Promise<SearchAnswer> {
    const signal = AbortSignal.timeout(60_000);
    return this.#search.search({
      queries: [query],
      limit: hitsPerQuery,
      mode,
      filter: () => true,
      collapses: true,
      signal,
    });
  }

  /** The work since the harness was opened. */
  get work(): Omit<Work, 'ms'> {
    return {
      serversAsked: this.#asked,
      toolsChanged: this.#changed,
      embedded: this.#search.status.vectors?.made ?? 0,
      vectorsStored: this.#stored,
    };
  }

  async close(): Promise<void> {
    await this.#preparing;
    await this.#search.close();
    await this.#catalog.close();
    await this.#store.close();
  }

  #countVectors(): void {
    const save = this.#store.saveVectors.bind(this.#store);
    this.#store.saveVectors = (model, vectors) => {
      this.#stored += vectors.length;
      return save(model, vectors);
    };
  }

  #play(): Downstream {
    const played = {
      listChanged: new Signal(),
      changed: new Signal(),
      spec: (name: string) => this.#servers.specs.find((spec) => spec.name === name),
      status: () => ({ state: 'connected', openedAt: 0 }),
      reset: async () => {},
      noteJudged() {},
      list: async (name: string) => {
        this.#asked += 1;
        // As it comes off the wire: nothing in it is the object that was listed before.
        return JSON.parse(JSON.stringify(this.#servers.offerOf(name))) as Offer;
      },
    };
    return played as unknown as Downstream; // nothing else of it is used
  }
}

/** An agent endpoint with a real catalog, servers that only answer, settings and a clock that the test moves: what is heard there. */

import { everybody, type Principal, projectOf } from '../../src/access/access.ts';
import { silentLog } from '../../src/base/log.ts';
import { Signal } from '../../src/base/signal.ts';
import { type AgentSide, RequestTrace } from '../../src/caller/caller.ts';
import { Catalog, type Entry, type Snapshot } from '../../src/catalog/catalog.ts';
import { type Config, parseServer, type ServerSpec, type SurfaceName } from '../../src/config/config.ts';
import type { Downstream, Offer, ServerStatus } from '../../src/downstream/downstream.ts';
import { AgentEndpoint } from '../../src/endpoint/endpoint.ts';
import type { Store } from '../../src/store/store.ts';
import type { LayerName, Uses } from '../../src/tools/tools.ts';
import { ManualClock } from './manual-clock.ts';

export interface HarnessOptions {
  /** The surface in the URL. */
  readonly surface?: SurfaceName | 'nothing';
  readonly project?: string;
}

const settings = {
  names: { separator: '.' },
  search: { maxResults: 10 },
  chains: { enabled: true },
  surfaces: { tokens: new Map<string, SurfaceName>(), projects: new Map<string, SurfaceName>() },
};

/** Servers that list what `tools` says, and the endpoint of one project (or of all). */
export class ChangeHarness {
  readonly clock = new ManualClock();
  readonly tools = new Map<string, readonly string[]>();
  readonly heard: string[] = [];
  readonly catalog: Catalog;
  readonly endpoint: AgentEndpoint;
  /** How often a category was asked for, as every reading of a tool does. */
  categoryReads = 0;
  readonly #states = new Map<string, ServerStatus['state']>();
  readonly #moved = new Signal<string>();
  readonly #granted = new Signal<void>();
  /** Principals as they are now, by id; undefined for those who may not come in any more. */
  readonly #principals = new Map<string, Principal | undefined>();
  #specs: readonly ServerSpec[] = [];
  #config = settings;

  constructor({ surface = 'search', project }: HarnessOptions = {}) {
    const diff = { added: [], updated: [], removed: [], unchanged: 0 };
    // Only these members are used.
    const store = {
      events: new Signal(),
      listListings: async () => [],
      listPins: async () => [],
      markStale: async () => {},
      removeListing: async () => {},
      applyListing: async () => diff,
    } as unknown as Store;
    const downstream = {
      listChanged: new Signal(),
      resourceUpdated: new Signal(),
      changed: this.#moved,
      spec: (name: string) => this.#specs.find((spec) => spec.name === name),
      status: (name: string) => ({ state: this.#states.get(name) ?? 'configured', openedAt: 0 }),
      list: async (name: string) => offerOf(this.tools.get(name) ?? []),
      noteJudged() {},
    } as unknown as Downstream;
    const { clock } = this;
    this.catalog = new Catalog({ store, downstream, clock, log: silentLog, listsUnknown: false });
    const context = {
      ...{ catalog: this.catalog, downstream, clock, results: {}, metrics: { callCountOf: () => 0 } },
      access: { changed: this.#granted, renew: (principal: Principal) => this.#renewed(principal) },
      search: {
        categoryOf: (tool: Entry, snapshot: Snapshot = this.catalog.snapshot) => this.#categoryOf(tool, snapshot),
      },
      config: () => this.#config as unknown as Config,
    } as unknown as Uses<LayerName>;
    this.endpoint = new AgentEndpoint(context, surface === 'nothing' ? undefined : surface);
    this.listen('', this.heard, project === undefined ? everybody : { ...everybody, project: projectOf(project) });
  }

  listen(name: string, heard: string[], principal: Principal = everybody): void {
    this.endpoint.listen(principal, (change) => {
      const { uri } = change.kind === 'resource' ? change.params : {};
      heard.push(`${name}${uri === undefined ? change.kind : `${uri}`}`);
    });
  }

  async open(entries: Readonly<Record<string, Record<string, unknown>>>): Promise<this> {
    await this.catalog.open();
    this.setServers(entries);
    for (const name of Object.keys(entries)) await this.list(name, ['look']);
    await this.later();
    return this;
  }

  setServers(entries: Readonly<Record<string, Record<string, unknown>>>): void {
    this.#specs = Object.entries(entries).map(([name, raw]) =>
      parseServer(name, { command: 'serve', ...raw }, {}, 'file'),
    );
    this.catalog.setServers(this.#specs);
  }

  set(config: Partial<typeof settings>): void {
    this.#config = { ...settings, ...config };
    this.catalog.configured.emit();
  }

  async list(name: string, tools: readonly string[]): Promise<void> {
    this.tools.set(name, tools);
    await this.catalog.refresh(name);
  }

  become(name: string, state: ServerStatus['state']): void {
    this.#states.set(name, state);
    this.#moved.emit(name);
  }

  /** A principal may do other things from now on; undefined: nothing any more. */
  grant(id: string, principal: Principal | undefined): void {
    this.#principals.set(id, principal);
    this.#granted.emit();
  }

  #renewed(principal: Principal): Principal | undefined {
    return this.#principals.has(principal.id) ? this.#principals.get(principal.id) : principal;
  }

  #categoryOf(tool: Entry, { servers }: Snapshot): string {
    this.categoryReads += 1;
    return servers.get(tool.server)?.spec.category ?? 'other';
  }

  /** The notifications heard after this time. */
  async later(ms = 5_000): Promise<string[]> {
    await this.clock.advance(ms);
    return this.heard.splice(0);
  }
}

export function listenerOf(session: string, era: AgentSide['era'] = 'legacy'): AgentSide {
  return {
    era,
    session,
    signal: new AbortController().signal,
    capabilities: {},
    notify() {},
    trace: new RequestTrace(),
  };
}

function offerOf(names: readonly string[]): Offer {
  const tools = names.map((name) => ({ name, description: `To ${name}.`, inputSchema: {} }));
  const nothing = { resources: [], templates: [], prompts: [], warnings: [], startedAt: 0 };
  return { serverInfo: null, capabilities: {}, instructions: null, tools, ...nothing };
}

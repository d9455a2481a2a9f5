/** The state of everything that decides what agents are shown; two states can be compared by what agents would read. */

import type { ServerEntry, Snapshot } from '../catalog/catalog.ts';
import type { Config } from '../config/config.ts';
import type { Uses } from './layers.ts';

export interface ViewState {
  readonly snapshot: Snapshot;
  /** Names of servers that do not work. */
  readonly failing: ReadonlySet<string>;
  readonly config: Config;
  /** Another object whenever tokens or projects may have changed; what a principal may do is known by the principal. */
  readonly access: object;
}

export function viewStateOf({ catalog, config }: Uses<'catalog' | 'config'>, access: object): ViewState {
  return { snapshot: catalog.snapshot, failing: catalog.failing.names(), config: config(), access };
}

/** True if nothing differs between two states; different states may still read the same. */
export function isSameViewState(a: ViewState, b: ViewState): boolean {
  const [before, now] = [a.snapshot.servers, b.snapshot.servers];
  const areServersSame = before.size === now.size && [...before].every(([name, server]) => now.get(name) === server);
  const areSettingsSame = a.config === b.config && a.access === b.access;
  return areServersSame && areSettingsSame && a.failing.size === b.failing.size && a.failing.isSubsetOf(b.failing);
}

/** The same state with these servers as they were in another one; without those that were not there then. */
export function withServersFrom(state: ViewState, before: ViewState, names: ReadonlySet<string>): ViewState {
  if (names.size === 0) return state;
  const servers = new Map<string, ServerEntry>();
  for (const [name, now] of state.snapshot.servers) {
    const server = names.has(name) ? before.snapshot.servers.get(name) : now;
    if (server) servers.set(name, server);
  }
  const shown = [...servers.values()].filter(({ spec }) => spec.isEnabled).flatMap(({ tools }) => tools);
  const snapshot = { servers, tools: new Map(shown.map((tool) => [tool.key, tool])) };
  return { ...state, snapshot };
}

/** The layers as they were in a state: only to write down what was shown, not to wait or act. */
export function layersAt<T extends Uses<'catalog' | 'search' | 'config'>>(
  layers: T,
  { snapshot, failing, config }: ViewState,
): T {
  const { catalog, search } = layers;
  return {
    ...layers,
    config: () => config,
    catalog: Object.create(catalog, { snapshot: { value: snapshot }, failing: { value: failing } }),
    search: Object.create(search, {
      categoryOf: { value: (tool: Parameters<typeof search.categoryOf>[0]) => search.categoryOf(tool, snapshot) },
    }),
  };
}

type Condition = 'unknown' | 'works' | 'fails';

/** A server that nothing is known of yet is not there for agents: added and then listed, it came once. */
export function conditionOf({ spec, listedAt }: ServerEntry, failing: { has(server: string): boolean }): Condition {
  if (failing.has(spec.name)) return 'fails';
  return listedAt === null ? 'unknown' : 'works';
}

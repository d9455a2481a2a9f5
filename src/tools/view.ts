/** The view of a principal: the tools and servers it can see, by the rule that decides what can be called; the surface they are shown on; and the state of everything that decides views. */

import { authorize, type Principal, serverRefusalOf } from '../access/access.ts';
import { aboutTokensOf, sayTokens } from '../base/estimate-tokens.ts';
import type { Reader } from '../caller/caller.ts';
import type { Entry, ServerEntry, Snapshot } from '../catalog/catalog.ts';
import { type Config, limits, type SurfaceName } from '../config/config.ts';
import type { SearchView } from '../search/search.ts';
import type { Uses } from './layers.ts';

export function canSee(snapshot: Snapshot, principal: Principal, tool: Entry): boolean {
  const server = snapshot.servers.get(tool.server);
  return server !== undefined && authorize(principal, server.spec, tool.serverName) !== 'deny';
}

/** True if a principal has a tool under this key. */
export function isThere(snapshot: Snapshot, principal: Principal, key: string): boolean {
  const tool = snapshot.tools.get(key);
  return tool !== undefined && canSee(snapshot, principal, tool);
}

/** The tools a principal can see, in the catalog's order. */
export function visibleTools(snapshot: Snapshot, principal: Principal): Entry[] {
  return [...snapshot.tools.values()].filter((tool) => canSee(snapshot, principal, tool));
}

/** How many those are, for measures that must not tell of others; counted once for each snapshot. */
export const countVisible = perViewer((snapshot, principal) => visibleTools(snapshot, principal).length);

/** The tools a principal can see, for what is to be weighed among these alone; null: all that there are. */
export const searchViewOf = perViewer((snapshot, principal): SearchView | null =>
  countVisible(snapshot, principal) === snapshot.tools.size
    ? null
    : { has: (key) => isThere(snapshot, principal, key) },
);

/** Caches a value that depends only on the catalog and on a principal's rights. `means` help to make it and change nothing. */
export function perViewer<T, M extends unknown[]>(make: (snapshot: Snapshot, principal: Principal, ...means: M) => T) {
  const known = new WeakMap<Snapshot, Map<string, T>>();
  return (snapshot: Snapshot, principal: Principal, ...means: M): T => {
    const made = known.get(snapshot) ?? new Map<string, T>();
    known.set(snapshot, made);
    return remembered(made, rightsOf(principal), () => make(snapshot, principal, ...means));
  };
}

/** The value for these rights, from a bounded cache that drops the least recently used. */
export function remembered<T>(known: Map<string, T>, rights: string, make: () => T): T {
  const value = known.has(rights) ? (known.get(rights) as T) : make();
  // Behind all others, which were not looked at since.
  known.delete(rights);
  known.set(rights, value);
  if (known.size > limits.rightsRemembered) {
    const [longestAgo = ''] = known.keys();
    known.delete(longestAgo);
  }
  return value;
}

/**
 * Principals that are the same here see the same of a catalog, whoever they are: it says everything that the rule for tools
 * asks a principal. A thousand tokens with the same rights have one.
 */
export function rightsOf({ scopes, servers, project }: Principal): string {
  return JSON.stringify([[...scopes], servers, project?.name, project?.mark]);
}

/** One principal as it is now, for what is its own: whatever changes what it may do changes this. */
export function viewerOf({ id, mark, project }: Principal): string {
  return JSON.stringify([id, mark, project?.name, project?.mark]);
}

/** The same principal in the same project, whatever it may do by now. */
export function identityOf({ id, project }: Principal): string {
  return JSON.stringify([id, project?.name]);
}

/** The servers that are there for a principal. */
export function visibleServers(snapshot: Snapshot, principal: Principal): ServerEntry[] {
  return [...snapshot.servers.values()].filter((server) => isVisible(server, principal));
}

export function isVisible({ spec }: ServerEntry, principal: Principal): boolean {
  return serverRefusalOf(principal, spec) === null;
}

/** The surface that is shown in the end. */
export type ShownSurface = Exclude<SurfaceName, 'auto'>;

/** How an agent on a surface is spoken to: as one that has these tools of ours. */
export function readerOf(surface: ShownSurface): Reader {
  return surface === 'full' ? 'search' : surface;
}

/** Up to this many tokens, the whole catalog is cheaper than looking things up. */
const autoDirectTokens = 3_000;

export interface SurfaceChoice {
  readonly surface: ShownSurface;
  /** The middle of a sentence: "asked for by ?surface=code". */
  readonly reason: string;
  readonly by: 'url' | 'token' | 'project' | 'auto';
}

/** The grounds of a choice: nothing that differs between two connections of a principal, because a list must not either. */
type Grounds = Uses<'catalog' | 'config'>;

/** `asked` is what the URL says, undefined where it says nothing. */
export function chooseSurface(asked: SurfaceName | undefined, grounds: Grounds, principal: Principal): SurfaceChoice {
  const preference = preferenceOf(asked, grounds, principal);
  if (preference.surface === 'auto') {
    const { surface, reason } = chooseBySize(grounds.catalog.snapshot, principal);
    const because = preference.by === 'auto' ? reason : `${preference.reason}: ${reason}`;
    return { surface, reason: because, by: preference.by };
  }
  if (preference.surface === 'code' && !grounds.config().chains.enabled) {
    const reason = `"code" is ${preference.reason}, but needs programs, which are switched off (chains.enabled)`;
    return { surface: 'search', reason, by: preference.by };
  }
  if (preference.surface === 'direct' && isAllUnknown(grounds.catalog.snapshot, principal)) {
    const reason = `"direct" is ${preference.reason}, but no server has been listed yet`;
    return { surface: 'search', reason, by: preference.by };
  }
  return { surface: preference.surface, reason: preference.reason, by: preference.by };
}

/** An agent would take its first list, which is empty, for a gateway without tools. */
const isAllUnknown = perViewer(
  (snapshot, principal) =>
    visibleServers(snapshot, principal).some(({ listedAt }) => listedAt === null) &&
    visibleTools(snapshot, principal).length === 0,
);

interface Preference extends Omit<SurfaceChoice, 'surface'> {
  readonly surface: SurfaceName;
}

/** The first of URL, token and project that says something; what a token or project says of itself goes before the config. */
function preferenceOf(asked: SurfaceName | undefined, { config }: Grounds, principal: Principal): Preference {
  if (asked !== undefined) return { surface: asked, reason: `asked for by ?surface=${asked}`, by: 'url' };
  const { surfaces } = config();
  const ofToken = tokenPreference(surfaces, principal);
  const ofProject = projectPreference(surfaces, principal);
  if (ofToken) {
    const isOverruling = ofProject !== undefined && ofProject.surface !== ofToken.surface;
    const overruled = `, which overrides "${ofProject?.surface}" of the project "${principal.project?.name}"`;
    return isOverruling ? { ...ofToken, reason: `${ofToken.reason}${overruled}` } : ofToken;
  }
  return ofProject ?? { surface: 'auto', reason: '', by: 'auto' };
}

type Surfaces = Config['surfaces'];

function tokenPreference(surfaces: Surfaces, principal: Principal): Preference | undefined {
  const surface = surfaceOfToken(surfaces, principal);
  const how =
    principal.surface === undefined
      ? `set for the token "${principal.name}" in the config`
      : `set with the token "${principal.name}"`;
  return surface && { surface, reason: how, by: 'token' };
}

/** The surface set with a token, or for its name in the config: the only difference between principals with equal rights. */
export function surfaceOfToken(
  { tokens }: Pick<Surfaces, 'tokens'>,
  { name, surface }: Principal,
): SurfaceName | undefined {
  return surface ?? tokens.get(name);
}

function projectPreference({ projects }: Surfaces, { project }: Principal): Preference | undefined {
  if (!project) return undefined;
  const { name, surface, origin } = project;
  const where = origin === 'file' ? ' in the config' : '';
  if (surface !== null) return { surface, reason: `set with the project "${name}"${where}`, by: 'project' };
  const configured = projects.get(name);
  return configured && { surface: configured, reason: `set for the project "${name}" in the config`, by: 'project' };
}

/** Servers with unknown tools that the reason names, at most. */
const unknownNamed = 3;

/** This is on the path of every call. */
const chooseBySize = perViewer((snapshot, principal): Pick<SurfaceChoice, 'surface' | 'reason'> => {
  // A list that grows later reaches only agents that hear of it; the tools of `search` find those that come later too.
  const unknown = visibleServers(snapshot, principal).filter(({ listedAt }) => listedAt === null);
  if (unknown.length > 0) return { surface: 'search', reason: sayUnknown(unknown.map(({ spec }) => spec.name)) };
  const tools = visibleTools(snapshot, principal);
  if (tools.length === 0) return { surface: 'search', reason: 'there are no tools yet' };
  let bytes = 0;
  for (const tool of tools) bytes += wholeBytes(tool.definition);
  const tokens = aboutTokensOf(bytes);
  const isSmall = tokens <= autoDirectTokens;
  const relation = isSmall ? 'at most' : 'more than';
  const what =
    tools.length === 1 ? 'whole definition of the one tool is' : `whole definitions of the ${tools.length} tools are`;
  return {
    surface: isSmall ? 'direct' : 'search',
    reason: `the ${what} about ${sayTokens(tokens)} tokens, ${relation} ${sayTokens(autoDirectTokens)}`,
  };
});

function sayUnknown(names: readonly string[]): string {
  const shown = names
    .slice(0, unknownNamed)
    .map((name) => `"${name}"`)
    .join(', ');
  const more = names.length > unknownNamed ? ` and ${names.length - unknownNamed} more` : '';
  const servers = names.length === 1 ? 'server' : 'servers';
  return `the tools of the ${servers} ${shown}${more} were never listed, so the size of the catalog is unknown`;
}

type Definition = Readonly<Record<string, unknown>>;

/** All of it, as a server gave it. */
export const wholeBytes = measuredOnce((definition) => definition);

/** The part that agents pass on to their models: name, description and input schema. */
export const shownBytes = measuredOnce(({ name, description, inputSchema }) => ({
  name,
  description,
  input_schema: inputSchema,
}));

function measuredOnce(part: (definition: Definition) => Definition): (definition: object) => number {
  const sizes = new WeakMap<object, number>();
  return (definition) => {
    const size = sizes.get(definition) ?? Buffer.byteLength(JSON.stringify(part(definition as Definition)));
    sizes.set(definition, size);
    return size;
  };
}

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

/** The catalog at one time: immutable, complete for every server that it shows, in a stable order. */

import { isExposed } from '../access/access.ts';
import { fingerprintOf } from '../base/ids.ts';
import type { ServerSpec } from '../config/config.ts';
import type { ItemKind, Listing, StoredListing } from '../store/store.ts';
import type { Definition, Hold, Neighbours, Shown, ShownItem } from '../trust/trust.ts';

/** One offer of a server, as the catalog knows it. */
export interface Entry {
  /** `server:name`, the address. */
  readonly key: string;
  readonly server: string;
  /** The name under which it is found and called; an alias has its own. */
  readonly name: string;
  /** The name by which the server knows it. */
  readonly serverName: string;
  /** As agents read it. */
  readonly definition: Definition;
  /** Of the server's own definition, which approvals are about. */
  readonly fingerprint: string;
  /** Set where agents read a promoted description in place of the server's own. */
  readonly promoted?: Promoted | undefined;
  /** Set while the server offers something else than what was approved and is shown: it cannot be used. */
  readonly hold?: Hold | undefined;
}

interface Promoted {
  /** The definition as the server gave it, under the name of this entry. */
  readonly canonical: Definition;
  readonly example?: string | undefined;
  /** Differs with every other promoted wording. */
  readonly mark: string;
}

/** A description that agents read in place of the server's own, while the server offers what it was promoted for. */
export interface Rewording {
  readonly description: string;
  /** A call of the tool, shown with its details. */
  readonly example?: string | undefined;
  /** Of the definition that it was promoted for, by `wordingFingerprint`. */
  readonly fingerprint: string;
}

/** By the server's own names of its tools. */
type ServerRewordings = ReadonlyMap<string, Rewording>;
/** By server. */
export type Rewordings = ReadonlyMap<string, ServerRewordings>;

/** Of the parts that tell agents when to choose a tool and how to call it. A new icon or title changes nothing here. */
export function wordingFingerprint({ name, description, inputSchema }: Definition): string {
  return fingerprintOf({ name, description, inputSchema });
}

/** The definition as the server gave it. */
export function canonicalOf({ promoted, definition }: Pick<Entry, 'promoted' | 'definition'>): Definition {
  return promoted?.canonical ?? definition;
}

/** Equal as long as agents read the same of a tool. */
export function readingMark({ promoted, fingerprint }: Pick<Entry, 'promoted' | 'fingerprint'>): string {
  return promoted ? `${fingerprint} ${promoted.mark}` : fingerprint;
}

export interface ServerEntry {
  readonly spec: ServerSpec;
  readonly title: string;
  readonly description: string;
  readonly instructions: string;
  readonly serverInfo: Readonly<Record<string, unknown>> | null;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly tools: readonly Entry[];
  /** By name: tools that the owner does not expose. */
  readonly hiddenTools: ReadonlyMap<string, Entry>;
  /** Names of tools that wait for approval and are not there for anybody until then; aliases too. */
  readonly heldTools: ReadonlySet<string>;
  /** The same for what else it offers: URIs, URI templates and names of prompts. */
  readonly heldOffers: Readonly<Record<'resource' | 'template' | 'prompt', ReadonlySet<string>>>;
  readonly resources: readonly Entry[];
  readonly templates: readonly Entry[];
  readonly prompts: readonly Entry[];
  /** null: never listed yet. */
  readonly listedAt: number | null;
  readonly staleSince: number | null;
  readonly staleReason: string | null;
}

export interface Snapshot {
  /** Ordered by name. */
  readonly servers: ReadonlyMap<string, ServerEntry>;
  /** Every tool of every enabled server by its key, ordered by key. */
  readonly tools: ReadonlyMap<string, Entry>;
}

/** A listing, and what of it is shown; another object whenever either is another. */
export interface ShownListing extends StoredListing {
  readonly shown: Shown;
  readonly rewordings: ServerRewordings;
}

/** Servers that are as they were `before` keep their entries: a new listing of one costs nothing for the others. */
export function buildSnapshot(
  specs: readonly ServerSpec[],
  listingOf: (spec: ServerSpec) => ShownListing | undefined,
  before?: Snapshot,
): Snapshot {
  const servers = new Map<string, ServerEntry>();
  for (const spec of specs.toSorted((a, b) => compare(a.name, b.name))) {
    const listing = listingOf(spec);
    const known = before?.servers.get(spec.name);
    const isSame = known?.spec === spec && madeFrom.get(known) === listing;
    const entry = isSame ? known : buildServer(spec, listing);
    madeFrom.set(entry, listing);
    servers.set(spec.name, entry);
  }
  return Object.freeze({ servers, tools: new ToolsByKey(servers) });
}

/** True where tools came, went, or changed their meaning, by their own text or their server's. */
export function hasOtherTools(before: Snapshot, after: Snapshot): boolean {
  return [...new Set([...before.servers.keys(), ...after.servers.keys()])].some((name) => {
    const [old, now] = [before.servers.get(name), after.servers.get(name)];
    return old !== now && !(old && now && saysTheSame(old, now));
  });
}

function saysTheSame(old: ServerEntry, now: ServerEntry): boolean {
  const isSame = (tool: Entry, at: number) =>
    tool.key === now.tools[at]?.key &&
    isSameReading(tool, now.tools[at]) &&
    (tool.hold === undefined) === (now.tools[at]?.hold === undefined);
  const areSame = old.tools.length === now.tools.length && old.tools.every(isSame);
  return areSame && old.spec === now.spec && old.title === now.title && old.instructions === now.instructions;
}

function isSameReading(tool: Entry, now: Entry | undefined): boolean {
  return now !== undefined && readingMark(tool) === readingMark(now);
}

/** The listing that each entry shows. */
const madeFrom = new WeakMap<ServerEntry, ShownListing | undefined>();

function buildServer(spec: ServerSpec, listing: ShownListing | undefined): ServerEntry {
  const of = (kind: ItemKind) => entriesOf(spec, listing, kind);
  const { held, words } = listing?.shown ?? nothingShown;
  const { name: _name, title: _title, description: _description, ...info } = listing?.serverInfo ?? {};
  const { instructions = '', ...named } = words;
  const own = of('tool');
  // The owner's word goes first: no server takes over a name that the owner gave to one of its tools.
  const tools = own.filter(({ name }) => !spec.aliases.has(name)).concat(aliasesOf(spec, own));
  return Object.freeze({
    spec,
    title: spec.title ?? textOf(words.title) ?? textOf(words.name) ?? spec.name,
    description: spec.description ?? textOf(words.description) ?? '',
    instructions,
    // Its words only as far as they are approved.
    serverInfo: listing?.serverInfo ? { ...info, name: spec.name, ...named } : null,
    capabilities: listing?.capabilities ?? {},
    tools: tools.filter((tool) => isExposed(spec, tool.serverName)).sort(byName),
    hiddenTools: new Map(tools.flatMap((tool) => (isExposed(spec, tool.serverName) ? [] : [[tool.name, tool]]))),
    heldTools: withAliases(spec, held.tool),
    heldOffers: held,
    resources: of('resource'),
    templates: of('template'),
    prompts: of('prompt'),
    listedAt: listing?.listedAt ?? null,
    staleSince: listing?.staleSince ?? null,
    staleReason: listing?.staleReason ?? null,
  });
}

function entriesOf(spec: ServerSpec, listing: ShownListing | undefined, kind: ItemKind): Entry[] {
  return (listing?.shown.items ?? [])
    .filter((item) => item.kind === kind)
    .map((item) =>
      Object.freeze({
        key: `${spec.name}:${item.name}`,
        server: spec.name,
        name: item.name,
        serverName: item.name,
        definition: item.definition,
        fingerprint: item.fingerprint,
        ...(kind === 'tool' && reworded(item, listing)),
        ...(item.hold && { hold: item.hold }),
      }),
    )
    .sort(byName);
}

/** A promotion holds only while both the approved definition and the one that the server offers now are those it was made for. */
function reworded(item: ShownItem, listing: ShownListing | undefined): Partial<Entry> {
  const rewording = listing?.rewordings.get(item.name);
  const offered = rewording && listing?.items.find(({ kind, name }) => kind === 'tool' && name === item.name);
  if (!offered) return {};
  const { description, example, fingerprint } = rewording;
  const isHeldTo = [item, offered].every(({ definition }) => wordingFingerprint(definition) === fingerprint);
  if (!isHeldTo) return {};
  const mark = fingerprintOf([description, example ?? null]);
  return {
    definition: { ...item.definition, description },
    promoted: { canonical: item.definition, example, mark },
  };
}

const none: ReadonlySet<string> = new Set();
const nothingShown: Pick<Shown, 'held' | 'words'> = {
  held: { tool: none, resource: none, template: none, prompt: none },
  words: {},
};

/** An alias of a withheld tool is withheld with it; a name that stands for another tool is not. */
function withAliases({ aliases }: ServerSpec, held: ReadonlySet<string>): ReadonlySet<string> {
  const standIns = [...aliases].filter(([, target]) => held.has(target)).map(([alias]) => alias);
  return new Set([...[...held].filter((name) => !aliases.has(name)), ...standIns]);
}

/** An alias is found, listed and called like the tool it stands for; a tool of the server's own with that name is not there. */
function aliasesOf(spec: ServerSpec, tools: readonly Entry[]): Entry[] {
  const byToolName = new Map(tools.map((tool) => [tool.name, tool]));
  return [...spec.aliases].flatMap(([alias, target]) => {
    const tool = byToolName.get(target);
    if (!tool) return [];
    return [
      Object.freeze({
        ...tool,
        key: `${spec.name}:${alias}`,
        name: alias,
        definition: { ...tool.definition, name: alias },
        ...(tool.promoted && {
          promoted: { ...tool.promoted, canonical: { ...tool.promoted.canonical, name: alias } },
        }),
      }),
    ];
  });
}

function byName(a: Entry, b: Entry): number {
  return compare(a.name, b.name);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * The tools beside one server. Those still being judged count too: of two servers listed at once, either may imitate the other. A
 * server that is as it was keeps its set, by which the judge knows that it has these names already.
 */
export function neighboursOf(
  snapshot: Snapshot,
  judging: ReadonlyMap<string, Listing>,
  server: string,
  listing: Listing,
  ownNames: ReadonlySet<string>,
): Neighbours {
  const others = new Map<string, ReadonlySet<string>>();
  for (const [name, entry] of snapshot.servers) if (name !== server) others.set(name, toolNamesOf(entry));
  for (const [name, other] of judging)
    if (name !== server) others.set(name, bothOf(toolNamesIn(other), others.get(name) ?? none));
  return { server, ownNames, others, siblings: toolNamesIn(listing) };
}

const namesOf = new WeakMap<ServerEntry, ReadonlySet<string>>();

function toolNamesOf(entry: ServerEntry): ReadonlySet<string> {
  const names = namesOf.get(entry) ?? new Set([...entry.tools.map(({ serverName }) => serverName), ...entry.heldTools]);
  namesOf.set(entry, names);
  return names;
}

const namesIn = new WeakMap<Listing, ReadonlySet<string>>();

function toolNamesIn(listing: Listing): ReadonlySet<string> {
  const names =
    namesIn.get(listing) ?? new Set(listing.items.filter(({ kind }) => kind === 'tool').map(({ name }) => name));
  namesIn.set(listing, names);
  return names;
}

const unions = new WeakMap<
  ReadonlySet<string>,
  { readonly with: ReadonlySet<string>; readonly all: ReadonlySet<string> }
>();

function bothOf(offered: ReadonlySet<string>, known: ReadonlySet<string>): ReadonlySet<string> {
  if (known.size === 0) return offered;
  const before = unions.get(offered);
  if (before?.with === known) return before.all;
  const all = offered.union(known);
  unions.set(offered, { with: known, all });
  return all;
}

/**
 * The tools of all enabled servers by their keys, in the order of the servers and of the tools of each. It is made of the servers'
 * own maps, so that a change of one costs nothing for the others.
 */
class ToolsByKey implements ReadonlyMap<string, Entry> {
  readonly #servers: ReadonlyMap<string, ServerEntry>;

  constructor(servers: ReadonlyMap<string, ServerEntry>) {
    this.#servers = servers;
  }

  get size(): number {
    return this.#all().reduce((sum, { size }) => sum + size, 0);
  }

  get(key: string): Entry | undefined {
    // No server's name holds a colon.
    const server = this.#servers.get(key.slice(0, Math.max(0, key.indexOf(':'))));
    return server?.spec.isEnabled ? toolsOf(server).get(key) : undefined;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  *entries(): MapIterator<[string, Entry]> {
    for (const tools of this.#all()) yield* tools;
  }

  *keys(): MapIterator<string> {
    for (const tools of this.#all()) yield* tools.keys();
  }

  *values(): MapIterator<Entry> {
    for (const tools of this.#all()) yield* tools.values();
  }

  [Symbol.iterator](): MapIterator<[string, Entry]> {
    return this.entries();
  }

  forEach(act: (tool: Entry, key: string, map: ReadonlyMap<string, Entry>) => void): void {
    for (const [key, tool] of this) act(tool, key, this);
  }

  #all(): ReadonlyMap<string, Entry>[] {
    return [...this.#servers.values()].filter(({ spec }) => spec.isEnabled).map(toolsOf);
  }
}

/** Of each server, made when it is first asked for. */
const made = new WeakMap<ServerEntry, ReadonlyMap<string, Entry>>();

function toolsOf(server: ServerEntry): ReadonlyMap<string, Entry> {
  const tools = made.get(server) ?? new Map(server.tools.map((tool) => [tool.key, tool]));
  made.set(server, tools);
  return tools;
}

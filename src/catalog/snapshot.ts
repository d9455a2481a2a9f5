/** The catalog at one moment: immutable, complete for every server that it shows, in a stable order. */

import type { ServerSpec } from '../config/config.ts';
import type { ItemKind, StoredListing } from '../store/store.ts';

/** What the catalog knows of one thing a server offers. */
export interface Entry {
  /** `server:name`, the address. */
  readonly key: string;
  readonly server: string;
  /** The name under which it is found and called; an alias has its own. */
  readonly name: string;
  /** The name by which the server knows it. */
  readonly serverName: string;
  readonly definition: Readonly<Record<string, unknown>>;
  readonly fingerprint: string;
}

export interface ServerEntry {
  readonly spec: ServerSpec;
  readonly title: string;
  readonly description: string;
  readonly instructions: string;
  readonly serverInfo: Readonly<Record<string, unknown>> | null;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly tools: readonly Entry[];
  /** Names of tools that the owner does not expose. */
  readonly hiddenTools: ReadonlySet<string>;
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

/** Servers that are as they were `before` keep their entries: what one of them lists anew costs nothing for the others. */
export function buildSnapshot(
  specs: readonly ServerSpec[],
  listingOf: (spec: ServerSpec) => StoredListing | undefined,
  before?: Snapshot,
): Snapshot {
  const servers = new Map<string, ServerEntry>();
  const tools = new Map<string, Entry>();
  for (const spec of specs.toSorted((a, b) => compare(a.name, b.name))) {
    const listing = listingOf(spec);
    const known = before?.servers.get(spec.name);
    const isSame = known?.spec === spec && madeFrom.get(known) === listing;
    const entry = isSame ? known : buildServer(spec, listing);
    madeFrom.set(entry, listing);
    servers.set(spec.name, entry);
    if (spec.isEnabled) for (const tool of entry.tools) tools.set(tool.key, tool);
  }
  return Object.freeze({ servers, tools });
}

/** Whether tools came, went, or mean something else than before, by what they or their servers say. */
export function hasOtherTools(before: Snapshot, after: Snapshot): boolean {
  return [...new Set([...before.servers.keys(), ...after.servers.keys()])].some((name) => {
    const [old, now] = [before.servers.get(name), after.servers.get(name)];
    return old !== now && !(old && now && saysTheSame(old, now));
  });
}

function saysTheSame(old: ServerEntry, now: ServerEntry): boolean {
  const isSame = (tool: Entry, at: number) =>
    tool.key === now.tools[at]?.key && tool.fingerprint === now.tools[at]?.fingerprint;
  const areSame = old.tools.length === now.tools.length && old.tools.every(isSame);
  return areSame && old.spec === now.spec && old.title === now.title && old.instructions === now.instructions;
}

/** The listing that each entry shows. */
const madeFrom = new WeakMap<ServerEntry, StoredListing | undefined>();

function buildServer(spec: ServerSpec, listing: StoredListing | undefined): ServerEntry {
  const of = (kind: ItemKind) => entriesOf(spec, listing, kind);
  const info = listing?.serverInfo ?? null;
  const tools = of('tool').concat(aliasesOf(spec, of('tool')));
  return Object.freeze({
    spec,
    title: spec.title ?? textOf(info?.title) ?? textOf(info?.name) ?? spec.name,
    description: spec.description ?? textOf(info?.description) ?? '',
    instructions: listing?.instructions ?? '',
    serverInfo: info,
    capabilities: listing?.capabilities ?? {},
    tools: tools.filter((tool) => isExposed(spec, tool)).sort(byName),
    hiddenTools: new Set(tools.filter((tool) => !isExposed(spec, tool)).map((tool) => tool.name)),
    resources: of('resource'),
    templates: of('template'),
    prompts: of('prompt'),
    listedAt: listing?.listedAt ?? null,
    staleSince: listing?.staleSince ?? null,
    staleReason: listing?.staleReason ?? null,
  });
}

function entriesOf(spec: ServerSpec, listing: StoredListing | undefined, kind: ItemKind): Entry[] {
  return (listing?.items ?? [])
    .filter((item) => item.kind === kind)
    .map((item) =>
      Object.freeze({
        key: `${spec.name}:${item.name}`,
        server: spec.name,
        name: item.name,
        serverName: item.name,
        definition: item.definition,
        fingerprint: item.fingerprint,
      }),
    )
    .sort(byName);
}

/** An alias is found, listed and called like the tool it stands for; a tool of the server's own goes first. */
function aliasesOf(spec: ServerSpec, tools: readonly Entry[]): Entry[] {
  const byToolName = new Map(tools.map((tool) => [tool.name, tool]));
  return [...spec.aliases].flatMap(([alias, target]) => {
    const tool = byToolName.get(target);
    if (!tool || byToolName.has(alias)) return [];
    return [
      Object.freeze({
        ...tool,
        key: `${spec.name}:${alias}`,
        name: alias,
        definition: { ...tool.definition, name: alias },
      }),
    ];
  });
}

/** The owner's choice of tools for a server: what is not exposed does not exist for any agent. */
function isExposed(spec: ServerSpec, tool: Entry): boolean {
  return spec.tools === null || spec.tools.includes(tool.serverName);
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

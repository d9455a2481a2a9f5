/** What a new snapshot means for those who see a part of the catalog: which of their lists read differently now. */

import type { ServerSpec } from '../config/config.ts';
import type { ServerEntry, Snapshot } from './snapshot.ts';

export type OfferKind = 'tools' | 'resources' | 'prompts';

/** One list of one server that somebody may see differently now. */
export interface ListChange {
  readonly kind: OfferKind;
  /** The server as it was; undefined where it had nothing of this kind to show. */
  readonly before: ServerEntry | undefined;
  /** The server as it is; undefined where it has nothing of this kind to show. */
  readonly after: ServerEntry | undefined;
  /** Whether the list itself is another, and not only who sees it. */
  readonly isOther: boolean;
}

/** Every list that differs, or that others see than before. */
export function compareSnapshots(before: Snapshot, after: Snapshot): ListChange[] {
  return [...new Set([...before.servers.keys(), ...after.servers.keys()])].flatMap((name) => {
    const [old, now] = [before.servers.get(name), after.servers.get(name)];
    // A server that was not listed again keeps its entry.
    if (old === now) return [];
    return kinds.map((kind) => compareLists(kind, old, now)).filter((change) => change !== undefined);
  });
}

/** The kinds of lists that changed for one who sees the servers that are `here`, each once. */
export function kindsChanged(changes: readonly ListChange[], isHere: (server: ServerEntry) => boolean): OfferKind[] {
  const concerned = changes.filter(({ before, after, isOther }) => {
    const [was, is] = [before, after].map((server) => server !== undefined && isHere(server));
    return was !== is || (is && isOther);
  });
  return kinds.filter((kind) => concerned.some((change) => change.kind === kind));
}

function compareLists(
  kind: OfferKind,
  old: ServerEntry | undefined,
  now: ServerEntry | undefined,
): ListChange | undefined {
  const [was, is] = [itemsOf(kind, old), itemsOf(kind, now)];
  const isOther = !sameItems(was, is);
  if (!isOther && (was.length === 0 || sameViewers(old?.spec, now?.spec))) return undefined;
  return { kind, before: was.length > 0 ? old : undefined, after: is.length > 0 ? now : undefined, isOther };
}

const kinds: readonly OfferKind[] = ['tools', 'resources', 'prompts'];

type Item = ServerEntry['tools'][number];

/** What of this kind the server shows to anybody at all. */
function itemsOf(kind: OfferKind, server: ServerEntry | undefined): readonly Item[] {
  if (!server?.spec.isEnabled) return [];
  if (kind === 'tools') return server.tools.filter((tool) => !isDenied(server.spec, tool.serverName));
  return kind === 'resources' ? [...server.resources, ...server.templates] : server.prompts;
}

/** No principal sees such a tool. */
function isDenied({ permissions }: ServerSpec, tool: string): boolean {
  return (permissions.get(tool) ?? permissions.get('*')) === 'deny';
}

function sameItems(before: readonly Item[], after: readonly Item[]): boolean {
  return (
    before.length === after.length &&
    before.every((item, at) => item.key === after[at]?.key && item.fingerprint === after[at]?.fingerprint)
  );
}

/** Whether the same principals see the server; in which order its projects are named does not matter. */
function sameViewers(before: ServerSpec | undefined, after: ServerSpec | undefined): boolean {
  const [old, now] = [new Set(before?.projects), new Set(after?.projects)];
  return old.size === now.size && old.isSubsetOf(now);
}

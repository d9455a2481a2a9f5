/** One server as its owner sees it: its state, its offers, its last change and its last error. */

import { authorize, type Principal } from '../access/access.ts';
import { firstSentence } from '../base/text.ts';
import type { ServerEntry } from '../catalog/catalog.ts';
import type { ServerState } from '../downstream/downstream.ts';
import type { CatalogChangeMark, ListingStore } from '../store/store.ts';
import type { Uses } from './layers.ts';
import { canSee } from './view.ts';

export interface ServerReport {
  readonly name: string;
  readonly title: string;
  readonly state: ServerState;
  /** How long a package runner has been installing it; null where none is. */
  readonly installingSeconds: number | null;
  readonly transport: string;
  readonly era: string | null;
  readonly origin: 'file' | 'store';
  readonly toolCount: number;
  /** Those that agents read a promoted description of. */
  readonly optimizedCount: number;
  /** Definitions that nobody has approved yet, those that are no longer what was approved, and those that are worth a look. */
  readonly heldCount: number;
  readonly changedCount: number;
  readonly markedCount: number;
  readonly lastError: string | null;
  readonly hint: string | null;
  readonly reason: string | null;
  readonly nextRetryAt: string | null;
  readonly connectedAt: string | null;
  readonly listedAt: string | null;
  /** Set while what is shown may be out of date, because the server could not be listed again. */
  readonly staleSince: string | null;
  readonly lastChange: string | null;
  /** A summary of that change, such as `2 added, 1 changed`. */
  readonly lastChangeSummary: string | null;
  readonly callsInFlight: number;
}

export async function reportServer(
  layers: Uses<'catalog' | 'registry' | 'downstream' | 'store'>,
  name: string,
): Promise<ServerReport> {
  const spec = layers.registry.find(name);
  const status = layers.downstream.status(name);
  const entry = layers.catalog.snapshot.servers.get(name);
  // All else is in memory, and is to be seen also while the store cannot be read.
  const change = await layers.store.countLastChange(name).catch(() => null);
  return {
    name,
    title: entry?.title ?? name,
    state: stateOf(layers, name),
    installingSeconds: typeof status?.installingMs === 'number' ? Math.floor(status.installingMs / 1000) : null,
    transport: spec.transport.kind,
    era: status?.era ?? null,
    origin: spec.origin,
    toolCount: entry?.tools.length ?? 0,
    optimizedCount: entry?.tools.filter(({ promoted }) => promoted).length ?? 0,
    ...layers.catalog.pins.countWaiting(name),
    lastError: status?.lastError ?? entry?.staleReason ?? layers.catalog.trouble(name) ?? null,
    hint: status?.hint ?? null,
    reason: status?.reason ?? null,
    nextRetryAt: time(status?.nextRetryAt),
    connectedAt: time(status?.connectedAt),
    listedAt: time(entry?.listedAt),
    staleSince: time(entry?.staleSince),
    lastChange: time(change?.at),
    lastChangeSummary: change && inWords(change),
    callsInFlight: status?.callsInFlight ?? 0,
  };
}

/** One that is connected and was never listed is being listed, unless that failed. */
export function stateOf({ downstream, catalog }: Uses<'catalog' | 'downstream'>, name: string): ServerState {
  const state = downstream.status(name)?.state ?? 'configured';
  const isUnlisted = catalog.snapshot.servers.get(name)?.listedAt === null && catalog.trouble(name) === undefined;
  return state === 'connected' && isUnlisted ? 'listing' : state;
}

/** The same in short, for anybody who can see the server. Only the owner reads the last error. */
export async function summariseServer(
  layers: Uses<'catalog' | 'registry' | 'downstream' | 'store'>,
  principal: Principal,
  server: ServerEntry,
): Promise<Record<string, unknown>> {
  const report = await reportServer(layers, server.spec.name);
  const { name, title, state, installingSeconds, lastError } = report;
  const isOwner = principal.scopes.has('admin');
  const { snapshot } = layers.catalog;
  const change = isOwner ? null : await lastVisibleChange(layers, principal, server);
  const tools = server.tools.filter((tool) => canSee(snapshot, principal, tool));
  const description = firstSentence(server.description || server.instructions) || nameFirstTools(tools);
  return {
    name,
    title,
    ...(description !== '' && { description }),
    state,
    ...(installingSeconds !== null && { installingSeconds }),
    toolCount: tools.length,
    resourceCount: server.resources.length,
    resourceTemplateCount: server.templates.length,
    promptCount: server.prompts.length,
    lastChange: isOwner ? report.lastChange : time(change?.at),
    lastChangeSummary: isOwner ? report.lastChangeSummary : (change?.summary ?? null),
    ...failureIn(report),
    ...(isOwner && lastError !== null && { lastError }),
  };
}

const mostNamed = 4;

/** Most servers say nothing of themselves: then the first of their tools have to. */
function nameFirstTools(tools: readonly ServerEntry['tools'][number][]): string {
  if (tools.length === 0) return '';
  const named = tools.slice(0, mostNamed).map(({ serverName }) => serverName);
  const others = tools.length - named.length;
  return `Offers ${named.join(', ')}${others > 0 ? ` and ${others} more` : ''}.`;
}

/** Of a tool that waits, its agents know neither that it came nor that it changed. */
function lastVisibleChange({ store, catalog }: Uses<'catalog' | 'store'>, principal: Principal, { spec }: ServerEntry) {
  return lastChangeOf(
    store,
    spec.name,
    ({ kind, name }) =>
      kind !== 'tool' || (authorize(principal, spec, name) !== 'deny' && !catalog.pins.isWaiting(spec.name, name)),
  );
}

/** Says that it fails, also while it is being retried. */
function failureIn({ state, lastError, reason, nextRetryAt }: ServerReport): Record<string, unknown> {
  if (lastError === null || state === 'connected') return {};
  return {
    isFailing: true,
    ...(reason !== null && { reason }),
    ...(nextRetryAt !== null && { nextTryAt: nextRetryAt }),
  };
}

const stateMeanings: Readonly<Record<string, string>> = {
  configured: 'not running; Toolcrib starts it when needed',
  installing: 'being downloaded by its package runner, which can take minutes',
  connecting: 'starting or connecting',
  listing: 'running; its tools are being listed for the first time',
  connected: 'running',
  failed: 'failing; Toolcrib retries it by itself and with the next call',
};

/** Explains the states of these servers to a reader who has not seen them before. */
export function meaningsOf(servers: readonly Readonly<Record<string, unknown>>[]): Record<string, string> {
  const states = new Set(servers.map(({ state }) => state));
  return Object.fromEntries(Object.entries(stateMeanings).filter(([state]) => states.has(state)));
}

function time(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : new Date(ms).toISOString();
}

interface LastChange {
  readonly at: number;
  /** `2 added, 1 changed, 1 removed`. */
  readonly summary: string;
}

/** Changes that are read at once, and in all: older ones are not news to anybody. */
const marksPerPage = 200;
const mostMarks = 2_000;

const words = { added: 'added', updated: 'changed', removed: 'removed' } as const;

/** Everything that one refresh brought counts as one change. `isSeen`: whether somebody may know of it. */
export async function lastChangeOf(
  store: Pick<ListingStore, 'listChangeMarks'>,
  server: string,
  isSeen: (change: CatalogChangeMark) => boolean = () => true,
): Promise<LastChange | null> {
  const counts = { added: 0, updated: 0, removed: 0 };
  let at: number | undefined;
  let before: number | undefined;
  for (let read = 0; read < mostMarks; read += marksPerPage) {
    const marks = await store.listChangeMarks({ server, before, limit: marksPerPage });
    for (const mark of marks) {
      if (at !== undefined && mark.at !== at) return { at, summary: inWords(counts) };
      if (!isSeen(mark)) continue;
      at = mark.at;
      counts[mark.change] += 1;
    }
    if (marks.length < marksPerPage) break;
    before = marks.at(-1)?.id;
  }
  return at === undefined ? null : { at, summary: inWords(counts) };
}

function inWords(counts: Readonly<Record<keyof typeof words, number>>): string {
  const parts = (['added', 'updated', 'removed'] as const).flatMap((change) =>
    counts[change] === 0 ? [] : [`${counts[change]} ${words[change]}`],
  );
  return parts.join(', ');
}

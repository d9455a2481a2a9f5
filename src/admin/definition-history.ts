/** The history of definitions: added, changed and removed by their servers, and the decisions about them. */

import type {
  CatalogChange,
  ListingStore,
  PinKind,
  PinReason,
  PinStore,
  StoredPin,
  StoredPinEvent,
} from '../store/store.ts';
import { type Definition, type Difference, differencesBetween } from '../trust/trust.ts';

/** Entries of the history in one answer. */
const mostHistory = 200;

export interface ChangeHistory {
  /** `server:name`, or the server for its own words. */
  readonly key: string;
  readonly server: string;
  readonly kind: PinKind;
  readonly name: string;
  readonly at: string;
  /** The server's change; null for a decision of the owner. */
  readonly change: CatalogChange['change'] | null;
  /** The outcome: `passed`, `changed`, `held`, `returned`, `approved`, `rejected`, `undone`; null if none was needed. */
  readonly act: string | null;
  readonly by: string | null;
  /** True for the last decision about a definition, which can be undone. */
  readonly isUndoable: boolean;
  readonly grade: string | null;
  readonly reasons: readonly PinReason[];
  /** Fingerprints. */
  readonly before: string | null;
  readonly after: string | null;
  /** Between exactly these two; empty unless one thing was asked about. */
  readonly differences: readonly Difference[];
}

export interface HistoryScope {
  readonly server?: string | undefined;
  readonly kind?: PinKind | undefined;
  readonly name?: string | undefined;
}

/** Newest first. What a server changed and what was made of that is one entry. `pins`: as they are now. */
export async function historyOf(
  store: Pick<ListingStore & PinStore, 'listPinEvents' | 'listChanges'>,
  pins: readonly StoredPin[],
  scope: HistoryScope,
): Promise<ChangeHistory[]> {
  const events = await store.listPinEvents({ ...scope, limit: mostHistory });
  const { server, name, kind } = scope;
  const rows = (await store.listChanges({ server, name, limit: mostHistory })).filter(
    (row) => kind === undefined || row.kind === kind,
  );
  const texts = name === undefined ? new Map<string, Definition>() : textsIn(rows);
  const undoable = new Set(pins.flatMap((pin) => (pin.undo === null ? [] : [decisionOf(pin, pin.undo.at)])));
  const judged = new Set<StoredPinEvent>();
  const changes = rows.map((row) => {
    const event = events.find((item) => isAbout(item, row) && !judged.has(item));
    if (event) judged.add(event);
    return { ...entryOf(row, event, texts), isUndoable: false, order: row.at };
  });
  const decisions = events
    .filter((event) => !judged.has(event))
    .map((event) => ({
      ...entryOf(undefined, event, texts),
      isUndoable: undoable.has(decisionOf(event, event.at)),
      order: event.at,
    }));
  // Of the same moment, a decision came after what it is about.
  const all = [...decisions, ...changes].sort((a, b) => b.order - a.order);
  return all.slice(0, mostHistory).map(({ order: _order, ...entry }) => entry);
}

/** One decision about one definition. */
function decisionOf({ server, kind, name }: Pick<StoredPin, 'server' | 'kind' | 'name'>, at: number): string {
  return JSON.stringify([server, kind, name, at]);
}

/** The judgement when a listing brought it, not a later decision. */
function isAbout({ server, kind, name, after, by }: StoredPinEvent, row: CatalogChange): boolean {
  return by === null && server === row.server && kind === row.kind && name === row.name && after === row.newFingerprint;
}

/** By fingerprint: a text is never shown under the fingerprint of another. */
function textsIn(rows: readonly CatalogChange[]): Map<string, Definition> {
  const texts = new Map<string, Definition>();
  for (const { oldFingerprint, oldDefinition, newFingerprint, newDefinition } of rows) {
    if (oldFingerprint !== null && oldDefinition !== null) texts.set(oldFingerprint, oldDefinition);
    if (newFingerprint !== null && newDefinition !== null) texts.set(newFingerprint, newDefinition);
  }
  return texts;
}

function entryOf(
  row: CatalogChange | undefined,
  event: StoredPinEvent | undefined,
  texts: ReadonlyMap<string, Definition>,
): Omit<ChangeHistory, 'isUndoable'> {
  const { server = '', kind = 'tool', name = '', at = 0 } = row ?? event ?? {};
  const before = row ? row.oldFingerprint : (event?.before ?? null);
  const after = row ? row.newFingerprint : (event?.after ?? null);
  const [old, now] = [before, after].map((mark) => (mark === null ? undefined : texts.get(mark)));
  return {
    key: kind === 'server' ? server : `${server}:${name}`,
    ...{ server, kind, name },
    at: new Date(at).toISOString(),
    change: row?.change ?? null,
    act: event?.act ?? null,
    by: event?.by ?? null,
    grade: event?.grade ?? null,
    reasons: event?.reasons ?? [],
    before,
    after,
    differences: old && now ? differencesBetween(old, now) : [],
  };
}

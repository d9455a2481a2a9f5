/** Rows to domain words and back. What was read is checked as far as a damaged row could mislead: JSON must be an object. */

import { GatewayError } from '../base/errors.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import type { Schema } from './schema.ts';
import type {
  CatalogChange,
  CatalogChangeMark,
  ChangeKind,
  DisclosureKind,
  DisclosureSum,
  EraVerdict,
  ItemKind,
  ListedItem,
  ListingHead,
  StoredListing,
  StoredServer,
  StoredUse,
} from './store.ts';

/**
 * Text of strangers in a form that every database keeps to the letter. PostgreSQL refuses NUL and UTF-8 has no lone
 * surrogates, so such text (and text that looks like the escaped form) is stored as a JSON string.
 */
export function toText(text: string): string {
  if (text.isWellFormed() && !text.includes('\0') && !text.startsWith('"')) return text;
  return JSON.stringify(text);
}

export function fromText(text: string): string {
  return text.startsWith('"') ? String(JSON.parse(text)) : text;
}

export function toJson(value: JsonObject): string {
  return JSON.stringify(value);
}

export function fromJson(text: string): JsonObject {
  const value = parse(text);
  // What JSON.parse returns and is an object holds nothing but JSON.
  if (isObject(value)) return value as JsonObject;
  throw new GatewayError('STORE_BROKEN', 'A row of the store does not hold the JSON object that was written to it.', {
    hint: 'Restore a backup of the store.',
  });
}

/** Undefined for text that is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function toServer(row: Schema['server']): StoredServer {
  return { name: row.name, spec: fromJson(row.spec), addedAt: row.added_at };
}

export function headToText(head: ListingHead): string {
  const { serverInfo, capabilities, instructions, source } = head;
  return JSON.stringify({ serverInfo, capabilities, instructions, source });
}

export function toListing(row: Schema['listing'], items: readonly ListedItem[]): StoredListing {
  // `headToText` wrote it, and `fromJson` has seen that it is an object.
  const head = fromJson(row.head) as unknown as Omit<ListingHead, 'source'> & { readonly source?: string };
  return {
    server: row.server,
    serverInfo: head.serverInfo,
    capabilities: head.capabilities,
    instructions: head.instructions,
    // Heads that were written before there was a source are of none that is known.
    source: head.source ?? '',
    items,
    listedAt: row.listed_at,
    staleSince: row.stale_since,
    staleReason: row.stale_reason === null ? null : fromText(row.stale_reason),
  };
}

export function toItem(row: Omit<Schema['item'], 'server'>): ListedItem {
  return {
    // Only an `ItemKind` is ever written.
    kind: row.kind as ItemKind,
    name: fromText(row.name),
    fingerprint: row.fingerprint,
    definition: fromJson(row.definition),
  };
}

type ChangeRow = Omit<Schema['change'], 'id'> & { id: number };

export function toChangeMark(
  row: Pick<ChangeRow, 'id' | 'server' | 'kind' | 'name' | 'change' | 'at'>,
): CatalogChangeMark {
  const { id, server, at } = row;
  // Only an `ItemKind` and a `ChangeKind` are ever written.
  return { id, server, kind: row.kind as ItemKind, name: fromText(row.name), change: row.change as ChangeKind, at };
}

export function toChange(row: ChangeRow): CatalogChange {
  return {
    ...toChangeMark(row),
    oldFingerprint: row.old_fingerprint,
    newFingerprint: row.new_fingerprint,
    oldDefinition: row.old_definition === null ? null : fromJson(row.old_definition),
    newDefinition: row.new_definition === null ? null : fromJson(row.new_definition),
  };
}

export function toVerdict(row: Schema['verdict']): EraVerdict {
  return {
    key: fromText(row.key),
    modern: row.modern === 1,
    legacy: row.legacy === null ? null : row.legacy === 1,
    discover: row.discover === null ? null : fromJson(row.discover),
    decidedAt: row.decided_at,
  };
}

export function fromVerdict(verdict: EraVerdict): Schema['verdict'] {
  return {
    key: toText(verdict.key),
    modern: verdict.modern ? 1 : 0,
    legacy: verdict.legacy === null ? null : verdict.legacy ? 1 : 0,
    discover: verdict.discover === null ? null : toJson(verdict.discover),
    decided_at: verdict.decidedAt,
  };
}

export function toUse(row: Schema['tool_use']): StoredUse {
  const { good, bad, at } = row;
  return { query: fromText(row.query), toolKey: fromText(row.tool_key), good, bad, at };
}

export function fromUse(use: StoredUse): Schema['tool_use'] {
  const { good, bad, at } = use;
  return { query: toText(use.query), tool_key: toText(use.toolKey), good, bad, at };
}

export function toDisclosure(row: Schema['disclosure_day']): DisclosureSum {
  const { day, count, tokens, calls } = row;
  return {
    day,
    project: row.project === '' ? null : fromText(row.project),
    surface: fromText(row.surface),
    // Only a `DisclosureKind` is ever written.
    kind: row.kind as DisclosureKind,
    count,
    tokens,
    calls,
    directTokens: row.direct_tokens,
  };
}

export function fromDisclosure(sum: DisclosureSum): Schema['disclosure_day'] {
  const { day, kind, count, tokens, calls } = sum;
  const project = sum.project === null ? '' : toText(sum.project);
  return { day, project, surface: toText(sum.surface), kind, count, tokens, calls, direct_tokens: sum.directTokens };
}

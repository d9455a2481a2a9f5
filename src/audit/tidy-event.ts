/** An event in the form in which it is kept: bounded in every direction, secrets masked, what it was called with as a hash. */

import { hash } from 'node:crypto';
import { currentRequest, fingerprintOf } from '../base/ids.ts';
import { isObject, type Json, type JsonObject } from '../base/json.ts';
import { isSecretKey, knownSecrets, leastSecretChars, maskShapes, redact, redactedBeginning } from '../base/redact.ts';
import type { AuditRecord } from '../store/store.ts';
import type { AuditEvent } from './audit-event.ts';

/** Characters of a name that are kept: of a tool, a server, a client, a principal. */
export const mostNameCharacters = 256;
/** Characters of arguments and of a detail that are kept, as JSON. */
export const mostArgumentCharacters = 4_000;
export const mostDetailCharacters = 4_000;
/** Enough of a hash to tell sessions apart. */
const sessionCharacters = 16;
/** The latest time that a date can hold. */
const latestTime = 8.64e15;

interface TidyOptions {
  readonly now: number;
  readonly keepsArguments: boolean;
}

export function tidyEvent(event: AuditEvent, { now, keepsArguments }: TidyOptions): AuditRecord {
  const given = event.arguments;
  const request = currentRequest();
  return {
    at: Math.min(Math.max(0, Math.floor(now)), latestTime),
    kind: event.kind,
    action: nameOf(event.action),
    principal: nameOf(event.principal.id),
    principalName: nameOf(event.principal.name),
    client: senderText(event.client),
    // Left out, it is done for whatever is being served.
    requestId: optionalName(event.requestId === undefined ? request?.id : event.requestId),
    rpcId: senderText(event.rpcId),
    trace: event.requestId === null ? null : senderText(request?.trace),
    project: optionalName(event.project),
    // An id lets its reader take part in the session.
    session: event.session == null ? null : hash('sha256', event.session, 'hex').slice(0, sessionCharacters),
    server: optionalName(event.server),
    tool: toolName(event.tool),
    outcome: event.outcome,
    errorType: optionalName(event.errorType),
    ms: event.ms != null && Number.isFinite(event.ms) ? toMicros(Math.max(0, event.ms)) : null,
    argumentsHash: given === undefined ? null : hashOf(given),
    arguments: given === undefined || !keepsArguments ? null : keepJson(given, mostArgumentCharacters),
    detail: event.detail === undefined ? null : keepJson(event.detail, mostDetailCharacters, maskedDetail),
  };
}

/** To the microsecond, as it will be read again. */
function toMicros(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}

/** A value that JSON cannot hold, such as infinity, has no hash; the event is kept all the same. */
function hashOf(given: unknown): string | null {
  try {
    return fingerprintOf(given);
  } catch {
    return null;
  }
}

function optionalName(text: string | null | undefined): string | null {
  return text == null ? null : nameOf(text);
}

/** Members that a program fills in about itself and its request, with any text. */
function senderText(text: string | null | undefined): string | null {
  if (text == null || text.length < leastSecretChars || traceparent.test(text)) return text ?? null;
  if (revision !== knownSecrets.revision || senderTexts.size >= mostSenderTexts) senderTexts.clear();
  revision = knownSecrets.revision;
  const known = senderTexts.get(text) ?? redactedBeginning(text, mostNameCharacters);
  senderTexts.set(text, known);
  return known;
}

/** Looks random, and differs in each request. */
const traceparent = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
/** A program repeats its name in each request; masking it every time would cost a tenth of recording a call. */
const senderTexts = new Map<string, string>();
const mostSenderTexts = 200;
let revision = -1;

/** Never ends in half a character. */
function nameOf(text: string): string {
  if (text.length <= mostNameCharacters) return text;
  return `${text.slice(0, mostNameCharacters - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/**
 * The name of a tool, or what somebody wrote in its place: an address with a password in it, for example. A name is what the record
 * is about, and nobody may hide it by making up a secret that reads the same.
 */
function toolName(text: string | null | undefined): string | null {
  if (text == null || !mayHoldSecret.test(text)) return optionalName(text);
  const part = text.slice(0, mostNameCharacters + overhang);
  return nameOf(maskShapes(isAddress.test(part) ? knownSecrets.maskGiven(part, '***') : part));
}

/** Most names of tools are words, and masking them would cost more than the rest. */
const mayHoldSecret = /[^A-Za-z0-9_.-]|[A-Za-z0-9_-]{20}/;
const isAddress = /:\/\/|[?\s]/;
/** Characters read beyond the limit, so that a secret is recognised that the limit would cut in two. */
const overhang = 1_024;

/** Names, choices and fingerprints in details: masked by shape alone. */
const namedMembers: ReadonlySet<string> = new Set(
  'after alternatives approval before beside by changed definition for grade kind name project reasons'.split(' '),
);

/** The input of an order comes as `shownInput` leaves it; masking it once more would hide names of tools such as `get_token`. */
const isShown = (key: string) => key === 'input';

function maskedDetail(detail: unknown): JsonObject {
  const out: Record<string, Json> = Object.create(null);
  // Details are objects of ours, and so are their copies.
  for (const [key, item = null] of Object.entries(detail as JsonObject))
    out[key] = isShown(key) ? item : maskedMember(key, item);
  return out;
}

function maskedMember(key: string, item: Json): Json {
  const masked = namedMembers.has(key) ? redact({ [key]: item }, maskShapes) : redact({ [key]: item });
  // A copy of a value that was JSON, with the one member that it was given.
  return Object.values(masked as JsonObject)[0] ?? null;
}

const mostMembers = 100;
const mostLevels = 12;

/**
 * The value with secrets masked; one that is no object stands in the member `value`. What is longer than `most` characters
 * is kept as the beginning of its text, in the member `cut`. `masked` makes a copy without secrets.
 */
export function keepJson(value: unknown, most: number, masked: (copy: unknown) => unknown = redact): JsonObject {
  if (isPlain(value)) return value;
  const budget = { characters: most + overhang };
  const copy = masked(boundedCopy(value, budget, 0)) as Json;
  const kept = isObject(copy) ? (copy as JsonObject) : { value: copy };
  const text = JSON.stringify(kept);
  return text.length <= most ? kept : { cut: text.slice(0, most) };
}

const fewMembers = 8;
const plainWord = /^[A-Za-z]{1,15}$/;

/** A few words and numbers, as calls have them: no secret is so short, and looking for one would cost more than the rest. */
function isPlain(value: unknown, levels = 1): value is JsonObject {
  if (!isObject(value) || levels < 0) return false;
  const members = Object.entries(value);
  if (members.length > fewMembers) return false;
  return members.every(([key, item]) => plainWord.test(key) && isPlainItem(key, item, levels));
}

function isPlainItem(key: string, item: unknown, levels: number): boolean {
  if (typeof item === 'boolean') return true;
  if (typeof item === 'number') return Number.isFinite(item);
  if (isObject(item)) return !isSecretKey(key) && isPlain(item, levels - 1);
  return typeof item === 'string' && plainWord.test(item) && !isSecretKey(key);
}

interface Budget {
  characters: number;
}

/** Only so much of a value as fits into the budget: masking goes over every character. */
function boundedCopy(value: unknown, budget: Budget, level: number): unknown {
  if (budget.characters <= 0 || level > mostLevels) return '…';
  if (typeof value === 'string') return shortened(value, budget);
  if (typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol') return typeof value;
  if (value === null || typeof value !== 'object') {
    budget.characters -= 5;
    return value;
  }
  if (Array.isArray(value)) return value.slice(0, mostMembers).map((item) => boundedCopy(item, budget, level + 1));
  // Without a prototype: a member may be named `__proto__`.
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, item] of Object.entries(value).slice(0, mostMembers)) {
    if (budget.characters <= 0) break;
    copy[shortened(key, budget)] = boundedCopy(item, budget, level + 1);
  }
  return copy;
}

function shortened(text: string, budget: Budget): string {
  // A secret may be cut in two here, and half of one would not be recognised later.
  const part = text.length <= budget.characters ? text : redactedBeginning(text, budget.characters);
  budget.characters -= part.length;
  return part;
}

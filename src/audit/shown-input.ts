/** The part of an order's input that stands in the audit: names, choices and switches; of all else only that it was given. */

import { isObject, type Json, type JsonObject } from '../base/json.ts';
import { maskShapes, redactedBeginning } from '../base/redact.ts';

/** Members that say what an order was about or what was granted, as a text or a list of them. Anything else may hold a secret. */
const named: ReadonlySet<string> = new Set(
  `answer category fingerprints id kind name names project projects scopes search server servers surface tool tools type`.split(
    ' ',
  ),
);
/** Members whose numbers say for how long or how many. */
const counted: ReadonlySet<string> = new Set(
  'cacheTtlMs days expiresInMs idleMs limit maxConcurrent minutes timeoutMs waitMs'.split(' '),
);
/** Addresses of servers: their paths and parameters are often keys. */
const addresses: ReadonlySet<string> = new Set(['url', 'httpUrl', 'serverUrl']);
/** Permissions by tool: a table of choices. */
const tables: ReadonlySet<string> = new Set(['permissions']);
const choices: ReadonlySet<unknown> = new Set(['allow', 'ask', 'deny', null]);

const hidden = '…';
const mostCharacters = 200;
const mostItems = 50;

/** Of members that hold others only the names are shown: the variables of a server, but not what they are set to. */
export function shownInput(input: unknown): JsonObject {
  const shown: Record<string, Json> = Object.create(null);
  if (!isObject(input)) return shown;
  for (const [key, value] of Object.entries(input).slice(0, mostItems))
    shown[strangeName(key)] = shownValue(key, value);
  return shown;
}

function shownValue(key: string, value: unknown): Json {
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number') return counted.has(key) ? value : hidden;
  if (typeof value === 'string') return shownText(key, value);
  if (Array.isArray(value)) {
    return named.has(key) ? value.slice(0, mostItems).map((item) => shownName(String(item))) : `[${hidden}]`;
  }
  if (!isObject(value)) return typeof value;
  if (tables.has(key)) return shownTable(value);
  return Object.keys(value).slice(0, mostItems).map(strangeName);
}

function shownText(key: string, text: string): Json {
  if (named.has(key)) return shownName(text);
  if (!addresses.has(key)) return hidden;
  const url = URL.parse(text.slice(0, 2_048));
  return url === null || url.host === '' ? hidden : shownName(`${url.protocol}//${url.host}/${hidden}`);
}

function shownTable(table: Readonly<Record<string, unknown>>): JsonObject {
  const shown: Record<string, Json> = Object.create(null);
  for (const [pattern, choice] of Object.entries(table).slice(0, mostItems))
    shown[shownName(pattern)] = choices.has(choice) ? (choice as Json) : hidden;
  return shown;
}

/** Names are what the record is about: no secret that somebody else made up may hide them. */
function shownName(text: string): string {
  return maskShapes(text.slice(0, 2 * mostCharacters))
    .replace(/[?#]\S*/g, `?${hidden}`)
    .slice(0, mostCharacters);
}

function strangeName(text: string): string {
  return shownName(redactedBeginning(text, mostCharacters));
}

/** The part of an order's input that stands in the audit: names, choices and switches; of all else only that it was given. */

import { isObject, type Json, type JsonObject } from '../base/json.ts';
import { maskName, maskShapes, redactedBeginning } from '../base/redact.ts';
import { isLegalName } from '../config/config.ts';

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

/** An order as it was given. */
export interface GivenOrder {
  readonly input: unknown;
  /** The server named in it. */
  readonly server?: string | undefined;
}

/** An order as the audit shows it. */
export interface ShownOrder {
  readonly input: JsonObject;
  readonly server: string | undefined;
}

/** For an order that was understood: its names belong to things that exist. */
export function shownOrder({ input, server }: GivenOrder): ShownOrder {
  const shown = server === undefined ? hidden : knownName(server);
  return { input: shownInput(input, knownName), server: shown === hidden ? undefined : shown };
}

/** For an order with a mistake or an unknown name: a secret may stand in place of a name. */
export function shownMistake({ input, server }: GivenOrder): ShownOrder {
  const isLegal = server === undefined || isLegalName(server);
  // No server has such a name, so it may be anything.
  const showName = (text: string) => (text === server && !isLegal ? hidden : typedName(text));
  return {
    input: shownInput(input, showName),
    server: server !== undefined && isLegal ? typedName(server) : undefined,
  };
}

/** The characters in names of servers, tools, tokens, projects and secrets. Any other text is left out. */
const nameForm = /^[\p{L}\p{M}\p{N}._*][\p{L}\p{M}\p{N} ._:@/*-]{0,199}$/u;
/** A long word of alternating letters and digits: nobody chooses such a name. */
const oddWord = /(?=[A-Za-z0-9]{16})(?:[A-Za-z]+[0-9]+){3}/;

/** The record needs its names, so a secret issued by a stranger must not hide them, and neither must a plain word. */
function knownName(text: string): string {
  return nameForm.test(text) ? maskName(text) : hidden;
}

/** A name as somebody typed it, which may be anything. */
export function typedName(text: string): string {
  return nameForm.test(text) && !oddWord.test(text) ? redactedBeginning(text, mostCharacters) : hidden;
}

/** Of members that hold others only the names are shown: the variables of a server, but not what they are set to. */
export function shownInput(input: unknown, showName: ShowName): JsonObject {
  const shown: Record<string, Json> = Object.create(null);
  if (!isObject(input)) return shown;
  for (const [key, value] of Object.entries(input).slice(0, mostItems))
    shown[strangeName(key, showName)] = shownValue(key, value, showName);
  return shown;
}

type ShowName = (text: string) => string;

function shownValue(key: string, value: unknown, showName: ShowName): Json {
  if (typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number') return counted.has(key) ? value : hidden;
  if (typeof value === 'string') return shownText(key, value, showName);
  if (Array.isArray(value)) {
    return named.has(key) ? value.slice(0, mostItems).map((item) => showName(String(item))) : `[${hidden}]`;
  }
  if (!isObject(value)) return typeof value;
  if (tables.has(key)) return shownTable(value, showName);
  return Object.keys(value)
    .slice(0, mostItems)
    .map((name) => strangeName(name, showName));
}

function shownText(key: string, text: string, showName: ShowName): Json {
  if (named.has(key)) return showName(text);
  if (!addresses.has(key)) return hidden;
  const url = URL.parse(text.slice(0, 2_048));
  return url === null || url.host === '' ? hidden : `${url.protocol}//${maskShapes(url.host)}/${hidden}`;
}

function shownTable(table: Readonly<Record<string, unknown>>, showName: ShowName): JsonObject {
  const shown: Record<string, Json> = Object.create(null);
  for (const [pattern, choice] of Object.entries(table).slice(0, mostItems))
    shown[showName(pattern)] = choices.has(choice) ? (choice as Json) : hidden;
  return shown;
}

function strangeName(text: string, showName: ShowName): string {
  return showName(redactedBeginning(text, mostCharacters));
}

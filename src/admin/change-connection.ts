/** How a server that was added is reached: as a form shows it, without values that may be secret, and its entry with some of it changed. */

import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { GatewayError } from '../base/errors.ts';
import { isObject, type Json, type JsonObject } from '../base/json.ts';
import { mask, redactText } from '../base/redact.ts';
import { secretsOf } from '../config/config.ts';

const table = z.record(z.string().min(1), z.string().nullable()).optional();

/**
 * Left out: stays as it is. null: taken out. A `command` in place of a URL, or a URL in place of a command, drops all that
 * belonged to the other. Masked words are those that are there now.
 */
export const connectionInput = z.strictObject({
  command: z.string().optional(),
  args: z.array(z.string()).optional(),
  cwd: z.string().nullable().optional(),
  env: table,
  url: z.string().optional(),
  /** Only needed for the older HTTP+SSE transport. */
  type: z.enum(['http', 'sse']).optional(),
  headers: table,
});

export type ConnectionChanges = z.output<typeof connectionInput>;

/** Values by name; null: there is one, which is not shown. */
type ShownValues = Readonly<Record<string, string | null>>;

/** References to variables and secrets are shown as they were written; secrets in other places are masked. */
export type WrittenConnection =
  | {
      readonly kind: 'command';
      readonly command: string;
      readonly args: readonly string[];
      readonly cwd: string | null;
      readonly env: ShownValues;
    }
  | { readonly kind: 'url'; readonly url: string; readonly isSse: boolean; readonly headers: ShownValues };

export function writtenConnection(raw: JsonObject): WrittenConnection {
  const entry = readEntry(raw);
  const { kind, command, args, cwd, env, url, isSse, headers } = entry;
  const hide = hiderOf(entry);
  if (kind === 'url') return { kind, url: hide(url), isSse, headers: shownValues(headers) };
  return { kind, command: hide(command), args: args.map(hide), cwd, env: shownValues(env) };
}

/** The server's entry with the changes made; its settings stay. Throws USAGE for what fits neither the entry nor its kind. */
export function changedConnection(raw: JsonObject, changes: ConnectionChanges): JsonObject {
  const before = readEntry(raw);
  const kind = changes.url === undefined ? (changes.command === undefined ? before.kind : 'command') : 'url';
  refuseStrays(kind, changes);
  const others = Object.entries(raw).filter(([key]) => !reaching.has(key) && (key !== 'oauth' || kind === 'url'));
  const part = kind === 'url' ? urlPart(before, changes) : commandPart(before, changes);
  return { ...Object.fromEntries(others), ...part };
}

function commandPart(before: ReadEntry, changes: ConnectionChanges): JsonObject {
  const hide = hiderOf(before);
  const command = unmasked(changes.command ?? before.command, [before.command], hide);
  const args = changes.args === undefined ? before.args : unmaskedArguments(changes.args, before.args, hide);
  const cwd = changes.cwd === undefined ? before.cwd : changes.cwd;
  const env = changedTable('variable', before.env, changes.env);
  return { command, args, ...(cwd !== null && { cwd }), ...(Object.keys(env).length > 0 && { env }) };
}

function urlPart(before: ReadEntry, changes: ConnectionChanges): JsonObject {
  const url = unmasked(changes.url ?? before.url, [before.url], hiderOf(before));
  const isSse = changes.type === undefined ? before.isSse : changes.type === 'sse';
  const headers = changedTable('header', before.headers, changes.headers);
  const kept = Object.keys(headers).find((name) => changes.headers?.[name] === undefined && !isShown(headers[name]));
  if (kept !== undefined && originOf(url) !== originOf(before.url))
    throw new GatewayError('USAGE', `The header "${kept}" was given for another address, ${originOf(before.url)}.`, {
      hint: 'Give its value again to send it to the new one, or take it out.',
    });
  return { url, ...(isSse && { type: 'sse' }), ...(Object.keys(headers).length > 0 && { headers }) };
}

/** Members of an entry that say how the server is reached, by all their names. */
const reaching: ReadonlySet<string> = new Set(
  'command args env cwd url httpUrl serverUrl type transport transportType headers'.split(' '),
);

/** Members that its kind of entry does not use are empty. */
interface ReadEntry {
  readonly kind: WrittenConnection['kind'];
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | null;
  readonly env: JsonObject;
  readonly url: string;
  readonly isSse: boolean;
  readonly headers: JsonObject;
}

const noEntry = { command: '', args: [], cwd: null, env: {}, url: '', isSse: false, headers: {} };

/** Shapes were checked when the entry was kept. */
function readEntry(raw: JsonObject): ReadEntry {
  const url = raw.url ?? raw.httpUrl ?? raw.serverUrl;
  if (typeof url === 'string') {
    const isSse = [raw.type, raw.transport, raw.transportType].includes('sse');
    return { ...noEntry, kind: 'url', url, isSse, headers: tableIn(raw.headers) };
  }
  return {
    ...{ ...noEntry, kind: 'command', command: String(raw.command), env: tableIn(raw.env) },
    args: Array.isArray(raw.args) ? raw.args.map(String) : [],
    cwd: typeof raw.cwd === 'string' ? raw.cwd : null,
  };
}

function tableIn(value: Json | undefined): JsonObject {
  // It came from JSON.
  return isObject(value) ? (value as JsonObject) : {};
}

function refuseStrays(kind: WrittenConnection['kind'], changes: ConnectionChanges): void {
  const strays = kind === 'url' ? (['command', 'args', 'cwd', 'env'] as const) : (['type', 'headers'] as const);
  const stray = strays.find((key) => changes[key] !== undefined);
  if (stray === undefined) return;
  const what = kind === 'url' ? 'is reached at a URL' : 'is started by a command';
  throw new GatewayError('USAGE', `"${stray}" has no use for a server that ${what}.`);
}

function changedTable(what: string, before: JsonObject, changes: ConnectionChanges['env'] = {}): JsonObject {
  const after = new Map<string, Json | undefined>(Object.entries(before));
  for (const [name, value] of Object.entries(changes)) {
    if (value !== null) after.set(name, value);
    else if (!after.delete(name)) throw new GatewayError('USAGE', `There is no ${what} "${name}" to take out.`);
  }
  return Object.fromEntries(after);
}

const reference = /(\$\{(?:secret:[^{}]*|(?:env:)?[A-Za-z_]\w*)\})/;
/** Nothing but a reference, or one behind a word such as `Bearer`. A default value in it may be secret itself. */
const onlyReference = new RegExp(`^(?:[A-Za-z]{2,16} +)?${reference.source}$`);

function isShown(value: Json | undefined): boolean {
  return typeof value === 'string' && onlyReference.test(value);
}

function shownValues(values: JsonObject): ShownValues {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isShown(value) ? String(value) : null]),
  );
}

type Hider = (text: string) => string;

/** Masks what is secret in a command line or a URL, but for references. */
function hiderOf({ kind, command, args, url }: ReadEntry): Hider {
  const found = secretsOf(
    kind === 'url' ? { kind: 'http', url, headers: {} } : { kind: 'stdio', command, args, env: {}, cwd: null },
  );
  const secrets = found.filter((value) => !isShown(value));
  return (text) => {
    const masked = secrets.reduce((rest, secret) => rest.replaceAll(secret, mask), text);
    const parts = masked.split(reference);
    return parts.map((part) => (reference.test(part) ? part : redactText(part))).join('');
  };
}

/** Words that read like those before are those. */
function unmaskedArguments(words: readonly string[], before: readonly string[], hide: Hider): string[] {
  if (isDeepStrictEqual(words, before.map(hide))) return [...before];
  return words.map((word) => unmasked(word, before, hide));
}

/** The one of `before` that a masked text stands for; any other text is itself. */
function unmasked(text: string, before: readonly string[], hide: Hider): string {
  if (!text.includes(mask)) return text;
  const [meant, another] = new Set(before.filter((old) => hide(old) === text));
  if (meant !== undefined && another === undefined) return meant;
  const why = meant === undefined ? 'nothing that is kept reads like this' : 'it could be one of several';
  throw new GatewayError('USAGE', `The masked value in "${redactText(text)}" is not known: ${why}.`, {
    hint: `Write the value in place of ${mask}, or a reference such as \${secret:NAME}.`,
  });
}

function originOf(url: string): string {
  return URL.parse(url)?.origin ?? url;
}

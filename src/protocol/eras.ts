/** The two eras of MCP: legacy (sessions, 2024-11-05 to 2025-11-25) and modern (stateless, from 2026-07-28 on), with the envelope of a modern request and the HTTP headers that repeat its names and arguments. */

import { isObject } from '../base/json.ts';
import type { Params } from './messages.ts';

export type Era = 'legacy' | 'modern';

export const modernVersion = '2026-07-28';
export const latestLegacyVersion = '2025-11-25';
/** Newest first. */
export const legacyVersions: readonly string[] = [latestLegacyVersion, '2025-06-18', '2025-03-26', '2024-11-05'];

/** Members of `_meta` that the protocol reserves. */
export const metaKeys = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** Results that must say how long and for whom they may be cached. */
export const cacheableMethods: ReadonlySet<string> = new Set([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);

/** Requests that may be answered by asking for input first (`input_required`). */
export const inputRequestMethods: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** Methods by which a server may ask an agent while it works on a request. */
export const askMethods: ReadonlySet<string> = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list']);

/** The capability that an agent must have declared before it may be asked. */
export function capabilityForAsk(method: string): string {
  return method.slice(0, method.indexOf('/'));
}

export const mcpLogLevels: readonly string[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

export function metaOf(params: Params | undefined): Record<string, unknown> | undefined {
  const meta = params?._meta;
  return isObject(meta) ? meta : undefined;
}

/** A copy of `params` whose `_meta` has these members too; the rest of `_meta` stays. */
export function withMeta(params: Params | undefined, members: Record<string, unknown>): Params {
  return { ...params, _meta: { ...metaOf(params), ...members } };
}

/** A copy of `params` without these `_meta` members, and without `_meta` when nothing is left of it. */
export function withoutMeta(params: Params, keys: readonly string[]): Params {
  const meta = metaOf(params);
  if (!meta) return params;
  const rest = Object.fromEntries(Object.entries(meta).filter(([key]) => !keys.includes(key)));
  const { _meta, ...others } = params;
  return Object.keys(rest).length === 0 ? others : { ...others, _meta: rest };
}

/** Members of one hop, never passed on: the envelope, which makes a request modern, and the name for its progress. */
export const hopKeys: readonly string[] = [
  metaKeys.protocolVersion,
  metaKeys.clientCapabilities,
  metaKeys.clientInfo,
  metaKeys.logLevel,
  'progressToken',
];

const mostCharacters = 200;

/** `claude-code/2.1.0`; undefined where it does not say. */
export function clientName(clientInfo: unknown): string | undefined {
  if (!isObject(clientInfo) || typeof clientInfo.name !== 'string' || clientInfo.name === '') return undefined;
  const { name, version } = clientInfo;
  const full = typeof version === 'string' && version !== '' ? `${name}/${version}` : name;
  return full.slice(0, mostCharacters);
}

export interface ParamHeader {
  readonly path: readonly string[];
  readonly header: string;
  readonly type: string;
}

/** Either the declarations of a schema (often none) or why one of them is not allowed. */
type ParamHeaderScan = { readonly headers: readonly ParamHeader[] } | { readonly fault: string };

const annotation = 'x-mcp-header';
const headerToken = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const allowedTypes: ReadonlySet<string> = new Set(['string', 'integer', 'boolean']);
const decimal = /^-?\d+(?:\.\d+)?$/;
const maxDepth = 64;
/** Keywords that hold values rather than schemas: what looks like an annotation there is data. */
const valueKeywords: ReadonlySet<string> = new Set(['default', 'examples', 'enum', 'const']);

/** Walks a schema. An annotation anywhere but on a property reached through `properties` alone makes the tool invalid. */
export function scanParamHeaders(inputSchema: unknown): ParamHeaderScan {
  const headers: ParamHeader[] = [];
  const seen = new Set<string>();
  const visit = (node: unknown, path: readonly string[], isReachable: boolean, depth: number): string | undefined => {
    if (typeof node !== 'object' || node === null || depth > maxDepth) return undefined;
    if (Array.isArray(node)) return firstFault(node, (child) => visit(child, path, false, depth + 1));
    const schema = node as Record<string, unknown>;
    if (Object.hasOwn(schema, annotation)) {
      const fault = isReachable && path.length > 0 ? declare(schema, path, headers, seen) : misplaced(path);
      if (fault) return fault;
    }
    return firstFault(Object.entries(schema), ([key, child]) => {
      if (valueKeywords.has(key)) return undefined;
      if (key !== 'properties') return visit(child, path, false, depth + 1);
      if (!isObject(child)) return undefined;
      return firstFault(Object.entries(child), ([name, property]) =>
        visit(property, [...path, name], isReachable, depth + 1),
      );
    });
  };
  const fault = visit(inputSchema, [], true, 0);
  return fault ? { fault } : { headers };
}

const declared = new WeakMap<object, readonly ParamHeader[]>();

/** The headers that a tool's definition wants; nothing where its annotations are not allowed. Definitions are immutable, so each is read once. */
export function paramHeadersOf(definition: Readonly<Record<string, unknown>>): readonly ParamHeader[] {
  let headers = declared.get(definition);
  if (!headers) {
    const scan = scanParamHeaders(definition.inputSchema);
    headers = 'headers' in scan ? scan.headers : [];
    declared.set(definition, headers);
  }
  return headers;
}

function firstFault<T>(items: readonly T[], check: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const fault = check(item);
    if (fault) return fault;
  }
  return undefined;
}

function misplaced(path: readonly string[]): string {
  return `${path.join('.') || 'the schema'}: ${annotation} may stand only on a property that is reached through "properties".`;
}

function declare(
  schema: Record<string, unknown>,
  path: readonly string[],
  headers: ParamHeader[],
  seen: Set<string>,
): string | undefined {
  const header = schema[annotation];
  const where = path.join('.');
  if (typeof header !== 'string' || !headerToken.test(header)) return `${where}: ${annotation} is not a header name.`;
  const type = schema.type;
  if (typeof type !== 'string' || !allowedTypes.has(type)) {
    return `${where}: ${annotation} is allowed on string, integer and boolean only.`;
  }
  if (seen.has(header.toLowerCase())) return `${where}: ${annotation} "${header}" is used twice.`;
  seen.add(header.toLowerCase());
  headers.push({ path, header, type });
  return undefined;
}

function valueAt(args: unknown, path: readonly string[]): unknown {
  let at = args;
  for (const key of path) {
    if (!isObject(at) || !Object.hasOwn(at, key)) return undefined;
    at = at[key];
  }
  return at;
}

function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value);
}

/** The headers that a call with these arguments must carry. */
export function paramHeadersFor(headers: readonly ParamHeader[], args: unknown): Record<string, string> {
  const out: Record<string, string> = {};
  for (const { path, header } of headers) {
    const text = asText(valueAt(args, path));
    if (text !== undefined) out[`Mcp-Param-${header}`] = encodeHeaderValue(text);
  }
  return out;
}

/** Compares the headers of a request with its arguments; the sentence says what disagrees. */
export function paramHeaderFault(
  headers: readonly ParamHeader[],
  args: unknown,
  headerOf: (name: string) => string | undefined,
): string | undefined {
  return firstFault(headers, ({ path, header, type }) => {
    const value = valueAt(args, path);
    const text = asText(value);
    if (text === undefined) return undefined;
    const name = `Mcp-Param-${header}`;
    const sent = headerOf(name.toLowerCase());
    if (sent === undefined) return `the ${name} header is missing for the argument "${path.join('.')}".`;
    const decoded = decodeHeaderValue(sent);
    if (decoded === undefined) return `the ${name} header is not valid base64.`;
    const isEqualNumber = type === 'integer' && decimal.test(decoded) && Number(decoded) === value;
    return isEqualNumber || decoded === text
      ? undefined
      : `the ${name} header and the argument "${path.join('.')}" differ.`;
  });
}

const prefix = '=?base64?';
const suffix = '?=';
const canonicalBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const plainAscii = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

export function encodeHeaderValue(value: string): string {
  if (plainAscii.test(value) && !value.startsWith(prefix)) return value;
  return `${prefix}${Buffer.from(value, 'utf8').toString('base64')}${suffix}`;
}

/** The decoded value; undefined when it claims to be base64 and is not canonical base64 of UTF-8. */
export function decodeHeaderValue(value: string): string | undefined {
  if (!value.startsWith(prefix) || !value.endsWith(suffix)) return value;
  const payload = value.slice(prefix.length, value.length - suffix.length);
  if (!canonicalBase64.test(payload)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(payload, 'base64'));
  } catch {
    return undefined;
  }
}

const nameSources: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** The value of `Mcp-Name` for a request; undefined where the method has no such header or the body no such member. */
export function nameHeaderOf(method: string, params: Record<string, unknown> | undefined): string | undefined {
  const field = Object.hasOwn(nameSources, method) ? nameSources[method] : undefined;
  const value = field === undefined ? undefined : params?.[field];
  return typeof value === 'string' ? value : undefined;
}

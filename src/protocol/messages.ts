/** JSON-RPC 2.0 messages as MCP uses them, read tolerantly. Payloads stay opaque: a gateway must not lose members that it does not know. */

import { isObject, JsonDepthError, maxJsonDepth, parseFaithfulJson, parseJson, pruneJson } from '../base/json.ts';
import { foldName } from '../base/text.ts';

export type RequestId = string | number;
export type Params = Record<string, unknown>;
export type Result = Record<string, unknown>;

export interface RpcRequest {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly method: string;
  readonly params?: Params | undefined;
}

export interface RpcNotification {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params?: Params | undefined;
}

export interface RpcErrorBody {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export interface RpcResult {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly result: Result;
}

interface RpcFailure {
  readonly jsonrpc: '2.0';
  readonly id: RequestId | null;
  readonly error: RpcErrorBody;
}

export type RpcResponse = RpcResult | RpcFailure;
export type RpcMessage = RpcRequest | RpcNotification | RpcResponse;

/** The codes of JSON-RPC and of MCP that we send or look for. */
export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** 2025: resource not found. 2026 uses invalidParams. */
  legacyResourceNotFound: -32002,
  /** HTTP-level refusals of a session or method; reserved for legacy use. */
  serverError: -32000,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;

/** An error that crosses the wire as it is: code, message and data reach the other side unchanged. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.data = data;
  }

  /** As the other side wrote it, as far as that is an error at all: only its data may be anything. */
  static from(body: { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown }): RpcError {
    const code = Number.isSafeInteger(body.code) ? (body.code as number) : rpcCodes.internalError;
    const message = typeof body.message === 'string' ? body.message : 'An error came without a message.';
    return new RpcError(code, message, body.data);
  }

  toBody(): RpcErrorBody {
    return { code: this.code, message: this.message, ...(this.data === undefined ? {} : { data: this.data }) };
  }
}

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || (typeof value === 'number' && Number.isSafeInteger(value));
}

/** Says what a parsed value is, or undefined when it is no message. Tolerates unknown members and null params. */
export function classify(value: unknown): 'request' | 'notification' | 'response' | undefined {
  if (!isObject(value) || value.jsonrpc !== '2.0') return undefined;
  if (typeof value.method === 'string') {
    if (value.params !== undefined && value.params !== null && !isObject(value.params)) return undefined;
    if (value.id === undefined) return 'notification';
    return isRequestId(value.id) ? 'request' : undefined;
  }
  if (isObject(value.result)) return isRequestId(value.id) ? 'response' : undefined;
  if (isObject(value.error))
    return isRequestId(value.id) || value.id === null || value.id === undefined ? 'response' : undefined;
  return undefined;
}

/** True if a message that `classify` has taken answers a request. Some write a method of null beside their result. */
export function isResponse(message: RpcMessage): message is RpcResponse {
  return !('method' in message) || typeof message.method !== 'string';
}

/** True if an answer is an error. Some write an error of null beside their result. */
export function isFailure(message: RpcResponse): message is RpcFailure {
  return 'error' in message && isObject(message.error);
}

export function request(id: RequestId, method: string, params?: Params): RpcRequest {
  return params === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params };
}

export function notification(method: string, params?: Params): RpcNotification {
  return params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params };
}

export function success(id: RequestId, result: Result): RpcResult {
  return { jsonrpc: '2.0', id, result };
}

export function failure(id: RequestId | null, error: RpcErrorBody): RpcFailure {
  return { jsonrpc: '2.0', id, error };
}

/** Nesting left to an item below the list that holds it. */
const itemDepth = maxJsonDepth - 8;
/** Members of a result that are passed on to an agent; those of lists are compared, checked and stored. */
const passedOn: readonly string[] = ['content', 'structuredContent', 'contents', 'messages'];
const lists: readonly string[] = ['tools', 'resources', 'resourceTemplates', 'prompts'];
const names: readonly string[] = ['name', 'uri', 'uriTemplate'];

const tooDeep = Symbol('nested too deeply');

/** Throws SyntaxError or JsonLimitError. */
export function parseServerJson(text: string): unknown {
  const value = parseOrRescue(text);
  return isPassedOn(value) ? parseFaithfulJson(text, value) : value;
}

/** The message that a text is; undefined when there is none, as in what a careless server prints between its messages. */
export function parseMessage(text: string): RpcMessage | undefined {
  try {
    const value = parseServerJson(text);
    return classify(value) === undefined ? undefined : (value as RpcMessage);
  } catch {
    return undefined;
  }
}

/** True if all but the name of a list item was left out, because it is nested too deeply. */
export function isTooDeep(item: unknown): boolean {
  return isObject(item) && tooDeep in item;
}

function parseOrRescue(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonDepthError)) throw error;
    // One level more than is taken, so that what was pruned can be told from what just fits.
    const kept = maxJsonDepth + 1;
    const value = parseJson(pruneJson(text, kept), kept);
    const result = isObject(value) && isObject(value.result) ? value.result : {};
    let isRescued = false;
    for (const list of lists) {
      const items = result[list];
      if (!Array.isArray(items)) continue;
      isRescued = true;
      result[list] = items.map((item) => (isWithin(item, itemDepth) ? item : nameOf(item)));
    }
    if (!isRescued || !isWithin(value, maxJsonDepth)) throw error;
    return value;
  }
}

function nameOf(item: unknown): Record<string | symbol, unknown> {
  const known = isObject(item) ? names.filter((name) => typeof item[name] === 'string') : [];
  return {
    ...Object.fromEntries(known.map((name) => [name, (item as Record<string, unknown>)[name]])),
    [tooDeep]: true,
  };
}

function isPassedOn(value: unknown): boolean {
  if (!isObject(value) || !isObject(value.result)) return false;
  const { result } = value;
  return passedOn.some((member) => result[member] !== undefined);
}

/** True if objects and arrays are nested within the limit. */
function isWithin(value: unknown, most: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return most > 0 && Object.values(value).every((item) => isWithin(item, most - 1));
}

const envelope = byFold('jsonrpc', 'id', 'method', 'params', 'result', 'error');

/** Those of every method: a server may read any of them. */
const params = byFold(
  ...['_meta', 'name', 'arguments', 'requestState', 'inputResponses', 'task', 'taskId', 'uri', 'cursor', 'ref'],
  ...['argument', 'context', 'level', 'protocolVersion', 'capabilities', 'clientInfo', 'notifications'],
  ...['requestId', 'reason', 'progressToken', 'progress', 'total', 'message'],
);

function byFold(...names: readonly string[]): ReadonlyMap<string, string> {
  return new Map(names.map((name) => [foldName(name), name]));
}

/** The error for a message with such a member in its envelope or its `params`; undefined where every name is plain. */
export function foldedFault(message: unknown): RpcErrorBody | undefined {
  if (!isObject(message)) return undefined;
  const inEnvelope = foldedMember(message, envelope);
  if (inEnvelope !== undefined) return { code: rpcCodes.invalidRequest, message: `The message has ${inEnvelope}` };
  const inParams = isObject(message.params) ? foldedMember(message.params, params) : undefined;
  return inParams === undefined
    ? undefined
    : { code: rpcCodes.invalidParams, message: `The "params" have ${inParams}` };
}

/** The mistake, as the end of a sentence with advice. */
function foldedMember(members: object, known: ReadonlyMap<string, string>): string | undefined {
  for (const written of Object.keys(members)) {
    const meant = known.get(foldName(written));
    if (meant === undefined || meant === written) continue;
    return `a member ${JSON.stringify(written)}, which differs from "${meant}" only in case or Unicode form. Write it as "${meant}", or leave it out.`;
  }
  return undefined;
}

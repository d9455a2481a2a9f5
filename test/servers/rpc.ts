/** The words of JSON-RPC and MCP that the whole test server shares: message shapes, error codes, reserved `_meta` keys. */

export type RequestId = string | number;
export type Dict = Readonly<Record<string, unknown>>;

/** Any JSON-RPC message; which members are there tells requests, notifications and responses apart. */
export interface Message {
  readonly jsonrpc: '2.0';
  readonly id?: RequestId;
  readonly method?: string;
  readonly params?: Dict | null;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  readonly [vendor: `x-${string}`]: unknown;
}

export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
export const MODERN_VERSION = '2026-07-28';

export const CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  legacyServerError: -32000,
  legacySessionNotFound: -32001,
  legacyResourceNotFound: -32002,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;

export const META = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const;

/** A failure that is answered as a JSON-RPC error, over HTTP with the given status where the era asks for one. */
export class RpcFailure extends Error {
  readonly code: number;
  readonly httpStatus: number;
  readonly data: unknown;

  constructor(code: number, message: string, options: { readonly httpStatus?: number; readonly data?: unknown } = {}) {
    super(message);
    this.code = code;
    this.httpStatus = options.httpStatus ?? 200;
    this.data = options.data;
  }
}

export function notification(method: string, params?: Dict): Message {
  return params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params };
}

export function resultResponse(id: RequestId, result: unknown): Message {
  return { jsonrpc: '2.0', id, result };
}

export function errorResponse(id: RequestId | undefined, failure: RpcFailure): Message {
  const error = { code: failure.code, message: failure.message };
  const body = failure.data === undefined ? error : { ...error, data: failure.data };
  return id === undefined ? { jsonrpc: '2.0', error: body } : { jsonrpc: '2.0', id, error: body };
}

/** The text of a result that no value stands for: nested too deep to be written, or with numbers that none can hold. */
const RAW = Symbol('raw');

/** A result that travels as this text, without the additions of its era. */
export function rawResult(text: string): Dict {
  // Symbols are copied by a spread, so that it outlives every layer that adds members.
  return { [RAW]: text } as Dict;
}

/** How a message is written: as JSON, with a raw result as it is. */
export function jsonOf(message: Message): string {
  const { result } = message;
  const raw = isDict(result) ? (result as { readonly [RAW]?: string })[RAW] : undefined;
  if (raw === undefined) return JSON.stringify(message);
  return `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${raw}}`;
}

export function isDict(value: unknown): value is Dict {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The `_meta` of a message's params, or an empty object. */
export function metaOf(message: Message): Dict {
  const meta = isDict(message.params) ? message.params._meta : undefined;
  return isDict(meta) ? meta : {};
}

/** Reads one JSON text as a message; undefined when it is not a JSON object. */
export function parseMessage(text: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // The sender is the client under test: members are checked where they are used, not here.
    return isDict(value) ? (value as unknown as Message) : undefined;
  } catch {
    return undefined;
  }
}

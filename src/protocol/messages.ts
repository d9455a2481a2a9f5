/** JSON-RPC 2.0 messages as MCP uses them. Payloads stay opaque: a gateway must not lose members that it does not know. */

import { isObject } from '../base/json.ts';

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

export interface RpcFailure {
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

/** Requests as agents of either era write them, by hand, so that every byte of them is known. */

import { META, MODERN_VERSION } from '../../test/servers/rpc.ts';

export type Era = 'legacy' | 'modern';
export type Dict = Readonly<Record<string, unknown>>;

export const ERAS: readonly Era[] = ['legacy', 'modern'];
export const VERSIONS: Readonly<Record<Era, string>> = { legacy: '2025-11-25', modern: MODERN_VERSION };

export interface Rpc {
  readonly id?: unknown;
  readonly method: string;
  readonly params?: Dict;
  /** Replaces what would be written as the body. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface WrittenRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function writeRequest(era: Era, rpc: Rpc, more: Readonly<Record<string, string>>): WrittenRequest {
  const { id, method, params = {} } = rpc;
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': VERSIONS[era],
    ...more,
    ...(era === 'modern' && modernHeaders(method, params)),
    ...rpc.headers,
  };
  const all =
    era === 'modern' ? { ...params, _meta: { ...envelope(), ...(params._meta as Dict | undefined) } } : params;
  return {
    headers,
    body: rpc.body ?? JSON.stringify({ jsonrpc: '2.0', ...(id !== undefined && { id }), method, params: all }),
  };
}

/** The members of every modern request that describe its sender. */
export function envelope(): Dict {
  return {
    [META.protocolVersion]: MODERN_VERSION,
    [META.clientInfo]: { name: 'exam', version: '1.0.0' },
    [META.clientCapabilities]: {},
  };
}

function modernHeaders(method: string, params: Dict): Record<string, string> {
  const name = params.name ?? params.uri;
  return { 'mcp-method': method, ...(typeof name === 'string' && { 'mcp-name': headerValue(name) }) };
}

/** How a name travels in a header: as it is, or as a word in base64 where it is not plain ASCII. */
function headerValue(name: string): string {
  return /^[\x21-\x7e]+$/.test(name) ? name : `=?base64?${Buffer.from(name).toString('base64')}?=`;
}

/** The bytes of a request on the wire. */
export function wireBytes(url: URL, { headers, body }: WrittenRequest): Buffer {
  const lines = Object.entries({ host: url.host, ...headers, 'content-length': String(Buffer.byteLength(body)) });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.from(`POST ${url.pathname}${url.search} HTTP/1.1\r\n${head}\r\n${body}`);
}

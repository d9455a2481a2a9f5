/** The checks of a modern request, in the order that the protocol gives them. */

import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '../access/access.ts';
import { isObject } from '../base/json.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { metaKeys, metaOf, modernVersion } from '../protocol/eras.ts';
import { decodeHeaderValue, encodeHeaderValue, nameHeaderOf } from '../protocol/header-values.ts';
import type { Params, RpcErrorBody, RpcRequest } from '../protocol/messages.ts';
import { rpcCodes } from '../protocol/messages.ts';
import { type ParamHeader, paramHeaderFault, paramHeadersOf } from '../protocol/param-headers.ts';

export interface ModernFault {
  readonly status: number;
  readonly error: RpcErrorBody;
}

/** Methods and names that a header can hold; the bridge sends all of these. */
const plainMethod = /^[\x21-\x7e]{1,256}$/;
const longestName = 4_096;

const ownMethods: ReadonlySet<string> = new Set(['server/discover', 'subscriptions/listen']);

/** True for a request that claims the modern era in its envelope or, without one, in its header. */
export function claimsModern(params: Params | undefined, versionHeader: string | undefined): boolean {
  if (metaOf(params)?.[metaKeys.protocolVersion] !== undefined) return true;
  return versionHeader !== undefined && isModernVersion(versionHeader.trim());
}

function isModernVersion(version: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= modernVersion;
}

export function modernFault(
  message: RpcRequest,
  endpoint: Endpoint,
  principal: Principal,
  headers: IncomingHttpHeaders,
  isBridge: boolean,
): ModernFault | undefined {
  return (
    envelopeFault(message.params) ??
    mismatchFault(message, headers) ??
    versionFault(message.params) ??
    missingHeaderFault(message, headers, isBridge) ??
    methodFault(message.method, endpoint) ??
    parameterFault(message, endpoint, principal, headers, isBridge)
  );
}

function envelopeFault(params: Params | undefined): ModernFault | undefined {
  const meta = metaOf(params) ?? {};
  const missing = [metaKeys.protocolVersion, metaKeys.clientCapabilities].filter((key) => meta[key] === undefined);
  if (missing.length > 0)
    return bad(rpcCodes.invalidParams, `The request lacks ${missing.join(' and ')} in its _meta.`, {
      envelope: { missing },
    });
  if (typeof meta[metaKeys.protocolVersion] !== 'string')
    return bad(rpcCodes.invalidParams, `${metaKeys.protocolVersion} must be a text.`);
  if (!isObject(meta[metaKeys.clientCapabilities]))
    return bad(rpcCodes.invalidParams, `${metaKeys.clientCapabilities} must be an object.`);
  return undefined;
}

function mismatchFault(message: RpcRequest, headers: IncomingHttpHeaders): ModernFault | undefined {
  const version = textHeader(headers, 'mcp-protocol-version');
  const claimed = metaOf(message.params)?.[metaKeys.protocolVersion];
  if (version !== undefined && version !== claimed) return mismatch('MCP-Protocol-Version', version, String(claimed));
  const method = textHeader(headers, 'mcp-method');
  if (method !== undefined && method !== message.method) return mismatch('Mcp-Method', method, message.method);
  return undefined;
}

function versionFault(params: Params | undefined): ModernFault | undefined {
  const requested = metaOf(params)?.[metaKeys.protocolVersion];
  if (requested === modernVersion) return undefined;
  return bad(rpcCodes.unsupportedVersion, `Unsupported protocol version: ${String(requested)}`, {
    supported: [modernVersion],
    requested,
  });
}

/** An agent on stdio may say what no header can hold: only that, and only a bridge, may leave out. */
function missingHeaderFault(
  message: RpcRequest,
  headers: IncomingHttpHeaders,
  isBridge: boolean,
): ModernFault | undefined {
  const missing = (name: string) => bad(rpcCodes.headerMismatch, `The ${name} header is missing.`);
  if (textHeader(headers, 'mcp-protocol-version') === undefined) return missing('MCP-Protocol-Version');
  const canLackMethod = isBridge && !plainMethod.test(message.method);
  if (textHeader(headers, 'mcp-method') === undefined && !canLackMethod) return missing('Mcp-Method');
  const expected = nameHeaderOf(message.method, message.params);
  const sent = textHeader(headers, 'mcp-name');
  if (sent === undefined) {
    const canLackName = isBridge && encodeHeaderValue(expected ?? '').length > longestName;
    return expected === undefined || canLackName ? undefined : missing('Mcp-Name');
  }
  const decoded = decodeHeaderValue(sent);
  if (decoded === undefined) return bad(rpcCodes.headerMismatch, 'The Mcp-Name header is not valid base64.');
  return expected === undefined || decoded === expected ? undefined : mismatch('Mcp-Name', decoded, expected);
}

function methodFault(method: string, endpoint: Endpoint): ModernFault | undefined {
  if (ownMethods.has(method) || endpoint.methods.has(method)) return undefined;
  return { status: 404, error: { code: rpcCodes.methodNotFound, message: `Method not found: ${method}` } };
}

function parameterFault(
  message: RpcRequest,
  endpoint: Endpoint,
  principal: Principal,
  headers: IncomingHttpHeaders,
  isBridge: boolean,
): ModernFault | undefined {
  if (message.method !== 'tools/call') return undefined;
  const tool = endpoint.findTool(String(message.params?.name), principal);
  if (!tool) return undefined;
  const declared = paramHeadersOf(tool);
  // A bridge does not know which arguments a tool wants in headers; those that are there must be right all the same.
  const expected = isBridge ? declared.filter((item) => headers[nameOf(item)] !== undefined) : declared;
  if (expected.length === 0) return undefined;
  const fault = paramHeaderFault(expected, message.params?.arguments, (name) => textHeader(headers, name));
  return fault === undefined
    ? undefined
    : bad(rpcCodes.headerMismatch, `The headers and the body of the request disagree: ${fault}`);
}

function nameOf({ header }: ParamHeader): string {
  return `mcp-param-${header.toLowerCase()}`;
}

function textHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value.trim() : undefined;
}

function mismatch(header: string, sent: string, expected: string): ModernFault {
  return bad(rpcCodes.headerMismatch, `The ${header} header says "${sent}" and the body says "${expected}".`, {
    mismatch: { header, sent, expected },
  });
}

function bad(code: number, message: string, data?: unknown): ModernFault {
  return { status: 400, error: { code, message, ...(data === undefined ? {} : { data }) } };
}

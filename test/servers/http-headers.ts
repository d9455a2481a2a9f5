/** The modern era's rule that HTTP headers repeat parts of the body, and the error when they do not. */

import { CODES, type Dict, isDict, META, RpcFailure } from './rpc.ts';

type Headers = Readonly<Record<string, string>>;

const NAME_SOURCE: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

export function checkVersionHeader(headers: Headers, meta: Dict): void {
  const version = headers['mcp-protocol-version'];
  const claimed = meta[META.protocolVersion];
  if (version !== claimed) throw mismatch('MCP-Protocol-Version', version, claimed);
}

export function checkStandardHeaders(headers: Headers, method: string, params: Dict): void {
  if (headers['mcp-method'] !== method) throw mismatch('Mcp-Method', headers['mcp-method'], method);
  const source = Object.hasOwn(NAME_SOURCE, method) ? NAME_SOURCE[method] : undefined;
  if (source === undefined || params[source] === undefined) return;
  const name = decoded(headers['mcp-name']);
  if (name !== params[source]) throw mismatch('Mcp-Name', headers['mcp-name'], params[source]);
}

/** Compares `Mcp-Param-*` with the arguments that the tool's schema marks with `x-mcp-header`. */
export function checkParamHeaders(headers: Headers, schema: unknown, args: unknown): void {
  const properties = isDict(schema) ? schema.properties : undefined;
  if (!isDict(properties)) return;
  for (const [name, property] of Object.entries(properties)) {
    const value = isDict(args) && Object.hasOwn(args, name) ? args[name] : undefined;
    checkParamHeaders(headers, property, value);
    const mark = isDict(property) ? property['x-mcp-header'] : undefined;
    if (typeof mark !== 'string') continue;
    const header = headers[`mcp-param-${mark.toLowerCase()}`];
    const expected = value === undefined || value === null ? undefined : String(value);
    const isSame = decoded(header) === expected || (typeof value === 'number' && Number(header) === value);
    if (!isSame) throw mismatch(`Mcp-Param-${mark}`, header, expected);
  }
}

function decoded(value: string | undefined): string | undefined {
  const encoded = value === undefined ? null : /^=\?base64\?(.*)\?=$/.exec(value);
  if (encoded === null) return value;
  const bytes = Buffer.from(encoded[1] ?? '', 'base64');
  // Buffer forgives bad base64; a value that does not come out the same again was not well encoded.
  return bytes.toString('base64') === encoded[1] ? bytes.toString('utf8') : undefined;
}

function mismatch(header: string, found: unknown, expected: unknown): RpcFailure {
  const words = `Header mismatch: ${header} is ${JSON.stringify(found)}, the body says ${JSON.stringify(expected)}.`;
  return new RpcFailure(CODES.headerMismatch, words, { httpStatus: 400 });
}

/** How names and arguments travel in HTTP headers (`Mcp-Name`, `Mcp-Param-*`): plain where ASCII allows, else as a base64 word. */

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

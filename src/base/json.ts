/** JSON from strangers: parsed only after its depth was checked, because deep nesting can stop the event loop or break later steps. */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** Nesting deeper than this is refused: real messages stay below 40. */
export const maxJsonDepth = 256;

export class JsonTooDeepError extends Error {
  constructor(limit: number) {
    super(`The JSON is nested deeper than ${limit} levels.`);
    this.name = 'JsonTooDeepError';
  }
}

/** `JSON.parse` with a depth limit. Throws SyntaxError or JsonTooDeepError. */
export function parseJson(text: string, limit = maxJsonDepth): unknown {
  if (exceedsDepth(text, limit)) throw new JsonTooDeepError(limit);
  return JSON.parse(text);
}

/** Counts open brackets outside strings in one pass; no allocation. */
function exceedsDepth(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      at = endOfString(text, at);
    } else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > limit) return true;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return false;
}

/** The index of the quote that closes the string opened at `start`; long strings are skipped natively. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, quote: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(quote - 1 - slashes) === 0x5c) slashes += 1;
  return slashes % 2 === 1;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

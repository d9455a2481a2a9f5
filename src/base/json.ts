/** JSON from strangers: parsed only after a look at its shape, because some small texts stop the event loop or change on the way; and the size of a value as JSON, without writing it. */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** One JSON value a line. */
export const linesType = 'application/x-ndjson';

/** Nesting deeper than this is refused: real messages stay below 40. */
export const maxJsonDepth = 256;
/** Values (objects, arrays, members, items) above which a text is refused: a million take about a tenth of a second. */
export const maxJsonValues = 1_000_000;

/** The text is JSON, perhaps, but not one that we take. */
export class JsonLimitError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'JsonLimitError';
  }
}

/** The same, because of its nesting alone. */
export class JsonDepthError extends JsonLimitError {
  constructor(limit: number) {
    super(`The JSON is nested deeper than ${limit} levels.`);
  }
}

/** `JSON.parse` with limits on nesting and number of values. Throws SyntaxError or JsonLimitError. */
export function parseJson(text: string, limit = maxJsonDepth): unknown {
  checkShape(text, limit, maxJsonValues);
  return JSON.parse(text);
}

/** The same, and every number arrives as it was written: one that would be rounded or lost is refused. */
export function parseExactJson(text: string, mostDepth = maxJsonDepth, mostValues = maxJsonValues): unknown {
  checkShape(text, mostDepth, mostValues);
  const parsed: unknown = JSON.parse(text);
  if (mayHoldLargeNumber.test(text)) checkNumbers(text);
  return parsed;
}

const mayHoldLargeNumber = /\d{16}|\d[eE]/;

declare global {
  interface JSON {
    /** A value that is written exactly as the text; TypeScript does not know of it yet. */
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

/** The same value as `parsed`, what `text` is parsed to, with numbers that would be rounded or lost kept as they are written. */
export function parseFaithfulJson(text: string, parsed: unknown): unknown {
  // Texts are full of ids that look like such numbers, and looking is far cheaper than parsing value by value.
  if (!holdsInexactNumber(text)) return parsed;
  const keep = (_key: string, value: unknown, context?: { readonly source?: string }) => {
    const source = context?.source;
    return typeof value === 'number' && source !== undefined && !isExact(source) ? JSON.rawJSON(source) : value;
  };
  return JSON.parse(text, keep as Parameters<typeof JSON.parse>[1]);
}

/** True where a number in the text would be rounded or lost. */
export function holdsInexactNumber(text: string): boolean {
  return mayHoldLargeNumber.test(text) && inexactNumber(text) !== undefined;
}

/** The value of a number that is kept as written, for comparisons. */
export function numberOf(value: unknown): unknown {
  return JSON.isRawJSON(value) ? Number((value as { rawJSON: string }).rawJSON) : value;
}

/** Counts brackets and commas outside strings in one pass; no allocation. */
function checkShape(text: string, limit: number, mostValues: number): void {
  if (text.length <= Math.min(limit, mostValues)) return;
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      at = endOfString(text, at);
    } else if (code === 0x2c) {
      values += 1;
    } else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      values += 1;
      if (depth > limit) throw new JsonDepthError(limit);
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
    if (values > mostValues) throw new JsonLimitError(`The JSON holds more than ${mostValues} members and items.`);
  }
}

/** The text with null instead of every object and array below a level, so that the levels above can be read. */
export function pruneJson(text: string, levels: number): string {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth === levels + 1) parts.push(text.slice(from, at), 'null');
    } else if (code === 0x5d || code === 0x7d) {
      if (depth === levels + 1) from = at + 1;
      depth -= 1;
    }
  }
  return parts.join('') + text.slice(from);
}

function checkNumbers(text: string): void {
  const inexact = inexactNumber(text);
  if (inexact === undefined) return;
  throw new JsonLimitError(`The number ${inexact.slice(0, 40)} cannot be passed on exactly; send it as a text.`);
}

/** Looks at every number outside strings. Fractions may lose digits that no program counts on; whole numbers may not. */
function inexactNumber(text: string): string | undefined {
  const token = /"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    if (match[0] === '"') token.lastIndex = endOfString(text, match.index) + 1;
    else if (!isExact(match[0])) return match[0];
  }
  return undefined;
}

function isExact(literal: string): boolean {
  const value = Number(literal);
  if (!Number.isFinite(value)) return false;
  const isWhole = /^-?\d+$/.test(literal);
  // The written form counts: -2^63 is a number, but is written with other digits.
  return !isWhole || Number.isSafeInteger(value) || String(value) === literal;
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

/** Bytes of its JSON in UTF-8; counting stops soon after `limit` is passed. */
export function jsonSize(value: unknown, limit = Number.POSITIVE_INFINITY): number {
  if (typeof value === 'string') return textSize(value, limit);
  if (typeof value !== 'object' || value === null) return String(value).length;
  let size = 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      if (size > limit) return size;
      size += jsonSize(item, limit - size) + 1;
    }
    return size;
  }
  for (const [key, item] of Object.entries(value)) {
    if (size > limit) return size;
    if (item !== undefined) size += textSize(key, limit - size) + jsonSize(item, limit - size) + 2;
  }
  return size;
}

/** Texts that are over the limit by their length alone are looked at no closer. */
function textSize(text: string, limit: number): number {
  let size = text.length + 2;
  if (size > limit) return size;
  size = Buffer.byteLength(text) + 2;
  for (let at = 0; at < text.length && size <= limit; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22 || code === 0x5c) size += 1;
    else if (code < 0x20) size += shortEscapes.has(code) ? 1 : 5;
  }
  return text.isWellFormed() ? size : size + countHalves(text);
}

/** Control characters for which JSON has an escape of two characters. */
const shortEscapes = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d]);

/** Half a pair of surrogates takes six bytes as an escape, of which three are counted already. */
function countHalves(text: string): number {
  return 3 * (text.match(/\p{Surrogate}/gu)?.length ?? 0);
}

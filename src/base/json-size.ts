/** How long a value would be as JSON, without writing it: for limits, on values that are small most of the time. */

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

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

/** Most texts are far from the limit: their length alone tells whether a closer look is needed. */
function textSize(text: string, limit: number): number {
  if (text.length + 2 > limit) return text.length + 2;
  return Buffer.byteLength(text) + 2 + countEscapes(text);
}

/** Beyond this a text is looked at no closer: what it has to be escaped adds little to it. */
const looked = 65_536;
const escaped = /["\\\u0000-\u001f]/g;

function countEscapes(text: string): number {
  if (text.length > looked) return 0;
  let extra = 0;
  escaped.lastIndex = 0;
  for (let match = escaped.exec(text); match !== null; match = escaped.exec(text)) {
    extra += match[0] < ' ' && !'\n\r\t\b\f'.includes(match[0]) ? 5 : 1;
  }
  return extra;
}

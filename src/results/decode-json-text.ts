/** The text of a JSON string that comes in chunks of bytes, without its quotes: decoded as it comes, never cut inside a character. */

const backslash = 0x5c;
const letterU = 0x75;
/** Bytes of an escape such as `\u00e9`. */
const unicodeEscape = 6;

export async function* decodeJsonText(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  for await (const piece of wholePieces(chunks)) yield decode(piece);
}

/** The same bytes, cut only where no character and no escape goes on. */
export async function* wholePieces(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer | undefined;
  for await (const chunk of chunks) {
    const bytes = rest ? Buffer.concat([rest, chunk]) : chunk;
    const end = lastSafeEnd(bytes);
    rest = end === bytes.length ? undefined : bytes.subarray(end);
    if (end > 0) yield bytes.subarray(0, end);
  }
  if (rest) yield rest;
}

function decode(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  // Most long texts have escapes at every line end; those that have none need no second pass.
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
}

/** Where the bytes can be cut: after whole characters, whole escapes and whole pairs of surrogates. */
function lastSafeEnd(bytes: Buffer): number {
  const whole = endOfEscapes(bytes, endOfCharacters(bytes));
  return isHighSurrogate(bytes, whole) ? whole - unicodeEscape : whole;
}

/** Before a character of several bytes of which the last are still to come. */
function endOfCharacters(bytes: Buffer): number {
  const end = bytes.length;
  for (let back = 1; back <= 4 && back <= end; back += 1) {
    const byte = bytes[end - back] as number;
    if (byte < 0x80) return end;
    if (byte >= 0xc0) return lengthOf(byte) > back ? end - back : end;
  }
  return end;
}

function lengthOf(lead: number): number {
  return lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
}

/** Before an escape that is not complete. */
function endOfEscapes(bytes: Buffer, end: number): number {
  const at = bytes.subarray(0, end).lastIndexOf(backslash);
  if (at === -1 || at < end - unicodeEscape || !opensEscape(bytes, at)) return end;
  const length = at + 1 === end ? 2 : bytes[at + 1] === letterU ? unicodeEscape : 2;
  return at + length > end ? at : end;
}

/** A backslash that is not itself escaped; the bytes begin where nothing is. */
function opensEscape(bytes: Buffer, at: number): boolean {
  let before = 0;
  while (at - 1 - before >= 0 && bytes[at - 1 - before] === backslash) before += 1;
  return before % 2 === 0;
}

/** True if the last escape is the first half of a character whose other half may follow. */
function isHighSurrogate(bytes: Buffer, end: number): boolean {
  const at = end - unicodeEscape;
  if (at < 0 || bytes[at] !== backslash || bytes[at + 1] !== letterU || !opensEscape(bytes, at)) return false;
  const code = Number.parseInt(bytes.toString('latin1', at + 2, end), 16);
  return code >= 0xd800 && code <= 0xdbff;
}

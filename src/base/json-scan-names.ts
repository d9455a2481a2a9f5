/** Names out of bytes: the same few come again and again, and are made only once. */

/** Longer names are seldom the same twice. */
const longestRemembered = 32;
const places = 64;

interface Remembered {
  readonly bytes: Buffer;
  readonly name: string;
}

export class NameMemory {
  readonly #names: (Remembered | undefined)[] = new Array(places).fill(undefined);

  /** The name that stands in the bytes from one place to another, as UTF-8 without escapes. */
  read(bytes: Buffer, from: number, to: number): string {
    const length = to - from;
    if (length === 0 || length > longestRemembered) return bytes.toString('utf8', from, to);
    const place = (length * 31 + (bytes[from] as number) * 7 + (bytes[to - 1] as number)) % places;
    const known = this.#names[place];
    if (known && isSame(known.bytes, bytes, from, length)) return known.name;
    const name = bytes.toString('utf8', from, to);
    this.#names[place] = { bytes: Buffer.from(bytes.subarray(from, to)), name };
    return name;
  }
}

function isSame(known: Buffer, bytes: Buffer, from: number, length: number): boolean {
  if (known.length !== length) return false;
  for (let at = 0; at < length; at += 1) if (known[at] !== bytes[from + at]) return false;
  return true;
}

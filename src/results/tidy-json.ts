/** JSON as it is easiest to read and to search: no white space between values, and no escapes but the necessary ones. */

const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;

/** Takes JSON (or a piece of it that begins outside strings) in chunks; what it gives is never longer. Checks nothing. */
export class JsonTidier {
  #isInString = false;
  /** An escape of which not all bytes have come: the backslash and what follows it. */
  #escape = '';
  /** The first half of a character outside the basic plane, waiting for the second. */
  #high = 0;

  push(chunk: Buffer): Buffer {
    // An escape and half a character may have been held back, and come out with this chunk.
    const out = Buffer.allocUnsafe(chunk.length + 12);
    let length = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (!this.#isInString) {
        if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) continue;
        if (byte === quote) this.#isInString = true;
        out[length++] = byte;
      } else if (this.#escape !== '') {
        this.#escape += String.fromCharCode(byte);
        if (this.#escape.length === (this.#escape.charCodeAt(1) === letterU ? 6 : 2))
          length = this.#writeEscape(out, length);
      } else if (byte === backslash) this.#escape = '\\';
      else {
        if (this.#high !== 0) length = this.#writeHigh(out, length);
        if (byte === quote) this.#isInString = false;
        out[length++] = byte;
      }
    }
    return out.subarray(0, length);
  }

  #writeEscape(out: Buffer, at: number): number {
    const written = this.#escape;
    this.#escape = '';
    const code = written.charCodeAt(1) === letterU ? Number.parseInt(written.slice(2), 16) : -1;
    if (this.#high !== 0) {
      if (code >= 0xdc00 && code <= 0xdfff) {
        const pair = String.fromCharCode(this.#high, code);
        this.#high = 0;
        return at + out.write(pair, at);
      }
      return this.#writeCode(out, this.#writeHigh(out, at), code, written);
    }
    return this.#writeCode(out, at, code, written);
  }

  #writeCode(out: Buffer, at: number, code: number, written: string): number {
    if (written === '\\/') return at + out.write('/', at);
    if (code >= 0xd800 && code <= 0xdbff) {
      this.#high = code;
      return at;
    }
    const isHalf = code >= 0xdc00 && code <= 0xdfff;
    // JSON.stringify writes what must be escaped in its shortest form.
    const text = code < 0 || isHalf ? written : JSON.stringify(String.fromCharCode(code)).slice(1, -1);
    return at + out.write(text, at);
  }

  /** Half a character without the other half can only be written as an escape. */
  #writeHigh(out: Buffer, at: number): number {
    const text = `\\u${this.#high.toString(16)}`;
    this.#high = 0;
    return at + out.write(text, at);
  }
}

export async function* tidyJson(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const tidier = new JsonTidier();
  for await (const chunk of chunks) yield tidier.push(chunk);
}

/** The same for a text that is at hand. */
export function tidied(text: Buffer): Buffer {
  return new JsonTidier().push(text);
}

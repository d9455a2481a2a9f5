/** Bytes that can be read from any place, in pieces. */

import { type FileHandle, open } from 'node:fs/promises';
import { GatewayError } from '../base/errors.ts';
import { decodeJsonText } from './decode-json-text.ts';

/** How much is read at a time; larger pieces are hardly faster and leave more to be collected. */
const pieceBytes = 64 * 1_024;

export interface ByteSource {
  readonly bytes: number;
  /** From one place up to another; what lies outside is left out. */
  read(from?: number, to?: number): AsyncGenerator<Buffer>;
}

/** The signal stops a read that nobody waits for any more. */
export function fileSource(path: string, bytes: number, signal?: AbortSignal): ByteSource {
  return {
    bytes,
    async *read(from = 0, to = bytes) {
      const file = await open(path, 'r');
      try {
        for await (const piece of readRange(file, Math.max(0, from), Math.min(to, bytes))) {
          signal?.throwIfAborted();
          yield piece;
        }
      } finally {
        await file.close();
      }
    },
  };
}

async function* readRange(file: FileHandle, from: number, to: number): AsyncGenerator<Buffer> {
  for (let at = from; at < to; ) {
    const piece = Buffer.allocUnsafeSlow(Math.min(pieceBytes, to - at));
    const { bytesRead } = await file.read(piece, 0, piece.length, at);
    if (bytesRead === 0) throw shortened();
    at += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}

function shortened(): GatewayError {
  return new GatewayError('STORE_BROKEN', 'A file of the large result is shorter than it was written.', {
    hint: 'Call the tool again to get a new result.',
    data: { reason: 'stored-result' },
  });
}

/** A part of another source. */
export function sliceSource(source: ByteSource, start: number, end: number): ByteSource {
  const bytes = end - start;
  return { bytes, read: (from = 0, to = bytes) => source.read(start + from, start + Math.min(to, bytes)) };
}

/** The text of a JSON string, quotes included, that lies in another source. Reading from the middle reads from the start. */
export async function decodedSource(source: ByteSource, known?: number): Promise<ByteSource> {
  const decode = async function* () {
    for await (const text of decodeJsonText(source.read(1, source.bytes - 1))) yield Buffer.from(text);
  };
  const bytes = known ?? (await countBytes(decode()));
  return { bytes, read: (from = 0, to = bytes) => cut(decode(), from, to) };
}

async function countBytes(chunks: AsyncIterable<Buffer>): Promise<number> {
  let bytes = 0;
  for await (const chunk of chunks) bytes += chunk.length;
  return bytes;
}

async function* cut(chunks: AsyncIterable<Buffer>, from: number, to: number): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const chunk of chunks) {
    const piece = chunk.subarray(Math.max(0, from - at), Math.max(0, to - at));
    at += chunk.length;
    if (piece.length > 0) yield piece;
    if (at >= to) return;
  }
}

/** Takes a run of bytes in other portions than it comes in. Its end closes the source. */
export class ByteReader implements AsyncDisposable {
  readonly #pieces: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(pieces: AsyncIterable<Buffer>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** The next ones; fewer where the run ends. */
  async *take(bytes: number): AsyncGenerator<Buffer> {
    for (let left = bytes; left > 0; ) {
      if (this.#rest.length === 0) {
        const next = await this.#pieces.next();
        if (next.done) return;
        this.#rest = next.value;
      }
      const piece = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pieces.return?.();
  }
}

export async function collect(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return all.length === 1 ? (all[0] as Buffer) : Buffer.concat(all);
}

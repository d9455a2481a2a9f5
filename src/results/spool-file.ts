/** One message on disk: written as it arrives, read in pieces, gone when it is released. */

import { closeSync, mkdirSync, openSync, read, readSync, unlinkSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { GatewayError, systemCodeOf } from '../base/errors.ts';

/** How much is read at a time. */
const pieceBytes = 64 * 1_024;

interface SpoolFileOptions {
  readonly path: string;
  /** Called before the file grows by `bytes`; throws if there is no room for them. */
  readonly onGrow: (bytes: number) => void;
  /** The file is closed; `bytes` of its room are free again. */
  readonly onReleased: (bytes: number) => void;
}

export class SpoolFile {
  readonly #options: SpoolFileOptions;
  readonly #file: number;
  #reserved = 0;
  #size = 0;
  #isReleased = false;
  #isLinked: boolean;
  /** Reads that the system has not finished: a number of a file that is closed may soon mean another file. */
  #reads = 0;

  /** The file loses its name at once, where the system allows it: then nothing is left by a crash. */
  constructor(options: SpoolFileOptions) {
    const { path } = options;
    this.#options = options;
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      this.#file = openSync(path, 'wx+', 0o600);
    } catch (error) {
      throw broken(error);
    }
    this.#isLinked = !removed(path);
  }

  get size(): number {
    return this.#size;
  }

  append(bytes: Buffer): void {
    if (this.#isReleased) throw released();
    this.#options.onGrow(bytes.length);
    this.#reserved += bytes.length;
    try {
      for (let done = 0; done < bytes.length; ) {
        done += writeSync(this.#file, bytes, done, bytes.length - done, this.#size + done);
      }
    } catch (error) {
      throw broken(error);
    }
    this.#size += bytes.length;
  }

  /** The bytes from one place to another, in pieces that belong to the reader. */
  async *read(from: number, to: number): AsyncGenerator<Buffer> {
    for (let at = from; at < to; ) {
      const piece = await this.#readPiece(at, Math.min(pieceBytes, to - at));
      at += piece.length;
      yield piece;
    }
  }

  /** Everything at once, without giving way: for messages that are taken whole, in their order. */
  readWhole(): Buffer {
    if (this.#isReleased) throw released();
    const bytes = Buffer.allocUnsafe(this.#size);
    try {
      for (let done = 0; done < bytes.length; ) {
        const count = readSync(this.#file, bytes, done, bytes.length - done, done);
        if (count === 0) throw new Error('The file is shorter than what was written to it.');
        done += count;
      }
    } catch (error) {
      throw broken(error);
    }
    return bytes;
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    if (this.#reads === 0) this.#close();
  }

  async #readPiece(at: number, length: number): Promise<Buffer> {
    if (this.#isReleased) throw released();
    const bytes = Buffer.allocUnsafeSlow(length);
    this.#reads += 1;
    try {
      const count = await readAt(this.#file, bytes, at);
      if (count === 0) throw new Error('The file is shorter than what was written to it.');
      return bytes.subarray(0, count);
    } catch (error) {
      throw broken(error);
    } finally {
      this.#reads -= 1;
      if (this.#isReleased && this.#reads === 0) this.#close();
    }
  }

  #close(): void {
    closeSync(this.#file);
    if (this.#isLinked) this.#isLinked = !removed(this.#options.path);
    this.#options.onReleased(this.#reserved);
  }
}

function readAt(file: number, bytes: Buffer, at: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(file, bytes, 0, bytes.length, at, (error, count) => (error ? reject(error) : resolve(count)));
  });
}

/** If it fails, the file is removed when it is closed, or with the whole folder at the next start. */
function removed(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch {
    return false;
  }
}

function broken(error: unknown): GatewayError {
  const code = systemCodeOf(error);
  const why =
    code === 'ENOSPC' || code === 'EDQUOT' ? 'the disk is full' : `the disk refused it (${code ?? 'unknown'})`;
  return new GatewayError('STORE_BROKEN', `Can't store a large answer: ${why}.`, {
    hint: 'Make room on the disk of the data folder, or ask for less at a time.',
    cause: error,
    data: { reason: 'spool', systemCode: code ?? null },
  });
}

function released(): GatewayError {
  return new GatewayError('STORE_BROKEN', 'A large answer was gone before it was read.', {
    hint: 'Call the tool again.',
    data: { reason: 'spool-released' },
  });
}

/** A message that is too long for the memory, while it arrives: written to a spool file, and read as far as it must be. */

import { JsonDepthError, JsonLimitError } from '../base/json.ts';
import { limits } from '../config/config.ts';
import { isRequestId, type RequestId } from '../protocol/messages.ts';
import { parseServerJson } from '../protocol/server-json.ts';
import { SkeletonReader } from './read-skeleton.ts';
import type { Spool } from './spool.ts';
import type { SpoolFile } from './spool-file.ts';

export class SpoolMessage {
  readonly #file: SpoolFile;
  readonly #skeleton: SkeletonReader;
  /** Set where something in it is nested too deeply: of a list, the rest can still be had. */
  #isDeep = false;

  /** Throws a GatewayError where the spool has no room. */
  constructor(spool: Spool) {
    this.#file = spool.create();
    this.#skeleton = new SkeletonReader(this.#file);
  }

  /** Throws SyntaxError (it is not JSON), JsonLimitError (it is too much) or GatewayError (there is no room for it). */
  push(bytes: Buffer): void {
    if (this.#file.size + bytes.length > limits.maxMessageBytes) {
      throw new JsonLimitError(`It is larger than ${limits.maxMessageBytes} bytes.`);
    }
    this.#file.append(bytes);
    if (this.#isDeep) return;
    try {
      this.#skeleton.push(bytes);
    } catch (error) {
      if (!(error instanceof JsonDepthError)) throw error;
      this.#isDeep = true;
    }
  }

  /** Whose answer it is, as soon as that is certain. */
  get answerId(): RequestId | undefined {
    const { id, method, result, error } = this.#skeleton.message ?? {};
    const isAnswer = method === undefined && (result !== undefined || error !== undefined);
    return isAnswer && isRequestId(id) ? id : undefined;
  }

  /**
   * The message, or messages, now that everything has come. Only in an answer with a result are long values left in
   * the file, which lives until they are released; everything else is loaded, if it is not larger than `wholeBytes`.
   */
  end(wholeBytes: number): unknown {
    if (this.#isDeep) return this.#takeWhole(wholeBytes);
    this.#skeleton.end();
    if (!this.#skeleton.isAnswer) return this.#takeWhole(wholeBytes);
    if (!this.#skeleton.hasLongValues) this.drop();
    return this.#skeleton.message;
  }

  drop(): void {
    this.#file.release();
  }

  #takeWhole(limit: number): unknown {
    if (this.#file.size > limit) throw new JsonLimitError(`It is larger than ${limit} bytes.`);
    const text = this.#file.readWhole().toString('utf8');
    this.drop();
    return parseServerJson(text);
  }
}

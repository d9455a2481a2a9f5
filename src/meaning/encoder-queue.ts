/** What waits for the encoder: what is urgent first, then the rest, each in the order of its coming. */

import { GatewayError } from '../base/errors.ts';
import type { Vector } from './vector.ts';

/** Far more than there are searches at once; more mean that the encoder does not keep up. */
const mostRequests = 1_000;

/** Texts of one caller, computed one by one. */
export interface EncoderRequest {
  nextText(): string | undefined;
  /** The vector of the text that `nextText` named last. Ignored when nobody waits any more. */
  take(vector: Vector | null): void;
}

export class EncoderQueue {
  readonly #urgent = new Set<OpenRequest>();
  readonly #patient = new Set<OpenRequest>();

  /** Rejects with the signal's reason as soon as it aborts. */
  async add(texts: readonly string[], signal: AbortSignal, isUrgent: boolean): Promise<(Vector | null)[]> {
    if (texts.length === 0) return [];
    if (this.#urgent.size + this.#patient.size >= mostRequests)
      throw new GatewayError('MODEL_FAILED', `${mostRequests} requests are already waiting for the encoder.`);
    const line = isUrgent ? this.#urgent : this.#patient;
    const request = new OpenRequest(texts);
    const onAbort = () => request.fail(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    line.add(request);
    try {
      return await request.vectors;
    } finally {
      signal.removeEventListener('abort', onAbort);
      line.delete(request);
    }
  }

  next(): EncoderRequest | undefined {
    for (const line of [this.#urgent, this.#patient]) for (const request of line) if (request.isOpen) return request;
    return undefined;
  }

  failAll(error: GatewayError): void {
    for (const request of [...this.#urgent, ...this.#patient]) request.fail(error);
  }
}

class OpenRequest implements EncoderRequest {
  readonly #texts: readonly string[];
  readonly #found: (Vector | null)[] = [];
  readonly #outcome = Promise.withResolvers<(Vector | null)[]>();
  #isOpen = true;

  constructor(texts: readonly string[]) {
    this.#texts = texts;
  }

  get vectors(): Promise<(Vector | null)[]> {
    return this.#outcome.promise;
  }

  /** Whether there are texts left and somebody waits for them. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  nextText(): string | undefined {
    return this.#texts[this.#found.length];
  }

  take(vector: Vector | null): void {
    this.#found.push(vector);
    if (this.#found.length < this.#texts.length) return;
    this.#isOpen = false;
    this.#outcome.resolve(this.#found);
  }

  fail(reason: unknown): void {
    this.#isOpen = false;
    this.#outcome.reject(reason);
  }
}

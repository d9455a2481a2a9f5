/** The encoder of the companion package as a model: it computes in a thread of its own, one text after the other. */

import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { GatewayError, messageOf } from '../../base/errors.ts';
import type { EmbeddingModel } from '../meaning.ts';
import { assetPath } from '../model-input.ts';
import type { Vector } from '../vector.ts';
import { type EncoderIdentity, findEncoder, identifyEncoder } from './package.ts';

export interface EncoderFiles {
  /** Where the files with the weights are. */
  readonly folder: string;
  readonly vocabulary: string;
}

export interface EncoderInput {
  readonly number: number;
  readonly text: string;
}

export interface EncoderAnswer {
  readonly number: number;
  readonly vector: Vector | null;
}

/** The part of `Worker` in use. */
export interface EncoderThread {
  postMessage(question: EncoderInput): void;
  on(event: 'message', listener: (answer: EncoderAnswer) => void): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  on(event: 'exit', listener: () => void): unknown;
  unref(): void;
  terminate(): Promise<unknown>;
}

/** The source runs as it is and also compiled: the worker's file ends like this one. */
const workerFile = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);

/** Throws MODEL_BROKEN where the package is missing. The thread starts with the first text. */
export function openEncoder(files: Partial<EncoderFiles> = {}): EmbeddingModel {
  const folder = files.folder ?? findEncoder();
  const workerData: EncoderFiles = { folder, vocabulary: files.vocabulary ?? assetPath('vocabulary.txt') };
  // Not with the options of this process: some, such as `--input-type`, would keep the thread from starting.
  return new EncoderModel(identifyEncoder(folder), () => new Worker(workerFile, { workerData, execArgv: [] }));
}

export class EncoderModel implements EmbeddingModel {
  readonly id: string;
  readonly kind = 'encoder';
  readonly width: number;
  readonly dimensions: number;
  readonly #startThread: () => EncoderThread;
  readonly #queue = new EncoderQueue();
  #thread: EncoderThread | undefined;
  /** The text that the thread is at: never more than one, so that the next can be chosen as late as possible. */
  #asked: { readonly number: number; readonly request: EncoderRequest } | undefined;
  #lastNumber = 0;
  #isClosed = false;

  constructor(identity: EncoderIdentity, startThread: () => EncoderThread) {
    this.id = identity.id;
    this.width = identity.width;
    this.dimensions = identity.width;
    this.#startThread = startThread;
  }

  async embed(texts: readonly string[], signal: AbortSignal, isUrgent = false): Promise<(Vector | null)[]> {
    signal.throwIfAborted();
    if (this.#isClosed) throw new GatewayError('MODEL_FAILED', 'The encoder is closed.');
    const vectors = this.#queue.add(texts, signal, isUrgent);
    this.#askNext();
    return vectors;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const thread = this.#thread;
    this.#forgetThread(new GatewayError('MODEL_FAILED', 'The encoder is closed.'));
    await thread?.terminate();
  }

  #askNext(): void {
    if (this.#asked) return;
    const request = this.#queue.next();
    const text = request?.nextText();
    if (request === undefined || text === undefined) return;
    const thread = this.#thread ?? this.#start();
    if (thread === undefined) return;
    this.#lastNumber += 1;
    this.#asked = { number: this.#lastNumber, request };
    thread.postMessage({ number: this.#lastNumber, text });
  }

  /** undefined, and every request has failed, where the system has no room for a thread. */
  #start(): EncoderThread | undefined {
    try {
      const thread = this.#startThread();
      thread.on('message', (answer) => this.#answered(answer));
      thread.on('error', (error) => this.#lost(thread, error));
      thread.on('exit', () => this.#lost(thread, undefined));
      // Nobody's process stays alive for it, whatever it is at.
      thread.unref();
      this.#thread = thread;
      return thread;
    } catch (error) {
      this.#lost(undefined, error);
      return undefined;
    }
  }

  #answered({ number, vector }: EncoderAnswer): void {
    // An answer of a thread that was given up.
    if (this.#asked?.number !== number) return;
    const { request } = this.#asked;
    this.#asked = undefined;
    request.take(vector);
    this.#askNext();
  }

  #lost(thread: EncoderThread | undefined, error: unknown): void {
    if (thread !== this.#thread) return;
    const why = error === undefined ? '' : ` ${messageOf(error)}`;
    const hint = 'It starts again with the next search.';
    this.#forgetThread(new GatewayError('MODEL_FAILED', `The encoder has stopped.${why}`, { hint, cause: error }));
  }

  /** The next text starts another thread. */
  #forgetThread(error: GatewayError): void {
    this.#thread = undefined;
    this.#asked = undefined;
    this.#queue.failAll(error);
  }
}

/** Far more than there are searches at once; more mean that the encoder does not keep up. */
const mostRequests = 1_000;

/** Texts of one caller, computed one by one. */
interface EncoderRequest {
  nextText(): string | undefined;
  /** The vector of the text that `nextText` named last. Ignored when nobody waits any more. */
  take(vector: Vector | null): void;
}

/** Requests that wait for the encoder: urgent ones first, then the others, each in order of arrival. */
class EncoderQueue {
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

  /** True while texts are left and somebody waits for them. */
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

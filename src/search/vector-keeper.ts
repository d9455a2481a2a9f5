/** Makes the vectors of tools in the background, keeps them in the store, and puts them into the index. */

import { createHash } from 'node:crypto';
import { type Clock, sleep, type Timer } from '../base/clock.ts';
import { GatewayError, messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { EmbeddingModel, TableModel, Vector } from '../meaning/meaning.ts';
import type { Store } from '../store/store.ts';
import { FaultNotice } from './fault-notice.ts';
import type { ToolIndex } from './tool-index.ts';

/** Texts that are embedded between two turns of the event loop. */
const batchSize = 64;
/** Vectors of texts that no tool has now, kept for tools that come back; more are removed from the store. */
const mostUnused = 5_000;
/** A search waits so long for vectors that the built-in table can make at once. */
const hurryMs = 30;
/** And so long for the store to be read, right after a start. */
const readWaitMs = 200;
/** Time for the vectors of one question; after it the search goes by words. */
const questionTimeoutMs = 5_000;
const retryMs = 30_000;

export type VectorStore = Pick<Store, 'listVectors' | 'saveVectors' | 'removeVectors' | 'removeVectorsOfOtherModels'>;

export interface VectorKeeperOptions {
  readonly model: EmbeddingModel;
  readonly store: VectorStore;
  readonly index: ToolIndex;
  readonly clock: Clock;
  readonly log: Log;
}

export interface VectorCounts {
  /** Tools whose vector is in the index. */
  readonly ready: number;
  /** Texts that wait for one. */
  readonly waiting: number;
  /** Vectors made by the model since the start; those found in the store are not counted. */
  readonly made: number;
}

interface Waiting {
  readonly text: string;
  readonly keys: Set<string>;
}

type Made = readonly (readonly [fingerprint: string, vector: Vector | null])[];

export class VectorKeeper {
  readonly model: EmbeddingModel;
  readonly #store: VectorStore;
  readonly #index: ToolIndex;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #fault: FaultNotice;
  readonly #closing = new AbortController();
  /** By fingerprint of the text: from the store, or made here. null: the text means nothing to the model. */
  readonly #vectors = new Map<string, Vector | null>();
  /** The fingerprint of each tool's text, by key. */
  readonly #wanted = new Map<string, string>();
  /** Texts to embed, by fingerprint, with the tools that have them. */
  readonly #waiting = new Map<string, Waiting>();
  #isLoaded = false;
  #loading: Promise<void> | undefined;
  #reading: Promise<void> | undefined;
  #saving: Promise<unknown> | undefined;
  #working: Promise<void> | undefined;
  #retry: Timer | undefined;
  #made = 0;

  constructor(options: VectorKeeperOptions) {
    this.model = options.model;
    this.#store = options.store;
    this.#index = options.index;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#fault = new FaultNotice(options.clock);
    this.#index.resetVectors(this.model);
  }

  get counts(): VectorCounts {
    return { ready: this.#wanted.size - this.#lacking(), waiting: this.#waiting.size, made: this.#made };
  }

  /** The tool's text is this one now. Its vector follows at once where it is known, else in the background. */
  want(key: string, text: string): void {
    const fingerprint = fingerprintOf(text);
    this.forget(key);
    this.#wanted.set(key, fingerprint);
    const known = this.#vectors.get(fingerprint);
    if (known) this.#index.setVector(key, known);
    if (known !== undefined) return;
    const waiting = this.#waiting.get(fingerprint);
    if (waiting) waiting.keys.add(key);
    else this.#waiting.set(fingerprint, { text, keys: new Set([key]) });
    if (this.#isLoaded) this.#work();
  }

  /** A text that no other tool has is not embedded any more. */
  forget(key: string): void {
    const fingerprint = this.#wanted.get(key) ?? '';
    const waiting = this.#waiting.get(fingerprint);
    this.#wanted.delete(key);
    waiting?.keys.delete(key);
    if (waiting?.keys.size === 0) this.#waiting.delete(fingerprint);
  }

  /** The vectors of a question, as far as the model can give them now; a failure is told once and costs only the meaning. */
  async vectorsOf(texts: readonly string[], signal: AbortSignal): Promise<Vector[]> {
    if (this.#fault.isResting) return [];
    const late = new AbortController();
    const timer = this.#clock.after(questionTimeoutMs, () => late.abort(tooLate()));
    const within = AbortSignal.any([signal, this.#closing.signal, late.signal]);
    try {
      const vectors = await this.model.embed(texts, within);
      this.#workedAgain();
      return vectors.filter((vector) => vector !== null);
    } catch (error) {
      if (!signal.aborted && !this.#closing.signal.aborted) this.#putOff(error);
      return [];
    } finally {
      timer.cancel();
    }
  }

  /** Whether the model fails at present, so that searches go by words. */
  get isFailing(): boolean {
    return this.#fault.isFailing;
  }

  /** Reads what the store has, then makes what is missing. */
  load(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  async #load(): Promise<void> {
    this.#reading = this.#readStored();
    await this.#reading;
    if (this.#closing.signal.aborted) return;
    this.#work();
    await this.#working;
    await this.#prune();
  }

  async #readStored(): Promise<void> {
    try {
      await this.#store.removeVectorsOfOtherModels(this.model.id);
      for (const { fingerprint, values, scale } of await this.#store.listVectors(this.model.id)) {
        if (values.length !== this.model.width) continue;
        const numbers = new Int8Array(values.buffer, values.byteOffset, values.length);
        this.#vectors.set(fingerprint, { values: numbers, scale });
      }
    } catch (error) {
      this.#log.warn('Vectors could not be read from the store and are made anew.', { error: messageOf(error) });
    }
    if (this.#closing.signal.aborted) return;
    this.#isLoaded = true;
    for (const [key, fingerprint] of this.#wanted) {
      const known = this.#vectors.get(fingerprint);
      if (!known) continue;
      this.#index.setVector(key, known);
      this.#waiting.delete(fingerprint);
    }
  }

  /** For a search that is about to begin: what the store has is waited for a little, and the built-in table makes the rest at once. */
  async hurry(): Promise<void> {
    if (!this.#isLoaded) await Promise.race([this.#reading, sleep(this.#clock, readWaitMs)]);
    if (!this.#isLoaded) return;
    const table = this.model as Partial<Pick<TableModel, 'vectorOf'>>;
    if (!table.vectorOf || this.#waiting.size === 0) return;
    const until = this.#clock.elapsed() + hurryMs;
    const made: [string, Vector | null][] = [];
    for (const [fingerprint, { text }] of this.#waiting) {
      if (this.#clock.elapsed() > until) break;
      made.push([fingerprint, table.vectorOf.call(this.model, text)]);
    }
    this.#take(made);
    this.#saving = Promise.all([this.#saving, this.#save(made)]);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#retry?.cancel();
    await Promise.all([this.#loading, this.#working, this.#saving]);
    await this.model.close();
  }

  #work(): void {
    if (this.#working || this.#waiting.size === 0 || this.#closing.signal.aborted || this.#fault.isResting) return;
    this.#working = this.#makeAll().finally(() => {
      this.#working = undefined;
      // Texts that came while the last ones were being saved.
      if (this.#waiting.size > 0) this.#work();
    });
  }

  async #makeAll(): Promise<void> {
    while (this.#waiting.size > 0 && !this.#closing.signal.aborted) {
      // Gives way first: what called for the work comes before the work.
      await new Promise((resolve) => setImmediate(resolve));
      const batch = this.#nextBatch();
      try {
        const vectors = await this.model.embed(
          batch.map(([, text]) => text),
          this.#closing.signal,
        );
        // The index may be another model's by now.
        if (this.#closing.signal.aborted) return;
        const made: Made = batch.map(([fingerprint], at) => [fingerprint, vectors[at] ?? null]);
        this.#take(made);
        await this.#save(made);
        this.#workedAgain();
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        this.#putOff(error);
        return;
      }
    }
  }

  #putOff(error: unknown): void {
    const notice = this.#fault.failed('The model for search by meaning', error);
    if (notice) this.#log.warn(`${notice} Searches go on by words.`);
    this.#retryLater();
  }

  /** The rest grows with each failure, so that the time may not have come yet. */
  #retryLater(): void {
    this.#retry?.cancel();
    this.#retry = this.#clock.after(retryMs, () => (this.#fault.isResting ? this.#retryLater() : this.#work()));
  }

  #nextBatch(): (readonly [fingerprint: string, text: string])[] {
    const batch: (readonly [string, string])[] = [];
    for (const [fingerprint, { text }] of this.#waiting) {
      batch.push([fingerprint, text]);
      if (batch.length === batchSize) break;
    }
    return batch;
  }

  #workedAgain(): void {
    const again = this.#fault.worked();
    if (!again) return;
    this.#log.info(again);
    this.#work();
  }

  #take(made: Made): void {
    for (const [fingerprint, vector] of made) {
      const keys = this.#waiting.get(fingerprint)?.keys ?? [];
      this.#vectors.set(fingerprint, vector);
      this.#waiting.delete(fingerprint);
      if (vector) for (const key of keys) this.#index.setVector(key, vector);
    }
    this.#made += made.length;
  }

  async #save(made: Made): Promise<void> {
    const rows = made.flatMap(([fingerprint, vector]) =>
      vector ? [{ fingerprint, scale: vector.scale, values: bytesOf(vector.values) }] : [],
    );
    try {
      await this.#store.saveVectors(this.model.id, rows);
    } catch (error) {
      this.#log.warn('Vectors could not be stored and will be made again after a restart.', {
        error: messageOf(error),
      });
    }
  }

  async #prune(): Promise<void> {
    const used = new Set(this.#wanted.values());
    const unused = [...this.#vectors.keys()].filter((fingerprint) => !used.has(fingerprint)).slice(mostUnused);
    if (unused.length === 0 || this.#closing.signal.aborted) return;
    for (const fingerprint of unused) this.#vectors.delete(fingerprint);
    await this.#store.removeVectors(this.model.id, unused).catch((error) => {
      this.#log.warn('Vectors of tools that are gone could not be removed.', { error: messageOf(error) });
    });
  }

  #lacking(): number {
    let count = 0;
    for (const fingerprint of this.#wanted.values()) if (!this.#vectors.get(fingerprint)) count += 1;
    return count;
  }
}

/** What a vector is stored under: the text that the model saw, since two servers may describe one tool alike. */
function fingerprintOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

function tooLate(): GatewayError {
  return new GatewayError('MODEL_FAILED', `It did not answer within ${questionTimeoutMs / 1_000} seconds.`);
}

function bytesOf(values: Int8Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.length);
}

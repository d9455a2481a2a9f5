/** Makes the vectors of tools in the background, keeps them in the store, and puts them into the index. */

import { createHash } from 'node:crypto';
import { setImmediate as giveWay } from 'node:timers/promises';
import { type Clock, sleep, type Timer } from '../base/clock.ts';
import { GatewayError, messageOf } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { EmbeddingModel, TableModel, Vector } from '../meaning/meaning.ts';
import type { VectorStore } from '../store/store.ts';
import { FaultNotice } from './fault-notice.ts';
import type { ToolIndex } from './tool-index.ts';

/** Texts that are embedded between two turns of the event loop. */
const batchSize = 64;
/** Vectors of texts that no tool has now, kept for tools that come back; those unused for longest are removed beyond it. */
const mostUnused = 5_000;
/** How long a search waits for vectors that the built-in table can make at once. */
const hurryMs = 30;
/** How long it waits for the store to be read, right after a start. */
const readWaitMs = 200;
/** Time for the vectors of one query; after it the search goes by words, this once. */
const questionTimeoutMs = 5_000;
/** Questions in a row that the model did not answer in time before it is left alone for a while. */
const mostMissedInRow = 3;
const retryMs = 30_000;
/** A service that refuses even this does not refuse because of a tool's text. */
const harmlessText = 'search';
/** HTTP statuses that are about who asks, or how often. */
const refusalsOfAll: readonly number[] = [401, 403, 429];

export interface VectorUpdaterOptions {
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

type Batch = readonly (readonly [fingerprint: string, text: string])[];
type Made = readonly (readonly [fingerprint: string, vector: Vector | null])[];

export class VectorUpdater {
  readonly model: EmbeddingModel;
  readonly #store: VectorStore;
  readonly #index: ToolIndex;
  readonly #clock: Clock;
  readonly #log: Log;
  /** Apart, because a batch may fail where a query does not. */
  readonly #faults: Readonly<Record<'queries' | 'tools', FaultNotice>>;
  readonly #closing = new AbortController();
  /** By fingerprint of the text: from the store, or made here. null: the text means nothing to the model. */
  readonly #vectors = new Map<string, Vector | null>();
  /** The fingerprint of each tool's text, by key. */
  readonly #wanted = new Map<string, string>();
  /** How many tools have a text, by fingerprint. */
  readonly #users = new Map<string, number>();
  /** Fingerprints of the vectors that no tool has, those unused for longest first. */
  readonly #unused = new Set<string>();
  /** Texts to embed, by fingerprint, with the tools that have them. */
  readonly #waiting = new Map<string, Waiting>();
  #isLoaded = false;
  /** Right after a start most tools are still to come, and what is stored for them is not unused. */
  #isSettled = false;
  #hasToldRefusal = false;
  #loading: Promise<void> | undefined;
  #reading: Promise<void> | undefined;
  #saving: Promise<unknown> | undefined;
  #working: Promise<void> | undefined;
  #retry: Timer | undefined;
  #made = 0;
  #missedInRow = 0;

  constructor(options: VectorUpdaterOptions) {
    this.model = options.model;
    this.#store = options.store;
    this.#index = options.index;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#faults = { queries: new FaultNotice(options.clock), tools: new FaultNotice(options.clock) };
    this.#index.resetVectors(this.model);
  }

  /** Texts that wait for their vector. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Counts every tool, so it is not for a search. */
  get counts(): VectorCounts {
    return { ready: this.#wanted.size - this.#lacking(), waiting: this.#waiting.size, made: this.#made };
  }

  /** The tool's text is this one now. Its vector follows at once where it is known, else in the background. */
  want(key: string, text: string): void {
    const fingerprint = fingerprintOf(text);
    this.forget(key);
    this.#wanted.set(key, fingerprint);
    this.#users.set(fingerprint, (this.#users.get(fingerprint) ?? 0) + 1);
    this.#unused.delete(fingerprint);
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
    const fingerprint = this.#wanted.get(key);
    if (fingerprint === undefined) return;
    this.#wanted.delete(key);
    const waiting = this.#waiting.get(fingerprint);
    waiting?.keys.delete(key);
    if (waiting?.keys.size === 0) this.#waiting.delete(fingerprint);
    const users = (this.#users.get(fingerprint) ?? 0) - 1;
    if (users > 0) this.#users.set(fingerprint, users);
    else {
      this.#users.delete(fingerprint);
      if (this.#vectors.has(fingerprint)) this.#unused.add(fingerprint);
    }
  }

  /** The same, and the vector is made again when the text is wanted next. */
  discard(key: string): void {
    const fingerprint = this.#wanted.get(key) ?? '';
    this.forget(key);
    this.#vectors.delete(fingerprint);
    this.#unused.delete(fingerprint);
  }

  /** The vectors of a query, as far as the model can give them now; a failure is reported once and costs only the meaning. */
  async vectorsOf(texts: readonly string[], signal: AbortSignal): Promise<Vector[]> {
    if (this.#faults.queries.isResting) return [];
    const late = new AbortController();
    const timer = this.#clock.after(questionTimeoutMs, () => late.abort());
    const within = AbortSignal.any([signal, this.#closing.signal, late.signal]);
    try {
      const vectors = await this.model.embed(texts, within, true);
      this.#worked('queries');
      this.#missedInRow = 0;
      return vectors.filter((vector) => vector !== null);
    } catch (error) {
      // An aborted query says nothing about the model, nor does a single late one; several in a row do.
      if (late.signal.aborted) this.#missedInRow += 1;
      if (!within.aborted || this.#missedInRow >= mostMissedInRow) this.#failed('queries', error);
      return [];
    } finally {
      timer.cancel();
    }
  }

  /** How the model fails at present, so that searches, or the newest tools, go by words; null while it works. */
  get problem(): string | null {
    return this.#faults.queries.problem ?? this.#faults.tools.problem;
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

  /** Every tool there is has been wanted: from now on a vector that none has is unused. */
  settle(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    if (this.#isLoaded) this.#saving = Promise.all([this.#saving, this.#prune()]);
  }

  async #readStored(): Promise<void> {
    try {
      await this.#store.removeVectorsOfOtherModels(this.model.id);
      for (const { fingerprint, values, scale } of await this.#store.listVectors(this.model.id)) {
        if (values.length !== this.model.width || !(scale > 0) || !Number.isFinite(scale)) continue;
        const numbers = new Int8Array(values.buffer, values.byteOffset, values.length);
        this.#vectors.set(fingerprint, { values: numbers, scale });
        if (!this.#users.has(fingerprint)) this.#unused.add(fingerprint);
      }
    } catch (error) {
      this.#log.warn('Vectors could not be read from the store and are made again.', { error: messageOf(error) });
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

  /** Everything that was wanted so far has its vector, or the model fails. */
  async settled(): Promise<void> {
    await this.#loading;
    while (this.#working) await this.#working;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#retry?.cancel();
    await Promise.all([this.#loading, this.#working, this.#saving]);
    await this.model.close();
  }

  #work(): void {
    const isDone = this.#waiting.size === 0 || this.#closing.signal.aborted;
    if (this.#working || isDone || this.#faults.tools.isResting) return;
    this.#working = this.#makeAll().finally(() => {
      this.#working = undefined;
      // Texts that came while the last ones were being saved.
      if (this.#waiting.size > 0) this.#work();
    });
  }

  async #makeAll(): Promise<void> {
    while (this.#waiting.size > 0 && !this.#closing.signal.aborted) {
      // Gives way first: what called for the work comes before the work.
      await giveWay();
      const batch = this.#nextBatch();
      try {
        await this.#make(batch).catch((error) => this.#makeApart(batch, error));
        if (this.#closing.signal.aborted) return;
        this.#worked('tools');
        await this.#prune();
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        this.#failed('tools', error);
        this.#retryLater();
        return;
      }
    }
  }

  async #make(batch: Batch): Promise<void> {
    const texts = batch.map(([, text]) => text);
    const vectors = await this.model.embed(texts, this.#closing.signal, false);
    // The index may be another model's by now.
    if (this.#closing.signal.aborted) return;
    const made: Made = batch.map(([fingerprint], at) => [fingerprint, vectors[at] ?? null]);
    this.#take(made);
    await this.#save(made);
  }

  /** One text that a service does not take must not keep the others from their vectors. */
  async #makeApart(batch: Batch, error: unknown): Promise<void> {
    if (!isRefusal(error)) throw error;
    // Where everything is refused, as under a wrong address, no text is to blame.
    await this.model.embed([harmlessText], this.#closing.signal, false);
    await this.#halve(batch, error);
  }

  async #halve(batch: Batch, error: unknown): Promise<void> {
    if (!isRefusal(error)) throw error;
    if (batch.length === 1) return this.#leaveOut(batch, error);
    const middle = Math.ceil(batch.length / 2);
    for (const half of [batch.slice(0, middle), batch.slice(middle)])
      await this.#make(half).catch((refusal) => this.#halve(half, refusal));
  }

  /** As if they meant nothing, until a restart: they are not stored. */
  #leaveOut(batch: Batch, error: unknown): void {
    this.#take(batch.map(([fingerprint]) => [fingerprint, null]));
    if (this.#hasToldRefusal) return;
    this.#hasToldRefusal = true;
    this.#log.warn('The model for search by meaning refuses the texts of some tools, which are found by words alone.', {
      error: messageOf(error),
    });
  }

  /** Both ask the same model: its failure is reported once, by the first to notice. */
  #failed(who: 'queries' | 'tools', error: unknown): void {
    const isTold = this.problem !== null;
    const notice = this.#faults[who].failed('The model for search by meaning', error);
    const outcome = who === 'queries' ? 'Searches go on by words.' : 'New tools are found by words.';
    if (notice && !isTold) this.#log.warn(`${notice} ${outcome}`);
  }

  /** An answer after failures is a reason for the other to try again as well. */
  #worked(who: 'queries' | 'tools'): void {
    const again = this.#faults[who].worked();
    if (!again) return;
    this.#faults[who === 'queries' ? 'tools' : 'queries'].worked();
    this.#log.info(again);
    this.#work();
  }

  /** The rest grows with each failure, so that the time may not have come yet. */
  #retryLater(): void {
    this.#retry?.cancel();
    this.#retry = this.#clock.after(retryMs, () => (this.#faults.tools.isResting ? this.#retryLater() : this.#work()));
  }

  #nextBatch(): Batch {
    const batch: (readonly [string, string])[] = [];
    for (const [fingerprint, { text }] of this.#waiting) {
      batch.push([fingerprint, text]);
      if (batch.length === batchSize) break;
    }
    return batch;
  }

  #take(made: Made): void {
    for (const [fingerprint, vector] of made) {
      const keys = this.#waiting.get(fingerprint)?.keys ?? [];
      this.#vectors.set(fingerprint, vector);
      this.#waiting.delete(fingerprint);
      if (!this.#users.has(fingerprint)) this.#unused.add(fingerprint);
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
    const tooMany = this.#unused.size - mostUnused;
    if (tooMany <= 0 || !this.#isSettled || this.#closing.signal.aborted) return;
    const removed = [...this.#unused].slice(0, tooMany);
    for (const fingerprint of removed) {
      this.#unused.delete(fingerprint);
      this.#vectors.delete(fingerprint);
    }
    await this.#store.removeVectors(this.model.id, removed).catch((error) => {
      this.#log.warn('Vectors of tools that are gone could not be removed.', { error: messageOf(error) });
    });
  }

  #lacking(): number {
    let count = 0;
    for (const fingerprint of this.#wanted.values()) if (!this.#vectors.get(fingerprint)) count += 1;
    return count;
  }
}

/** The key of a stored vector: the text that the model saw, since two servers may describe one tool alike. */
function fingerprintOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

/** True where a service rejects the content itself, not the key or the rate. */
function isRefusal(error: unknown): boolean {
  const status = error instanceof GatewayError && error.code === 'MODEL_FAILED' ? error.data?.status : undefined;
  return typeof status === 'number' && status >= 400 && status < 500 && !refusalsOfAll.includes(status);
}

function bytesOf(values: Int8Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.length);
}

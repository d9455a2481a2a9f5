/** A store of vectors in memory, and a model that says what it was asked, fails and waits as a test wants. */

import type { EmbeddingModel, Vector } from '../../src/meaning/meaning.ts';
import { toVector } from '../../src/meaning/meaning.ts';
import type { StoredVector } from '../../src/store/store.ts';

export class MemoryVectors {
  /** By model and fingerprint. */
  readonly rows = new Map<string, Map<string, StoredVector>>();
  isBroken = false;

  async listVectors(model: string): Promise<StoredVector[]> {
    this.#check();
    return [...this.of(model).values()];
  }

  async saveVectors(model: string, vectors: readonly StoredVector[]): Promise<void> {
    this.#check();
    const rows = this.of(model);
    for (const vector of vectors) rows.set(vector.fingerprint, { ...vector, values: vector.values.slice() });
    this.rows.set(model, rows);
  }

  async removeVectors(model: string, fingerprints: readonly string[]): Promise<void> {
    this.#check();
    for (const fingerprint of fingerprints) this.of(model).delete(fingerprint);
  }

  async removeVectorsOfOtherModels(model: string): Promise<number> {
    this.#check();
    const others = [...this.rows.keys()].filter((id) => id !== model);
    for (const id of others) this.rows.delete(id);
    return others.length;
  }

  of(model: string): Map<string, StoredVector> {
    return this.rows.get(model) ?? new Map<string, StoredVector>();
  }

  #check(): void {
    if (this.isBroken) throw new Error('The disk is full.');
  }
}

export class ScriptedModel implements EmbeddingModel {
  readonly id: string;
  readonly kind = 'table';
  readonly width = 16;
  readonly dimensions = 16;
  /** Every text it was asked for, in order. */
  readonly asked: string[] = [];
  /** The urgent ones among them. */
  readonly askedUrgently: string[] = [];
  batches = 0;
  isFailing = false;
  /** The error, if any, with which it refuses these texts. */
  refusal: ((texts: readonly string[]) => Error | undefined) | undefined;
  /** True if it answers although nobody waits any more. */
  isDeaf = false;
  isClosed = false;
  #gate: PromiseWithResolvers<void> | undefined;

  constructor(id = 'scripted') {
    this.id = id;
  }

  /** Questions wait from now on; what is returned lets them go. */
  hold(): () => void {
    const gate = Promise.withResolvers<void>();
    this.#gate = gate;
    return () => {
      this.#gate = undefined;
      gate.resolve();
    };
  }

  async embed(texts: readonly string[], signal: AbortSignal, isUrgent = false): Promise<(Vector | null)[]> {
    this.batches += 1;
    this.asked.push(...texts);
    if (isUrgent) this.askedUrgently.push(...texts);
    const aborted = Promise.withResolvers<never>();
    const onAbort = () => {
      if (!this.isDeaf) aborted.reject(signal.reason);
    };
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    if (this.#gate) await Promise.race([this.#gate.promise, aborted.promise]);
    signal.removeEventListener('abort', onAbort);
    if (this.isFailing) throw new Error('Nobody answers.');
    const refusal = this.refusal?.(texts);
    if (refusal) throw refusal;
    return texts.map(directionOf);
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

/** Another one for every text; none for a blank one. */
export function directionOf(text: string): Vector | null {
  if (text.trim() === '') return null;
  let state = 7;
  for (const character of text) state = (state * 31 + (character.codePointAt(0) ?? 0)) % 0x7fffffff;
  return toVector(
    Array.from({ length: 16 }, () => {
      state = (state * 48_271 + 11) % 0x7fffffff;
      return state / 0x7fffffff - 0.5;
    }),
  );
}

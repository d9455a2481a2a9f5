/** The vectors of all tools in one block of memory, compared with a query in one pass. */

import { Dots, type Vector } from '../meaning/meaning.ts';

/** Room grows by this factor, so that adding tools one by one does not copy all the time. */
const growth = 1.5;
const fewestSlots = 256;
/** Vectors of one query that are looked at; the kernel takes four in a pass. */
const mostVectors = 12;
const alignment = 16;

export class VectorIndex {
  readonly #width: number;
  readonly #dots = new Dots();
  #capacity = 0;
  /** The scale of a tool's vector; 0 where a slot has none. */
  #scales = new Float32Array(0);
  /** The last answer, whose room the next one takes. */
  #nearest = new Float32Array(0);

  constructor(width: number) {
    this.#width = width;
  }

  /** Memory of the kernel: the vectors, and room for queries and results. */
  get bytes(): number {
    return this.#dots.buffer.byteLength;
  }

  has(slot: number): boolean {
    return (this.#scales[slot] ?? 0) > 0;
  }

  set(slot: number, vector: Vector): void {
    this.#reserve(slot + 1);
    new Int8Array(this.#dots.buffer, slot * this.#width, this.#width).set(vector.values);
    this.#scales[slot] = vector.scale;
  }

  clear(slot: number): void {
    if (slot < this.#capacity) this.#scales[slot] = 0;
  }

  get(slot: number): Vector | null {
    if (!this.has(slot)) return null;
    const values = new Int8Array(this.#dots.buffer, slot * this.#width, this.#width).slice();
    return { values, scale: this.#scales[slot] ?? 0 };
  }

  /** How near each of the first `count` slots is to the nearest of the vectors: -1 to 1, and 0 where a slot has none. Valid until it is asked again. */
  nearness(vectors: readonly Vector[], count: number): Float32Array {
    if (this.#nearest.length !== count) this.#nearest = new Float32Array(count);
    const nearest = this.#nearest.fill(0);
    const filled = Math.min(count, this.#capacity);
    const asked = vectors.slice(0, mostVectors);
    if (filled === 0 || asked.length === 0) return nearest;
    const sums = this.#multiply(asked, filled);
    const scales = this.#scales;
    for (const [at, { scale }] of asked.entries()) {
      const from = at * filled;
      for (let slot = 0; slot < filled; slot += 1) {
        const near = (sums[from + slot] ?? 0) * scale * (scales[slot] ?? 0);
        if (at === 0 || near > (nearest[slot] ?? 0)) nearest[slot] = near;
      }
    }
    return nearest;
  }

  #multiply(vectors: readonly Vector[], rows: number): Int32Array {
    const width = this.#width;
    const queries = this.#capacity * width;
    const out = queries + 2 * width * vectors.length;
    this.#dots.reserve(out + 4 * rows * vectors.length);
    for (const [at, { values }] of vectors.entries())
      new Int16Array(this.#dots.buffer, queries + 2 * width * at, width).set(values);
    this.#dots.multiply(0, rows, width, queries, vectors.length, out);
    return new Int32Array(this.#dots.buffer, out, rows * vectors.length);
  }

  #reserve(slots: number): void {
    if (slots <= this.#capacity) return;
    const wanted = Math.max(fewestSlots, slots, Math.ceil(this.#capacity * growth));
    this.#capacity = Math.ceil(wanted / alignment) * alignment;
    this.#dots.reserve(this.#capacity * this.#width);
    const scales = new Float32Array(this.#capacity);
    scales.set(this.#scales);
    this.#scales = scales;
  }
}

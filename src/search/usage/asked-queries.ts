/** The queries that calls followed, compared by meaning all at once. */

import { Dots, type Vector } from '../../meaning/meaning.ts';

/** Queries whose vectors have at least this cosine ask for the same thing, as a rule. */
export const leastLikeness = 0.75;

export type VectorOf = (text: string) => Vector | null;

export interface Like<T> {
  readonly item: T;
  /** From `leastLikeness` to 1; 1 for the same query. */
  readonly likeness: number;
}

interface Row<T> {
  readonly text: string;
  readonly item: T;
  /** The scale of its vector; 0 for a query without meaning, which resembles only itself. */
  readonly scale: number;
  slot: number;
}

/** Items by the text of a query. Vectors lie side by side: the row of a removed query is taken over by the last one. */
export class AskedQueries<T> {
  readonly #vectorOf: VectorOf;
  readonly #most: number;
  readonly #byText = new Map<string, Row<T>>();
  readonly #bySlot: Row<T>[] = [];
  #matrix: Matrix | undefined;

  /** `most`: queries that there will be at once. */
  constructor(vectorOf: VectorOf, most: number) {
    this.#vectorOf = vectorOf;
    this.#most = most;
  }

  get size(): number {
    return this.#bySlot.length;
  }

  get(text: string): T | undefined {
    return this.#byText.get(text)?.item;
  }

  add(text: string, item: T): void {
    const slot = this.#bySlot.length;
    const vector = this.#vectorOf(text);
    if (vector) this.#matrix ??= new Matrix(vector.values.length, this.#most);
    const row: Row<T> = { text, item, scale: vector?.scale ?? 0, slot };
    this.#matrix?.write(slot, vector);
    this.#byText.set(text, row);
    this.#bySlot.push(row);
  }

  remove(text: string): void {
    const row = this.#byText.get(text);
    if (!row) return;
    this.#byText.delete(text);
    const last = this.#bySlot.pop();
    if (!last || row === last) return;
    this.#matrix?.copy(last.slot, row.slot);
    this.#bySlot[row.slot] = last;
    last.slot = row.slot;
  }

  /** The items of this query and of those that mean nearly the same. */
  likeTo(text: string): Like<T>[] {
    const same = this.#byText.get(text);
    const found: Like<T>[] = same ? [{ item: same.item, likeness: 1 }] : [];
    const vector = this.#matrix && this.size > 0 ? this.#vectorOf(text) : null;
    if (!vector || !this.#matrix) return found;
    const products = this.#matrix.multiply(vector, this.size);
    for (const [slot, row] of this.#bySlot.entries()) {
      const likeness = (products[slot] ?? 0) * row.scale * vector.scale;
      if (likeness >= leastLikeness && row !== same) found.push({ item: row.item, likeness: Math.min(1, likeness) });
    }
    return found;
  }
}

/** The kernel reads 16 numbers at a time. */
const step = 16;

/** The memory of the kernel: the vector that is asked for, then the products, then the rows. */
class Matrix {
  readonly #dots = new Dots();
  readonly #width: number;
  readonly #stride: number;
  readonly #productsAt: number;
  readonly #rowsAt: number;

  constructor(width: number, most: number) {
    this.#width = width;
    this.#stride = roundedUp(width);
    this.#productsAt = 2 * this.#stride;
    this.#rowsAt = this.#productsAt + roundedUp(4 * most);
    this.#dots.reserve(this.#rowsAt);
  }

  write(slot: number, vector: Vector | null): void {
    this.#dots.reserve(this.#rowsAt + (slot + 1) * this.#stride);
    const row = this.#row(slot).fill(0);
    if (vector) row.set(this.#checked(vector));
  }

  copy(from: number, to: number): void {
    this.#row(to).set(this.#row(from));
  }

  /** The dot product of the vector with each of the first `count` rows; valid until the next use. */
  multiply(vector: Vector, count: number): Int32Array {
    new Int16Array(this.#dots.buffer, 0, this.#stride).set(this.#checked(vector));
    this.#dots.multiply(this.#rowsAt, count, this.#stride, 0, 1, this.#productsAt);
    return new Int32Array(this.#dots.buffer, this.#productsAt, count);
  }

  #row(slot: number): Int8Array {
    return new Int8Array(this.#dots.buffer, this.#rowsAt + slot * this.#stride, this.#stride);
  }

  #checked({ values }: Vector): Int8Array {
    if (values.length !== this.#width) throw new Error(`A vector of ${values.length} among those of ${this.#width}.`);
    return values;
  }
}

function roundedUp(bytes: number): number {
  return Math.ceil(bytes / step) * step;
}

/** The reader: a small network that tells what a pair of sentences, or a whole definition, does to a model. See `model/README.md`. */

import { assetPath, ModelFile } from '../../meaning/meaning.ts';
import { RowMemory, WeightedRows } from './weighted-rows.ts';

/** The aims of a passage that the reader tells apart. */
export const aims = ['secrets', 'hides', 'orders', 'others', 'runs'] as const;
export type Aim = (typeof aims)[number];

/** A sentence as the reader sees it: the strongest of each feature, and the sum and count of its word vectors. */
export interface Impression {
  readonly strongest: Float32Array;
  readonly sum: Float32Array;
  readonly count: number;
}

/** The share of a purpose in each verdict, for pairs of sentences and for single sentences. */
export interface Purpose {
  readonly ofPairs: Float32Array;
  readonly ofOrders: Float32Array;
}

/** The log of the odds that a sentence is an order that no honest tool gives, and its aim. */
export interface OrderVerdict {
  readonly score: number;
  readonly aim: Aim;
}

/** The same for a pair of sentences: above 0 it is more likely to steer a model than not. */
export interface Verdict extends OrderVerdict {
  /** Impressions of the sentences, for a verdict about all of a definition. */
  readonly seen: Float32Array;
}

const places = 3;
/** How far apart the places of the second layer lie. */
const stride = 2;
/** Word pieces whose share of the first layer is remembered; definitions repeat the same few thousand. */
const mostPiecesKept = 8_192;

export class ReaderModel {
  readonly #width: number;
  readonly #filters: number;
  readonly #inner: number;
  readonly #scales: Float32Array;
  readonly #rows: Int8Array;
  readonly #near: Layer;
  readonly #far: Layer;
  readonly #head: Layer;
  readonly #out: Layer;
  readonly #gather: Layer;
  readonly #whole: Layer;
  readonly #orderHead: Layer;
  readonly #orderOut: Layer;
  readonly #known = new Map<number, Float32Array>();

  constructor(path: string) {
    const file = ModelFile.read(path);
    const count = file.number('pieces');
    this.#width = file.number('width');
    this.#filters = file.number('filters');
    this.#inner = file.number('inner');
    if (JSON.stringify(file.header.kinds) !== JSON.stringify(aims)) throw file.broken();
    this.#scales = file.nextFloats(count);
    this.#rows = file.nextInt8(count * this.#width);
    const memory = new RowMemory();
    this.#near = layerOf(file, memory, places * this.#width, this.#filters);
    this.#far = layerOf(file, memory, places * this.#filters, this.#filters);
    this.#head = layerOf(file, memory, 2 * this.#seen, this.#inner);
    this.#out = layerOf(file, memory, this.#inner, 1 + aims.length);
    const gathered = file.number('gathered');
    this.#gather = layerOf(file, memory, 2 * this.#inner + 1, gathered);
    this.#whole = layerOf(file, memory, gathered, 1);
    const order = file.number('order');
    this.#orderHead = layerOf(file, memory, 2 * this.#seen, order);
    this.#orderOut = layerOf(file, memory, order, 1 + aims.length);
  }

  /** How many numbers a sentence comes to. */
  get #seen(): number {
    return 2 * this.#filters + this.#width;
  }

  impression(numbers: readonly number[]): Impression {
    const near = this.#nearOf(numbers);
    const filters = this.#filters;
    const strongest = new Float32Array(2 * filters);
    const sum = new Float32Array(this.#width);
    const here = new Float32Array(filters);
    for (let at = 0; at < numbers.length; at += 1) {
      this.#addVector(numbers[at] ?? 0, sum);
      raise(strongest, 0, near, at * filters, filters);
      here.set(this.#far.bias);
      for (let place = 0; place < places; place += 1) {
        const from = at + (place - 1) * stride;
        if (from >= 0 && from < numbers.length)
          this.#far.weights.add(near, from * filters, filters, place * filters, here);
      }
      raise(strongest, filters, here, 0, filters);
    }
    return { strongest, sum, count: numbers.length };
  }

  /** A tool's purpose, as it counts for all of its sentences. */
  purpose(numbers: readonly number[]): Purpose {
    const seen = this.#join(this.impression(numbers), nothing);
    const shareIn = ({ bias, weights }: Layer) => {
      const inner = Float32Array.from(bias);
      weights.add(seen, 0, seen.length, this.#seen, inner);
      return inner;
    };
    return { ofPairs: shareIn(this.#head), ofOrders: shareIn(this.#orderHead) };
  }

  /** Reads a sentence alone, because its neighbours don't make an order harmless. */
  order({ ofOrders }: Purpose, { strongest, sum, count }: Impression): OrderVerdict {
    const inner = Float32Array.from(ofOrders);
    const { weights } = this.#orderHead;
    weights.add(strongest, 0, strongest.length, 0, inner);
    const share = 1 / Math.max(1, count);
    weights.add(
      sum.map((number) => number * share),
      0,
      this.#width,
      strongest.length,
      inner,
    );
    cutBelowZero(inner);
    return orderIn(inner, this.#orderOut);
  }

  /** Of a sentence, or of two that stand together. */
  verdict(purpose: Purpose, first: Impression, second: Impression = nothing): Verdict {
    const inner = Float32Array.from(purpose.ofPairs);
    const seen = this.#join(first, second);
    this.#head.weights.add(seen, 0, seen.length, 0, inner);
    cutBelowZero(inner);
    return { ...orderIn(inner, this.#out), seen: inner };
  }

  /** Of a definition, by what was seen in each pair of its sentences: the strongest, the mean and how many there are. */
  whole(all: readonly Float32Array[]): number {
    const inner = this.#inner;
    const gathered = new Float32Array(2 * inner + 1);
    for (const seen of all) {
      raise(gathered, 0, seen, 0, inner);
      for (let at = 0; at < inner; at += 1)
        gathered[inner + at] = (gathered[inner + at] ?? 0) + (seen[at] ?? 0) / all.length;
    }
    gathered[2 * inner] = Math.log(Math.max(1, all.length));
    const middle = Float32Array.from(this.#gather.bias);
    this.#gather.weights.add(gathered, 0, gathered.length, 0, middle);
    cutBelowZero(middle);
    const out = Float32Array.from(this.#whole.bias);
    this.#whole.weights.add(middle, 0, middle.length, 0, out);
    return out[0] ?? 0;
  }

  /** The stronger of each feature, and the mean of all pieces. */
  #join(first: Impression, second: Impression): Float32Array {
    const filters = 2 * this.#filters;
    const seen = new Float32Array(this.#seen);
    const count = Math.max(1, first.count + second.count);
    for (let at = 0; at < filters; at += 1) seen[at] = Math.max(first.strongest[at] ?? 0, second.strongest[at] ?? 0);
    for (let at = 0; at < this.#width; at += 1)
      seen[filters + at] = ((first.sum[at] ?? 0) + (second.sum[at] ?? 0)) / count;
    return seen;
  }

  /** The first layer over all places, nothing below 0. */
  #nearOf(numbers: readonly number[]): Float32Array {
    const filters = this.#filters;
    const near = new Float32Array(numbers.length * filters);
    for (let at = 0; at < numbers.length; at += 1) {
      near.set(this.#near.bias, at * filters);
    }
    for (let at = 0; at < numbers.length; at += 1) {
      const shares = this.#sharesOf(numbers[at] ?? 0);
      for (let place = 0; place < places; place += 1) {
        // A piece at one place of the filter counts for its middle.
        const middle = at - (place - 1);
        if (middle < 0 || middle >= numbers.length) continue;
        const start = middle * filters;
        const share = place * filters;
        for (let filter = 0; filter < filters; filter += 1)
          near[start + filter] = (near[start + filter] ?? 0) + (shares[share + filter] ?? 0);
      }
    }
    cutBelowZero(near);
    return near;
  }

  /** One word piece's share in each filter, at each place. */
  #sharesOf(number: number): Float32Array {
    const known = this.#known.get(number);
    if (known) return known;
    const vector = new Float32Array(this.#width);
    this.#addVector(number, vector);
    const filters = this.#filters;
    const shares = new Float32Array(places * filters);
    for (let place = 0; place < places; place += 1)
      this.#near.weights.add(
        vector,
        0,
        this.#width,
        place * this.#width,
        shares.subarray(place * filters, (place + 1) * filters),
      );
    if (this.#known.size >= mostPiecesKept) this.#known.clear();
    this.#known.set(number, shares);
    return shares;
  }

  #addVector(number: number, sum: Float32Array): void {
    const scale = this.#scales[number] ?? 0;
    const start = number * this.#width;
    for (let at = 0; at < this.#width; at += 1) sum[at] = (sum[at] ?? 0) + scale * (this.#rows[start + at] ?? 0);
  }
}

interface Layer {
  readonly weights: WeightedRows;
  readonly bias: Float32Array;
}

function layerOf(file: ModelFile, memory: RowMemory, rows: number, columns: number): Layer {
  return {
    weights: new WeightedRows(memory, file.nextFloats(rows * columns), columns),
    bias: file.nextFloats(columns),
  };
}

function orderIn(inner: Float32Array, { bias, weights }: Layer): OrderVerdict {
  const out = Float32Array.from(bias);
  weights.add(inner, 0, inner.length, 0, out);
  const likeliest = aims.reduce((best, _, at) => ((out[at + 1] ?? 0) > (out[best + 1] ?? 0) ? at : best), 0);
  return { score: out[0] ?? 0, aim: aims[likeliest] ?? 'orders' };
}

const nothing: Impression = { strongest: new Float32Array(), sum: new Float32Array(), count: 0 };

function raise(best: Float32Array, to: number, values: Float32Array, from: number, count: number): void {
  for (let at = 0; at < count; at += 1) {
    const value = values[from + at] ?? 0;
    if (value > (best[to + at] ?? 0)) best[to + at] = value;
  }
}

function cutBelowZero(values: Float32Array): void {
  for (let at = 0; at < values.length; at += 1) if ((values[at] ?? 0) < 0) values[at] = 0;
}

let opened: ReaderModel | undefined;

/** The one of this package, read at the first use and kept. */
export function openReader(): ReaderModel {
  opened ??= new ReaderModel(assetPath('reader.bin'));
  return opened;
}

/** How often which duration was seen, in buckets that grow with the duration: small, exact to add up, and good enough for percentiles. */

/** Steps between a power of two and the next: the middle of a bucket is at most 1/32 away from anything in it. */
const steps = 16;
const stepBits = 4;
/** About 12 days in microseconds; longer durations count as this. */
const longest = 2 ** 40 - 1;

/** Durations are whole microseconds. Any two histograms can be merged, in any order, to the same result. */
export class Histogram {
  /** Bucket, count, bucket, count and so on, by bucket: most tools are always about as quick, so there are few. */
  readonly #cells: number[] = [];
  #count = 0;

  /** Bytes that `encode` did not write give a histogram too, though a meaningless one. */
  static decode(bytes: Uint8Array): Histogram {
    const histogram = new Histogram();
    const numbers = decodeNumbers(bytes);
    let bucket = 0;
    for (let at = 0; at + 1 < numbers.length; at += 2) {
      bucket += numbers[at] ?? 0;
      histogram.#addTo(bucket, numbers[at + 1] ?? 0);
    }
    return histogram;
  }

  get count(): number {
    return this.#count;
  }

  add(micros: number): void {
    this.#addTo(bucketOf(micros), 1);
  }

  /** Adds the other one `times` times. */
  merge(other: Histogram, times = 1): void {
    const cells = other.#cells;
    for (let at = 0; at < cells.length; at += 2) this.#addTo(cells[at] ?? 0, (cells[at + 1] ?? 0) * times);
  }

  /** The duration that this share of all durations does not exceed, within 3.2 %; null where there is none. */
  quantile(share: number): number | null {
    if (this.#count === 0) return null;
    const rank = Math.max(1, Math.ceil(share * this.#count));
    let seen = 0;
    let bucket = 0;
    for (let at = 0; at < this.#cells.length && seen < rank; at += 2) {
      bucket = this.#cells[at] ?? 0;
      seen += this.#cells[at + 1] ?? 0;
    }
    return middleOf(bucket);
  }

  /** Two or three bytes for each bucket in use. */
  encode(): Uint8Array {
    const numbers: number[] = [];
    let last = 0;
    for (let at = 0; at < this.#cells.length; at += 2) {
      const bucket = this.#cells[at] ?? 0;
      numbers.push(bucket - last, this.#cells[at + 1] ?? 0);
      last = bucket;
    }
    return encodeNumbers(numbers);
  }

  #addTo(bucket: number, count: number): void {
    this.#count += count;
    const cells = this.#cells;
    let at = 0;
    while (at < cells.length && (cells[at] ?? 0) < bucket) at += 2;
    if (cells[at] === bucket) cells[at + 1] = (cells[at + 1] ?? 0) + count;
    else cells.splice(at, 0, bucket, count);
  }
}

/** The first 16 buckets hold one value each; from there on every power of two is cut into 16. */
function bucketOf(micros: number): number {
  const value = Math.min(longest, Math.max(0, Math.round(micros)));
  if (value < steps) return value;
  const high = Math.floor(value / 2 ** 20);
  const exponent = high > 0 ? 51 - Math.clz32(high) : 31 - Math.clz32(value);
  const shift = exponent - stepBits;
  return (shift + 1) * steps + Math.floor(value / 2 ** shift) - steps;
}

function middleOf(bucket: number): number {
  if (bucket < steps) return bucket;
  const shift = Math.floor(bucket / steps) - 1;
  const start = (steps + (bucket % steps)) * 2 ** shift;
  return start + (2 ** shift - 1) / 2;
}

/** Seven bits to a byte, the lowest first; the eighth says that more follow. */
function encodeNumbers(numbers: readonly number[]): Uint8Array {
  const bytes: number[] = [];
  for (const number of numbers) {
    let rest = number;
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
    bytes.push(rest);
  }
  return Uint8Array.from(bytes);
}

function decodeNumbers(bytes: Uint8Array): number[] {
  const numbers: number[] = [];
  let value = 0;
  let worth = 1;
  for (const byte of bytes) {
    value += (byte % 128) * worth;
    worth *= 128;
    if (byte >= 128) continue;
    numbers.push(value);
    value = 0;
    worth = 1;
  }
  return numbers;
}

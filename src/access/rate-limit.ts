/** How often somebody may do something in a minute: a bucket for each, which fills up again steadily. */

import type { Clock } from '../base/clock.ts';
import { limits } from '../config/config.ts';

interface Bucket {
  /** How much was left, and when. */
  left: number;
  at: number;
}

const minuteMs = 60_000;

export class RateLimit {
  readonly #clock: Clock;
  readonly #perMinute: () => number;
  /** Those that were quiet longest come first. */
  readonly #buckets = new Map<string, Bucket>();

  /** `perMinute`: 0 for no limit. */
  constructor(clock: Clock, perMinute: () => number) {
    this.#clock = clock;
    this.#perMinute = perMinute;
  }

  /** Undefined: it was taken. Otherwise nothing was; try again after this many milliseconds. */
  take(key: string): number | undefined {
    const perMinute = this.#perMinute();
    if (perMinute === 0) return undefined;
    const now = this.#clock.elapsed();
    const bucket = this.#buckets.get(key) ?? { left: perMinute, at: now };
    const left = Math.min(perMinute, bucket.left + ((now - bucket.at) * perMinute) / minuteMs);
    const isFree = left >= 1;
    this.#keep(key, { left: isFree ? left - 1 : left, at: now });
    return isFree ? undefined : Math.ceil(((1 - left) * minuteMs) / perMinute);
  }

  #keep(key: string, bucket: Bucket): void {
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size <= limits.maxCountedKeys) return;
    const [oldest] = this.#buckets.keys();
    if (oldest !== undefined) this.#buckets.delete(oldest);
  }
}

/** Figures that stand up to a noisy machine: medians, and the tenth percentile as what it costs when nobody disturbs. */

export interface Spread {
  readonly median: number;
  readonly p10: number;
}

/** The value below which this share of the values lies; NaN where there is none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const below = sorted[Math.floor(at)] ?? Number.NaN;
  const above = sorted[Math.ceil(at)] ?? Number.NaN;
  return below + (above - below) * (at - Math.floor(at));
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

export function spread(values: readonly number[]): Spread {
  return { median: rounded(median(values)), p10: rounded(percentile(values, 0.1)) };
}

/** Three digits after the point, which is more than any of these figures deserve. */
export function rounded(value: number, digits = 3): number {
  return Number(value.toFixed(digits));
}

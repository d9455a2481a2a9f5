/** What describes a list of numbers as a whole. */

export interface Statistics {
  readonly count: number;
  readonly sum: number;
  readonly mean: number;
  readonly median: number;
  readonly minimum: number;
  readonly maximum: number;
  readonly standardDeviation: number;
}

/** Of at least one number; members are not finite when the numbers are too large to be added. */
export function statisticsOf(numbers: readonly number[]): Statistics {
  const sorted = [...numbers].sort((a, b) => a - b);
  const count = sorted.length;
  const sum = sorted.reduce((total, value) => total + value, 0);
  const mean = sum / count;
  const variance = sorted.reduce((total, value) => total + (value - mean) ** 2, 0) / count;
  const at = (index: number) => sorted[index] ?? Number.NaN;
  // With an odd count both indexes are the middle one.
  const median = (at(Math.floor((count - 1) / 2)) + at(Math.floor(count / 2))) / 2;
  return { count, sum, mean, median, minimum: at(0), maximum: at(count - 1), standardDeviation: Math.sqrt(variance) };
}

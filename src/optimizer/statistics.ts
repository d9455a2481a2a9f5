/** The statistics by which descriptions are compared: Wilson's interval for a share, McNemar's exact test for pairs. */

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The 97.5 % point of the normal distribution, for intervals of 95 %. */
const z = 1.959963984540054;

/** The 95 % interval of a share by Wilson's score. `right` may be a fraction, where repeats of one prompt disagree; nothing is known of an empty set. */
export function wilson(right: number, all: number): Interval {
  if (all === 0) return { low: 0, high: 1 };
  const share = right / all;
  const middle = share + (z * z) / (2 * all);
  const reach = z * Math.sqrt((share * (1 - share)) / all + (z * z) / (4 * all * all));
  const scale = 1 + (z * z) / all;
  // At the ends the bounds are 0 and 1 by definition, and rounding must not move them.
  return {
    low: right === 0 ? 0 : Math.max(0, (middle - reach) / scale),
    high: right === all ? 1 : Math.min(1, (middle + reach) / scale),
  };
}

export interface PairedTest {
  /** How probable so many better pairs or more are if better and worse are equally likely. */
  readonly oneSided: number;
  readonly twoSided: number;
}

/** McNemar's exact test. Pairs that agree say nothing and are left out. */
export function mcnemar(better: number, worse: number): PairedTest {
  return {
    oneSided: tail(better, worse),
    twoSided: Math.min(1, 2 * tail(Math.max(better, worse), Math.min(better, worse))),
  };
}

/** The probability of at least `many` heads among `many + few` throws of a fair coin. */
function tail(many: number, few: number): number {
  const throws = many + few;
  let sum = 0;
  // In logarithms: the coefficients of a thousand pairs are beyond any number.
  let logChoose = 0;
  for (let tails = 0; tails <= few; tails += 1) {
    sum += Math.exp(logChoose - throws * Math.LN2);
    logChoose += Math.log(throws - tails) - Math.log(tails + 1);
  }
  return Math.min(1, sum);
}

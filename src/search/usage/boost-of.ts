/** Turns the outcomes of earlier calls into a bounded bonus or malus for a tool's rank, which one call hardly moves. */

/** The most that usage adds to a score between 0 and 1; a bad record takes away at most half of it. */
export const maxBoost = 0.3;
/** Standard deviations on each side: the true rate of success lies between the bounds in four cases of five. */
const confidence = 1.28;
/** Evidence, in calls, at which about two thirds of what it can be worth is given. */
const convincingEvidence = 3;
/** A tool that fails more often than this after such queries is pushed down, once that is certain. */
const leastSuccess = 0.5;

/** `good` and `bad` are numbers of calls, faded and weighted, so they need not be whole. */
export function boostOf(good: number, bad: number): number {
  const evidence = good + bad;
  if (!(evidence > 0)) return 0;
  const { lower, upper } = successBounds(good, bad);
  const doubt = Math.max(0, 1 - upper / leastSuccess);
  return (1 - Math.exp(-evidence / convincingEvidence)) * (lower * maxBoost - (doubt * maxBoost) / 2);
}

/** Wilson's interval of the rate of success; written so that it holds for any small share of a call. */
export function successBounds(good: number, bad: number): { readonly lower: number; readonly upper: number } {
  const calls = good + bad;
  const prior = confidence ** 2;
  const middle = good + prior / 2;
  const reach = confidence * Math.sqrt(good * (bad / calls) + prior / 4);
  return {
    lower: Math.max(0, (middle - reach) / (calls + prior)),
    upper: Math.min(1, (middle + reach) / (calls + prior)),
  };
}

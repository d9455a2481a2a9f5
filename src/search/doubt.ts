/** What speaks against a tool that clearly fails, whoever called it and for whatever need. */

import { countsOf, isFailing, type Reliability } from './alternatives/worth.ts';
import { successBounds } from './usage/boost-of.ts';

/** What is taken off a score between 0 and 1: at most so much, and at least so much while it fails again and again. */
const malus = { most: 0.2, failing: 0.1 };
/** A tool that may well succeed this often is not doubted: calls fail for many reasons. */
const leastSuccess = 0.8;

/** 0 for a tool of which nothing bad is known; few failures are little evidence. */
export function doubtIn(reliability: Reliability | undefined, now: number): number {
  const { ok, failed } = countsOf(reliability);
  if (ok + failed === 0) return 0;
  const doubt = malus.most * Math.max(0, 1 - successBounds(ok, failed).upper / leastSuccess);
  return isFailing(reliability, now) ? Math.max(doubt, malus.failing) : doubt;
}

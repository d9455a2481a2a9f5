/** The record of a tool's calls as a number: the worth of an alternative, and the doubt that lowers a failing tool in a search. */

import type { ToolMetrics } from '../../metrics/metrics.ts';
import { successBounds } from '../usage/boost-of.ts';

/** The figures of a tool that matter here. */
export type Reliability = Pick<ToolMetrics, 'outcomes' | 'successRate' | 'lastOkAt' | 'lastError' | 'failuresInARow'>;

/** The prior belief about a tool: as if four calls had gone well and one had not. Any success lifts it, any failure lowers it. */
const belief = { ok: 4, failed: 1 };
/** Standard deviations that are taken off what is believed: few calls prove little. */
const doubt = 0.5;
/** The last success counts a little: the share of the worth that fades with time. */
const fading = { share: 0.1, halfLifeMs: 30 * 24 * 60 * 60 * 1_000 };
/** Failures in a row after which a tool is left alone, and for how long, unless it works again. */
const tooManyFailures = { inARow: 2, forMs: 60 * 60 * 1_000 };
/** A tool that surely works less often than this is failing. */
const leastSuccess = 0.5;

/** How alike it is, times how surely it works, times how recently it did. */
export function worthOf(similarity: number, reliability: Reliability | undefined, now: number): number {
  return similarity * successOf(reliability) * recencyOf(reliability, now);
}

/** True for a tool that fails itself, so that nobody is sent there. */
export function isFailing(reliability: Reliability | undefined, now: number): boolean {
  if (!reliability) return false;
  const { ok, failed } = countsOf(reliability);
  const sinceFailure = now - (reliability.lastError?.at ?? Number.NEGATIVE_INFINITY);
  if (reliability.failuresInARow >= tooManyFailures.inARow && sinceFailure < tooManyFailures.forMs) return true;
  return ok + failed > 0 && successBounds(ok, failed).upper < leastSuccess;
}

/** Calls that say something about the tool. */
export function countsOf(reliability: Reliability | undefined): { readonly ok: number; readonly failed: number } {
  if (!reliability) return { ok: 0, failed: 0 };
  const { ok, tool, server, timeout } = reliability.outcomes;
  return { ok, failed: tool + server + timeout };
}

/** A lower bound of the rate of success: of the Beta distribution that the belief becomes with each call. */
function successOf(reliability: Reliability | undefined): number {
  const counts = countsOf(reliability);
  const [ok, failed] = [belief.ok + counts.ok, belief.failed + counts.failed];
  const calls = ok + failed;
  const deviation = Math.sqrt((ok * failed) / (calls * calls * (calls + 1)));
  return Math.max(0, ok / calls - doubt * deviation);
}

/** 1 for a success just now; in the middle where there is none yet. */
function recencyOf(reliability: Reliability | undefined, now: number): number {
  const lastOkAt = reliability?.lastOkAt ?? null;
  const left = lastOkAt === null ? 0.5 : 0.5 ** (Math.max(0, now - lastOkAt) / fading.halfLifeMs);
  return 1 - fading.share + fading.share * left;
}

/** Taken off a score between 0 and 1: the most, and the least while the tool fails again and again. */
const doubtMalus = { most: 0.2, failing: 0.1 };
/** A tool that may well succeed this often is not doubted: calls fail for many reasons. */
const undoubtedSuccess = 0.8;

/** 0 for a tool of which nothing bad is known; few failures are little evidence. */
export function doubtIn(reliability: Reliability | undefined, now: number): number {
  const { ok, failed } = countsOf(reliability);
  if (ok + failed === 0) return 0;
  const doubt = doubtMalus.most * Math.max(0, 1 - successBounds(ok, failed).upper / undoubtedSuccess);
  return isFailing(reliability, now) ? Math.max(doubt, doubtMalus.failing) : doubt;
}

/** Runs checks one after the other, each with every seed it needs; never two at once, because they measure. */

import type { Check, Size } from './check.ts';
import { endHosts } from './kit/gateway-host.ts';
import { type Report, reportOf } from './report.ts';
import { type RunOptions, runCheck, type Verdict } from './run-check.ts';

export interface ExamOptions extends RunOptions {
  /** Told of each verdict as it comes. */
  readonly onVerdict?: (verdict: Verdict) => void;
}

/** A full examination asks for three passes in a row of three. */
const seedsOf: Readonly<Record<Size, number>> = { quick: 1, full: 3 };

export async function examine(
  checks: readonly Check[],
  missing: readonly string[],
  options: ExamOptions,
): Promise<Report> {
  const seeds = seedsOf[options.size];
  const verdicts: Verdict[] = [];
  for (const check of checks) {
    for (let turn = 0; turn < seeds; turn += 1) {
      const verdict = await runCheck(check, { ...options, seed: options.seed + turn });
      verdicts.push(verdict);
      options.onVerdict?.(verdict);
    }
  }
  await endHosts();
  return reportOf(checks, missing, verdicts, { seed: options.seed, size: options.size, seeds });
}

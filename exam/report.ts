/** The report of an examination: one line to quote, and below it every check that is not a pass. */

import type { Check } from './check.ts';
import { VERSIONS } from './kit/agent-requests.ts';
import type { Verdict } from './run-check.ts';
import { publicIds, publicKinds } from './scoreboard.ts';

export interface Report {
  readonly seed: number;
  readonly size: string;
  readonly eras: string;
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  /** Checks of the public scoreboard that were asked for and do not exist yet. */
  readonly notBuilt: readonly string[];
  readonly verdicts: readonly Verdict[];
}

/** A check passes where every seed that it needs was run and passed. */
export function reportOf(
  checks: readonly Check[],
  missing: readonly string[],
  verdicts: readonly Verdict[],
  options: { readonly seed: number; readonly size: string; readonly seeds: number },
): Report {
  const hasPassed = ({ id }: Check) =>
    verdicts.filter((verdict) => verdict.id === id && verdict.isPass).length === options.seeds;
  return {
    seed: options.seed,
    size: options.size,
    eras: `${VERSIONS.legacy}+${VERSIONS.modern}`,
    passed: checks.filter(hasPassed).map(({ id }) => id),
    failed: checks.filter((check) => !hasPassed(check)).map(({ id }) => id),
    notBuilt: missing,
    verdicts,
  };
}

export function scoreLine(report: Report, checks: readonly Check[]): string {
  const isPassed = (check: Check) => report.passed.includes(check.id);
  const publicOnes = checks.filter(({ kind }) => kind !== 'own');
  const own = checks.filter(({ kind }) => kind === 'own');
  const parts = publicKinds.map((kind) => {
    const ofKind = publicOnes.filter((check) => check.kind === kind);
    return `${kind} ${ofKind.filter(isPassed).length}/${ofKind.length}`;
  });
  const total = `${publicOnes.filter(isPassed).length} of ${publicOnes.length}`;
  const line = [
    `RELIABILITY  public ${publicOnes.length} of ${publicIds().length}: ${parts.join('  ')}`,
    `total ${total}`,
  ];
  if (own.length > 0) line.push(`own ${own.filter(isPassed).length} of ${own.length}`);
  return [...line, `seed ${report.seed}  ${report.size}  ${report.eras}`].join('   ');
}

export function verdictLines(verdict: Verdict): string {
  const figures = Object.entries(verdict.figures).map(([name, value]) => `${name} ${value}`);
  const seconds = (verdict.tookMs / 1000).toFixed(1);
  const head = `${verdict.isPass ? 'pass' : 'FAIL'}  ${verdict.id}  ${verdict.title}  (seed ${verdict.seed}, ${seconds} s, ${verdict.requests} requests)`;
  const rest = [
    ...(figures.length > 0 ? [figures.join(', ')] : []),
    ...verdict.faults,
    ...(verdict.open.length > 0 ? [`open: ${verdict.open.join('; ')}`] : []),
    ...(verdict.isPass ? [] : [verdict.folder]),
  ];
  return [head, ...rest.map((line) => `      ${line}`)].join('\n');
}

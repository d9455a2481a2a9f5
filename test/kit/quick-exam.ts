/**
 * The quick examination as tests: every check of the scoreboard that is built and not tested elsewhere, with one seed and small
 * counts. It is in three parts, so that they can run at once.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Check } from '../../exam/check.ts';
import { checks } from '../../exam/checks.ts';
import { endHosts } from '../../exam/kit/gateway-host.ts';
import { verdictLines } from '../../exam/report.ts';
import { type RunOptions, runCheck, type Verdict } from '../../exam/run-check.ts';

export type ExamPart = 'faults' | 'callers' | 'texts';

const root = join(import.meta.dirname, '../..');
export const examSeed = Number(process.env.EXAM_SEED ?? 8131);

/** These run the official suite, as `test/scenarios/conformance.test.ts` does in every run. */
const elsewhere: ReadonlySet<string> = new Set(['B06', 'B07']);

/** From this one on bad inputs are about what is said, before it about who says it. */
const firstOfTexts = 'B17';

function partOf({ kind, id }: Check): ExamPart {
  if (kind !== 'bad inputs') return 'faults';
  return id < firstOfTexts ? 'callers' : 'texts';
}

/** `proves`: promises of ours that a check proves as well, by its id. */
export function testPart(part: ExamPart, proves: Readonly<Record<string, string>> = {}): void {
  after(endHosts);
  for (const check of checks.filter((one) => partOf(one) === part && !elsewhere.has(one.id))) {
    test(`${proves[check.id] ?? ''}${check.id} ${check.title}: ${check.passes}`, async () => {
      const verdict = await examineQuickly(check);
      assert.ok(verdict.isPass, verdictLines(verdict));
    });
  }
}

/** Keeps the history of a check that failed. */
export async function examineQuickly(check: Check, more: Pick<RunOptions, 'newDatabase'> = {}): Promise<Verdict> {
  const history = mkdtempSync(join(tmpdir(), 'toolcrib-exam-history-'));
  const verdict = await runCheck(check, { root, history, seed: examSeed, size: 'quick', ...more });
  if (verdict.isPass) rmSync(history, { recursive: true });
  return verdict;
}

/** The quick examination: every check of the scoreboard that is built and not tested elsewhere, with one seed and small counts. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Check } from '../exam/check.ts';
import { checks } from '../exam/checks.ts';
import { scoreLine, verdictLines } from '../exam/report.ts';
import { runCheck } from '../exam/run-check.ts';
import { choose, publicIds } from '../exam/scoreboard.ts';

const root = join(import.meta.dirname, '..');
const seed = Number(process.env.EXAM_SEED ?? 8131);

/** Promises of ours that a check proves as well. */
const proves: Readonly<Record<string, string>> = { S05: '[CALL-20] ', S15: '[CALL-14] ' };

/** These run the official suite, as `test/scenarios/conformance.test.ts` does in every run. */
const elsewhere: ReadonlySet<string> = new Set(['B06', 'B07']);

for (const check of checks.filter(({ id }) => !elsewhere.has(id))) {
  test(`${proves[check.id] ?? ''}${check.id} ${check.title}: ${check.passes}`, async () => {
    const history = mkdtempSync(join(tmpdir(), 'toolcrib-exam-history-'));
    const verdict = await runCheck(check, { root, history, seed, size: 'quick' });
    assert.ok(verdict.isPass, verdictLines(verdict));
    rmSync(history, { recursive: true });
  });
}

test('a check that examines nothing, or not in every era, has failed', async () => {
  const empty: Check = { ...someCheck(), run: async () => {} };
  const history = mkdtempSync(join(tmpdir(), 'toolcrib-exam-history-'));
  const { isPass, faults } = await runCheck(empty, { root, history, seed, size: 'quick' });
  assert.equal(isPass, false);
  assert.match(faults.join('\n'), /nothing was examined/);
  assert.match(faults.join('\n'), /No call was made by an agent of 2026-07-28/);
  rmSync(history, { recursive: true });
});

test('the scoreboard has 57 public checks, and those that are not built are named, never counted', () => {
  assert.equal(publicIds().length, 57);
  const { chosen, missing } = choose([], checks);
  assert.equal(chosen.filter(({ kind }) => kind !== 'own').length + missing.length, 57);
  assert.deepEqual(choose(['load'], checks).missing, publicIds('load'));
  assert.throws(() => choose(['S99'], checks), /no check "S99"/);
  const report = { seed, size: 'quick', eras: 'both', passed: ['S01'], failed: ['S02'], notBuilt: [], verdicts: [] };
  const two = checks.filter(({ id }) => id === 'S01' || id === 'S02');
  assert.match(scoreLine(report, two), /public 2 of 57: faults 1\/2 {2}bad inputs 0\/0 {2}load 0\/0 {3}total 1 of 2/);
});

function someCheck(): Check {
  const [first] = checks;
  assert.ok(first);
  return first;
}

/** The quick examination, first part: what goes wrong around a gateway; and that the examination itself can fail. */

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Check } from '../exam/check.ts';
import { checks } from '../exam/checks.ts';
import { scoreLine, verdictLines } from '../exam/report.ts';
import { choose, publicIds } from '../exam/scoreboard.ts';
import { postgresTest, runSql, skipsPostgres } from './kit/postgres.ts';
import { examineQuickly, examSeed, testPart } from './kit/quick-exam.ts';

testPart('faults', { S05: '[CALL-20] ', S15: '[CALL-14] ' });

// One of those about the store; `npm run exam -- --store postgres` has all of them.
postgresTest('[REP-45] S15 on PostgreSQL', async (url) => {
  const { databaseAt } = await import('../exam/kit/postgres-database.ts');
  const verdict = await examineQuickly(checkNamed('S15'), { newDatabase: async () => databaseAt(url) });
  assert.ok(verdict.isPass, verdictLines(verdict));
});

test('a word in a column of bytes is found in the text of a database', { skip: skipsPostgres }, async () => {
  const { newDatabase } = await import('../exam/kit/postgres-database.ts');
  const database = await newDatabase();
  await runSql(database.url, `create table kept as select 'a canary'::bytea as bytes`);
  assert.match(await database.text(), /a canary/);
});

test('a check that examines nothing, or not in every era, has failed', async () => {
  const empty: Check = { ...checkNamed('S01'), run: async () => {} };
  const { isPass, faults, folder } = await examineQuickly(empty);
  assert.equal(isPass, false);
  assert.match(faults.join('\n'), /nothing was examined/);
  assert.match(faults.join('\n'), /No call was made by an agent of 2026-07-28/);
  rmSync(join(folder, '../..'), { recursive: true });
});

test('the scoreboard has 57 public checks, and those that are not built are named, never counted', () => {
  assert.equal(publicIds().length, 57);
  const { chosen, missing } = choose([], checks);
  assert.equal(chosen.filter(({ kind }) => kind !== 'own').length + missing.length, 57);
  assert.deepEqual(choose(['load'], checks).missing, publicIds('load'));
  assert.throws(() => choose(['S99'], checks), /no check "S99"/);
  const report = {
    seed: examSeed,
    size: 'quick',
    eras: 'both',
    passed: ['S01'],
    failed: ['S02'],
    notBuilt: [],
    verdicts: [],
  };
  const two = checks.filter(({ id }) => id === 'S01' || id === 'S02');
  assert.match(scoreLine(report, two), /public 2 of 57: faults 1\/2 {2}bad inputs 0\/0 {2}load 0\/0 {3}total 1 of 2/);
});

function checkNamed(id: string): Check {
  const found = checks.find((check) => check.id === id);
  assert.ok(found);
  return found;
}

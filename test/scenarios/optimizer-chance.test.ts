/** Jobs of the optimizer promote by evidence: candidates that are no better stay where they are. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bothHalves, candidateOf, optimizing, PlayedJudge, playedJobs } from '../kit/played-jobs.ts';

/** Numbers between 0 and 1 that look random and are the same each time (mulberry32). */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const isFull = process.env.TOOLCRIB_TEST_FULL === '1';
const toolCount = isFull ? 200 : 100;
const repeatedCount = isFull ? 60 : 40;

test(`[OPT-25] of ${toolCount} tools whose candidates are no better, at most one in twenty is promoted`, async (context) => {
  for (const rate of [0.7, 0.8, 0.9]) {
    const counts = { promoted: 0, withoutPairs: 0 };
    for (let seed = 0; seed < toolCount; seed += 1) {
      const random = numbersFrom(1_000 * seed + 100 * rate);
      const { jobs, store, promoted, ended } = playedJobs(new PlayedJudge(() => random() < rate));
      store.prompts = [...bothHalves('direct', 12), ...bothHalves('indirect', 12), ...bothHalves('negative', 12)];
      const { outcome } = await ended((await jobs.start(optimizing, 'owner')).id);
      const [tool] = (outcome?.tools ?? []) as { refusals?: string[] }[];
      counts.promoted += promoted.length;
      const refusals = tool?.refusals?.filter((sentence) => !sentence.includes('may be chance'));
      counts.withoutPairs += refusals?.length === 0 ? 1 : 0;
    }
    context.diagnostic(
      `true rate ${rate}: ${counts.promoted} of ${toolCount} promoted, ${counts.withoutPairs} without the paired test`,
    );
    assert.ok(counts.promoted <= toolCount / 20, `${counts.promoted} of ${toolCount} at ${rate}`);
  }
});

const rounds = 8;

test(`[OPT-25] of tools that are optimized ${rounds} times with the same prompts, chance promotes one in twenty at most`, async (context) => {
  const counts = { promoted: 0, unlimited: 0 };
  for (let seed = 0; seed < repeatedCount; seed += 1) {
    const random = numbersFrom(1_000 * seed + 7);
    const { jobs, store, promoted, ended } = playedJobs(new PlayedJudge(() => random() < 0.8));
    store.prompts = [...bothHalves('direct', 12), ...bothHalves('indirect', 12), ...bothHalves('negative', 12)];
    let isLucky = false;
    for (let round = 0; round < rounds && promoted.length === 0; round += 1) {
      store.candidates = ['a', 'b', 'c', 'd'].map((name) => candidateOf(`${name}-${round}`));
      const { outcome } = await ended((await jobs.start(optimizing, 'owner')).id);
      const [tool] = (outcome?.tools ?? []) as { refusals?: string[]; pValue?: number }[];
      const refusals = tool?.refusals?.filter((sentence) => !sentence.includes('may be chance'));
      isLucky ||= refusals?.length === 0 && (tool?.pValue ?? 1) <= 0.05;
    }
    counts.promoted += promoted.length;
    counts.unlimited += isLucky ? 1 : 0;
  }
  context.diagnostic(
    `${counts.promoted} of ${repeatedCount} promoted; ${counts.unlimited} if each round were the first`,
  );
  assert.ok(counts.promoted <= repeatedCount / 20, `${counts.promoted} of ${repeatedCount}`);
  assert.ok(counts.unlimited > counts.promoted);
});

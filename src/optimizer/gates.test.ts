/** The gates at each of their edges. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkGates, type GateInput } from './gates.ts';
import type { Figures, ShareOfPrompts } from './measure.ts';
import { wilson } from './statistics.ts';

const settings = { minOverall: 0.85, minNegative: 0.8, minImprovement: 0.05, maxRegression: 0.1 };

type Count = readonly [right: number, all: number];

function shareOf([right, all]: Count): ShareOfPrompts {
  return { right, all, share: all === 0 ? 0 : right / all, ...wilson(right, all) };
}

function figuresOf(counts: Readonly<Partial<Record<'direct' | 'indirect' | 'negative', Count>>>): Figures {
  const all = Object.values(counts);
  const sum = (at: 0 | 1) => all.reduce((total, count) => total + count[at], 0);
  const byCategory = Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, shareOf(count)]));
  return { byCategory, overall: shareOf([sum(0), sum(1)]), voids: 0, missing: 0 };
}

const good: GateInput = {
  candidate: figuresOf({ direct: [20, 20], indirect: [19, 20], negative: [19, 20] }),
  baseline: figuresOf({ direct: [15, 20], indirect: [10, 20], negative: [19, 20] }),
  pairs: { better: 14, worse: 0, same: 46 },
  settings,
  paired: true,
  candidatesDecided: 1,
  stolen: [],
};

function codesOf(change: Partial<GateInput>): string[] {
  return checkGates({ ...good, ...change }).refusals.map(({ code }) => code);
}

test('a candidate that is clearly better passes', () => {
  const { passes, refusals, warnings, pValue } = checkGates(good);
  assert.deepEqual([passes, refusals, warnings], [true, [], []]);
  assert.ok(pValue < 0.001);
});

test('[OPT-22] each bound is met by the count that equals it, and missed by one prompt less', () => {
  const baseline = figuresOf({ direct: [1, 10], negative: [8, 10] });
  assert.deepEqual(codesOf({ candidate: figuresOf({ direct: [9, 10], negative: [8, 10] }), baseline }), []);
  assert.deepEqual(codesOf({ candidate: figuresOf({ direct: [8, 10], negative: [8, 10] }), baseline }), ['overall']);
  assert.deepEqual(codesOf({ candidate: figuresOf({ direct: [10, 10], negative: [7, 10] }), baseline }), ['negative']);

  const improved = figuresOf({ direct: [18, 20], negative: [20, 20] });
  assert.deepEqual(codesOf({ candidate: improved, baseline: figuresOf({ direct: [16, 20], negative: [20, 20] }) }), []);
  assert.deepEqual(codesOf({ candidate: improved, baseline: figuresOf({ direct: [17, 20], negative: [20, 20] }) }), [
    'improvement',
  ]);

  const uneven = { baseline: figuresOf({ direct: [2, 10], negative: [10, 10] }) };
  assert.deepEqual(codesOf({ candidate: figuresOf({ direct: [10, 10], negative: [9, 10] }), ...uneven }), []);
  assert.deepEqual(codesOf({ candidate: figuresOf({ direct: [10, 10], negative: [8, 10] }), ...uneven }), [
    'regression',
  ]);
});

test('[OPT-22] at every number of prompts the bound is the first count that reaches it', () => {
  const baseline = figuresOf({ negative: [0, 1] });
  for (let all = 1; all <= 400; all += 1) {
    // 20 × 0.85 = 17: whole numbers have no rounding.
    const least = Math.ceil((17 * all) / 20);
    assert.deepEqual(codesOf({ candidate: figuresOf({ negative: [least, all] }), baseline }), [], `${least} of ${all}`);
    assert.ok(codesOf({ candidate: figuresOf({ negative: [least - 1, all] }), baseline }).includes('overall'));
  }
});

test('counts that differ are compared by their shares', () => {
  const candidate = figuresOf({ direct: [9, 10], negative: [10, 10] });
  assert.deepEqual(codesOf({ candidate, baseline: figuresOf({ direct: [24, 30], negative: [30, 30] }) }), []);
  assert.deepEqual(codesOf({ candidate, baseline: figuresOf({ direct: [25, 30], negative: [30, 30] }) }), [
    'improvement',
  ]);
});

test('the paired test is passed by five better and none worse, and only where it is asked for', () => {
  const four = { pairs: { better: 4, worse: 0, same: 56 } };
  assert.deepEqual(codesOf({ pairs: { better: 5, worse: 0, same: 55 } }), []);
  assert.deepEqual(codesOf(four), ['paired']);
  const [again] = checkGates({ ...good, ...four, candidatesDecided: 50 }).refusals;
  assert.match(
    again?.sentence ?? '',
    /at most 0\.001 is allowed, because these prompts have already decided about 50 candidates/,
  );
  const weak = checkGates({ ...good, ...four, paired: false });
  assert.equal(weak.passes, true);
  assert.match(weak.warnings.join(), /^Weak evidence/);
});

test('a refusal names the neighbour that loses more than a tenth of its prompts', () => {
  const { refusals } = checkGates({ ...good, stolen: [{ tool: 'weather:history', lost: 1, all: 6 }] });
  assert.deepEqual(refusals, [
    {
      code: 'steals',
      sentence: 'It steals from "weather:history": 1 of 6 of its prompts would no longer find it.',
    },
  ]);
  assert.deepEqual(codesOf({ stolen: [{ tool: 'weather:history', lost: 0, all: 6 }] }), []);
});

test('neighbours may lose a tenth of their prompts each, and together fewer than the tool gains', () => {
  const stolen = ['a', 'b', 'c', 'd'].map((tool) => ({ tool: `weather:${tool}`, lost: 1, all: 10 }));
  assert.deepEqual(codesOf({ stolen, pairs: { better: 6, worse: 1, same: 53 }, paired: false }), []);
  assert.deepEqual(codesOf({ stolen, pairs: { better: 5, worse: 1, same: 54 }, paired: false }), ['steals']);
  assert.deepEqual(codesOf({ stolen: [{ tool: 'weather:a', lost: 1, all: 9 }] }), ['steals']);
  const { refusals } = checkGates({ ...good, stolen: stolen.slice(0, 1), pairs: { better: 1, worse: 3, same: 56 } });
  assert.equal(refusals.at(-1)?.sentence, 'It steals: neighbours would lose 1 prompt, and the tool gains 0.');
});

test('a missing category is a warning, and missing negatives are a refusal', () => {
  const candidate = figuresOf({ direct: [20, 20] });
  const { refusals, warnings } = checkGates({ ...good, candidate, baseline: figuresOf({ direct: [10, 20] }) });
  assert.deepEqual(
    refusals.map(({ code }) => code),
    ['no-negatives'],
  );
  assert.deepEqual(warnings, ['No indirect prompt decides, so success on them is unknown.']);
});

test('a tenth of void or missing prompts is the most that may be', () => {
  assert.deepEqual(codesOf({ candidate: { ...good.candidate, voids: 6 } }), []);
  assert.deepEqual(codesOf({ candidate: { ...good.candidate, voids: 7 } }), ['void']);
  assert.deepEqual(codesOf({ baseline: { ...good.baseline, voids: 7 } }), ['void']);
  assert.deepEqual(codesOf({ candidate: { ...good.candidate, missing: 6 } }), []);
  assert.deepEqual(codesOf({ candidate: { ...good.candidate, missing: 7 } }), ['incomplete']);
});

test('without runs the first reason is that there are none', () => {
  const none = { ...figuresOf({}), missing: 60 };
  assert.deepEqual(codesOf({ candidate: none }), ['no-runs', 'no-negatives']);
  assert.deepEqual(codesOf({ baseline: none }), ['no-baseline']);
});

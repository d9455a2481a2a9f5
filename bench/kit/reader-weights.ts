/** Learns the weight of each impression of the reader, by logistic regression on definitions that the reader has not learnt from. */

import type { Impressions, ReaderWeights } from '../../src/trust/scan/reader-signs.ts';

export interface Lesson {
  readonly impressions: Impressions;
  readonly isBad: boolean;
}

const rounds = 4_000;
const rate = 0.5;
/** Keeps the weights of correlated impressions small. */
const decay = 1e-3;
const names = ['order', 'asked', 'pair', 'whole', 'length', 'security'] as const;

/** `mostFalse`: the share of honest lessons above 0 that the bias allows. */
export function learnWeights(lessons: readonly Lesson[], mostFalse: number): ReaderWeights {
  const bad = lessons.filter(({ isBad }) => isBad).length;
  const shares = { bad: 0.5 / bad, fair: 0.5 / (lessons.length - bad) };
  const weights = { bias: 0, order: 0, asked: 0, pair: 0, whole: 0, length: 0, security: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const slope = { bias: 0, order: 0, asked: 0, pair: 0, whole: 0, length: 0, security: 0 };
    for (const { impressions, isBad } of lessons) {
      const error = (1 / (1 + Math.exp(-sumOf(impressions, weights))) - Number(isBad)) * shares[isBad ? 'bad' : 'fair'];
      slope.bias += error;
      for (const name of names) slope[name] += error * impressions[name];
    }
    weights.bias -= rate * slope.bias;
    for (const name of names) weights[name] -= rate * (slope[name] + decay * weights[name]) * stepOf(name);
  }
  const fair = lessons.filter(({ isBad }) => !isBad).map(({ impressions }) => sumOf(impressions, weights));
  const limit = fair.toSorted((a, b) => b - a)[Math.floor(mostFalse * fair.length)] ?? 0;
  weights.bias -= limit;
  return weights;
}

/** Impressions have different scales. */
function stepOf(name: (typeof names)[number]): number {
  return name === 'length' || name === 'security' || name === 'asked' ? 1 : 0.1;
}

function sumOf(impressions: Impressions, weights: ReaderWeights): number {
  return names.reduce((sum, name) => sum + weights[name] * impressions[name], weights.bias);
}

/** Weighs what the reader saw in a definition, or in what a change adds to one: its worst sentence, its worst pair of sentences, and the whole. */

import type { ReasonCode } from '../judgement.ts';
import { askedIn } from './asked.ts';
import type { SeenText } from './read-sentences.ts';
import { type Aim, openReader } from './reader-model.ts';
import type { Sign } from './sign.ts';
import { hardFrom } from './weigh.ts';

/** The impressions that decide the verdict about a definition. */
export interface Impressions {
  /** The likeliest order among single sentences. */
  readonly order: number;
  /** The weight of what that order asks for, by its words. */
  readonly asked: number;
  /** The most suspicious pair of sentences. */
  readonly pair: number;
  readonly whole: number;
  /** The log of the number of sentences: a long text has something odd somewhere. */
  readonly length: number;
  /** 1 for a tool about attacks and secrets, which is harder to read. */
  readonly security: number;
}

/**
 * Above 0 the sum holds a definition back. Learnt from definitions that the reader had not seen: `test/poison/choosing`, the third
 * collection and real servers that are not in this repository. `npm run bench:scanner -- --folder DIR --weights` does it for one folder.
 */
export type ReaderWeights = Readonly<Record<keyof Impressions | 'bias', number>>;
const weights: Readonly<Record<Extent, ReaderWeights>> = {
  whole: { bias: -0.66, order: 0.21, asked: 1.09, pair: 0.41, whole: 0.23, length: -1.15, security: -1.23 },
  added: { bias: 2.25, order: 0.03, asked: -0.11, pair: 0.74, whole: 0.14, length: -4.24, security: 0.1 },
};
const pointsPerUnit = 20;
/** A rule that finds something concrete comes first. */
const mostPoints = 89;
/** A sign has at least these points. */
const leastPoints = 30;

/** The most sentences that count toward the length, in a definition and in an addition. */
const mostCounted = { whole: 12, added: 4 };
export type Extent = keyof typeof mostCounted;

/** An order below this is harmless, whatever its words. */
const askedFrom = -3;

/** Undefined if there is no text to read. */
export function impressionsOf(seen: readonly SeenText[], isSecurity: boolean, extent: Extent): Impressions | undefined {
  const readings = seen.flatMap((text) => text.readings);
  if (readings.length === 0) return undefined;
  const [first, ...rest] = seen.flatMap(({ orders }) => orders);
  const order = rest.reduce((best, one) => (best && best.score >= one.score ? best : one), first);
  return {
    order: order?.score ?? 0,
    // Computed only if it matters: nearly all sentences are harmless.
    asked: order && order.score > askedFrom ? askedIn(order.sentence) : 0,
    pair: Math.max(...readings.map(({ score }) => score)),
    whole: openReader().whole(readings.map((reading) => reading.seen)),
    length: Math.log(Math.min(mostCounted[extent], readings.length)),
    security: Number(isSecurity),
  };
}

/** A sign for each sentence that makes the sum high enough; the worst has the points of the definition. */
export function signsOfReader(seen: readonly SeenText[], isSecurity: boolean, extent: Extent): Sign[] {
  const most = impressionsOf(seen, isSecurity, extent);
  if (most === undefined) return [];
  const pointsOf = (own: Partial<Impressions>) =>
    Math.min(mostPoints, hardFrom + pointsPerUnit * sumOf({ ...most, ...own }, weights[extent]));
  return seen.flatMap(({ text: { where }, orders, readings }) => {
    const said = [
      ...orders.map((order) => ({ ...order, points: pointsOf({ order: order.score }) })),
      ...readings.map((reading) => ({ ...reading, points: pointsOf({ pair: reading.score }) })),
    ];
    return said
      .filter(({ points }) => points >= leastPoints)
      .map(({ aim, sentence, at, points }) => ({ ...told[aim], kind: 'read', points, where, at, excerpt: sentence }));
  });
}

function sumOf(impressions: Impressions, { bias, ...weights }: ReaderWeights): number {
  const names = Object.keys(weights) as (keyof Impressions)[];
  return names.reduce((sum, name) => sum + weights[name] * impressions[name], bias);
}

const told: Readonly<Record<Aim, { readonly code: ReasonCode; readonly says: string }>> = {
  secrets: { code: 'secrets', says: 'It seems to ask for something private' },
  hides: { code: 'instructions', says: 'It seems to hide something from people, or to decide for them' },
  orders: { code: 'instructions', says: 'It seems to give the model orders beyond its own task' },
  others: { code: 'other-server', says: 'It seems to meddle with other tools' },
  runs: { code: 'instructions', says: 'It seems to make the model run or install something' },
};

/** From what a tool scored to how probable it is that it was asked for. `bench/calibrate.ts` prints the numbers. */

import type { ModelKind } from '../meaning/meaning.ts';

/** The evidence for a hit. */
export interface Evidence {
  /** How much of the query its words answer, 0 to 1; null where words were not compared. */
  readonly coverage: number | null;
  /** How near its meaning is; null where it was not compared. */
  readonly meaning: number | null;
  /** Its score divided by the best one. */
  readonly share: number;
}

interface Curve {
  readonly base: number;
  readonly coverage: number;
  readonly meaning: number;
  readonly share: number;
}

/** Logistic curves, fitted on bfcl and our own sets, each query asked of its own tools and of strange ones. */
const words: Curve = { base: -7.76, coverage: 7.06, meaning: 0, share: 5.11 };
/** Nearness is on another scale with each kind of model: a table's texts are all somewhat alike. */
const curves: Readonly<Record<Exclude<ModelKind, 'service'>, Readonly<Record<'meaning' | 'both', Curve>>>> = {
  table: {
    meaning: { base: -12.75, coverage: 0, meaning: 7.16, share: 8.11 },
    both: { base: -11.88, coverage: 2.13, meaning: 6.4, share: 7.6 },
  },
  encoder: {
    meaning: { base: -11.79, coverage: 0, meaning: 8.02, share: 7.18 },
    both: { base: -12, coverage: 1.58, meaning: 7.8, share: 7.57 },
  },
};

/** The scale of a service's nearness is not known: then words say how probable a hit is, and without them only its rank does. */
const byRank: Curve = { base: -6, coverage: 0, meaning: 0, share: 6 };

export function relevanceOf({ coverage, meaning, share }: Evidence, kind: ModelKind): number {
  const curve = curveFor(coverage, meaning, kind);
  const sum = curve.base + curve.coverage * (coverage ?? 0) + curve.meaning * (meaning ?? 0) + curve.share * share;
  return 1 / (1 + Math.exp(-sum));
}

function curveFor(coverage: number | null, meaning: number | null, kind: ModelKind): Curve {
  if (meaning === null) return words;
  if (kind === 'service') return coverage === null ? byRank : words;
  return curves[kind][coverage === null ? 'meaning' : 'both'];
}

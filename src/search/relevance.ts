/** From what a tool scored to how probable it is that it was asked for. `bench/calibrate.ts` prints the numbers. */

/** What is known of a hit. */
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
const curves: Readonly<Record<'words' | 'meaning' | 'both', Curve>> = {
  words: { base: -7.76, coverage: 7.06, meaning: 0, share: 5.11 },
  meaning: { base: -12.75, coverage: 0, meaning: 7.16, share: 8.11 },
  both: { base: -11.88, coverage: 2.13, meaning: 6.4, share: 7.6 },
};

export function relevanceOf({ coverage, meaning, share }: Evidence): number {
  const kind = meaning === null ? 'words' : coverage === null ? 'meaning' : 'both';
  const curve = curves[kind];
  const sum = curve.base + curve.coverage * (coverage ?? 0) + curve.meaning * (meaning ?? 0) + curve.share * share;
  return 1 / (1 + Math.exp(-sum));
}

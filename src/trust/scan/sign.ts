/** A sign of poison with its weight, as one check reports it, before all signs are weighed together. */

import type { ReasonCode } from '../judgement.ts';

export interface Sign {
  readonly code: ReasonCode;
  /** Signs of one kind count once, however often they are found: the strongest of them. */
  readonly kind: string;
  /** Its weight: a hundred prove it, and less can hold a definition back (see `weigh.ts`). */
  readonly points: number;
  readonly where: string;
  /** Which sentence of its text it stands in; a sign that concerns a text or a definition as a whole has none. */
  readonly at?: number | undefined;
  /** The problem, as the first half of a sentence: "It tells the model to keep something from people". */
  readonly says: string;
  /** The text in question, as it was written. */
  readonly excerpt: string;
}

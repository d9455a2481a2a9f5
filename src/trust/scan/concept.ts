/** The ideas that poisoned texts are made of; each language has words for them, and combinations of them weigh more. */

import type { Phrase } from './word-patterns.ts';

export const concepts = [
  // Said to or about the model.
  'secrecy',
  'override',
  'role',
  'addressed',
  'obey',
  'unasked',
  'preferred',
  'slander',
  'pre-empts',
  'deceit',
  'decode',
  'coercion',
  'memory',
  'danger',
  'pretext',
  'must',
  // What is wanted of it.
  'conversation',
  'system-prompt',
  'secret',
  'private-file',
  'home-file',
  'person',
  // What happens to that.
  'hand-over',
  'reads',
  'address',
  'vendor',
  'others',
  // Hints: little alone, something where several meet.
  'hush',
  'scope',
  'behaviour',
  'claim',
  'leave',
  'us',
  'harm',
] as const;
export type Concept = (typeof concepts)[number];

/** Words for one idea, and what they weigh where they stand alone. */
export interface Words {
  readonly concept: Concept;
  readonly points: number;
  readonly phrases: readonly Phrase[];
}

/** Questions by words alone, as tests of the index ask them. */

import type { Question } from '../../src/search/search.ts';

export function plainQuestions(...queries: readonly string[]): Question[] {
  return queries.map((text) => ({ text, parts: [], vectors: [], usage: new Map() }));
}

/** Questions by words alone, as tests of the index ask them. */

import type { PreparedQuery } from '../../src/search/search.ts';

export function plainQuestions(...queries: readonly string[]): PreparedQuery[] {
  return queries.map((text) => ({ text, parts: [], vectors: [], usage: new Map() }));
}

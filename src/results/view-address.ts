/** The parts of a kept result by their numbers, and the addresses of its views. */

import { framePart, type OpenResult } from './open-result.ts';
import { type PartFacts, uriOf } from './part-facts.ts';
import { bad } from './result-view.ts';

export async function partOf(result: OpenResult, number: number): Promise<PartFacts> {
  const facts = await result.part(number);
  if (facts) return facts;
  const { length } = result.manifest.parts;
  const range = length === 1 ? 'only part 1' : `parts 1 to ${length}`;
  throw bad(`There is no part ${number}: the result has ${range} (and part ${framePart}, the frame around them).`);
}

/** The URI of a view; a part is named where there are several. */
export function viewUri(result: OpenResult, number: number, query: string): string {
  const part = number === 1 && result.manifest.parts.length === 1 ? '' : `part=${number}&`;
  return `${uriOf(result.manifest.id)}?${part}${query}`;
}

export function kindOf(facts: PartFacts): string {
  return facts.kind === 'json' ? 'JSON' : facts.json ? 'JSON as text' : 'text';
}

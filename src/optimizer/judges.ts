/** The judges by name: each is made for one job, or refused with the settings that it lacks. */

import { GatewayError } from '../base/errors.ts';
import type { ToolSearch } from '../search/search.ts';
import type { DescriptionJudge, JudgeName } from './judge.ts';
import { SearchJudge } from './search-judge.ts';

export interface JudgeSurroundings {
  readonly search: Pick<ToolSearch, 'trial'>;
}

/** The search says the same every time; the others are asked again, because chance has a part in their answers. */
export const usualRepeats: Readonly<Record<JudgeName, number>> = { search: 1, model: 3, agent: 2 };

/** Throws where the judge is not available. */
export function judgeOf(name: JudgeName, { search }: JudgeSurroundings): DescriptionJudge {
  if (name === 'search') return new SearchJudge(search);
  throw new GatewayError('ARGUMENTS_INVALID', `The judge "${name}" is not available.`, {
    hint: 'Use the judge "search".',
  });
}

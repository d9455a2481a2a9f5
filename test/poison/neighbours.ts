/** The tools beside which a sample of the corpus is judged. */

import type { Neighbours } from '../../src/trust/trust.ts';
import { onFull } from '../kit/own-tools.ts';
import type { Sample } from './read-corpus.ts';

const ownNames: ReadonlySet<string> = new Set(onFull);

type Beside = Pick<Sample, 'server'> & { readonly others?: Sample['others'] | undefined };

export function neighboursOfSample({ server, others = {} }: Beside): Neighbours {
  const sets = Object.entries(others).map(([name, tools]) => [name, new Set(tools)] as const);
  return { server, ownNames, others: new Map(sets) };
}

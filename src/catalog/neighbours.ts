/** What else there is beside one server, for judging whether its definitions pass themselves off as others or speak of them. */

import type { Listing } from '../store/store.ts';
import type { Neighbours } from '../trust/trust.ts';
import type { Snapshot } from './snapshot.ts';

/** What is only being judged counts as well: whether one of two that are listed at once is seen to imitate the other is no matter of haste. */
export function neighboursOf(
  snapshot: Snapshot,
  judging: ReadonlyMap<string, Listing>,
  server: string,
  listing: Listing,
  ownNames: ReadonlySet<string>,
): Neighbours {
  const others = new Map<string, ReadonlySet<string>>();
  for (const [name, { tools, heldTools }] of snapshot.servers)
    if (name !== server) others.set(name, new Set([...tools.map((tool) => tool.serverName), ...heldTools]));
  for (const [name, other] of judging)
    if (name !== server) others.set(name, toolNamesIn(other).union(others.get(name) ?? new Set()));
  return { server, ownNames, others, siblings: toolNamesIn(listing) };
}

function toolNamesIn({ items }: Listing): Set<string> {
  return new Set(items.filter(({ kind }) => kind === 'tool').map(({ name }) => name));
}

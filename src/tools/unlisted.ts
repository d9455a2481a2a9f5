/** Servers that have not said yet what they offer: an answer that may miss something of theirs names them. */

import type { Catalog, ServerEntry } from '../catalog/catalog.ts';

const mostNamed = 5;

/** Their names as one text; undefined where every server has been listed, or could not be. */
export function namesBeingListed(catalog: Catalog, servers: readonly ServerEntry[]): string | undefined {
  const names = servers.map(({ spec }) => spec.name).filter((name) => catalog.isBeingListed(name));
  if (names.length === 0) return undefined;
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
  return `${names.slice(0, mostNamed).join(', ')}${more}`;
}

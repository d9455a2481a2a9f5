/** One line that says what can be searched for: enough for a model to think of looking, stable while the catalog is. */

import type { Principal } from '../access/access.ts';
import type { Entry } from '../catalog/catalog.ts';
import type { EndpointContext } from './endpoint.ts';
import { visibleTools } from './visible.ts';

const maxCategories = 8;
const maxServersShown = 3;
/** Characters; about 100 tokens. */
const maxLength = 400;

export function capabilityIndex({ catalog, search }: EndpointContext, principal: Principal): string {
  const tools = visibleTools(catalog.snapshot, principal);
  const servers = new Set(tools.map((tool) => tool.server));
  if (tools.length === 0) return 'Search the tools of all connected servers (none is listed yet).';
  const head = `Search ${tools.length} tools on ${servers.size} servers: `;
  const parts: string[] = [];
  let length = head.length;
  for (const part of describeCategories(tools, (tool) => search.categoryOf(tool))) {
    if (length + part.length + 2 > maxLength) break;
    parts.push(part);
    length += part.length + 2;
  }
  return `${head}${parts.join(', ')}.`;
}

function describeCategories(tools: readonly Entry[], categoryOf: (tool: Entry) => string): string[] {
  const groups = Map.groupBy(tools, categoryOf);
  return [...groups]
    .sort(
      ([a, left], [b, right]) =>
        Number(a === 'other') - Number(b === 'other') || right.length - left.length || (a < b ? -1 : 1),
    )
    .slice(0, maxCategories)
    .map(([category, members]) => `${category.replaceAll('_', ' ')} (${serversOf(members)})`);
}

function serversOf(tools: readonly Entry[]): string {
  const names = [...new Set(tools.map((tool) => tool.server))].sort();
  const more = names.length > maxServersShown ? ' …' : '';
  return names.slice(0, maxServersShown).join(', ') + more;
}

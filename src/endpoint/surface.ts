/** Which tools an agent sees: every tool itself (`direct`) or a few that find and call the others (`search`). */

import type { Principal } from '../access/access.ts';
import type { Snapshot } from '../catalog/catalog.ts';
import { visibleTools } from './visible.ts';

export const surfaceNames = ['auto', 'search', 'direct'] as const;
export type SurfaceName = (typeof surfaceNames)[number];

/** Up to this many tokens, the whole catalog is cheaper than looking things up. */
export const autoDirectTokens = 3_000;

export interface SurfaceChoice {
  readonly surface: 'search' | 'direct';
  readonly reason: string;
}

/** Depends on the catalog and the principal alone, because a list must not vary by connection. */
export function chooseSurface(wanted: SurfaceName, snapshot: Snapshot, principal: Principal): SurfaceChoice {
  if (wanted !== 'auto') return { surface: wanted, reason: `asked for by ?surface=${wanted}` };
  const tools = visibleTools(snapshot, principal);
  let bytes = 0;
  for (const tool of tools) bytes += sizeOf(tool.definition);
  const tokens = Math.round(bytes / 4);
  const isSmall = tokens <= autoDirectTokens;
  const relation = isSmall ? 'at most' : 'more than';
  return {
    surface: isSmall ? 'direct' : 'search',
    reason: `the ${tools.length} tools are about ${tokens} tokens, ${relation} ${autoDirectTokens}`,
  };
}

const sizes = new WeakMap<object, number>();

/** Definitions are immutable: each is measured once. */
function sizeOf(definition: object): number {
  let size = sizes.get(definition);
  if (size === undefined) {
    size = Buffer.byteLength(JSON.stringify(definition));
    sizes.set(definition, size);
  }
  return size;
}

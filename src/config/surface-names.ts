/** What an agent can be shown: every tool itself, or a few that find and call the others; `auto` goes by what there is. */

export const surfaceNames = ['auto', 'search', 'direct', 'code', 'full'] as const;
export type SurfaceName = (typeof surfaceNames)[number];

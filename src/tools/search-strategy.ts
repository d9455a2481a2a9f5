/** How tools are looked for on behalf of a principal: as its project says, else as the config does. */

import type { Principal } from '../access/access.ts';
import { localModes, type SearchMode } from '../search/search.ts';
import type { Uses } from './layers.ts';

/** `asked`: the mode that a request names, if it does. null: nothing is to be found. */
export function searchModeFor(
  { config }: Uses<'config'>,
  principal: Principal,
  asked: SearchMode | undefined,
): SearchMode | null {
  const { project } = principal;
  // Projects that only servers name have no strategy of their own.
  if (project === undefined || project.origin === 'servers') return asked ?? config().search.mode;
  if (project.search === null || asked === undefined) return project.search;
  // What is searched here tells nobody anything; to another program only what the project says is sent.
  return localModes.some((mode) => mode === asked) ? asked : project.search;
}

export function isDiscoveryOff({ project }: Principal): boolean {
  return project !== undefined && project.origin !== 'servers' && project.search === null;
}

/** What is said of it beside an empty answer. */
export const discoveryOff = {
  code: 'DISCOVERY_DISABLED',
  notice: 'Discovery is switched off in this project.',
} as const;

/** Promises about the live state that the dashboard, the terminal and commands that follow share. */

import type { Requirement } from './requirement.ts';

export const liveRequirements: readonly Requirement[] = [
  {
    id: 'LIVE-01',
    sentence: 'Whatever happens, and whatever its reader misses, the live state ends up as a fresh snapshot.',
    source: 'dashboard',
  },
];

/** Promises about looking at servers and tools in the dashboard. */

import type { Requirement } from './requirement.ts';

export const dashboardToolRequirements: readonly Requirement[] = [
  {
    id: 'DASH-41',
    sentence:
      'The owner sees every tool of every server, and why agents do not see it, as any token or project has it.',
    source: 'SPEC 12',
  },
  {
    id: 'DASH-42',
    sentence: 'A large result of a call by hand can be read page by page.',
    source: 'SPEC 12',
  },
];

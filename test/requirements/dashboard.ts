/** Promises about the dashboard in the browser. */

import type { Requirement } from './requirement.ts';

export const dashboardRequirements: readonly Requirement[] = [
  {
    id: 'DASH-01',
    sentence:
      'The files of the dashboard are small, kept as long as they are good, and may load nothing from elsewhere.',
    source: 'surfaces',
  },
  {
    id: 'DASH-02',
    sentence: 'Nothing but the files of the build is served, whatever path is asked for.',
    source: 'access',
  },
];

/** Promises about the pages "Review", "Access" and "Audit" of the dashboard. */

import type { Requirement } from './requirement.ts';

export const dashboardReviewRequirements: readonly Requirement[] = [
  {
    id: 'DASH-60',
    sentence: 'An upgrade of a server is decided at once, with what differs in sight, and the decision can be undone.',
    source: 'surfaces',
  },
  {
    id: 'DASH-65',
    sentence:
      'An upgrade that changes while somebody reads it is not decided by the click that was meant for the first.',
    source: 'surfaces',
  },
  {
    id: 'DASH-66',
    sentence: 'A form never undoes unseen what somebody else changed meanwhile, and keeps what was typed.',
    source: 'surfaces',
  },
  { id: 'DASH-61', sentence: 'A call that waits is shown as it comes, and answered on the page.', source: 'surfaces' },
  {
    id: 'DASH-62',
    sentence: 'The audit is filtered by its address, followed as it is written, and exported as it is shown.',
    source: 'surfaces',
  },
  {
    id: 'DASH-63',
    sentence: 'A token is made on the page with the rights that were picked, shown once, and revoked there.',
    source: 'access',
  },
  {
    id: 'DASH-64',
    sentence: 'Projects are made and changed on the page, and secrets are set there and never shown.',
    source: 'access',
  },
];

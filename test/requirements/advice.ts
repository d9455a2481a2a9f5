/** What Toolcrib promises about its advice: it is true, it names what to change, and other programs can rely on its words. */

import type { Requirement } from './requirement.ts';

export const adviceRequirements: readonly Requirement[] = [
  {
    id: 'ADVICE-01',
    sentence:
      'catalog/search takes and sends toolName and serverName, reads name and server too, and keeps the reason of another service.',
    source: 'search',
  },
];

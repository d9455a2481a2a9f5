/** The promises about promoted descriptions in effect. */

import type { Requirement } from './requirement.ts';

export const optimizerPromotionRequirements: readonly Requirement[] = [
  {
    id: 'OPT-40',
    sentence:
      'A promotion that does worse in real use is reverted by itself; of those as good as before at most one in twenty is.',
    source: 'optimizer',
  },
];

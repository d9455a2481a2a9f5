/** Every promised behaviour; the house rules check that each is cited by a test, and that no test cites another. */

import { accessRequirements } from './requirements/access.ts';
import { callRequirements } from './requirements/calls.ts';
import { chainRequirements } from './requirements/chains.ts';
import { disclosureRequirements } from './requirements/disclosure.ts';
import { eraRequirements } from './requirements/eras.ts';
import { linkRequirements } from './requirements/links.ts';
import { offerRequirements } from './requirements/offers.ts';
import type { Requirement } from './requirements/requirement.ts';
import { searchRequirements } from './requirements/search.ts';
import { surfaceRequirements } from './requirements/surfaces.ts';

export const requirements: readonly Requirement[] = [
  ...accessRequirements,
  ...callRequirements,
  ...chainRequirements,
  ...disclosureRequirements,
  ...eraRequirements,
  ...linkRequirements,
  ...offerRequirements,
  ...searchRequirements,
  ...surfaceRequirements,
];

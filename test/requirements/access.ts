/** Promises about who may come in. */

import type { Requirement } from './requirement.ts';

export const accessRequirements: readonly Requirement[] = [
  { id: 'ACC-01', sentence: 'Whether a token is needed follows the config while the gateway runs.', source: 'access' },
  {
    id: 'ACC-02',
    sentence: 'A number that cannot be passed on exactly is refused, not rounded.',
    source: 'reliability',
  },
  { id: 'ACC-03', sentence: 'A tool that is called while its server is first listed is found.', source: 'links' },
  {
    id: 'ACC-04',
    sentence: 'A config file that turns up in the current folder later starts nothing.',
    source: 'access',
  },
  {
    id: 'ACC-05',
    sentence:
      'Permissions compare names without case, Unicode form and spaces around them; where two fold to one, deny wins.',
    source: 'access',
  },
];

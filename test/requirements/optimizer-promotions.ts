/** The promises about promoted descriptions in effect. */

import type { Requirement } from './requirement.ts';

export const optimizerPromotionRequirements: readonly Requirement[] = [
  {
    id: 'OPT-40',
    sentence:
      'A promotion that does worse in real use is reverted by itself; of those as good as before at most one in twenty is.',
    source: 'optimizer',
  },
  {
    id: 'OPT-41',
    sentence:
      "A promoted description is read at every door in both eras, with everything else as it was to the byte; the plain door and get_canonical_tools keep the server's own, and details show both.",
    source: 'optimizer',
  },
  {
    id: 'OPT-42',
    sentence: 'Agents are told once of a promotion and once of its end, where what they read differs.',
    source: 'optimizer',
  },
  {
    id: 'OPT-43',
    sentence: "A promotion survives restarts; while the optimizer is off, agents read the server's own description.",
    source: 'optimizer',
  },
  {
    id: 'OPT-44',
    sentence:
      'A promotion is suspended while the name, description or input schema of its tool is another, and by nothing else.',
    source: 'optimizer',
  },
  {
    id: 'OPT-45',
    sentence: 'Approvals and pins go by the definition of the server, whatever is promoted.',
    source: 'optimizer',
  },
  {
    id: 'OPT-46',
    sentence: 'A promotion after which calls fail is reverted while the gateway runs, with the figures in the audit.',
    source: 'optimizer',
  },
  {
    id: 'OPT-47',
    sentence:
      'A promotion past the gates needs the scope admin on every path, and its record says who forced it and why.',
    source: 'optimizer',
  },
];

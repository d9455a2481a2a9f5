/** Promises about projects, permissions, and hidden tools. */

import type { Requirement } from './requirement.ts';

const source = 'access';

export const accessProjectRequirements: readonly Requirement[] = [
  {
    id: 'ACC-30',
    sentence:
      'A modern agent finds, on every path, nothing of a tool that is kept from it: all reads as if there were none.',
    source,
  },
  { id: 'ACC-31', sentence: 'The same holds for an agent of the legacy era.', source },
  { id: 'ACC-32', sentence: 'Those paths show the tool to whoever may see it.', source },
  {
    id: 'ACC-33',
    sentence: 'The search for programs and the API tell a limited token nothing of a hidden tool.',
    source,
  },
  {
    id: 'ACC-34',
    sentence: 'A changed project is told within a second to whom something reads differently, and to nobody else.',
    source,
  },
  {
    id: 'ACC-35',
    sentence: 'Each token finds in each project exactly what both grant, by every method and in both eras.',
    source,
  },
  {
    id: 'ACC-36',
    sentence:
      'A project has a search strategy of its own; where discovery is off, answers are empty and calls still work.',
    source,
  },
  { id: 'ACC-37', sentence: 'URL, token and project say in this order what an agent sees, with the reason.', source },
  {
    id: 'ACC-38',
    sentence: 'A permission that is taken away is refused from the next call on, also inside a program.',
    source,
  },
  { id: 'ACC-39', sentence: 'Projects are made, listed, changed and removed on the command line.', source },
  {
    id: 'ACC-50',
    sentence:
      'A project that goes from the config file while servers name it is closed, also after a restart, until it is configured again.',
    source,
  },
];

/** What is promised about changing servers while they run, and about secrets that their settings refer to. */

import type { Requirement } from './requirement.ts';

export const managementRequirements: readonly Requirement[] = [
  {
    id: 'SET-01',
    sentence:
      'A changed setting of a server holds at once in every open session, and agents hear once of what reads differently.',
    source: 'SPEC 2 and 11',
  },
  {
    id: 'SET-02',
    sentence: 'A change of settings keeps the process of the server and its running calls, and survives a restart.',
    source: 'SPEC 2',
  },
  {
    id: 'SET-03',
    sentence: 'A server of the config file is refused with the place of its entry and what to write there.',
    source: 'SPEC 2',
  },
  {
    id: 'SET-04',
    sentence:
      'A setting for a tool that the server does not have is refused with the nearest name, or noted where nothing is known.',
    source: 'SPEC 2',
  },
];

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
  {
    id: 'SECRET-01',
    sentence:
      'A secret that a server refers to is used without a restart, in the config file and in servers that were added.',
    source: 'SPEC 2',
  },
  {
    id: 'SECRET-02',
    sentence: 'A changed secret is used from the next call on, and running calls finish with the old one.',
    source: 'SPEC 2',
  },
  {
    id: 'SECRET-03',
    sentence:
      'A missing secret fails the servers that need it alone, at the place of its reference, with the command that sets it.',
    source: 'SPEC 2',
  },
  {
    id: 'SECRET-04',
    sentence:
      'The value of a secret comes from a prompt or stdin, and stands in no file, log, answer, audit or other environment.',
    source: 'SPEC 2 and 11',
  },
  {
    id: 'SECRET-05',
    sentence: 'A secret in use is removed only when that is confirmed.',
    source: 'SPEC 2',
  },
];

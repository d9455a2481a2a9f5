/** Promises about changing servers while they run, and about secrets that their settings refer to. */

import type { Requirement } from './requirement.ts';

export const managementRequirements: readonly Requirement[] = [
  {
    id: 'SET-01',
    sentence:
      'A changed setting holds at once in every open session, and agents are notified once, if their list changes.',
    source: 'SPEC 2 and 11',
  },
  {
    id: 'SET-02',
    sentence: 'A change of settings keeps the process of the server and its running calls, and survives a restart.',
    source: 'SPEC 2',
  },
  {
    id: 'SET-03',
    sentence: 'For a server of the config file, set refuses and names the place of its entry and what to write there.',
    source: 'SPEC 2',
  },
  {
    id: 'SET-04',
    sentence:
      'A setting for an unknown tool is refused with the nearest name, or accepted with a note if the server was never listed.',
    source: 'SPEC 2',
  },
  {
    id: 'SET-05',
    sentence:
      'Another connection of a server is tried without a trace: agents go on with the old one until the new one is kept.',
    source: 'SPEC 2 and 12',
  },
  {
    id: 'SET-06',
    sentence: 'The connection of a server is changed without showing its secrets: each is kept, replaced or taken out.',
    source: 'SPEC 2 and 12',
  },
  {
    id: 'SET-07',
    sentence: 'Nothing of a new server reaches agents before its owner keeps it.',
    source: 'SPEC 11',
  },
  {
    id: 'SET-08',
    sentence:
      'A trial that is not kept ends with its page or after ten minutes; its process ends, and nothing is stored.',
    source: 'SPEC 11',
  },
  {
    id: 'SET-09',
    sentence:
      'Keeping a server takes what its trial showed: its process, its definitions as judged, and the chosen permissions.',
    source: 'SPEC 11',
  },
  {
    id: 'SECRET-01',
    sentence:
      'A secret that a server refers to is used without a restart, in the config file and in servers that were added.',
    source: 'SPEC 2',
  },
  {
    id: 'SECRET-02',
    sentence: 'A changed secret counts from the next call on, and running calls finish with the old one.',
    source: 'SPEC 2',
  },
  {
    id: 'SECRET-03',
    sentence:
      'A missing secret fails only the servers that use it; the error names the reference and the command that sets it.',
    source: 'SPEC 2',
  },
  {
    id: 'SECRET-04',
    sentence:
      'The value of a secret comes from a prompt or stdin, and appears in no file, log, answer, audit or other environment.',
    source: 'SPEC 2 and 11',
  },
  {
    id: 'SECRET-05',
    sentence: 'A secret in use is removed only with --force.',
    source: 'SPEC 2',
  },
];

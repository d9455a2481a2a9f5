/** Promises about Toolcrib's advice: it is true, it names what to change, and other programs can rely on its words. */

import type { Requirement } from './requirement.ts';

export const adviceRequirements: readonly Requirement[] = [
  {
    id: 'ADVICE-01',
    sentence:
      'catalog/search takes and sends toolName and serverName, reads name and server too, and keeps the reason of another service.',
    source: 'search',
  },
  {
    id: 'ADVICE-02',
    sentence:
      "The owner's door answers each kind of trouble with what to change, and says wait only where waiting helps.",
    source: 'calling',
  },
  {
    id: 'ADVICE-03',
    sentence: 'Every failed call comes with numbered steps on the surfaces that promise them, however it is made.',
    source: 'calling',
  },
  {
    id: 'ADVICE-05',
    sentence: 'config check and doctor name each setting that has no effect, with its place, and end with 0.',
    source: 'config',
  },
  {
    id: 'ADVICE-06',
    sentence:
      'With the provider "agent", the agent program that the owner allows ranks tools; config check says where none is allowed.',
    source: 'config',
  },
  {
    id: 'ADVICE-04',
    sentence: 'Printed commands are those of this installation, and none leads to a package that is not ours.',
    source: 'commands',
  },
  {
    id: 'ADVICE-07',
    sentence: 'Start with a data folder that cannot exist ends with one sentence and a hint.',
    source: 'commands',
  },
  {
    id: 'ADVICE-08',
    sentence: 'Commands that lose something for good ask on a terminal; with --yes or in a script they do not.',
    source: 'commands',
  },
  {
    id: 'ADVICE-09',
    sentence:
      'With the provider "sampling" the model of the calling agent ranks tools, in both eras; search also works without it.',
    source: 'search',
  },
];

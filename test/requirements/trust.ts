/** Promises about definitions that change, and those that nobody approved. */

import type { Requirement } from './requirement.ts';

export const trustRequirements: readonly Requirement[] = [
  {
    id: 'TRUST-01',
    sentence: 'A risky change in any single field is refused within one refresh, with the approved wording kept.',
    source: 'access',
  },
  { id: 'TRUST-02', sentence: 'A harmless change in the same fields passes and is recorded.', source: 'access' },
  {
    id: 'TRUST-03',
    sentence: 'The owner sees what changed and why, and approves or rejects exactly that.',
    source: 'access',
  },
  {
    id: 'TRUST-04',
    sentence: 'Tools that vanish, return, swap or flap are compared with what was approved.',
    source: 'access',
  },
  { id: 'TRUST-05', sentence: 'What waits for approval still waits after a restart.', source: 'access' },
  {
    id: 'TRUST-06',
    sentence: 'With access.approveNew nothing new is there for anybody before it is approved.',
    source: 'access',
  },
  {
    id: 'TRUST-07',
    sentence:
      'Tools of the same name, and those with names of our own, reach their own server whatever the order of start.',
    source: 'reliability',
  },
  {
    id: 'TRUST-08',
    sentence: 'Prompts, resources and what a server says of itself are approved like tools.',
    source: 'access',
  },
  {
    id: 'TRUST-10',
    sentence: 'Accepting takes one question per reason and a few lines, however many definitions wait.',
    source: 'running',
  },
  {
    id: 'TRUST-11',
    sentence: 'A decision can be undone: agents see at once what was approved before, and the audit records it.',
    source: 'access',
  },
  {
    id: 'TRUST-12',
    sentence: 'Added, changed and removed tools are kept as history, summed up for agents and the owner, and logged.',
    source: 'search',
  },
  {
    id: 'TRUST-13',
    sentence: 'The text of a change belongs to the fingerprint that is shown with it.',
    source: 'access',
  },
  {
    id: 'TRUST-14',
    sentence:
      'An upgrade of a server is shown as one event with what is new and what is risky, and one command decides it.',
    source: 'access',
  },
  {
    id: 'TRUST-15',
    sentence:
      'Risky changes wait, pass with a mark, or pass, as the owner sets it, also per server; hidden characters, encoded text and instructions to the model always wait.',
    source: 'access',
  },
  {
    id: 'TRUST-16',
    sentence: 'A tool whose name has unseen characters or mixes alphabets is held; other names are shown as they are.',
    source: 'access',
  },
  {
    id: 'TRUST-17',
    sentence:
      'After a restart or an idle close nothing of a server is called before its new listing is judged, unless its upgrades are allowed; a call that no longer fits gets the new signature.',
    source: 'access',
  },
  {
    id: 'TRUST-18',
    sentence:
      'A poisoned server, and names that pass for others, are shown with the reasons and decided in two commands.',
    source: 'access',
  },
  {
    id: 'TRUST-19',
    sentence: 'Start, list and status name the review when a definition waits or is worth a look.',
    source: 'running',
  },
  { id: 'TRUST-09', sentence: 'Another server under the same name starts with no approvals.', source: 'access' },
];

/** Promises about calls that need approval. */

import type { Requirement } from './requirement.ts';

export const approvalRequirements: readonly Requirement[] = [
  {
    id: 'ACC-40',
    sentence: 'A call whose permission is "ask" is put to the person at the agent with exactly what would be called.',
    source: 'access',
  },
  {
    id: 'ACC-41',
    sentence:
      'An approval for the session holds for that tool in that session, and an approval of one call for that one.',
    source: 'access',
  },
  {
    id: 'ACC-42',
    sentence: 'An agent that cannot be asked hears how the owner approves; then exactly the same call passes once.',
    source: 'calls',
  },
  {
    id: 'ACC-43',
    sentence: 'A forged, stolen, replayed or altered answer approves nothing.',
    source: 'reliability',
  },
  {
    id: 'ACC-44',
    sentence: 'What is forbidden, gone or revoked while a call waits is not called, whoever approves it.',
    source: 'access',
  },
  {
    id: 'ACC-45',
    sentence: 'An approval for always survives a restart, ends with the definition, and can be taken back.',
    source: 'access',
  },
  {
    id: 'ACC-46',
    sentence: 'A call that nobody approves in time, or whose agent leaves, is not made; a late answer changes nothing.',
    source: 'reliability',
  },
  { id: 'ACC-47', sentence: 'The owner can demand that only the owner approves.', source: 'access' },
  {
    id: 'ACC-48',
    sentence: 'By command line the owner sees what waits, allows, refuses, follows and takes back.',
    source: 'surfaces',
  },
  {
    id: 'ACC-49',
    sentence: 'Every question and answer about a call stands in the audit, with who, what and for how long.',
    source: 'access',
  },
  {
    id: 'ACC-60',
    sentence: 'No server can have the name of a call id, and approving anything else decides nothing.',
    source: 'running',
  },
  {
    id: 'ACC-51',
    sentence:
      'What an agent sends beside the arguments is shown to whoever approves the call, and is part of what is approved.',
    source: 'access',
  },
  {
    id: 'ACC-52',
    sentence: 'The owner sees what was approved for sessions and how long it holds; with a session it ends.',
    source: 'access',
  },
  {
    id: 'ACC-53',
    sentence: 'The owner takes back an approval for a session like one for always, and that stands in the audit.',
    source: 'access',
  },
  {
    id: 'ACC-54',
    sentence:
      'Where an agent has no session, whoever approves is told that it is for every agent with the token, for an hour.',
    source: 'access',
  },
];
